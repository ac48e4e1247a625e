"""Sharing without content: a report, a bundle for developers, and a repair for the owner of the log."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from inspector.core.presentation.engine_results import RenderedShareableReport, ShareableReportOptions
from inspector.core.translation import tr_plural
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.ui_text import tr
from inspector.gui.dialogs.share_dialogs import (
    ReportDialog,
    SaveExplanationDialog,
    SelectedLogs,
    SendBackRepairDialog,
    bundle_lines,
)
from inspector.gui.operations.save import SaveOperation
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import (
    LOGS_REPORT,
    REPORT,
    SAVE_BUNDLE,
    SAVE_LOGS_REPORT,
    SAVE_REPORT,
    SAVE_SEND_BACK_REPAIR,
)

ShowNotice = Callable[[Notice], None]


class ReportOperations(QObject):
    """Reports on the open log, or on the logs selected in a list.

    A copied report contains no conversation content. Signals: `reported` (the paths of the logs).
    """

    reported = Signal(list)

    def __init__(self, document: Document, listed: SelectedLogs, questions: DialogQuestions, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._listed, self._questions, self._parent = document, listed, questions, parent
        self._copies = False
        document.process.answer_signal(REPORT).connect(partial(self._on_answer, False))
        listed.process.answer_signal(LOGS_REPORT).connect(partial(self._on_answer, True))
        document.process.answer_signal(SAVE_REPORT).connect(partial(self._on_saved, False))
        listed.process.answer_signal(SAVE_LOGS_REPORT).connect(partial(self._on_saved, True))
        document.process.failed.connect(partial(self._on_failed, document.show_notice))
        listed.process.failed.connect(partial(self._on_failed, listed.say))

    def why_unavailable(self, listing: bool) -> str:
        """Return why there is no report now, "" when there is one.

        With `listing`, the report is about the selection in the list.
        """
        if not listing:
            return self._document.why_not_writable
        return self._listed.why_none()

    def copy(self, listing: bool) -> None:
        """Copy the report to the clipboard."""
        if not self.why_unavailable(listing):
            self._copies = True
            if listing:
                self._listed.process.ask(LOGS_REPORT, self._listed.logs(), ShareableReportOptions())
            else:
                self._document.process.ask(REPORT, ShareableReportOptions())

    def open_dialog(self, listing: bool) -> None:
        """Show the report in a dialog."""
        if not self.why_unavailable(listing):
            self._copies = False
            dialog = ReportDialog(self._document, self._questions, self._parent, self._listed if listing else None)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.accepted.connect(partial(self._mark_reported, listing))
            dialog.open()

    def _on_answer(self, listing: bool, report: RenderedShareableReport) -> None:
        if self._copies:
            self._copies = False
            QGuiApplication.clipboard().setText(report.text)
            self._mark_reported(listing)
            self._say(listing, tr("The report was copied. It contains no log content."))

    def _on_saved(self, listing: bool, path: str) -> None:
        self._say(listing, tr("The report was saved: {path}", path=hiding.display_path(path)))

    def _mark_reported(self, listing: bool) -> None:
        self.reported.emit([path for path, _, _ in self._listed.logs()] if listing else [self._document.path])

    def _say(self, listing: bool, sentence: str) -> None:
        (self._listed.say if listing else self._document.show_notice)(Notice(sentence, good=True))

    def _on_failed(self, say: ShowNotice, failure: RequestFailure) -> None:
        """Report a failed copy or save.

        A dialog reports its own failures, and the owner of the child process reports its end.
        """
        copied = self._copies and failure.request in (REPORT, LOGS_REPORT)
        self._copies = self._copies and not (copied or failure.died)
        if not failure.died and (copied or failure.request in (SAVE_REPORT, SAVE_LOGS_REPORT)):
            say(Notice(failure.sentence))


class BundleAndSendBackOperations(QObject):
    """The bundle and the repair to send back. This class opens the dialogs and reports the results."""

    def __init__(self, document: Document, questions: DialogQuestions, saves: SaveOperation, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._questions, self._saves, self._parent = document, questions, saves, parent
        self._target = ""
        document.process.answer_signal(SAVE_BUNDLE).connect(self._on_bundled)
        document.process.answer_signal(SAVE_SEND_BACK_REPAIR).connect(self._on_sent_back)
        document.process.failed.connect(self._on_failed)

    def why_no_bundle(self) -> str:
        """Return why no bundle can be made now, "" when one can."""
        return self._document.why_not_writable or self._document.repair.why_not_plannable

    def why_no_send_back(self) -> str:
        """Return why no repair can be sent back now, "" when one can."""
        return self._saves.why_unavailable("copy") or self._document.repair.why_not_worth_writing

    def make_bundle(self) -> None:
        """Ask for the language of the reports and for a path, and write the bundle."""
        if self.why_no_bundle():
            return
        dialog = SaveExplanationDialog(tr("A bundle without content"), bundle_lines(), self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._make_bundle(dialog.language.currentData(), dialog.windowTitle()))
        dialog.open()

    def send_back(self) -> None:
        """Show what would be sent, and let the person save it."""
        if not self.why_no_send_back():
            dialog = SendBackRepairDialog(self._document, self._questions, self._parent)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    def _make_bundle(self, language: str, title: str) -> None:
        if target := self._questions.target_of_copy("bundle.zip", self._document.path, title):
            self._target = target
            self._document.show_notice(Notice(tr("The bundle is being created and checked.")))
            self._document.process.ask(SAVE_BUNDLE, language, self._target)

    @Slot(object)
    def _on_bundled(self, findings: int) -> None:
        summary = tr_plural(
            "It has the same finding as the log", "It has the same {number:,} findings as the log", findings
        )
        place = hiding.display_path(self._target)
        self._document.show_notice(
            Notice(tr("The bundle was saved: {place}. {summary}.", place=place, summary=summary), good=True)
        )

    @Slot(object)
    def _on_sent_back(self, path: str) -> None:
        sentence = tr("The repair to send back contains no log content. It was saved as:")
        self._document.show_notice(Notice(f"{sentence} {hiding.display_path(path)}", good=True))

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request in (SAVE_BUNDLE, SAVE_SEND_BACK_REPAIR) and not failure.died:
            self._document.show_notice(Notice(failure.sentence))
