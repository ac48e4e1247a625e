"""Making a plan without content of a planned repair."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from inspector.core.errors import NotVerified, ReadOnlyFormat
from inspector.core.index.session import Log
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.repair.choices import Choices
from inspector.core.repair.offers import ADOPT_STRATEGY
from inspector.core.repair.plan import Plan
from inspector.core.repair.without_content.form import (
    SCHEMA_VERSION,
    TOOL_VERSION,
    PlanFile,
    PlannedFinding,
    PlannedRecord,
    PlannedSession,
)
from inspector.core.repair.without_content.named import FindingNamer, keyed_hash
from inspector.core.repair.without_content.steps import outcome_hash, record_steps
from inspector.core.rules import RULES


def make_portable_plan(planned: Plan, choices: Choices) -> PlanFile:
    """The plan to pass on. Raises NotVerified where there is none, ReadOnlyFormat where it needs a text to be said."""
    if not planned.verified:
        raise NotVerified(f"No plan was written: {planned.reason}")
    if planned.changes_nothing:
        raise NotVerified("No plan was written: there is nothing to repair.")
    _require_portable(planned)
    draft, log = planned.draft, planned.draft.log
    steps = record_steps(draft)
    home_of, key = SessionIndex(log).session_of, hash_key(log, steps)
    homes = sorted({home for home in map(home_of, steps) if home is not None})
    numbers = {number: (place, log.sessions[number].records.start) for place, number in enumerate(homes)}
    names = FindingNamer(key, numbers, draft.original_count)
    return PlanFile(
        schema=SCHEMA_VERSION,
        tool=TOOL_VERSION,
        format=planned.draft.format.name,
        deep=log.deeply_checked,
        profile=choices.profile,
        preset=choices.preset,
        wording=_wording(choices),
        rules=choices.rules,
        sessions=tuple(_planned_session(log, number, choices, key) for number in homes),
        records=tuple(_record(log, slot, does, home_of(slot), numbers) for slot, does in steps.items()),
        findings=tuple(_findings(planned, choices, names)),
        bound=keyed_hash(key, b"records"),
        result=outcome_hash(draft, key, steps),
    )


def _require_portable(planned: Plan) -> None:
    """Raises ReadOnlyFormat."""
    if ADOPT_STRATEGY in planned.chosen.values():
        raise ReadOnlyFormat(
            "This repair takes results over from another log, and a plan without content cannot carry them: "
            "leave those out, or repair where both logs lie."
        )


def _wording(choices: Choices) -> str:
    """The name of what placeholders say, "" for that of the preset. Raises ReadOnlyFormat."""
    if not choices.wording:
        return ""
    for name, known in PLACEHOLDER_WORDINGS.items():
        if choices.wording in (name, known.text):
            return name
    raise ReadOnlyFormat(
        "A plan without content carries no words of its own: choose one of the placeholders that `wordings` lists."
    )


def hash_key(log: Log, slots: Iterable[int]) -> bytes:
    """What only who has these records can make: all of them go into it, so that none can be guessed by itself."""
    made = blake2b(digest_size=32, person=b"plan")
    for slot in slots:
        raw = log.raw(slot)
        made.update(b"%d:" % len(raw) + raw)
    return made.digest()


def session_id_hash(log: Log, number: int, key: bytes = b"") -> str:
    """A hash of a session's id, which may be the name of its file; without a key it is known before all else is."""
    text = log.sessions[number].id.encode("utf-8", "surrogatepass")
    return blake2b(text, key=key, digest_size=16, person=b"session").hexdigest()


class SessionIndex:
    """Which session holds a record: by its number, None where none does."""

    def __init__(self, log: Log) -> None:
        self._sessions = sorted(log.sessions, key=lambda session: session.records.start)
        self._starts = [session.records.start for session in self._sessions]

    def session_of(self, slot: int) -> int | None:
        at = bisect_right(self._starts, slot) - 1
        return self._sessions[at].number if at >= 0 and slot in self._sessions[at].records else None


def _planned_session(log: Log, number: int, choices: Choices, key: bytes) -> PlannedSession:
    session, chosen = log.sessions[number], choices.for_session(log.sessions[number])
    return PlannedSession(
        number=number,
        id=session_id_hash(log, number, key),
        among=session_id_hash(log, number) if len(log.sessions) > 1 else "",
        records=len(session.records),
        preset=chosen.preset,
        rules=chosen.rules,
    )


def _record(
    log: Log, slot: int, does: tuple[str, ...], home: int | None, numbers: dict[int, tuple[int, int]]
) -> PlannedRecord:
    place, first = (None, 0) if home is None else numbers[home]
    length = log.columns.ends[slot] - log.columns.starts[slot]
    return PlannedRecord(session=place, record=slot - first, bytes=length, does=does)


def _findings(planned: Plan, choices: Choices, names: FindingNamer) -> Iterator[PlannedFinding]:
    """The findings that something is done about, in one of the passes at least."""
    done = {finding for findings in planned.findings_by_slot.values() for finding in findings}
    for finding, strategy in planned.chosen.items():
        if strategy != "leave" or finding in done:
            rule = finding.partition(":")[0]
            own, call = names.finding_names(finding, RULES[rule].adopts)
            chosen = finding in choices.findings
            yield PlannedFinding(rule=rule, name=own, call=call, strategy=strategy, chosen=chosen)
