"""One walk through a log for everything that it shows of some of its calls.

A record counts when it names a call's id (or, by a member that the format names, the id of the call's own record); the
format then says what it shows. Near a call, a record also counts that repeats its command or names its file. All ids
are looked for at once, so that the walk is linear in the log whatever the number of calls.

Merged; to be rewritten:
`evidence`: The evidence of one call: what it did, and whether the log shows that it ran.
`calls`: The calls of a thread that are asked about, as the search and the reports need them.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from operator import and_, attrgetter, gt
from typing import Any, TypeAlias

from msgspec import Struct

from inspector.core.analysis.tool_effects import ToolEffect, describe_call, target_files, tool_effect, working_directory
from inspector.core.formats.base.evidence import EvidenceItem, EvidenceQuery, EvidenceStrength, evidence_provider_of
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import UNNAMED_TOOL, BlockKind, BlockView
from inspector.core.storage.json_text import dump_json, parse_json, parse_json_cached

NEARBY_RECORDS = 20  # as many records behind a call are searched for its command and its files
MAX_MENTIONS = 12  # mentions told of one call
_LONGEST_SENTENCE = 300
_SHORTEST_NEEDLE = 8  # an id or a text shorter than this is in too many records for its own sake
_HEAD = 6
_MOST_HEADS = 24
_TOKEN = rb"[A-Za-z0-9_.:|-]"
_UNSEARCHED_MARKS = RecordMark.UNREADABLE | RecordMark.COMPACTION | RecordMark.API_ERROR
_LONGEST = 400
_MANY = 256  # texts that are looked for in a record one by one

# By the number of a kind of block, whether it is a call or a result; by that of a role, whether it is not the model's.
_IS_TOOL = bytes(kind in (BlockKind.CALL, BlockKind.RESULT) for kind in range(256))
_IS_SILENT = bytes(role not in (Role.ASSISTANT, Role.TOOL) for role in range(256))

_Numbers: TypeAlias = Mapping[str, list[int]]
_Needle: TypeAlias = tuple[int, bytes, str]


class EvidenceSearch:
    """Gathers the traces of calls in one log; `raw` gives a record's bytes."""

    def __init__(self, format: Format, columns: Columns, raw: ReadRecord, calls: list[EvidenceQuery]) -> None:
        self.format, self.columns, self.raw, self.calls = format, columns, raw, calls
        self.evidence_provider = evidence_provider_of(format)
        # By the number of the call; of most calls nothing is found. Those of one id stand in the order of the log.
        self._found: defaultdict[int, dict[str, EvidenceItem]] = defaultdict(dict)
        self._repeats: defaultdict[int, dict[str, int]] = defaultdict(dict)
        self._by_id: defaultdict[str, list[int]] = defaultdict(list)
        for number in sorted(range(len(calls)), key=self._record_of):
            if calls[number].id:
                self._by_id[calls[number].id].append(number)
        self._by_uuid: defaultdict[str, list[int]] = defaultdict(list)
        for number, call in enumerate(calls):
            if call.uuid:
                self._by_uuid[call.uuid].append(number)
        self._records_of = self._records_of_calls()

    def run(self) -> list[list[EvidenceItem]]:
        """The traces of each call, in the order of the log."""
        if not self.calls:
            return []
        for number, call in enumerate(self.calls) if self.format.inline_results else ():
            self._ask(number, call.record, _shared(self.raw(call.record)))
        patterns, near = self._patterns(), _NearbyNeedles(self.calls)
        for record in self._covered():
            told = not self.columns.marks[record] & _UNSEARCHED_MARKS
            needles = near.of(record)
            if not told and not needles:
                continue
            raw = self.raw(record)
            for pattern, numbers_of in patterns if told else ():
                if found := pattern.findall(raw):
                    self._look_at(record, raw, found, numbers_of)
            for number, sentence in near.found(needles, raw) if needles else ():
                self._note(number, EvidenceItem(EvidenceStrength.MENTIONED, self._worded(record, sentence), record))
        return [self._told(number) for number in range(len(self.calls))]

    def _patterns(self) -> list[tuple[re.Pattern[bytes], _Numbers]]:
        """What finds the ids of the calls, and the ids of their records; each with whose they are."""
        found: list[tuple[re.Pattern[bytes], _Numbers]] = []
        if self._by_id:
            found.append((_id_pattern(list(self._by_id)), self._by_id))
        if self._by_uuid:
            # One pattern for each member: a search for a literal beginning is many times faster than for one of two.
            found += [
                (_member_value_pattern(member), self._by_uuid) for member in self.evidence_provider.call_record_members
            ]
        return found

    def _look_at(self, record: int, raw: bytes, tokens: list[bytes], numbers_of: _Numbers) -> None:
        """A record with tokens that may be ids."""
        row: Any = None
        rows = self.columns.block_rows(record)
        own = set(self.columns.call_ids[rows.start : rows.stop])
        by_id = numbers_of is self._by_id
        for token in dict.fromkeys(tokens):
            named = token.decode("utf-8", "replace")
            known = named if named in numbers_of else named.rstrip(".:|-")
            for number in self._newest_before(record, known, own) if by_id else numbers_of.get(known, ()):
                call = self.calls[number]
                if record > call.record and not 0 <= call.until <= record:
                    row = _parsed(raw) if row is None else row
                    self._ask(number, record, row, named if by_id else "")

    def _newest_before(self, record: int, call_id: str, own: set[str | None]) -> Sequence[int]:
        """The calls of which a record speaks that names an id: those of the newest record of calls with that id.

        None, where it is the id of a block of its `own`.
        """
        if call_id in own or call_id not in self._records_of:
            return ()
        records = self._records_of[call_id]
        before = bisect_left(records, record)
        if not before:
            return ()
        numbers, record_of = self._by_id[call_id], self._record_of
        low = bisect_left(numbers, records[before - 1], key=record_of)
        return numbers[low : bisect_right(numbers, records[before - 1], low, key=record_of)]

    def _record_of(self, number: int) -> int:
        return self.calls[number].record

    def _ask(self, number: int, record: int, row: Any, named: str = "") -> None:
        call = self.calls[number]
        trace = self.evidence_provider.evidence_in(row, call, record == call.record) if row is not None else None
        if trace is not None:
            self._note(number, EvidenceItem(trace.strength, trace.sentence, record))
        elif len(named) >= _SHORTEST_NEEDLE:
            self._note(number, EvidenceItem(EvidenceStrength.MENTIONED, "The record names the call's id.", record))

    def _note(self, number: int, trace: EvidenceItem) -> None:
        known, sentence = self._found[number], trace.sentence[:_LONGEST_SENTENCE]
        if sentence in known:
            counts = self._repeats[number]
            counts[sentence] = counts.get(sentence, 1) + 1
        elif len(known) < MAX_MENTIONS or (
            trace.strength > EvidenceStrength.MENTIONED and len(known) < 2 * MAX_MENTIONS
        ):
            known[sentence] = trace

    def _told(self, number: int) -> list[EvidenceItem]:
        if number not in self._found:
            return []
        counts = self._repeats[number]
        told = []
        for sentence, trace in self._found[number].items():
            again = counts.get(sentence, 1)
            more = f"{sentence} ({again} such records, this one is the first)" if again > 1 else sentence
            told.append(EvidenceItem(trace.strength, more, trace.record))
        return told

    def _worded(self, record: int, sentence: str) -> str:
        for row in self.columns.block_rows(record):
            if self.columns.block_kinds[row] == BlockKind.CALL:
                return f"A later call, to {self.columns.names[row] or UNNAMED_TOOL}, {sentence}."
            if self.columns.block_kinds[row] == BlockKind.RESULT:
                return f"The result of a later call {sentence}."
        return f"A later record {sentence}."

    def _records_of_calls(self) -> dict[str, list[int]]:
        """By id, the records of every call that has it."""
        found: dict[str, list[int]] = {call_id: [] for call_id in self._by_id}
        kinds = self.columns.block_kinds
        for row, call_id in enumerate(self.columns.call_ids) if found else ():
            if call_id in found and kinds[row] == BlockKind.CALL:
                found[call_id].append(self.columns.record_of_block(row))
        return found

    def _covered(self) -> Iterator[int]:
        """The records behind the calls, each once: all that are near, and of the others those that may tell of them."""
        size, telling = len(self.columns), _records_that_may_mention(self.columns)
        at = reach = 0
        for call, following in pairwise([*sorted(self.calls, key=attrgetter("record")), None]):
            assert call is not None
            until = call.until if call.until >= 0 else size
            reach = max(reach, until)
            near = min(until, call.record + NEARBY_RECORDS + 1)
            yield from range(max(at, call.record + 1), near)
            at = max(at, near)
            far = reach if following is None else min(reach, following.record + 1)
            if far > at:
                yield from telling[bisect_left(telling, at) : bisect_left(telling, far)]
                at = far


def _records_that_may_mention(columns: Columns) -> list[int]:
    """The records that may tell of a call far behind it: events, and what the person or the program says.

    Calls and results, which most bytes of a log are, and what the model says are left out.
    """
    size = len(columns)
    kinds = columns.block_kinds + b"\0"
    first = bytes(map(kinds.__getitem__, columns.first_block[:size])).translate(_IS_TOOL)
    silent = columns.roles.translate(_IS_SILENT)
    tools = map(and_, first, map(bool, columns.blocks))
    return list(compress(range(size), map(gt, silent, tools)))


class _NearbyNeedles:
    """The calls whose command or files are looked for in the records right behind them."""

    def __init__(self, calls: list[EvidenceQuery]) -> None:
        self._waiting = sorted(
            ((call.record, number) for number, call in enumerate(calls) if call.until < 0), reverse=True
        )
        self._calls = calls
        self._open: deque[tuple[int, list[_Needle]]] = deque()
        self._settled: set[tuple[int, str]] = set()

    def of(self, record: int) -> list[_Needle]:
        """What to look for in a record: the number of the call, the bytes, and what it means to find them."""
        while self._waiting and self._waiting[-1][0] < record:
            _, number = self._waiting.pop()
            call = self._calls[number]
            if needles := list(_needles(number, call)):
                self._open.append((call.record + NEARBY_RECORDS, needles))
        while self._open and self._open[0][0] < record:
            self._open.popleft()
        return [each for _, needles in self._open for each in needles]

    def found(self, needles: list[_Needle], raw: bytes) -> Iterator[tuple[int, str]]:
        """Those found in a record for the first time: one mention of a kind is told."""
        wanted = [each for each in needles if (each[0], each[2]) not in self._settled]
        there = _needles_in(raw, {needle for _, needle, _ in wanted})
        for number, needle, sentence in wanted:
            if needle in there and (number, sentence) not in self._settled:
                self._settled.add((number, sentence))
                yield number, sentence


def _needles_in(raw: bytes, needles: set[bytes]) -> set[bytes]:
    """Those of some texts that a record holds. A record can be near to as many calls as another one holds."""
    if len(needles) > _MANY:
        pieces = {piece for needle in needles for piece in _pieces_of(needle)}
        there = pieces.intersection(raw[at : at + _SHORTEST_NEEDLE] for at in range(len(raw)))
        needles = {needle for needle in needles if all(piece in there for piece in _pieces_of(needle))}
    return {needle for needle in needles if needle in raw}


def _pieces_of(needle: bytes) -> Iterator[bytes]:
    """Some pieces of a text, its beginning and its end among them."""
    last = len(needle) - _SHORTEST_NEEDLE
    return (needle[at : at + _SHORTEST_NEEDLE] for at in (*range(0, last, _SHORTEST_NEEDLE), last))


def _needles(number: int, call: EvidenceQuery) -> Iterator[_Needle]:
    effect = tool_effect(call.name)
    command = describe_call(call.input, effect) if effect == ToolEffect.SHELL else ""
    if _SHORTEST_NEEDLE <= len(command) <= _LONGEST:
        yield number, dump_json(command)[1:-1], "repeats its command"
    for path in target_files(call.input)[:2] if effect != ToolEffect.READ_ONLY else ():
        if len(path) >= _SHORTEST_NEEDLE:
            yield number, dump_json(path)[1:-1], "names its file"


def _id_pattern(ids: list[str]) -> re.Pattern[bytes]:
    """What finds any of the ids; those that begin alike are found by their beginning."""
    heads = sorted({call_id[:_HEAD] for call_id in ids})
    known = [re.escape(head.encode("utf-8", "replace")) for head in heads]
    if len(known) > _MOST_HEADS:
        known = [_TOKEN + b"{%d}" % min(map(len, ids))]
    return re.compile(b"(?:" + b"|".join(known) + b")" + _TOKEN + b"*")


def _member_value_pattern(member: str) -> re.Pattern[bytes]:
    """What finds the value of a member, as compact JSON has it."""
    return re.compile(b'"' + re.escape(member.encode()) + b'":"([^"]{1,100})"')


def _shared(raw: bytes) -> Any:
    """A record that is asked about for each of its calls."""
    try:
        return parse_json_cached(raw)
    except ValueError:
        return None


def _parsed(raw: bytes) -> Any:
    try:
        return parse_json(raw)
    except ValueError:
        return None


# The evidence of one call: what it did, and whether the log shows that it ran.

_VERDICTS = {EvidenceStrength.RAN: "ran", EvidenceStrength.STARTED: "started"}
_SENTENCES = {
    "ran": "The log shows that it ran.",
    "started": "The log shows that it was begun; its end was not recorded.",
    "no-trace": "Nothing in this log shows that it ran, which does not mean that it did not.",
}


class Evidence(Struct, frozen=True):
    """What is known of one call. `verdict` is ran, started or no-trace: what the log shows, not what happened.

    `command` is what it was to do (its command line, its file, its address), `folder` where, "" where nothing tells.
    """

    verdict: str
    traces: tuple[EvidenceItem, ...]
    effect: ToolEffect
    command: str
    folder: str

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.verdict]


class OpenCallEvidence(Struct, frozen=True):
    """The unanswered calls of a log: the evidence of each finding by its id.

    `changing` are the ids of findings on the calls that may have changed something, one for each call.
    """

    evidence: dict[str, Evidence]
    changing: tuple[str, ...]


def build_evidence(call: EvidenceQuery, traces: Iterable[EvidenceItem], folder: str) -> Evidence:
    """The evidence of a call from what was found of it; strongest traces first, else in the order of the log."""
    told = tuple(sorted(traces, key=lambda trace: -trace.strength))
    verdict = _VERDICTS.get(told[0].strength, "no-trace") if told else "no-trace"
    effect = tool_effect(call.name)
    return Evidence(verdict, told, effect, describe_call(call.input, effect), working_directory(call.input) or folder)


# The calls of a thread that are asked about, as the search and the reports need them.


def evidence_queries(
    format: Format,
    columns: Columns,
    raw: ReadRecord,
    rows: list[int],
    faults: list[str],
    search_limits: list[int] | None = None,
) -> list[EvidenceQuery]:
    """The calls in these block rows. `until` gives for each the record to look to, `faults` hears what fails."""
    found = []
    views: dict[str, BlockView] = {}
    shown = -1
    for number, row in enumerate(rows):
        record = columns.record_of_block(row)
        if record != shown:
            blocks = safe_view(format, raw(record), faults).blocks
            # Of several at one pointer the first.
            views, shown = {view.pointer: view for view in reversed(blocks)}, record
        ordinal = row - columns.first_block[record]
        pointer = format.pointer(columns, record, ordinal)
        text = views[pointer].text if pointer in views else ""
        call = EvidenceQuery(
            record,
            ordinal,
            pointer,
            columns.call_ids[row] or "",
            columns.names[row] or "",
            _input(text),
            columns.uuids[record] or "",
            search_limits[number] if search_limits is not None else -1,
        )
        found.append(call)
    return found


def _input(text: str) -> Any:
    """The input of a call as it was given: JSON where it is some, else its text (a patch)."""
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return text
