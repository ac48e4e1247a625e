"""The three saves: whether each is possible and why not, what is asked before it, and the order to write."""

from pathlib import Path

from inspector.gui.basics.action_table import Action
from inspector.gui.basics.words import tr
from inspector.gui.document.document import Document
from inspector.gui.panels.questions import Questions

SAVE_MODES = {
    Action.SAVE_NEW_SESSION: "new-session",
    Action.SAVE_COPY: "copy",
    Action.SAVE_IN_PLACE: "in-place",
}

UNAVAILABLE = {
    "new-session": "Only a session that its agent can find under a new id can be saved so.",
    "copy": "This log cannot be written to a copy.",
    "in-place": "This log cannot be written in place.",
}


class SaveFlow:
    """Decides and asks; the document writes."""

    def __init__(self, document: Document, questions: Questions) -> None:
        self._document = document
        self._questions = questions

    def why_unavailable(self, mode: str) -> str:
        """Why a save is not possible now, "" when it is."""
        document, draft = self._document, self._document.repair
        log = document.whole_log
        if log is not None and mode not in log.overview.save_modes:
            return log.overview.why_read_only or tr(UNAVAILABLE[mode])
        if document.why_not_writable:
            return document.why_not_writable
        if not draft.judged:
            return tr("The log was not judged, so there is no repair to save.")
        if draft.failure:
            return draft.failure
        if draft.planning or draft.plan is None:
            return tr("The repair is still being planned.")
        return draft.why_not_worth_writing

    def save(self, mode: str) -> None:
        """Ask what must be asked, then write."""
        if self.why_unavailable(mode):
            return
        target = ""
        if mode == "copy":
            target = self._questions.target_of_copy(str(self.suggest_path()))
            if not target:
                return
        elif mode == "in-place" and not self._questions.confirm_agent_closed(self._document.path):
            return
        self._document.save(mode, target)

    def suggest_path(self) -> Path:
        """A name for the copy, in the person's folder: never beside the original, where an agent would list it."""
        log = self._document.log
        return Path.home() / (log.overview.copy_name if log else "")
