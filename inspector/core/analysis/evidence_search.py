"""A search of a log for evidence that calls without a result ran, and its summary for each call."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from operator import and_, attrgetter, gt
from typing import Any, TypeAlias

from msgspec import Struct

from inspector.core.analysis.tool_effects import ToolEffect, describe_call, target_files, tool_effect, working_directory
from inspector.core.formats.base.call_evidence import (
    EvidenceItem,
    EvidenceQuery,
    EvidenceStrength,
    call_evidence_source_of,
)
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import UNNAMED_TOOL, BlockKind, BlockView
from inspector.core.storage.json_text import dump_json, parse_json, parse_json_cached
from inspector.core.translation import tr

NEARBY_RECORDS = 20  # records after a call that are searched for its command and its files
MAX_MENTIONS = 12  # mentions reported for one call
_LONGEST_SENTENCE = 300
_SHORTEST_NEEDLE = 8  # a shorter id or text occurs in too many records by chance
_HEAD = 6
_MOST_HEADS = 24
_TOKEN = rb"[A-Za-z0-9_.:|-]"
_UNSEARCHED_MARKS = RecordMark.UNREADABLE | RecordMark.COMPACTION | RecordMark.API_ERROR
_LONGEST = 400
_MANY = 256  # up to this number, texts are looked for in a record one by one

# Tables for bytes.translate: whether a block kind is a call or a result, and whether a role is not that of the model.
_IS_TOOL = bytes(kind in (BlockKind.CALL, BlockKind.RESULT) for kind in range(256))
_IS_SILENT = bytes(role not in (Role.ASSISTANT, Role.TOOL) for role in range(256))

_VERDICTS = {EvidenceStrength.RAN: "ran", EvidenceStrength.STARTED: "started"}
_SENTENCES = {
    "ran": tr("The log shows that the call ran."),
    "started": tr("The log shows that the call started, but does not show whether it finished."),
    "no-trace": tr("Nothing in this log shows that the call ran, but it may have run anyway."),
}
# Where a later call, the result of one, or another record mentions a call.
_Mention: TypeAlias = tuple[str, str, str]
_REPEATS_COMMAND: _Mention = (
    tr("A later call to {tool} runs the same command."),
    tr("The result of a later call contains the command."),
    tr("A later record contains the command."),
)
_NAMES_FILE: _Mention = (
    tr("A later call to {tool} mentions the file."),
    tr("The result of a later call mentions the file."),
    tr("A later record mentions the file."),
)

_Numbers: TypeAlias = Mapping[str, list[int]]
_Needle: TypeAlias = tuple[int, bytes, _Mention]


class Evidence(Struct, frozen=True):
    """The evidence of one call.

    `verdict` is ran, started or no-trace. It says what the log shows, not what happened. `command` is what the call was
    to do (its command line, its file, its address), and `folder` is where, "" where the log does not say.
    """

    verdict: str
    traces: tuple[EvidenceItem, ...]
    effect: ToolEffect
    command: str
    folder: str

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.verdict]


class EvidenceOfOpenCalls(Struct, frozen=True):
    """The evidence of the unanswered calls of a log, by the id of the finding.

    `changing` holds the ids of findings on calls that may have changed something, one for each call.
    """

    evidence: dict[str, Evidence]
    changing: tuple[str, ...]


def evidence_queries(
    format: Format,
    columns: Columns,
    raw: ReadRecord,
    rows: list[int],
    faults: list[str],
    search_limits: list[int] | None = None,
) -> list[EvidenceQuery]:
    """Return the calls in these block rows.

    `search_limits` holds for each call the record at which the search ends, -1 for none. `faults` collects what cannot
    be read.
    """
    queries = []
    views: dict[str, BlockView] = {}
    viewed_record = -1
    for number, row in enumerate(rows):
        record = columns.record_of_block(row)
        if record != viewed_record:
            blocks = safe_view(format, raw(record), faults).blocks
            # The first of several blocks at one pointer counts.
            views, viewed_record = {view.pointer: view for view in reversed(blocks)}, record
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
        queries.append(call)
    return queries


def _input(text: str) -> Any:
    """Return the input of a call as it was given: parsed JSON, or its text where it is not JSON (a patch)."""
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return text


def build_evidence(call: EvidenceQuery, traces: Iterable[EvidenceItem], folder: str) -> Evidence:
    """Return the evidence of a call from the items found for it.

    The strongest items come first, then the order of the log decides.
    """
    items = tuple(sorted(traces, key=lambda trace: -trace.strength))
    verdict = _VERDICTS.get(items[0].strength, "no-trace") if items else "no-trace"
    effect = tool_effect(call.name)
    return Evidence(verdict, items, effect, describe_call(call.input, effect), working_directory(call.input) or folder)


class _Found(Struct):
    """The first item of evidence with its sentence, and how many records show it."""

    item: EvidenceItem
    count: int = 1


_FoundByCall: TypeAlias = defaultdict[int, dict[str, _Found]]


class EvidenceSearch:
    """A search of one log for evidence of some of its calls. `raw` returns the bytes of a record.

    A record counts when it names the id of a call, or the id of the call's own record by a member that the format
    names. The format then says what the record shows. Near a call, a record also counts that repeats the command of the
    call or names its file. All ids are searched at once, so the time is linear in the size of the log whatever the
    number of calls. `within` are the records that are searched, all of the log where it is None.
    """

    def __init__(
        self,
        format: Format,
        columns: Columns,
        raw: ReadRecord,
        calls: list[EvidenceQuery],
        within: range | None = None,
    ) -> None:
        self.format, self.columns, self.raw, self.calls = format, columns, raw, calls
        self._within = range(len(columns)) if within is None else within
        self.evidence_provider = call_evidence_source_of(format)
        # What was found for a call, by its number and by its sentence, and what its id was found in, by the number of
        # the first call with that id in the same record. They are sparse, because nothing is found for most calls.
        self._found: _FoundByCall = defaultdict(dict)
        self._found_by_id: _FoundByCall = defaultdict(dict)
        first_calls: dict[tuple[str, int, int], int] = {}
        self._first_of_id = [
            first_calls.setdefault((call.id, call.record, call.until), number) for number, call in enumerate(calls)
        ]
        # The numbers of these first calls by id, in the order of the log.
        self._by_id: defaultdict[str, list[int]] = defaultdict(list)
        for number in sorted(first_calls.values(), key=self._record_of):
            if calls[number].id:
                self._by_id[calls[number].id].append(number)
        self._by_uuid: defaultdict[str, list[int]] = defaultdict(list)
        for number, call in enumerate(calls):
            if call.uuid:
                self._by_uuid[call.uuid].append(number)
        self._records_of = self._records_of_calls()

    def run(self) -> list[list[EvidenceItem]]:
        """Return the evidence of each call, in the order of the log."""
        if not self.calls:
            return []
        for number, call in enumerate(self.calls) if self.format.inline_results else ():
            self._ask(self._found, number, call.record, _shared(self.raw(call.record)))
        patterns, nearby = self._patterns(), _NearbyNeedles(self.calls)
        for record in self._covered():
            is_searched = not self.columns.marks[record] & _UNSEARCHED_MARKS
            needles = nearby.of(record)
            if not is_searched and not needles:
                continue
            raw = self.raw(record)
            for pattern, numbers_of in patterns if is_searched else ():
                if tokens := pattern.findall(raw):
                    self._look_at(record, raw, tokens, numbers_of)
            for number, mention in nearby.found(needles, raw) if needles else ():
                item = EvidenceItem(EvidenceStrength.MENTIONED, self._worded(record, mention), record)
                _note(self._found, number, item)
        return [self._told(number) for number in range(len(self.calls))]

    def _patterns(self) -> list[tuple[re.Pattern[bytes], _Numbers]]:
        """Return patterns that find the ids of the calls and of their records, each with the calls by id."""
        patterns: list[tuple[re.Pattern[bytes], _Numbers]] = []
        if self._by_id:
            patterns.append((_id_pattern(list(self._by_id)), self._by_id))
        if self._by_uuid:
            # One pattern for each member: searching for one literal prefix is many times faster than for alternatives.
            patterns += [
                (_member_value_pattern(member), self._by_uuid)
                for member in self.evidence_provider.call_record_id_members
            ]
        return patterns

    def _look_at(self, record: int, raw: bytes, tokens: list[bytes], numbers_of: _Numbers) -> None:
        """Read a record that contains tokens which may be ids."""
        value: Any = None
        block_rows = self.columns.block_rows(record)
        own_ids = set(self.columns.call_ids[block_rows.start : block_rows.stop])
        by_id = numbers_of is self._by_id
        found = self._found_by_id if by_id else self._found
        for token in dict.fromkeys(tokens):
            name = token.decode("utf-8", "replace")
            known_id = name if name in numbers_of else name.rstrip(".:|-")
            for number in self._newest_before(record, known_id, own_ids) if by_id else numbers_of.get(known_id, ()):
                call = self.calls[number]
                if record > call.record and not 0 <= call.until <= record:
                    value = _parsed(raw) if value is None else value
                    self._ask(found, number, record, value, name if by_id else "")

    def _newest_before(self, record: int, call_id: str, own_ids: set[str | None]) -> Sequence[int]:
        """Return the calls that a record means by an id: the first one with that id in the newest record before it.

        Return none where the id belongs to a block of the record itself.
        """
        if call_id in own_ids or call_id not in self._records_of:
            return ()
        records = self._records_of[call_id]
        count = bisect_left(records, record)
        if not count:
            return ()
        numbers, record_of = self._by_id[call_id], self._record_of
        first = bisect_left(numbers, records[count - 1], key=record_of)
        return numbers[first : bisect_right(numbers, records[count - 1], first, key=record_of)]

    def _record_of(self, number: int) -> int:
        return self.calls[number].record

    def _ask(self, found: _FoundByCall, number: int, record: int, value: Any, matched_id: str = "") -> None:
        """Add what a record shows of a call to what was `found`."""
        call = self.calls[number]
        item = self.evidence_provider.evidence_in(value, call, record == call.record) if value is not None else None
        if item is not None:
            _note(found, number, EvidenceItem(item.strength, item.sentence, record))
        elif len(matched_id) >= _SHORTEST_NEEDLE:
            sentence = tr("The record contains the id of the call.")
            _note(found, number, EvidenceItem(EvidenceStrength.MENTIONED, sentence, record))

    def _told(self, number: int) -> list[EvidenceItem]:
        found = dict(self._found_by_id.get(self._first_of_id[number], {}))
        for sentence, own in self._found.get(number, {}).items():
            other = found.get(sentence)
            found[sentence] = (
                _Found(min(own.item, other.item, key=_record_of), own.count + other.count) if other else own
            )
        items = []
        for sentence, each in sorted(found.items(), key=lambda pair: _record_of(pair[1].item)):
            text = (
                tr("{sentence} (the first of {count} records with this evidence)", sentence=sentence, count=each.count)
                if each.count > 1
                else sentence
            )
            items.append(EvidenceItem(each.item.strength, text, each.item.record))
        return items

    def _worded(self, record: int, mention: _Mention) -> str:
        in_call, in_result, in_record = mention
        for row in self.columns.block_rows(record):
            if self.columns.block_kinds[row] == BlockKind.CALL:
                return tr(in_call, tool=self.columns.names[row] or UNNAMED_TOOL)
            if self.columns.block_kinds[row] == BlockKind.RESULT:
                return in_result
        return in_record

    def _records_of_calls(self) -> dict[str, list[int]]:
        """Return by id the records of every call with that id."""
        records: dict[str, list[int]] = {call_id: [] for call_id in self._by_id}
        low, high = (self.columns.first_block[edge] for edge in (self._within.start, self._within.stop))
        kinds = self.columns.block_kinds
        for row, call_id in enumerate(self.columns.call_ids[low:high] if records else (), low):
            if call_id in records and kinds[row] == BlockKind.CALL:
                records[call_id].append(self.columns.record_of_block(row))
        return records

    def _covered(self) -> Iterator[int]:
        """Yield the records after the calls that are searched, each once.

        These are all records near a call, and of the others those that may mention one.
        """
        size, mentioning = self._within.stop, _records_that_may_mention(self.columns, self._within)
        next_record = reach = 0
        for call, following in pairwise([*sorted(self.calls, key=attrgetter("record")), None]):
            assert call is not None
            until = call.until if call.until >= 0 else size
            reach = max(reach, until)
            near_end = min(until, call.record + NEARBY_RECORDS + 1)
            yield from range(max(next_record, call.record + 1), near_end)
            next_record = max(next_record, near_end)
            far_end = reach if following is None else min(reach, following.record + 1)
            if far_end > next_record:
                yield from mentioning[bisect_left(mentioning, next_record) : bisect_left(mentioning, far_end)]
                next_record = far_end


def _note(found: _FoundByCall, number: int, item: EvidenceItem) -> None:
    items, sentence = found[number], item.sentence
    if len(sentence) > _LONGEST_SENTENCE:
        sentence = sentence[:_LONGEST_SENTENCE]
    if sentence in items:
        items[sentence].count += 1
    elif len(items) < MAX_MENTIONS or (item.strength > EvidenceStrength.MENTIONED and len(items) < 2 * MAX_MENTIONS):
        items[sentence] = _Found(item)


def _record_of(item: EvidenceItem) -> int:
    return item.record if item.record is not None else -1


def _records_that_may_mention(columns: Columns, within: range) -> list[int]:
    """Return the records that may mention a call far before them: events, and what the user or the program says.

    Calls and results, which make up most bytes of a log, and what the model says are left out.
    """
    low, high = within.start, within.stop
    first = columns.first_block[low : high + 1]
    base = first[0]
    kinds = columns.block_kinds[base : first[-1]] + b"\0"
    first.pop()
    places = array("I", (row - base for row in first)) if base else first
    first_is_tool = bytes(map(kinds.__getitem__, places)).translate(_IS_TOOL)
    silent = columns.roles[low:high].translate(_IS_SILENT)
    starts_with_tool = map(and_, first_is_tool, map(bool, columns.blocks[low:high]))
    return list(compress(within, map(gt, silent, starts_with_tool)))


class _NearbyNeedles:
    """The calls whose command or files are looked for in the records right after them."""

    def __init__(self, calls: list[EvidenceQuery]) -> None:
        self._waiting = sorted(
            ((call.record, number) for number, call in enumerate(calls) if call.until < 0), reverse=True
        )
        self._calls = calls
        self._open: deque[tuple[int, list[_Needle]]] = deque()
        self._settled: set[tuple[int, _Mention]] = set()

    def of(self, record: int) -> list[_Needle]:
        """Return what to look for in a record: the call number, the bytes, and what finding them means."""
        while self._waiting and self._waiting[-1][0] < record:
            _, number = self._waiting.pop()
            call = self._calls[number]
            if needles := list(_needles(number, call)):
                self._open.append((call.record + NEARBY_RECORDS, needles))
        while self._open and self._open[0][0] < record:
            self._open.popleft()
        return [needle for _, open_needles in self._open for needle in open_needles]

    def found(self, needles: list[_Needle], raw: bytes) -> Iterator[tuple[int, _Mention]]:
        """Yield the needles found in a record for the first time. One mention of each kind is reported."""
        wanted = [entry for entry in needles if (entry[0], entry[2]) not in self._settled]
        present = _needles_in(raw, {needle for _, needle, _ in wanted})
        for number, needle, mention in wanted:
            if needle in present and (number, mention) not in self._settled:
                self._settled.add((number, mention))
                yield number, mention


def _needles_in(raw: bytes, needles: set[bytes]) -> set[bytes]:
    """Return those of some texts that a record contains.

    Many texts are filtered by their pieces first, because one record can be near as many calls as another record holds.
    """
    if len(needles) > _MANY:
        pieces = {piece for needle in needles for piece in _pieces_of(needle)}
        present = pieces.intersection(raw[start : start + _SHORTEST_NEEDLE] for start in range(len(raw)))
        needles = {needle for needle in needles if all(piece in present for piece in _pieces_of(needle))}
    return {needle for needle in needles if needle in raw}


def _pieces_of(needle: bytes) -> Iterator[bytes]:
    """Return pieces of a text, including its beginning and its end."""
    last = len(needle) - _SHORTEST_NEEDLE
    return (needle[at : at + _SHORTEST_NEEDLE] for at in (*range(0, last, _SHORTEST_NEEDLE), last))


def _needles(number: int, call: EvidenceQuery) -> Iterator[_Needle]:
    effect = tool_effect(call.name)
    command = describe_call(call.input, effect) if effect == ToolEffect.SHELL else ""
    if _SHORTEST_NEEDLE <= len(command) <= _LONGEST:
        yield number, dump_json(command)[1:-1], _REPEATS_COMMAND
    for path in target_files(call.input)[:2] if effect != ToolEffect.READ_ONLY else ():
        if len(path) >= _SHORTEST_NEEDLE:
            yield number, dump_json(path)[1:-1], _NAMES_FILE


def _id_pattern(ids: list[str]) -> re.Pattern[bytes]:
    """Return a pattern that finds any of the ids. Ids with a common beginning share one alternative."""
    heads = sorted({call_id[:_HEAD] for call_id in ids})
    alternatives = [re.escape(head.encode("utf-8", "replace")) for head in heads]
    if len(alternatives) > _MOST_HEADS:
        alternatives = [_TOKEN + b"{%d}" % min(map(len, ids))]
    return re.compile(b"(?:" + b"|".join(alternatives) + b")" + _TOKEN + b"*")


def _member_value_pattern(member: str) -> re.Pattern[bytes]:
    """Return a pattern that finds the value of a member in compact JSON."""
    return re.compile(b'"' + re.escape(member.encode()) + b'":"([^"]{1,100})"')


def _shared(raw: bytes) -> Any:
    """Parse a record that is read once for each of its calls; None when it is not JSON."""
    try:
        return parse_json_cached(raw)
    except ValueError:
        return None


def _parsed(raw: bytes) -> Any:
    """Parse a record; None when it is not JSON."""
    try:
        return parse_json(raw)
    except ValueError:
        return None
