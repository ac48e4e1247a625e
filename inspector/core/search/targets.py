"""Where a person wants to go who types a number or an id: to a line, a record, a message of the provider, a block."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from inspector.core.error_lookup.locate import message_numberings
from inspector.core.model.columns import Columns
from inspector.core.model.session import LineNumbers
from inspector.core.model.views import CALL_KINDS, one_based
from inspector.core.presentation.results import JumpTarget
from inspector.core.search.index import SearchIndex
from inspector.core.text import count_phrase

_WANTED = re.compile(
    r"(?:(?P<kind>line|record|message|messages)\b)?[#.\[\s]*(?P<number>\d[\d,]{0,18})(?:[\].].*)?", re.IGNORECASE
)
# So much of an id tells it from a word.
_LEAST = 4
JUMP_HELP = (
    "Type the number of a line, “record 12”, “message 12” as a provider counts, or an id or the beginning of one."
)


def find_target(ground: SearchIndex, text: str) -> JumpTarget:
    """The row that a text names, else the sentence that says why there is none."""
    text = text.strip()
    wanted = _WANTED.fullmatch(text)
    if wanted is None:
        return _by_id(ground, text.strip("\"'`,;:")) if len(text) >= _LEAST else JumpTarget(sentence=JUMP_HELP)
    number, kind = int(wanted["number"].replace(",", "")), (wanted["kind"] or "").lower()
    if kind.startswith("message"):
        return _by_message(ground, number)
    return _by_number(ground, number, kind)


def _by_number(ground: SearchIndex, number: int, kind: str) -> JumpTarget:
    """By line, or by the number of the record where a log has no lines, or where that is asked for."""
    log, size = ground.report.log, len(ground.log_columns[0])
    by_line = kind != "record" and ground.opened.overview.has_lines
    lines = LineNumbers(log)
    if kind == "line" and not by_line:
        return JumpTarget(
            sentence=f"This log has no lines, but {count_phrase(size, 'record')}: ask for “record {number}”."
        )
    if not by_line:
        found = number - one_based(0)
        there = f"This log has {count_phrase(size, 'record')}."
    else:
        found = bisect_right(range(size), number, key=lambda record: lines.line_of(record) or 0) - 1
        last = (lines.line_of(size - 1) or 0) + log.raw(size - 1).count(b"\n") if size else 0
        found = found if number <= last else size
        there = f"The last record ends in line {last:,}."
    if not 0 <= found < size:
        return JumpTarget(sentence=f"There is no {'line' if by_line else 'record'} {number:,}. {there}")
    return _row(ground, found, f"{'Line' if by_line else 'Record'} {number:,}")


def _by_message(ground: SearchIndex, number: int) -> JumpTarget:
    """By the number that the provider gives a message, as its errors tell it: from 0."""
    most = 0
    for session in ground.report.sessions:
        for judged in session.threads[:1]:
            scene = judged.context
            counting = message_numberings(scene, scene.profile)[0]
            most = max(most, counting.count)
            for position in counting.positions(number):
                return _row(ground, scene.thread.path[position], f"Message {number:,}")
    return JumpTarget(
        sentence=f"There is no message {number:,}: the provider counts {count_phrase(most, 'message')}, from 0."
    )


def _by_id(ground: SearchIndex, text: str) -> JumpTarget:
    """By the id of a call, a record or a message; where none has it, by one that begins so."""
    matches: tuple[Callable[[str], bool], ...] = (text.__eq__, lambda known: known.startswith(text))
    for matches_it in matches:
        for base, columns in zip(ground.first_records, ground.log_columns, strict=True):
            for record, ordinal in _ids_matching(columns, matches_it):
                node = ground.outline.node_of_block(base + record, ordinal)
                if node > 0:
                    return JumpTarget(node)
    return JumpTarget(sentence=f"No call, record or message has the id {text[:80]}, or one that begins so. {JUMP_HELP}")


def _ids_matching(columns: Columns, matches: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Record and ordinal (-1 for the record itself) of what has an id: calls first, then what else names it."""
    calls = [row for row, known in enumerate(columns.call_ids) if known and matches(known)]
    for row in sorted(calls, key=lambda row: columns.block_kinds[row] not in CALL_KINDS):
        record = columns.record_of_block(row)
        yield record, row - columns.first_block[record]
    for ids in (columns.uuids, columns.groups):
        yield from ((record, -1) for record, known in enumerate(ids) if known and matches(known))


def _row(ground: SearchIndex, record: int, what: str) -> JumpTarget:
    node = ground.outline.node_of_record[record]
    if node > 0 and ground.outline.record[node] != record:
        # The node is that of a message which begins in an earlier record, of which this one is a fragment.
        node = ground.outline.node_of_block(record, 0)
    return JumpTarget(node) if node > 0 else JumpTarget(sentence=f"{what} has no row of its own in the tree.")
