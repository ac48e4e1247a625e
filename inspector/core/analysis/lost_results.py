"""The search for the real results of calls that have none in the conversation.

A result is that of a call only when its source names the id of the call, no other call has that id, and the source
comes after the call. So nothing is ever taken from the record of another call.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.analysis.evidence_search import evidence_queries
from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.session import LineNumbers, Log
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.translation import tr

# The keys are the record of the call in the log as read, and the ordinal of the call in it.
LostResults: TypeAlias = Mapping[tuple[int, int], LostResult]

_OTHER_RESULT = tr("another record contains a different result")
_EVENT_ROLES = (Role.OPAQUE, Role.LINK)
_MOST_ALTERNATIVES = 200  # more ids are looked for by the characters of an id


def find_lost_results(format: Format, log: Log, rows: Iterable[int]) -> LostResults:
    """Return the results that the log, or a file next to it, holds for calls without a result.

    `rows` are the block rows of the calls. The source of the log must be open.
    """
    wanted = sorted(set(rows))
    if not wanted or not isinstance(format, LostResultSource):
        return {}
    # Reading the calls and the records after each takes time in a large log, and most formats have no result in them.
    has_events = type(format).lost_results_in is not LostResultSource.lost_results_in
    calls = _calls_by_id(format, log, wanted) if has_events or format.has_files_beside(log) else {}
    if not calls:
        return {}
    by_call: dict[str, list[LostResult]] = {}
    in_log = _results_in_log(format, log, calls) if has_events else ()
    for result in (*in_log, *format.lost_results_beside(log, calls)):
        if result.call_id in calls:
            by_call.setdefault(result.call_id, []).append(result)
    line_of = LineNumbers(log).line_of
    by_record = sorted(map(_best, by_call.values()), key=lambda result: -1 if result.record is None else result.record)
    return {
        (calls[result.call_id].record, calls[result.call_id].ordinal): result
        if result.record is None
        else replace(result, line=line_of(result.record))
        for result in by_record
    }


def _calls_by_id(format: Format, log: Log, rows: list[int]) -> dict[str, EvidenceQuery]:
    """Return the calls by their ids, without those whose id is that of another call, too."""
    columns = log.columns
    wanted = {columns.call_ids[row] for row in rows} - {None, ""}
    if not wanted:
        return {}
    kinds = columns.block_kinds
    counts = Counter(
        call_id for row, call_id in enumerate(columns.call_ids) if call_id in wanted and kinds[row] == BlockKind.CALL
    )
    rows = [row for row in rows if counts[columns.call_ids[row]] == 1]
    return {call.id: call for call in evidence_queries(format, columns, log.raw, rows, log.faults)}


def _results_in_log(format: LostResultSource, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the results in events after their calls, up to the user's next prompt: then no tool runs any more."""
    columns, names = log.columns, {dump_json(id)[1:-1] for id in calls}
    pattern = _string_pattern(names)
    for record in _records_after(columns, {call.record for call in calls.values()}):
        if columns.roles[record] not in _EVENT_ROLES or columns.marks[record] & RecordMark.UNREADABLE:
            continue
        raw = log.raw(record)
        if names.isdisjoint(pattern.findall(raw)):
            continue
        try:
            row = parse_json(raw)
        except ValueError:
            continue
        for result in format.lost_results_in(row, calls):
            call = calls.get(result.call_id)
            if call is not None and call.record < record:
                yield replace(result, record=record)


def _records_after(columns: Columns, calls: set[int]) -> Iterator[int]:
    """Yield the records after these records of calls, each up to the user's next prompt."""
    end = 0
    for record in sorted(calls):
        if record >= end:
            end = _next_prompt(columns, record)
            yield from range(record + 1, end)


def _next_prompt(columns: Columns, record: int) -> int:
    """Return the next record with words of the user, which is none with results; the number of records without one."""
    while (record := columns.roles.find(Role.USER, record + 1)) >= 0:
        if all(columns.block_kinds[row] != BlockKind.RESULT for row in columns.block_rows(record)):
            return record
    return len(columns)


def _string_pattern(texts: set[bytes]) -> re.Pattern[bytes]:
    """Return a pattern that finds all strings of JSON that are one of these texts; it may find others."""
    beginning = os.path.commonprefix(list(texts)) or b""  # noqa: RUF071 - of texts, which are no paths
    if beginning or len(texts) > _MOST_ALTERNATIVES:
        # Searching for one literal beginning is many times faster than for alternatives.
        return re.compile(b'"(' + re.escape(beginning) + rb'(?:[^"\\]|\\.){0,200})(?=")')
    return re.compile(b'(?<=")(?:' + b"|".join(map(re.escape, sorted(texts))) + b')(?=")')


def _best(results: list[LostResult]) -> LostResult:
    """Return the first result for a call that leaves no doubt, else the first; certain ones that differ leave one."""
    certain = [result for result in results if result.is_certain]
    best = (certain or results)[0]
    return replace(best, doubt=_OTHER_RESULT) if len({(each.text, each.failed) for each in certain}) > 1 else best
