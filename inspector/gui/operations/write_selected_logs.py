"""What is written of the logs that are selected in a list: repaired copies, bundles, and repairs to send back."""

from collections import Counter

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from inspector.core.presentation.engine_results import LogProduct, LogWriteOutcome
from inspector.core.translation import tr, tr_plural
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.dialogs.share_dialogs import SaveExplanationDialog, SelectedLogs, bundle_lines, send_back_lines
from inspector.gui.state.load_status import Notice
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import WRITE_LOGS

_EXPLANATIONS = {"bundle": bundle_lines, "send-back": send_back_lines}
_TITLES = {
    "copy": tr("Save repaired copies of the selected logs"),
    "bundle": tr("Create bundles for the selected logs"),
    "send-back": tr("Prepare repairs to send back for the selected logs"),
}


class WriteSelectedLogsOperation(QObject):
    """Writes files of the selected logs to a folder that the person chooses, below their tickets.

    Signals: `repaired` (the paths of the logs of which repaired copies were written).
    """

    repaired = Signal(list)

    def __init__(self, listed: SelectedLogs, questions: DialogQuestions, parent: QWidget) -> None:
        super().__init__(parent)
        self._listed, self._questions, self._parent = listed, questions, parent
        self._product: LogProduct = "copy"
        self._folder = ""
        listed.process.answer_signal(WRITE_LOGS).connect(self._on_written)
        listed.process.failed.connect(self._on_failed)

    def why_unavailable(self) -> str:
        """Return why nothing can be written of the selection now, "" when something can."""
        return self._listed.why_none()

    def write(self, product: LogProduct) -> None:
        """Ask for what is needed, and write "copy", "bundle" or "send-back" of each selected log."""
        if self._listed.why_none():
            return
        if product not in _EXPLANATIONS:
            self._ask_and_write(product, "en")
            return
        dialog = SaveExplanationDialog(tr(_TITLES[product]), _EXPLANATIONS[product](), self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._ask_and_write(product, dialog.language.currentData()))
        dialog.open()

    def _ask_and_write(self, product: LogProduct, language: str) -> None:
        places = self._listed.places()
        folder = self._questions.folder_to_write_to(tr(_TITLES[product]))
        if folder:
            self._product, self._folder = product, folder
            sentence = tr_plural(
                "{number:,} log is being processed…", "{number:,} logs are being processed…", len(places)
            )
            self._listed.say(Notice(sentence))
            self._listed.process.ask(WRITE_LOGS, places, folder, product, language)

    @Slot(object)
    def _on_written(self, rows: list[LogWriteOutcome]) -> None:
        counts = Counter(row.outcome for row in rows)
        written, unchanged, exist = (counts.pop(outcome, 0) for outcome in ("written", "unchanged", "exists"))
        folder = hiding.display_path(self._folder)
        sentences = [
            tr_plural(
                "{number:,} file was written to {folder}.",
                "{number:,} files were written to {folder}.",
                written,
                folder=folder,
            )
        ]
        if unchanged:
            sentences.append(tr_plural("{number:,} log needs no repair.", "{number:,} logs need no repair.", unchanged))
        if exist:
            sentences.append(tr_plural("{number:,} file already existed.", "{number:,} files already existed.", exist))
        if others := counts.total():
            sentences.append(
                tr_plural(
                    "Nothing could be written for {number:,} log.",
                    "Nothing could be written for {number:,} logs.",
                    others,
                )
            )
        self._listed.show_lines([_line(row) for row in rows if row.reason or row.target])
        if self._product == "copy":
            self.repaired.emit([row.path for row in rows if row.outcome == "written"])
        self._listed.say(Notice(" ".join(sentences), good=bool(written)))

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is WRITE_LOGS:
            self._listed.say(Notice(failure.sentence))


def _line(row: LogWriteOutcome) -> str:
    path = hiding.display_path(row.path)
    if row.reason:
        return tr("{path}: {reason}", path=path, reason=row.reason)
    return f"{path} → {hiding.display_path(row.target)}"
