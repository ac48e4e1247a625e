"""The repair as the person drafts it: choices with undo, and the plan that comes of them.

Merged; to be rewritten:
`choice_command`: Undo and redo of choices: a command holds the choices before and after, never what came of them.
`open_calls`: Did the unanswered calls run? Asked of the child once a panel that shows it is seen, and after the plan.
"""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from inspector.core.presentation.outline import PairMark
from inspector.core.presentation.results import OfferedResult, PreviewRow
from inspector.core.repair.choices import ADOPT_STRATEGY, Choices, SessionChoice
from inspector.gui.common import ui_text
from inspector.gui.common.ui_text import tr
from inspector.gui.worker import requests
from inspector.gui.worker.answers import FindingGroup, OpenedLog, PackedEvidence, PackedFindings, PlannedRepair
from inspector.gui.worker.child_process import ChildProcess

# Undo and redo of choices: a command holds the choices before and after, never what came of them.


class ChoiceCommand(QUndoCommand):
    """Replaces all choices by others."""

    def __init__(self, text: str, before: Choices, after: Choices, put: Callable[[Choices], None]) -> None:
        super().__init__(text)
        self._before, self._after, self._put = before, after, put

    def redo(self) -> None:
        self._put(self._after)

    def undo(self) -> None:
        self._put(self._before)


# The class of calls that wait: unless somebody says so, they are left alone.
_PENDING_CALL_RULE = "D6"


class RepairDraft(QObject):
    """Owns the choices; every change of them asks for a new plan.

    Signals: `choices_changed`, `plan_changed` (a plan came, failed, or is being made), `engine_missed` (a plan is
    wanted and the process that could make it is gone).
    """

    choices_changed = Signal()
    plan_changed = Signal()
    reload_needed = Signal()

    def __init__(self, process: ChildProcess, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        process.answer_signal(requests.PREVIEW).connect(self._on_process_previewed)
        self._book = PackedFindings()
        self._offered: set[tuple[int, str | None]] = set()
        self.undo_stack = QUndoStack(self)
        self.default_wording = ""
        self.choices = Choices()
        self.judged = False
        self.plan: PlannedRepair | None = None
        self.planning = False
        self.failure = ""

    def reset(self) -> None:
        """Another log comes: no choice made so far concerns it."""
        self.undo_stack.clear()
        self.choices = self._first_choices
        self._offered.clear()

    def set_log(self, log: OpenedLog | None) -> None:
        """Answer for the findings of this log from now on; no plan is wanted yet. None while it is being read."""
        if log is not None:
            self._book = log.findings
        # A repair can be planned when at least one session could be judged.
        self.judged = log is not None and any(
            session.verdict not in ("not-judged", "unreadable") for session in log.overview.sessions
        )
        self.plan, self.planning, self.failure = None, False, ""

    def request_plan(self) -> None:
        """Ask for the plan that the choices come to."""
        if self.judged and not self._process.alive:
            self.reload_needed.emit()
            return
        if self.judged:
            self.planning, self.failure = True, ""
            self._process.ask(requests.PREVIEW, self.choices)
        self.plan_changed.emit()

    def set_failure(self, sentence: str) -> None:
        """No plan came."""
        self.plan, self.planning, self.failure = None, False, sentence
        self.plan_changed.emit()

    @property
    def why_not_plannable(self) -> str:
        """Why no repair can be planned at all, "" when one can."""
        return "" if self.judged else tr("The log was not judged.")

    @property
    def why_not_writable(self) -> str:
        """Why there is no repair that could be written, "" when there is."""
        if self.plan is None:
            return self.failure or tr("There is no repair yet.")
        summary = self.plan.summary
        return "" if summary.verified else summary.reason or tr("The repaired history does not pass the checks.")

    @property
    def why_not_worth_writing(self) -> str:
        """Why there is no repair that is worth writing, "" when there is."""
        nothing = self.plan is not None and not self.plan.summary.edits
        return self.why_not_writable or (tr("There is nothing to repair.") if nothing else "")

    def choose_preset(self, preset: str) -> None:
        if preset != self.choices.preset:
            self._push(f"{tr('chose')} {ui_text.preset_label(preset)}", self._kept(Choices(preset)))

    def choose_preset_of_session(self, session: str, preset: str) -> None:
        """A preset of its own for one session (by its id or number); "" for that of all."""
        if preset != self.preset_of_session(session):
            before = self.choices.sessions.get(session, SessionChoice())
            sessions = self.choices.sessions | {session: msgspec.structs.replace(before, preset=preset)}
            if sessions[session] == SessionChoice():
                del sessions[session]
            self._push(tr("chose a preset for a session"), msgspec.structs.replace(self.choices, sessions=sessions))

    def preset_of_session(self, session: str) -> str:
        """The preset that was chosen for one session alone, "" when none was."""
        return self.choices.sessions.get(session, SessionChoice()).preset

    def take_results(self, paths: tuple[str, ...], offers: tuple[OfferedResult, ...]) -> None:
        """Take results of open calls over from other logs; those of calls that only wait, too: the person asked."""
        results_from = tuple(dict.fromkeys((*self.choices.results_from, *paths)))
        findings = dict(self.choices.findings)
        for offer in offers:
            for position in self._book.positions_in_record(offer.place.record):
                finding = self._book[position]
                if finding.rule == _PENDING_CALL_RULE and finding.call_id == offer.call_id:
                    findings[finding.id] = ADOPT_STRATEGY
        self._offered |= {(offer.place.record, offer.call_id) for offer in offers}
        choices = msgspec.structs.replace(self.choices, results_from=results_from, findings=findings)
        self._push(tr("took results from another log"), choices)

    def is_offered(self, position: int) -> bool:
        """Whether another log that was taken holds the result of the call that a finding is about."""
        if not self.choices.results_from or position >= len(self._book):
            return False
        finding = self._book[position]
        return finding.adopts and (finding.place.record, finding.call_id) in self._offered

    def choose_profile(self, profile: str) -> None:
        """The provider that the repaired history is for; "" for the session's own."""
        if profile != self.choices.profile:
            text = f"{tr('chose the provider')} {ui_text.profile_label(profile)}"
            self._push(text, msgspec.structs.replace(self.choices, profile=profile))

    def choose_wording(self, wording: str) -> None:
        """The text of placeholders, or the name of a known one; "" for the preset's."""
        if wording != self.choices.wording:
            self._push(tr("chose other words"), msgspec.structs.replace(self.choices, wording=wording))

    def choose_for_rule(self, rule: str, strategy: str) -> None:
        """One strategy for all findings of a rule: single choices for them are dropped."""
        kept = {name: chosen for name, chosen in self.choices.findings.items() if name.partition(":")[0] != rule}
        rules = self.choices.rules | {rule: strategy}
        slug = next((group.slug for group in self._book.groups if group.rule == rule), "")
        text = f"“{ui_text.strategy_label(strategy)}” {tr('for all of')} “{ui_text.rule_title(slug, rule)}”"
        self._push(text, msgspec.structs.replace(self.choices, rules=rules, findings=kept))

    def choose_for_finding(self, position: int, strategy: str) -> None:
        """A strategy for one finding."""
        if position < len(self._book):
            finding = self._book[position]
            findings = self.choices.findings | {finding.id: strategy}
            text = f"“{ui_text.strategy_label(strategy)}” {tr('in')} {ui_text.place_label(finding.place)}"
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def reject(self, row: int) -> None:
        """Leave as they are what a change of the plan mends."""
        if change := self.rejectable_change(row, rejected=False):
            findings = self.choices.findings | dict.fromkeys(change.finding_ids, "leave")
            text = f"{tr('rejected change in')} {self._where(row, change)}"
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def accept(self, row: int) -> None:
        """Let the preset decide again about what a rejected change would mend."""
        if change := self.rejectable_change(row, rejected=True):
            findings = {i: s for i, s in self.choices.findings.items() if i not in change.finding_ids}
            text = f"{tr('accepted change in')} {self._where(row, change)}"
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def rejectable_change(self, row: int, rejected: bool) -> PreviewRow | None:
        """A change of the plan that can be rejected, or one that was."""
        change = self.plan[row] if self.plan is not None and 0 <= row < len(self.plan) else None
        return change if change and change.finding_ids and (change.mark == "rejected") == rejected else None

    def _where(self, row: int, change: PreviewRow) -> str:
        """Where a change stands: an added record has no line yet, but what it mends has."""
        position = self.plan.findings[row] if self.plan is not None else -1
        if change.record is None and position >= 0:
            return ui_text.place_label(self._book[position].place)
        return ui_text.record_label(max(change.record or 0, 0), change.line)

    def revert(self) -> None:
        """Go back to what the default preset does."""
        if self.has_choices:
            self._push(tr("dropped all choices"), self._first_choices)

    @property
    def has_choices(self) -> bool:
        """Whether the person chose anything for this log."""
        return self.choices != self._first_choices

    def _kept(self, choices: Choices) -> Choices:
        """Other choices, with what no preset says."""
        now = self.choices
        return msgspec.structs.replace(choices, profile=now.profile, wording=now.wording, results_from=now.results_from)

    @property
    def _first_choices(self) -> Choices:
        """What holds before anything is chosen."""
        return Choices(wording=self.default_wording)

    def strategy_of_finding(self, position: int) -> str:
        """What is done about one finding; "" for one that a view still shows of the log before this."""
        if position >= len(self._book):
            return ""
        finding = self._book[position]
        chosen = self.choices.findings.get(finding.id) or self.choices.rules.get(finding.rule)
        return chosen or (self.plan.strategy_of(position) if self.plan else "") or finding.default

    def strategy_of_rule(self, group: FindingGroup) -> str:
        """What is done about all findings of a rule, "" when not the same."""
        if self.plan is None:
            return self.choices.rules.get(group.rule, group.default)
        used = self.plan.strategy_of_all(group.start, group.stop)
        return group.default if used is None else used

    def _push(self, text: str, after: Choices) -> None:
        self.undo_stack.push(ChoiceCommand(text, self.choices, after, self._put_choices))

    def _put_choices(self, choices: Choices) -> None:
        self.choices = choices
        self.choices_changed.emit()
        self.request_plan()

    @Slot(object)
    def _on_process_previewed(self, plan: PlannedRepair) -> None:
        self.plan, self.planning, self.failure = plan, False, ""
        self.plan_changed.emit()


# Did the unanswered calls run? Asked of the child once a panel that shows it is seen, and after the plan.

_OPEN_MARKS = (PairMark.UNANSWERED, PairMark.PENDING, PairMark.RUNNING)


class CallEvidenceLoader(QObject):
    """Holds the answer, `book`, None until it came. Signals: `changed`."""

    changed = Signal()

    def __init__(self, process: ChildProcess, repair: RepairDraft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process, self._repair = process, repair
        self._log: OpenedLog | None = None
        self._wanted = self._asked = False
        self.evidence: PackedEvidence | None = None
        process.answer_signal(requests.OPEN_CALLS).connect(self._on_known)
        repair.plan_changed.connect(self._ask)

    def set_log(self, log: OpenedLog | None) -> None:
        """Answer for this log from now on; None while it is being read."""
        self._log, self.evidence = log, None
        self._wanted = self._asked = False
        self.changed.emit()

    def request(self) -> None:
        """Somebody looks. A log without an open call has nothing to tell, and nothing is asked."""
        self._wanted = True
        self._ask()

    @Slot()
    def _ask(self) -> None:
        repair = self._repair
        # The child does one thing at a time: the plan is waited for, and comes first.
        busy = repair.judged and (repair.planning or (repair.plan is None and not repair.failure))
        if not self._wanted or self._asked or busy or self._log is None or not self._process.alive:
            return
        if len(self._log.findings) and any(mark in self._log.outline.mark for mark in _OPEN_MARKS):
            self._asked = True
            self._process.ask(requests.OPEN_CALLS)

    @Slot(object)
    def _on_known(self, book: PackedEvidence) -> None:
        self.evidence = book
        self.changed.emit()
