"""The repair draft: the person's choices with undo, the resulting plan, and the evidence on open calls."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from inspector.core.presentation.engine_results import PreviewRow, ResultInOtherLog
from inspector.core.repair.choices import ADOPT_STRATEGY, Choices, SessionChoice
from inspector.gui.common import ui_text
from inspector.gui.common.ui_text import tr
from inspector.gui.worker import requests
from inspector.gui.worker.child_client import ChildProcess
from inspector.gui.worker.packed_answers import FindingGroup, OpenedLog, PackedEvidence, PackedFindings, PlannedRepair


class ChoicesUndoCommand(QUndoCommand):
    """An undo command that replaces all choices. It stores the choices before and after, not the plans."""

    def __init__(self, text: str, before: Choices, after: Choices, put: Callable[[Choices], None]) -> None:
        super().__init__(text)
        self._before, self._after, self._put = before, after, put

    def redo(self) -> None:
        self._put(self._after)

    def undo(self) -> None:
        self._put(self._before)


# The rule of pending calls. They are left alone unless the person chooses otherwise.
_PENDING_CALL_RULE = "D6"


class RepairDraft(QObject):
    """The choices for the open log and the plan that follows from them. Every change requests a new plan.

    Signals: `choices_changed`, `plan_changed` (a plan arrived, failed, or is being made), `reload_needed` (a plan is
    wanted, but the process that could make it is gone).
    """

    choices_changed = Signal()
    plan_changed = Signal()
    reload_needed = Signal()

    def __init__(self, process: ChildProcess, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        process.answer_signal(requests.PREVIEW_REPAIR).connect(self._on_process_previewed)
        self._book = PackedFindings()
        self._offered: set[tuple[int, str | None]] = set()
        self.undo_stack = QUndoStack(self)
        self.default_wording = ""
        self.choices = Choices()
        self._saved_choices = self.choices
        # Whether choices that were kept for the log have been restored, if there are any.
        self.is_restored = False
        self.judged = False
        self.plan: PlannedRepair | None = None
        # The choices that the plan was made for. Those made since then are shown before the next plan arrives.
        self._planned_choices = self.choices
        self.planning = False
        self.failure = ""

    def reset(self) -> None:
        """Drop all choices, because another log is opened."""
        self.undo_stack.clear()
        self.choices = self._saved_choices = self._first_choices
        self.is_restored = False
        self._offered.clear()

    def set_log(self, log: OpenedLog | None) -> None:
        """Take the findings of this log, None while it is being read. No plan is requested yet."""
        if log is not None:
            self._book = log.findings
        # A repair can be planned when at least one session was checked.
        self.judged = log is not None and any(
            session.verdict not in ("not-judged", "unreadable") for session in log.overview.sessions
        )
        self.plan, self.planning, self.failure = None, False, ""

    def request_plan(self) -> None:
        """Request the plan for the current choices."""
        if self.judged and not self._process.alive:
            self.reload_needed.emit()
            return
        if self.judged:
            self.planning, self.failure = True, ""
            self._process.ask(requests.PREVIEW_REPAIR, self.choices)
        self.plan_changed.emit()

    def set_failure(self, sentence: str) -> None:
        """Report that planning failed."""
        self.plan, self.planning, self.failure = None, False, sentence
        self.plan_changed.emit()

    @property
    def why_not_plannable(self) -> str:
        """Why no repair can be planned at all, "" when one can."""
        return "" if self.judged else tr("The log was not checked.")

    @property
    def why_not_writable(self) -> str:
        """Why there is no repair that can be written, "" when there is one."""
        if self.plan is None:
            return self.failure or tr("There is no repair yet.")
        summary = self.plan.summary
        return "" if summary.verified else summary.reason or tr("The repaired history is not valid.")

    @property
    def why_not_worth_writing(self) -> str:
        """Why there is no repair worth writing, "" when there is one."""
        nothing = self.plan is not None and not self.plan.summary.edits
        return self.why_not_writable or (tr("There is nothing to repair.") if nothing else "")

    @property
    def is_partial(self) -> bool:
        """Whether the plan repairs something and leaves the log broken. Only a copy of that can be saved."""
        summary = self.plan.summary if self.plan is not None else None
        return summary is not None and summary.edits > 0 and not summary.verified

    def choose_preset(self, preset: str) -> None:
        if preset != self.choices.preset:
            self._push(tr("chose {preset}", preset=ui_text.preset_label(preset)), self._kept(Choices(preset)))

    def choose_preset_of_session(self, session: str, preset: str) -> None:
        """Choose a preset for one session (by its id or number). "" means the preset for all sessions."""
        if preset != self.preset_of_session(session):
            choice = self.choices.sessions.get(session, SessionChoice())
            sessions = self.choices.sessions | {session: msgspec.structs.replace(choice, preset=preset)}
            if sessions[session] == SessionChoice():
                del sessions[session]
            self._push(tr("chose a preset for a session"), msgspec.structs.replace(self.choices, sessions=sessions))

    def preset_of_session(self, session: str) -> str:
        """Return the preset chosen for this session alone, "" when none was."""
        return self.choices.sessions.get(session, SessionChoice()).preset

    def take_results(self, paths: tuple[str, ...], offers: tuple[ResultInOtherLog, ...]) -> None:
        """Take results of open calls from other logs.

        This includes results of calls that are only pending, because the person asked for it.
        """
        results_from = tuple(dict.fromkeys((*self.choices.results_from, *paths)))
        findings = dict(self.choices.findings)
        for offer in offers:
            for position in self._book.positions_in_record(offer.place.record):
                finding = self._book[position]
                if finding.rule == _PENDING_CALL_RULE and finding.call_id == offer.call_id:
                    findings[finding.id] = ADOPT_STRATEGY
        self._offered |= {(offer.place.record, offer.call_id) for offer in offers}
        choices = msgspec.structs.replace(self.choices, results_from=results_from, findings=findings)
        self._push(tr("copied results from another log"), choices)

    def is_offered(self, position: int) -> bool:
        """Return whether one of the chosen logs has the result of the call that a finding is about."""
        if not self.choices.results_from or position >= len(self._book):
            return False
        finding = self._book[position]
        return finding.adopts and (finding.place.record, finding.call_id) in self._offered

    def choose_profile(self, profile: str) -> None:
        """Choose the provider that the repaired history is for. "" means the session's own."""
        if profile != self.choices.profile:
            text = tr("chose the provider {provider}", provider=ui_text.profile_label(profile))
            self._push(text, msgspec.structs.replace(self.choices, profile=profile))

    def choose_wording(self, wording: str) -> None:
        """Choose the text of placeholders, or the name of a known one. "" means the preset's."""
        if wording != self.choices.wording:
            self._push(tr("changed the placeholder text"), msgspec.structs.replace(self.choices, wording=wording))

    def choose_for_rule(self, rule: str, strategy: str) -> None:
        """Choose one strategy for all findings of a rule, and drop the choices for single findings of it."""
        dropped = self._own_choices(self.choices, rule)
        kept = {name: chosen for name, chosen in self.choices.findings.items() if name not in dropped}
        rules = self.choices.rules | {rule: strategy}
        slug = next((group.slug for group in self._book.groups if group.rule == rule), "")
        text = tr(
            "“{strategy}” for all “{rule}” findings",
            strategy=ui_text.strategy_label(strategy),
            rule=ui_text.rule_title(slug, rule),
        )
        self._push(text, msgspec.structs.replace(self.choices, rules=rules, findings=kept))

    def choose_for_finding(self, position: int, strategy: str) -> None:
        """Choose a strategy for one finding."""
        if position < len(self._book):
            finding = self._book[position]
            findings = self.choices.findings | {finding.id: strategy}
            text = tr(
                "“{strategy}” in {place}",
                strategy=ui_text.strategy_label(strategy),
                place=ui_text.location_label(finding.place),
            )
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def reject(self, row: int) -> None:
        """Leave the findings that a change of the plan repairs as they are."""
        if change := self.rejectable_change(row, rejected=False):
            findings = self.choices.findings | dict.fromkeys(change.finding_ids, "leave")
            text = tr("rejected the change in {where}", where=self._where(row, change))
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def accept(self, row: int) -> None:
        """Let the preset decide again about a rejected change."""
        if change := self.rejectable_change(row, rejected=True):
            findings = {i: s for i, s in self.choices.findings.items() if i not in change.finding_ids}
            text = tr("accepted the change in {where}", where=self._where(row, change))
            self._push(text, msgspec.structs.replace(self.choices, findings=findings))

    def rejectable_change(self, row: int, rejected: bool) -> PreviewRow | None:
        """Return a change of the plan that can be rejected, or with `rejected` one that was, else None."""
        change = self.plan[row] if self.plan is not None and 0 <= row < len(self.plan) else None
        return change if change and change.finding_ids and (change.mark == "rejected") == rejected else None

    def _where(self, row: int, change: PreviewRow) -> str:
        """Return where a change is. An added record has no line yet, so the place of its finding is used."""
        position = self.plan.findings[row] if self.plan is not None else -1
        if change.record is None and position >= 0:
            return ui_text.location_label(self._book[position].place)
        return ui_text.record_label(max(change.record or 0, 0), change.line)

    def restore(self, choices: Choices, is_saved: bool) -> None:
        """Take choices that were made for the log before, as one step that can be undone."""
        if is_saved:
            self._saved_choices = choices
        if choices != self.choices:
            self._push(tr("restored the previous choices"), choices)

    def mark_saved(self, choices: Choices) -> None:
        """Note that a save contains these choices."""
        self._saved_choices = choices

    @property
    def unsaved_count(self) -> int:
        """How many choices were made for this log that no save contains."""
        if self.choices == self._saved_choices:
            return 0
        first, now = self._first_choices, self.choices
        single = (now.preset != first.preset, now.profile != first.profile, now.wording != first.wording)
        return sum(single) + len(now.rules) + len(now.findings) + len(now.sessions) + len(now.results_from)

    def revert(self) -> None:
        """Drop all choices, back to the default preset."""
        if self.has_choices:
            self._push(tr("discarded all choices"), self._first_choices)

    @property
    def has_choices(self) -> bool:
        """Whether the person chose anything for this log."""
        return self.choices != self._first_choices

    def _kept(self, choices: Choices) -> Choices:
        """Return other choices with the fields that no preset sets taken from the current ones."""
        current = self.choices
        return msgspec.structs.replace(
            choices, profile=current.profile, wording=current.wording, results_from=current.results_from
        )

    @property
    def _first_choices(self) -> Choices:
        """The choices before the person chose anything."""
        return Choices(wording=self.default_wording)

    def strategy_of_finding(self, position: int) -> str:
        """Return the strategy for one finding, "" when the position belongs to an earlier state of the log.

        This is what the plan does, or, while a plan is being made, a choice that changed since the last one.
        """
        if position >= len(self._book):
            return ""
        finding = self._book[position]
        chosen = self._chosen_for(self.choices, finding.id, finding.rule)
        planned = self.plan.strategy_of(position) if self.plan else ""
        if chosen != self._chosen_for(self._planned_choices, finding.id, finding.rule):
            planned = ""
        return planned or chosen or finding.default

    def strategy_of_rule(self, group: FindingGroup) -> str:
        """Return the strategy for all findings of a rule, "" when they differ."""
        own = self._own_choices(self.choices, group.rule)
        chosen = self.choices.rules.get(group.rule, "")
        if self.plan is not None and (own, chosen) == (
            self._own_choices(self._planned_choices, group.rule),
            self._planned_choices.rules.get(group.rule, ""),
        ):
            used = self.plan.strategy_of_all(group.start, group.stop)
            return group.default if used is None else used
        expected = set(own.values())
        if len(own) < group.stop - group.start:
            expected.add(chosen or group.default)
        return expected.pop() if len(expected) == 1 else ""

    @staticmethod
    def _chosen_for(choices: Choices, finding_id: str, rule: str) -> str:
        return choices.findings.get(finding_id) or choices.rules.get(rule, "")

    @staticmethod
    def _own_choices(choices: Choices, rule: str) -> dict[str, str]:
        """Return the choices for single findings of a rule, by finding id."""
        return {name: chosen for name, chosen in choices.findings.items() if name.partition(":")[0] == rule}

    def _push(self, text: str, after: Choices) -> None:
        self.undo_stack.push(ChoicesUndoCommand(text, self.choices, after, self._put_choices))

    def _put_choices(self, choices: Choices) -> None:
        self.choices = choices
        self.choices_changed.emit()
        self.request_plan()

    @Slot(object)
    def _on_process_previewed(self, plan: PlannedRepair) -> None:
        self.plan, self.planning, self.failure = plan, False, ""
        self._planned_choices = self.choices
        self.plan_changed.emit()


class CallEvidenceLoader(QObject):
    """A loader of the evidence whether unanswered calls ran.

    It asks when a panel that shows the evidence is visible, after the plan. `evidence` is None until the answer
    arrives. Signals: `changed`.
    """

    changed = Signal()

    def __init__(self, process: ChildProcess, repair: RepairDraft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process, self._repair = process, repair
        self._log: OpenedLog | None = None
        self._wanted = self._asked = False
        self.evidence: PackedEvidence | None = None
        process.answer_signal(requests.OPEN_CALL_EVIDENCE).connect(self._on_known)
        repair.plan_changed.connect(self._ask)

    def set_log(self, log: OpenedLog | None) -> None:
        """Load evidence for this log from now on, None while it is being read."""
        self._log, self.evidence = log, None
        self._wanted = self._asked = False
        self.changed.emit()

    def request(self) -> None:
        """Request the evidence, because a panel shows it. Nothing is asked for a log without open calls."""
        self._wanted = True
        self._ask()

    @Slot()
    def _ask(self) -> None:
        repair = self._repair
        # The child handles one request at a time, and the plan comes first.
        busy = repair.judged and (repair.planning or (repair.plan is None and not repair.failure))
        if not self._wanted or self._asked or busy or self._log is None or not self._process.alive:
            return
        if self._log.has_open_calls:
            self._asked = True
            self._process.ask(requests.OPEN_CALL_EVIDENCE)

    @Slot(object)
    def _on_known(self, book: PackedEvidence) -> None:
        self.evidence = book
        self.changed.emit()
