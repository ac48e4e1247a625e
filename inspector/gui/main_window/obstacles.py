"""Why an action cannot be carried out now: a disabled action says it in its tooltip."""

from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics.action_table import Action
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.words import tr
from inspector.gui.document.document import Document
from inspector.gui.document.pasted_text import PastedText
from inspector.gui.document.state import Phase
from inspector.gui.document.survey import Step, Survey
from inspector.gui.flows.save_flow import SAVE_MODES
from inspector.gui.main_window.flows import Flows

_HIDDEN = "Content is hidden, and so are notes: show the content of this log first."
_NO_LOG = "Open a log first."
_NEED_A_LOG = (
    Action.FIND,
    Action.FILTER,
    Action.LISTS,
    Action.GO_TO,
    Action.FIND_NEXT,
    Action.FIND_PREVIOUS,
    Action.EXPAND_BELOW,
    Action.COLLAPSE_ALL,
    Action.SHOW_DETAILS,
    Action.SHOW_RAW,
    Action.SHOW_REPAIR,
)


class Obstacles:
    """Asks those who know; "" means that nothing is in the way."""

    def __init__(
        self,
        document: Document,
        survey: Survey,
        pasted: PastedText,
        flows: Flows,
    ) -> None:
        self._document, self._loader, self._pasted, self._operations = document, survey, pasted, flows

    def reasons(self, listing: bool) -> dict[Action, str]:
        """By action; with `listing` the list of logs is shown, and no log is."""
        log = None if listing else self._document.log
        empty = "" if log else tr(_NO_LOG)
        return {
            **dict.fromkeys(_NEED_A_LOG, empty),
            **self._loading_reasons(listing),
            **self._choice_reasons(log),
            **self._navigation_reasons(log, empty),
            **{action: empty or self._operations.save.why_unavailable(mode) for action, mode in SAVE_MODES.items()},
            Action.SHOW_ASIDES: empty or self._document.why_not_writable,
            Action.RESTORE: self._operations.restore.why_unavailable(),
            Action.TRIM: empty or self._operations.copies.why_no_trim(),
            Action.CONVERT: empty or self._operations.copies.why_no_convert(),
            Action.UNDO_PLACEHOLDERS: empty or self._operations.repair.why_no_undo(),
            Action.COMPARE: empty or self._operations.copies.why_no_convert(),
            **dict.fromkeys((Action.COPY_REPORT, Action.REPORT), self._no_report(log, listing)),
            Action.BUNDLE: empty or self._operations.share.why_no_bundle(),
            Action.SEND_BACK: empty or self._operations.share.why_no_send_back(),
            Action.FORGET: self._operations.forget.why_unavailable(),
            Action.SHOW_CONTENT: empty or ("" if hiding.enabled else tr("Nothing is hidden.")),
            Action.RESULTS_FROM: empty or self._operations.repair.why_no_results(),
        }

    def _no_report(self, log: OpenedLog | None, listing: bool) -> str:
        return self._operations.report.why_unavailable(listing) if log or listing else tr(_NO_LOG)

    def _loading_reasons(self, listing: bool) -> dict[Action, str]:
        document, survey = self._document, self._loader
        planning = document.repair.planning and not document.saving
        at_work = document.phase == Phase.LOADING or planning
        busy = self._pasted.searching or (survey.busy if listing else at_work)
        no_way = {
            forward: "" if document.navigator.history.can_go(forward) else tr("There is nowhere to go.")
            for forward in (False, True)
        }
        no_list = tr("There is no list of logs yet.") if survey.step == Step.IDLE else ""
        return {
            Action.RELOAD: "" if document.path or listing else tr(_NO_LOG),
            Action.CANCEL: "" if busy else tr("Nothing is being read or planned."),
            Action.SHOW_LIST: tr("This is the list.") if listing else no_list,
            Action.BACK: no_way[False],
            Action.FORWARD: no_way[True],
        }

    def _choice_reasons(self, log: OpenedLog | None) -> dict[Action, str]:
        draft = self._document.repair
        stack, row = draft.undo_stack, self._document.selection.change
        return {
            Action.UNDO: "" if log and stack.canUndo() else tr("No choice to take back."),
            Action.REDO: "" if log and stack.canRedo() else tr("No choice to make again."),
            Action.REVERT: "" if log and draft.has_choices else tr("No choice was made."),
            Action.REJECT_CHANGE: ""
            if log and draft.rejectable_change(row, rejected=False)
            else tr("Go to a change first."),
            Action.ACCEPT_CHANGE: ""
            if log and draft.rejectable_change(row, rejected=True)
            else tr("It was not rejected."),
        }

    def _navigation_reasons(self, log: OpenedLog | None, empty: str) -> dict[Action, str]:
        document = self._document
        none = "" if log and len(log.findings) else tr("There are no findings.")
        unjudged = empty or document.repair.why_not_plannable
        label = "" if log is None or log.overview.models_resume else log.overview.format_label
        unknown = f"{tr('What is sent on resume is not known for a log of this format')} ({label})." if label else ""
        elsewhere = log is not None and document.finding >= 0 and log.findings[document.finding].log
        paired = log is not None and 0 < document.node < len(log.outline) and log.outline.peer[document.node] > 0
        nowhere = empty or ("" if document.node > 0 else tr("Select a message first."))
        return {
            **dict.fromkeys((Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES), nowhere),
            Action.BOOKMARK: nowhere or document.why_not_writable,
            Action.NOTE: nowhere or document.why_not_writable or (tr(_HIDDEN) if hiding.salt(document.path) else ""),
            Action.NEXT_FINDING: none,
            Action.PREVIOUS_FINDING: none,
            Action.CHOOSE_STRATEGY: none or (tr("It is in the log of a subagent: open that one.") if elsewhere else ""),
            Action.WHAT_IS_THIS: none or ("" if document.finding >= 0 else tr("Go to a finding first.")),
            Action.WHO_ACCEPTS: unjudged,
            Action.WHAT_IS_SENT: unjudged or unknown,
            Action.FOLLOW_PAIR: "" if paired else tr("This row has no counterpart."),
        }
