"""The operations that the actions of the window start, and why an action is not available."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.presentation.engine_results import unknown_resume_request_sentence
from inspector.gui.common import ui_text
from inspector.gui.common.actions import Action
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.ui_text import tr
from inspector.gui.dialogs.share_dialogs import SelectedLogs
from inspector.gui.operations.forget_all import ForgetOperation
from inspector.gui.operations.paste import PasteOperation
from inspector.gui.operations.restore import RestoreOperation
from inspector.gui.operations.save import SAVE_MODES, SaveOperation, TrimAndConvertOperations
from inspector.gui.operations.share import BundleAndSendBackOperations, ReportOperations
from inspector.gui.operations.undo_placeholders_and_compare import UndoAndCompareOperations
from inspector.gui.operations.write_selected_logs import WriteSelectedLogsOperation
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import ErrorLookup
from inspector.gui.state.load_status import Phase
from inspector.gui.state.log_list_loader import LoadStep, LogListLoader
from inspector.gui.state.log_work_marks import LogWorkMark
from inspector.gui.window.zoom import Zoom
from inspector.gui.worker.packed_answers import OpenedLog

if TYPE_CHECKING:
    from inspector.gui.window.main_window import MainWindow

_CONTENT_HIDDEN = tr("Notes are hidden together with the content. Show the content of this log first.")
_NO_LOG = tr("Open a log first.")
_NO_MESSAGE = tr("Select a message first.")
_LOG_ACTIONS = (
    Action.FIND,
    Action.FILTER,
    Action.LISTS,
    Action.GO_TO,
    Action.FIND_NEXT,
    Action.FIND_PREVIOUS,
    Action.EXPAND_BELOW,
    Action.COLLAPSE_ALL,
    Action.FOLD_TOOLS,
    Action.SHOW_DETAILS,
    Action.SHOW_RAW,
    Action.SHOW_REPAIR,
)


class Operations:
    """The operations of the window: the tasks of more than one step that actions start.

    An operation looks up a pane when it needs it: the operations are created before the panes.
    """

    def __init__(self, window: MainWindow) -> None:
        document, prompts, log_list = window.document, window.prompts, window.log_list
        selection = SelectedLogs(
            log_list.process,
            lambda: log_list.busy,
            lambda: window.logs.selected_logs(),
            lambda: window.logs.selected_places(),
            lambda notice: window.logs.show_notice(notice),
            lambda lines: window.logs.show_lines(lines),
        )
        self.paste = PasteOperation(window.error_lookup, prompts, window.open_all, window.shows_log)
        self.save = SaveOperation(document, prompts)
        self.copies = TrimAndConvertOperations(document, prompts, window, window.show_repair)
        self.repair = UndoAndCompareOperations(document, prompts, window, window.show_repair)
        self.restore = RestoreOperation(document, prompts, window.show_path, window)
        self.restore.restored.connect(log_list.refresh)
        self.report = ReportOperations(document, selection, prompts, window)
        self.report.reported.connect(lambda paths: window.log_marks.add(paths, LogWorkMark.REPORTED))
        self.selected = WriteSelectedLogsOperation(selection, prompts, window)
        self.selected.repaired.connect(lambda paths: window.log_marks.add(paths, LogWorkMark.REPAIRED))
        self.share = BundleAndSendBackOperations(document, prompts, self.save, window)
        self.forget = ForgetOperation(document, window.settings, prompts, window)
        for kept in (window.kept_choices, window.log_marks):
            self.forget.forgotten.connect(kept.forget_all)


class ActionAvailability:
    """The reasons why actions are disabled. A disabled action shows its reason in its tooltip."""

    def __init__(
        self,
        document: Document,
        loader: LogListLoader,
        lookup: ErrorLookup,
        operations: Operations,
        zoom: Zoom,
    ) -> None:
        self._document, self._loader, self._pasted, self._operations = document, loader, lookup, operations
        self._zoom = zoom

    def reasons(self, listing: bool) -> dict[Action, str]:
        """Return the reason of each action; "" means that the action is available.

        With `listing`, the window shows the list of logs and no log.
        """
        log = None if listing else self._document.log
        unread = tr(ui_text.LOG_NOT_READ_YET) if self._document.phase == Phase.LOADING and not listing else ""
        empty = "" if log else unread or tr(_NO_LOG)
        return {
            **dict.fromkeys(_LOG_ACTIONS, empty),
            **self._loading_reasons(listing),
            **self._choice_reasons(log),
            **self._navigation_reasons(log, empty, unread),
            **{action: empty or self._operations.save.why_unavailable(mode) for action, mode in SAVE_MODES.items()},
            Action.SHOW_ASIDES: empty or self._document.why_not_writable,
            Action.RESTORE: self._operations.restore.why_unavailable(),
            Action.TRIM: empty or self._operations.copies.why_no_trim(),
            Action.CONVERT: empty or self._operations.copies.why_no_convert(),
            Action.UNDO_PLACEHOLDERS: empty or self._operations.repair.why_no_undo(),
            Action.COMPARE: empty or self._operations.copies.why_no_convert(),
            **dict.fromkeys((Action.COPY_REPORT, Action.REPORT), self._no_report(listing, empty)),
            **dict.fromkeys((Action.FIND, Action.FILTER), self._no_filter() if listing else empty),
            Action.BUNDLE: empty or self._operations.share.why_no_bundle(),
            Action.SEND_BACK: empty or self._operations.share.why_no_send_back(),
            **self._selection_reasons(listing),
            Action.FORGET: self._operations.forget.why_unavailable(),
            Action.SHOW_CONTENT: empty or ("" if hiding.enabled else tr("Nothing is hidden.")),
            Action.RESULTS_FROM: empty or self._operations.repair.why_no_results(),
            Action.ZOOM_IN: self._zoom.why_not(1),
            Action.ZOOM_OUT: self._zoom.why_not(-1),
        }

    def _selection_reasons(self, listing: bool) -> dict[Action, str]:
        """Return the reasons of the actions that apply to the selected logs while the list is shown."""
        actions = (Action.SAVE_COPY, Action.BUNDLE, Action.SEND_BACK)
        return dict.fromkeys(actions, self._operations.selected.why_unavailable()) if listing else {}

    def _no_report(self, listing: bool, empty: str) -> str:
        return self._operations.report.why_unavailable(listing) if listing or not empty else empty

    def _no_filter(self) -> str:
        return "" if self._loader.logs or self._loader.busy else tr("The list is empty.")

    def _loading_reasons(self, listing: bool) -> dict[Action, str]:
        document, loader = self._document, self._loader
        planning = document.repair.planning and not document.saving
        at_work = document.phase == Phase.LOADING or planning
        busy = self._pasted.searching or (loader.busy if listing else at_work)
        no_history = {
            forward: ""
            if document.navigator.history.can_go(forward)
            else tr("There is no place to go back or forward to.")
            for forward in (False, True)
        }
        no_list = tr("No logs have been listed yet.") if loader.step == LoadStep.IDLE else ""
        return {
            Action.RELOAD: "" if document.path or listing else tr(_NO_LOG),
            Action.CANCEL: "" if busy else tr("No logs are being read, and no repairs are being planned."),
            Action.SHOW_LIST: tr("The list of logs is already shown.") if listing else no_list,
            Action.BACK: no_history[False],
            Action.FORWARD: no_history[True],
        }

    def _choice_reasons(self, log: OpenedLog | None) -> dict[Action, str]:
        draft = self._document.repair
        stack, row = draft.undo_stack, self._document.selection.change
        return {
            Action.UNDO: "" if log and stack.canUndo() else tr("There is no choice to undo."),
            Action.REDO: "" if log and stack.canRedo() else tr("There is no choice to redo."),
            Action.REVERT: "" if log and draft.has_choices else tr("No choices have been made."),
            Action.REJECT_CHANGE: ""
            if log and draft.rejectable_change(row, rejected=False)
            else self._why_no_rejection(row),
            Action.ACCEPT_CHANGE: ""
            if log and draft.rejectable_change(row, rejected=True)
            else tr("This change has not been rejected."),
        }

    def _why_no_rejection(self, row: int) -> str:
        if self._document.repair.rejectable_change(row, rejected=True):
            return tr("This change has already been rejected.")
        return (
            tr("Select a change first.") if row < 0 else tr("The selected row in the repair does not change anything.")
        )

    def _navigation_reasons(self, log: OpenedLog | None, empty: str, unread: str) -> dict[Action, str]:
        document = self._document
        no_findings = empty or ("" if log and len(log.findings) else unread or tr("There are no findings."))
        unjudged = empty or document.repair.why_not_plannable
        label = "" if log is None or log.overview.models_resume else log.overview.format_label
        unknown = unknown_resume_request_sentence(label) if label else ""
        elsewhere = log is not None and document.finding >= 0 and log.findings[document.finding].log
        paired = log is not None and 0 < document.node < len(log.outline) and log.outline.peer[document.node] > 0
        no_message = empty or ("" if document.node > 0 else tr(_NO_MESSAGE))
        no_record = no_message or ("" if log and log.record_of(document.node) >= 0 else tr(_NO_MESSAGE))
        return {
            **dict.fromkeys((Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES), no_message),
            Action.CONTINUE_FROM: no_record or self._operations.copies.why_no_trim(),
            Action.BOOKMARK: no_message or document.why_not_writable,
            Action.NOTE: no_message
            or document.why_not_writable
            or (tr(_CONTENT_HIDDEN) if hiding.salt(document.path) else ""),
            Action.NEXT_FINDING: no_findings,
            Action.PREVIOUS_FINDING: no_findings,
            Action.CHOOSE_STRATEGY: no_findings
            or (tr("The message is in a subagent's log. Open that log to see the message.") if elsewhere else ""),
            Action.WHAT_IS_THIS: no_findings or ("" if document.finding >= 0 else tr("Select a finding first.")),
            Action.WHO_ACCEPTS: unjudged,
            Action.WHAT_IS_SENT: unjudged or unknown,
            Action.FOLLOW_PAIR: "" if paired else tr("This row has no matching call or result."),
        }
