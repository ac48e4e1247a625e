"""Find the row that a typed number or id leads to: a line, a record, a message as the provider counts, or a block."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from inspector.core.error_lookup.locate import message_numberings
from inspector.core.model.columnar_index import Columns
from inspector.core.model.session import LineNumbers
from inspector.core.model.views import CALL_KINDS, one_based
from inspector.core.presentation.engine_results import JumpTarget
from inspector.core.search.row_masks import SearchableLog
from inspector.core.translation import tr, tr_plural

_WANTED = re.compile(
    r"(?:(?P<kind>line|record|message|messages)\b)?[#.\[\s]*(?P<number>\d[\d,]{0,18})(?:[\].].*)?", re.IGNORECASE
)
# The minimum length of a typed id, to distinguish it from a word.
_LEAST = 4
JUMP_HELP = tr(
    "Enter a line number, “record 12”, “message 12” (as counted by the provider), or the beginning of an id."
)


def find_jump_target(ground: SearchableLog, text: str) -> JumpTarget:
    """Return the row that a text names, else a sentence that says why there is none."""
    text = text.strip()
    wanted = _WANTED.fullmatch(text)
    if wanted is None:
        return _by_id(ground, text.strip("\"'`,;:")) if len(text) >= _LEAST else JumpTarget(sentence=JUMP_HELP)
    number, kind = int(wanted["number"].replace(",", "")), (wanted["kind"] or "").lower()
    if kind.startswith("message"):
        return _by_message(ground, number)
    return _by_number(ground, number, kind)


def _by_number(ground: SearchableLog, number: int, kind: str) -> JumpTarget:
    """Find a row by line, or by record number where the log has no lines or the text says "record"."""
    log, size = ground.report.log, len(ground.log_columns[0])
    by_line = kind != "record" and ground.opened.overview.has_lines
    lines = LineNumbers(log)
    if kind == "line" and not by_line:
        return JumpTarget(
            sentence=tr(
                "This log contains {records}, but no lines. Enter “record {number}”.",
                records=tr_plural("{number:,} record", "{number:,} records", size),
                number=number,
            )
        )
    if not by_line:
        record = number - one_based(0)
        extent = tr("This log has {records}.", records=tr_plural("{number:,} record", "{number:,} records", size))
    else:
        record = bisect_right(range(size), number, key=lambda position: lines.line_of(position) or 0) - 1
        last = (lines.line_of(size - 1) or 0) + log.raw(size - 1).count(b"\n") if size else 0
        record = record if number <= last else size
        extent = tr("The last record ends on line {last:,}.", last=last)
    if not 0 <= record < size:
        template = (
            tr("There is no line {number:,}. {extent}") if by_line else tr("There is no record {number:,}. {extent}")
        )
        return JumpTarget(sentence=tr(template, number=number, extent=extent))
    return _row(ground, record, tr(tr("Line {number:,}") if by_line else tr("Record {number:,}"), number=number))


def _by_message(ground: SearchableLog, number: int) -> JumpTarget:
    """Find a row by the number that the provider gives a message in its errors, from 0."""
    most = 0
    for session in ground.report.sessions:
        for thread in session.threads[:1]:
            context = thread.context
            counting = message_numberings(context, context.profile)[0]
            most = max(most, counting.count)
            for position in counting.positions(number):
                return _row(ground, context.thread.path[position], tr("Message {number:,}", number=number))
    return JumpTarget(
        sentence=tr(
            "There is no message {number:,}. The provider counts {messages}, starting at 0.",
            number=number,
            messages=tr_plural("{number:,} message", "{number:,} messages", most),
        )
    )


def _by_id(ground: SearchableLog, text: str) -> JumpTarget:
    """Find a row by the id of a call, a record or a message; if none has it, by an id that begins with it."""
    matches: tuple[Callable[[str], bool], ...] = (text.__eq__, lambda known: known.startswith(text))
    for matches_it in matches:
        for base, columns in zip(ground.first_records, ground.log_columns, strict=True):
            for record, ordinal in _ids_matching(columns, matches_it):
                node = ground.outline.node_of_block(base + record, ordinal)
                if node > 0:
                    return JumpTarget(node)
    return JumpTarget(
        sentence=tr(
            "No call, record or message has an id that starts with {text}. {help}",
            text=text[:80],
            help=JUMP_HELP,
        )
    )


def _ids_matching(columns: Columns, matches: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield record and ordinal (-1 for the record itself) of each matching id: calls first, then other uses."""
    calls = [row for row, known in enumerate(columns.call_ids) if known and matches(known)]
    for row in sorted(calls, key=lambda row: columns.block_kinds[row] not in CALL_KINDS):
        record = columns.record_of_block(row)
        yield record, row - columns.first_block[record]
    for ids in (columns.uuids, columns.groups):
        yield from ((record, -1) for record, known in enumerate(ids) if known and matches(known))


def _row(ground: SearchableLog, record: int, what: str) -> JumpTarget:
    node = ground.outline.node_of_record[record]
    if node > 0 and ground.outline.record[node] != record:
        # The node is that of a message which begins in an earlier record, of which this one is a fragment.
        node = ground.outline.node_of_block(record, 0)
    return (
        JumpTarget(node)
        if node > 0
        else JumpTarget(sentence=tr("{what} does not have its own row in the tree.", what=what))
    )
