"""Answers to the window's questions, given beforehand."""

from inspector.gui.questions import Questions


class FakeQuestions(Questions):
    """Remembers what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.log = ""
        self.folder = ""
        self.copy = ""
        self.closed = False

    def log_to_open(self, folder: str) -> str:
        self.asked.append("open")
        return self.log

    def folder_to_list(self, folder: str) -> str:
        self.asked.append("folder")
        return self.folder

    def target_of_copy(self, suggestion: str) -> str:
        self.asked.append(f"copy {suggestion}")
        return self.copy

    def agent_is_closed(self, path: str) -> bool:
        self.asked.append("in-place")
        return self.closed
