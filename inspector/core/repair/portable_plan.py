"""Portable plans: which strategy repairs which finding, and which records that edits, without any content.

A plan is made where the log is checked, and applied where the log is. There the same choices are planned again on the
log as it is now. So the plan holds nothing of the text of the log, and no byte changes that the local plan does not
name. Its form is versioned JSON: fields may be added, never changed.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.core.errors import NotVerified, ReadOnlyFormat, UnknownName, UnreadableLog
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log
from inspector.core.model.views import one_based
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.repair.choices import (
    ADOPT_STRATEGY,
    Choices,
    PortableFindingNamer,
    PortablePlanChoices,
    SessionChoice,
    keyed_hash,
)
from inspector.core.repair.draft import Draft
from inspector.core.repair.plan import Plan
from inspector.core.repair.strategy_resolver import validate_choices
from inspector.core.rules import RULES
from inspector.core.storage.json_text import pretty_json
from inspector.core.translation import encode_sentence_in_english, tr
from inspector.version import __version__

SCHEMA_VERSION = 1
TOOL_VERSION = f"transcript-inspector {__version__}"


class PlannedSession(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A session that the plan edits: its number, a hash of its id, how many records it held, and its choices.

    `among` is a hash of the id by which it is found among several sessions, "" where the log held one.
    """

    number: int
    id: str
    records: int
    among: str = ""
    preset: str = ""
    rules: dict[str, str] = {}


class PlannedRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record that the plan edits, or next to which it adds: its place in a session, and its length.

    `session` is None for a record of no session, whose place is that in the log. `does` says what happens to it.
    """

    session: int | None
    record: int
    bytes: int
    does: tuple[str, ...]


class PlannedFinding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finding that is repaired: its rule, its hashed name, that of its open call ("" if none), and the strategy.

    `chosen` is true where somebody chose the strategy for this finding alone.
    """

    rule: str
    name: str
    call: str
    strategy: str
    chosen: bool


class PortablePlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A portable plan. `bound` is a hash of the records that it names, `result` one of their outcome.

    `digest` is a hash of all other fields, so that an edited plan is refused; plans of version 0.2.0 may have none.

    `deep` is true where every byte of the log was checked. Presets, rules, strategies and wordings are names of our own
    tables.
    """

    schema: int
    tool: str
    format: str
    deep: bool
    profile: str
    preset: str
    wording: str
    rules: dict[str, str]
    sessions: tuple[PlannedSession, ...]
    records: tuple[PlannedRecord, ...]
    findings: tuple[PlannedFinding, ...]
    bound: str
    result: str
    digest: str = ""

    def encode(self) -> bytes:
        """Return the bytes of the plan's file."""
        return f"{pretty_json(msgspec.to_builtins(self, enc_hook=encode_sentence_in_english))}\n".encode()


class _Version(Struct):
    schema: int
    tool: str


def decode_plan(data: bytes, path: str) -> PortablePlan:
    """Return the plan that a file holds. Raises UnreadableLog."""
    try:
        version = msgspec.json.decode(data, type=_Version)
        if version.schema > SCHEMA_VERSION:
            raise UnreadableLog(
                tr(
                    "{path} was created by a newer version, {tool}. Use that version to apply the plan.",
                    path=path,
                    tool=version.tool,
                )
            )
        plan = msgspec.json.decode(data, type=PortablePlan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableLog(
            tr("{path} is not a plan written by `repair --plan-out`: {error}.", path=path, error=error)
        ) from error
    if plan.digest and plan.digest != _digest(plan):
        raise UnreadableLog(
            tr("{path} was edited after it was created. Nothing was written. Use the original plan.", path=path)
        )
    return plan


def _digest(plan: PortablePlan) -> str:
    """Return a hash of all fields of a plan but `digest`."""
    text = msgspec.json.encode(replace(plan, digest=""), enc_hook=encode_sentence_in_english, order="sorted")
    return blake2b(text, digest_size=16, person=b"digest").hexdigest()


def make_portable_plan(planned: Plan, choices: Choices) -> PortablePlan:
    """Return the portable plan of a planned repair.

    Raises NotVerified where there is nothing to pass on, and ReadOnlyFormat where the plan would have to carry content.
    """
    if not planned.verified:
        raise NotVerified(tr("No plan was written: {reason}", reason=planned.reason))
    if planned.changes_nothing:
        raise NotVerified(tr("No plan was written, because there is nothing to repair."))
    _require_portable(planned)
    draft, log = planned.draft, planned.draft.log
    steps = edit_actions_by_record(draft)
    home_of, key = RecordSessionLookup(log).session_of, make_hash_key(log, steps)
    homes = sorted({home for home in map(home_of, steps) if home is not None})
    numbers = {number: (place, log.sessions[number].records.start) for place, number in enumerate(homes)}
    names = PortableFindingNamer(key, numbers, draft.original_count)
    plan = PortablePlan(
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
    return replace(plan, digest=_digest(plan))


def _require_portable(planned: Plan) -> None:
    """Raise ReadOnlyFormat where the repair takes results over from another log."""
    if ADOPT_STRATEGY in planned.chosen.values():
        raise ReadOnlyFormat(
            tr(
                "This repair copies results from another log, but a plan cannot contain log content. Leave "
                "these results out, or repair the log on the machine that has both logs."
            )
        )


def _wording(choices: Choices) -> str:
    """Return the name of the placeholder wording, "" for that of the preset. Raises ReadOnlyFormat."""
    if not choices.wording:
        return ""
    for name, known in PLACEHOLDER_WORDINGS.items():
        if choices.wording in (name, known.text):
            return name
    raise ReadOnlyFormat(
        tr("A plan cannot contain custom placeholder text. Choose one of the texts listed by the `wordings` command.")
    )


def make_hash_key(log: Log, slots: Iterable[int]) -> bytes:
    """Return a key that only somebody with these records can compute.

    All of the records go into it, so that none can be guessed by itself.
    """
    made = blake2b(digest_size=32, person=b"plan")
    for slot in slots:
        raw = log.raw(slot)
        made.update(b"%d:" % len(raw) + raw)
    return made.digest()


def session_id_hash(log: Log, number: int, key: bytes = b"") -> str:
    """Return a hash of a session's id, which may be the name of its file.

    Without a key it can be computed before the records are known.
    """
    text = log.sessions[number].id.encode("utf-8", "surrogatepass")
    return blake2b(text, key=key, digest_size=16, person=b"session").hexdigest()


class RecordSessionLookup:
    """The number of the session that holds a record, None where no session does."""

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


def _findings(planned: Plan, choices: Choices, names: PortableFindingNamer) -> Iterator[PlannedFinding]:
    """Yield the findings that at least one of the passes repairs."""
    done = {finding for findings in planned.findings_by_slot.values() for finding in findings}
    for finding, strategy in planned.chosen.items():
        if strategy != "leave" or finding in done:
            rule = finding.partition(":")[0]
            own, call = names.finding_names(finding, RULES[rule].adopts)
            chosen = finding in choices.findings
            yield PlannedFinding(rule=rule, name=own, call=call, strategy=strategy, chosen=chosen)


REPLACE, DELETE, MOVE, ADD, ADD_BEFORE = "replace", "delete", "move", "add-after", "add-before"


def edit_actions_by_record(draft: Draft) -> dict[int, tuple[str, ...]]:
    """Return what happens to each record, by its number in the log as read.

    What is added or moved is listed at the record that it is next to.
    """
    found: dict[int, list[str]] = {}
    for slot in draft.texts:
        if slot < draft.original_count and slot not in draft.vacated_slots:
            found.setdefault(slot, []).append(REPLACE)
    for slot in draft.vacated_slots:
        found.setdefault(slot, []).append(MOVE if slot in draft.anchors else DELETE)
    for anchor, slots in draft.followers.items():
        found.setdefault(draft.anchor_record(anchor), []).extend([ADD if anchor >= 0 else ADD_BEFORE] * len(slots))
    return {slot: tuple(found[slot]) for slot in sorted(found) if found[slot]}


def outcome_hash(draft: Draft, key: bytes, slots: Iterable[int]) -> str:
    """Return a hash of what the plan makes of these records, and of what it adds next to them, in order."""
    made, edits = blake2b(key=key, digest_size=16), draft.record_edits()
    first = {draft.log.sequences[number].low: texts for number, texts in edits.inserted_before.items()}
    for place, slot in enumerate(slots):
        own = [edits.replaced[slot]] if slot in edits.replaced else []
        goes = [b""] if slot in edits.deleted else []
        for sign, texts in (
            (b"=", own),
            (b"x", goes),
            (b"+", edits.inserted_after.get(slot, [])),
            (b"-", first.get(slot, [])),
        ):
            for text in texts:
                made.update(b"%s%d:%d:" % (sign, place, len(text)) + text)
    return made.hexdigest()


def is_edit_without_finding(draft: Draft, slot: int) -> bool:
    """Return whether an edit of a record follows from other edits, and answers no finding."""
    return not any(reason.finding for reason in draft.reasons.get(slot, ()))


_NEW_PLAN_NEEDED = tr("Nothing was written. To get a new plan, send the current log to the author of this plan.")
_TOLD = 5


class PortablePlanApplier:
    """A portable plan with a log that may have grown since the plan was made."""

    def __init__(self, file: PortablePlan, log: Log) -> None:
        """Match the plan with the log.

        Raises NotVerified where the plan is not of this log, and UnknownName where it names what this version does not
        know.
        """
        if file.wording and file.wording not in PLACEHOLDER_WORDINGS:
            raise UnknownName(tr("The plan contains text, which is not allowed. Do not apply this plan."))
        validate_choices(_named_in(file))
        self.file, self._log, self._home_of = file, log, RecordSessionLookup(log).session_of
        known = _by_id(log)
        self._sessions = [_session_number(log, known, each) for each in file.sessions]
        self._slots = [self._slot(each) for each in file.records]
        key = make_hash_key(log, self._slots)
        if keyed_hash(key, b"records") != file.bound:
            raise NotVerified(
                tr(
                    "A record that the plan refers to has changed since the plan was created, or it belongs to a "
                    "different log ({places}). {new_plan_needed}",
                    places=self._places(),
                    new_plan_needed=_NEW_PLAN_NEEDED,
                )
            )
        sessions = {number: (place, log.sessions[number].records.start) for place, number in enumerate(self._sessions)}
        self._names = PortableFindingNamer(key, sessions, len(log.columns))

    def _slot(self, record: PlannedRecord) -> int:
        """Return the number of a record here. Raises NotVerified where its length differs."""
        columns, first, end = self._log.columns, 0, len(self._log.columns)
        if record.session is not None:
            if not 0 <= record.session < len(self._sessions):
                raise NotVerified(
                    tr(
                        "The plan refers to a session that is not in its list of sessions. {new_plan_needed}",
                        new_plan_needed=_NEW_PLAN_NEEDED,
                    )
                )
            members = self._log.sessions[self._sessions[record.session]].records
            first, end = members.start, members.stop
        slot = first + record.record
        if not first <= slot < end:
            raise NotVerified(
                tr(
                    "The log no longer has record {slot}, which the plan needs. {new_plan_needed}",
                    slot=one_based(slot),
                    new_plan_needed=_NEW_PLAN_NEEDED,
                )
            )
        length = columns.ends[slot] - columns.starts[slot]
        if length != record.bytes:
            raise NotVerified(
                tr(
                    "The record at {place} has changed since the plan was made. It now has {length:,} bytes "
                    "instead of {bytes:,}. {new_plan_needed}",
                    place=self._place(slot),
                    length=length,
                    bytes=record.bytes,
                    new_plan_needed=_NEW_PLAN_NEEDED,
                )
            )
        return slot

    def _place(self, slot: int) -> str:
        place = Locator(self._log).locate(slot)
        return place.member or (
            tr("record {slot}", slot=one_based(slot)) if place.line is None else tr("line {line}", line=place.line)
        )

    def _places(self) -> str:
        told = [self._place(slot) for slot in islice(self._slots, _TOLD)]
        return ", ".join(told) + (" …" if len(self._slots) > _TOLD else "")

    @property
    def choices(self) -> Choices:
        """The choices to plan here: what was chosen there, for only the findings that the plan names."""
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
            only=PortablePlanChoices(
                self._names,
                {each.name: each.strategy if each.chosen else "" for each in file.findings},
                {each.call: each.strategy for each in file.findings if each.call} if self._has_grown else {},
            ),
        )

    def require_same_outcome(self, planned: Plan) -> None:
        """Raise NotVerified unless these choices plan here what they planned there."""
        if not planned.verified:
            raise NotVerified(
                tr(
                    "The log has changed since the plan was made: {reason}. {new_plan_needed}",
                    reason=planned.reason,
                    new_plan_needed=_NEW_PLAN_NEEDED,
                )
            )
        steps, draft = edit_actions_by_record(planned.draft), planned.draft
        wanted = {slot: each.does for slot, each in zip(self._slots, self.file.records, strict=True)}
        new = {
            slot for slot in steps.keys() - wanted.keys() if self._is_new(slot) and is_edit_without_finding(draft, slot)
        }
        if {slot: Counter(does) for slot, does in steps.items() if slot not in new} != {
            slot: Counter(does) for slot, does in wanted.items()
        }:
            raise NotVerified(tr("The planned repair cannot be applied to this log. {why}", why=self._why(planned)))
        key = self._names.key
        here = [(number, session_id_hash(self._log, number, key)) for number in self._sessions]
        # Ids of inserted records are made of the session's id, which may be its file's name, and of its number.
        exact = not self._has_grown and here == [(each.number, each.id) for each in self.file.sessions]
        if exact and outcome_hash(draft, key, self._slots) != self.file.result:
            raise NotVerified(
                tr("The repair would write something different from the plan. {why}", why=self._why(planned))
            )

    def _why(self, planned: Plan) -> str:
        if planned.live_sessions:
            return tr(
                "The agent still has the log open. Close the agent, and apply the plan again. {new_plan_needed}",
                new_plan_needed=_NEW_PLAN_NEEDED,
            )
        if self.file.tool != TOOL_VERSION:
            return tr(
                "The plan was made by {tool}, but this is {tool_version}. Nothing was written. Use the version "
                "that made the plan.",
                tool=self.file.tool,
                tool_version=TOOL_VERSION,
            )
        return tr(
            "Records were added to the log after the plan was created, and they change the repair. {new_plan_needed}",
            new_plan_needed=_NEW_PLAN_NEEDED,
        )

    @property
    def _has_grown(self) -> bool:
        held = [len(self._log.sessions[number].records) for number in self._sessions]
        return held != [each.records for each in self.file.sessions]

    def _is_new(self, slot: int) -> bool:
        """Return whether a record was added to the log after the plan was made."""
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
    """Return the number of a session here: found by its id, else by its number. Raises NotVerified."""
    found = known.get(planned.among, ())
    if len(found) == 1:
        return found[0]
    if not 0 <= planned.number < len(log.sessions):
        raise NotVerified(
            tr(
                "The log has no session {number}, which the plan needs. {new_plan_needed}",
                number=planned.number,
                new_plan_needed=_NEW_PLAN_NEEDED,
            )
        )
    return planned.number


def _named_in(file: PortablePlan) -> Choices:
    """Return all names of our tables that a plan uses, as choices that can be validated."""
    findings = {f"{each.rule}:{number}": each.strategy for number, each in enumerate(file.findings)}
    sessions = {str(number): SessionChoice(each.preset, each.rules) for number, each in enumerate(file.sessions)}
    return Choices(file.preset, file.rules, findings, file.profile, file.wording, sessions)
