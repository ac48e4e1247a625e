"""Answers to the window's questions, given beforehand."""

from inspector.gui.common.dialog_questions import DialogQuestions


class FakeQuestions(DialogQuestions):
    """Remembers what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.log = ""
        self.folder = ""
        self.copy = ""
        self.closed = False
        self.backup = ""
        self.sure = False
        self.told: list[str] = []
        self.words = ""
        self.results: list[str] = []
        self.pasted = ""
        self.other = ""

    def note(self, known: str) -> str | None:
        self.asked.append(f"note {known!r}")
        return self.words

    def log_to_open(self, folder: str) -> str:
        self.asked.append("open")
        return self.log

    def folder_to_list(self, folder: str) -> str:
        self.asked.append("folder")
        return self.folder

    def folder_to_write_to(self, title: str) -> str:
        self.asked.append(title)
        return self.folder

    def _target(self, suggestion: str, title: str) -> str:
        self.asked.append(f"copy {suggestion}")
        return self.copy

    def backup_to_restore(self, folder: str) -> str:
        self.asked.append("backup")
        return self.backup

    def confirm_close_during_save(self) -> bool:
        self.asked.append("close during a save")
        return self.sure

    def confirm_losing_choices(self, count: int) -> bool:
        self.asked.append(f"lose {count}")
        return self.sure

    def confirm_restore(self, backup: str, original: str) -> bool:
        self.asked.append(f"restore {backup} as {original}")
        return self.sure

    def confirm_forget(self) -> bool:
        self.asked.append("forget")
        return self.sure

    def show_message(self, told: str, more: str) -> None:
        self.told.append(f"{told}: {more}")

    def logs_with_results(self, folder: str) -> list[str]:
        self.asked.append("results")
        return self.results

    def log_to_compare(self, folder: str) -> str:
        self.asked.append("compare")
        return self.other

    def wording(self, template: str) -> str:
        self.asked.append(f"wording {template}")
        return self.words

    def pasted_text(self) -> str:
        self.asked.append("error")
        return self.pasted

    def confirm_agent_closed(self, path: str) -> bool:
        self.asked.append("in-place")
        return self.closed
