"""Applying a plan without content to the log as it is now: its choices here, and whether they plan what it says."""

from collections import Counter
from itertools import islice

from inspector.core.errors import NotVerified, UnknownName
from inspector.core.index.place import one_based
from inspector.core.index.session import Log
from inspector.core.judging.places import Locator
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.repair.choices import Choices, SessionChoice
from inspector.core.repair.choosable import validate_choices
from inspector.core.repair.plan import Plan
from inspector.core.repair.without_content.form import TOOL_VERSION, PlanFile, PlannedRecord, PlannedSession
from inspector.core.repair.without_content.making import SessionIndex, hash_key, session_id_hash
from inspector.core.repair.without_content.named import FindingNamer, PlannedChoices, keyed_hash
from inspector.core.repair.without_content.steps import is_consequence, outcome_hash, record_steps

_NEW_PLAN_NEEDED = "Nothing was written: send the log as it is now, for a new plan."
_TOLD = 5


class PortablePlanApplier:
    """A plan without content at a log that may have grown since. Raises NotVerified where it is not of this log."""

    def __init__(self, file: PlanFile, log: Log) -> None:
        """Raises UnknownName as well, where the plan names what this version does not know."""
        if file.wording and file.wording not in PLACEHOLDER_WORDINGS:
            raise UnknownName("The plan carries words of its own, which no plan does: do not apply it.")
        validate_choices(_named_in(file))
        self.file, self._log, self._home_of = file, log, SessionIndex(log).session_of
        known = _by_id(log)
        self._sessions = [_session_number(log, known, each) for each in file.sessions]
        self._slots = [self._slot(each) for each in file.records]
        key = hash_key(log, self._slots)
        if keyed_hash(key, b"records") != file.bound:
            raise NotVerified(
                f"A record that the plan names has changed since, or it is of another log "
                f"({self._places()}). {_NEW_PLAN_NEEDED}"
            )
        sessions = {number: (place, log.sessions[number].records.start) for place, number in enumerate(self._sessions)}
        self._names = FindingNamer(key, sessions, len(log.columns))

    def _slot(self, record: PlannedRecord) -> int:
        """The number that a record has here. Raises NotVerified where it is another one, by its length."""
        columns, first, end = self._log.columns, 0, len(self._log.columns)
        if record.session is not None:
            if not 0 <= record.session < len(self._sessions):
                raise NotVerified(f"The plan names a session that it does not list. {_NEW_PLAN_NEEDED}")
            members = self._log.sessions[self._sessions[record.session]].records
            first, end = members.start, members.stop
        slot = first + record.record
        if not first <= slot < end:
            raise NotVerified(
                f"The log has no record {one_based(slot)} any more, which the plan names. {_NEW_PLAN_NEEDED}"
            )
        length = columns.ends[slot] - columns.starts[slot]
        if length != record.bytes:
            raise NotVerified(
                f"What stands at {self._place(slot)} is not what the plan was made for: it has {length:,} bytes, "
                f"and had {record.bytes:,}. {_NEW_PLAN_NEEDED}"
            )
        return slot

    def _place(self, slot: int) -> str:
        place = Locator(self._log).locate(slot)
        return place.member or (f"record {one_based(slot)}" if place.line is None else f"line {place.line}")

    def _places(self) -> str:
        told = [self._place(slot) for slot in islice(self._slots, _TOLD)]
        return ", ".join(told) + (" …" if len(self._slots) > _TOLD else "")

    @property
    def choices(self) -> Choices:
        """What is to be planned here: what was chosen there, for the findings that the plan names, and no others."""
        file = self.file
        return Choices(
            preset=file.preset,
            rules=file.rules,
            profile=file.profile,
            wording=file.wording,
            sessions={
                str(number): SessionChoice(each.preset, each.rules)
                for number, each in zip(self._sessions, file.sessions, strict=True)
                if each.preset or each.rules
            },
            only=PlannedChoices(
                self._names,
                {each.name: each.strategy if each.chosen else "" for each in file.findings},
                {each.call: each.strategy for each in file.findings if each.call} if self._has_grown else {},
            ),
        )

    def require_same_outcome(self, planned: Plan) -> None:
        """Raises NotVerified unless these choices plan here what they planned there."""
        if not planned.verified:
            raise NotVerified(f"The log has changed since the plan was made: now {planned.reason}. {_NEW_PLAN_NEEDED}")
        steps, draft = record_steps(planned.draft), planned.draft
        wanted = {slot: each.does for slot, each in zip(self._slots, self.file.records, strict=True)}
        new = {slot for slot in steps.keys() - wanted.keys() if self._is_new(slot) and is_consequence(draft, slot)}
        if {slot: Counter(does) for slot, does in steps.items() if slot not in new} != {
            slot: Counter(does) for slot, does in wanted.items()
        }:
            raise NotVerified(
                f"The repair that the plan names cannot be done here as it was planned{self._why(planned)}"
            )
        key = self._names.key
        here = [(number, session_id_hash(self._log, number, key)) for number in self._sessions]
        # Ids of what is inserted come of the session's, which may be the name of its file, and of its number.
        exact = not self._has_grown and here == [(each.number, each.id) for each in self.file.sessions]
        if exact and outcome_hash(draft, key, self._slots) != self.file.result:
            raise NotVerified(f"The repair would write something else than the plan says{self._why(planned)}")

    def _why(self, planned: Plan) -> str:
        if planned.live_sessions:
            return f": the agent still has the log open. Close it, and apply the plan again. {_NEW_PLAN_NEEDED}"
        if self.file.tool != TOOL_VERSION:
            made_by = f": it was made by {self.file.tool}, and this is {TOOL_VERSION}"
            return f"{made_by}. Nothing was written: take the same version."
        return f": what came to the log since has changed what is to be done. {_NEW_PLAN_NEEDED}"

    @property
    def _has_grown(self) -> bool:
        held = [len(self._log.sessions[number].records) for number in self._sessions]
        return held != [each.records for each in self.file.sessions]

    def _is_new(self, slot: int) -> bool:
        """Whether a record came after the plan was made."""
        home = self._home_of(slot)
        if home is None or home not in self._sessions:
            return False
        planned = self.file.sessions[self._sessions.index(home)]
        return slot - self._log.sessions[home].records.start >= planned.records


def _by_id(log: Log) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for session in log.sessions:
        found.setdefault(session_id_hash(log, session.number), []).append(session.number)
    return found


def _session_number(log: Log, known: dict[str, list[int]], planned: PlannedSession) -> int:
    """The number that a session has here: known by its id, else by its number. Raises NotVerified."""
    found = known.get(planned.among, ())
    if len(found) == 1:
        return found[0]
    if not 0 <= planned.number < len(log.sessions):
        raise NotVerified(f"The log has no session {planned.number}, which the plan names. {_NEW_PLAN_NEEDED}")
    return planned.number


def _named_in(file: PlanFile) -> Choices:
    """All names of our tables that a plan uses, to be looked up."""
    findings = {f"{each.rule}:{number}": each.strategy for number, each in enumerate(file.findings)}
    sessions = {str(number): SessionChoice(each.preset, each.rules) for number, each in enumerate(file.sessions)}
    return Choices(file.preset, file.rules, findings, file.profile, file.wording, sessions)
