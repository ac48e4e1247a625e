"""The messages that DeepSeek Harness restores from a log, and the turn that it closes.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `session-persistence-jsonl/src/format.ts` (`SessionLogScanner`),
`session/src/surface.ts` (`foldSurface`) and `session/src/repair.ts` (`interruptedTurnClosers`), which were run. The
header is the first line, alone in the first frame of a compressed log. The numbers of the events count from 0 without a
gap. At a row that cannot be read or has another number, the log ends: what follows is removed. But if a `turn/end` is
in what follows, the log counts as corrupt and is not loaded. A message that replaces others takes their place.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import Struct, structs

from inspector.core.formats.dsh.reader import (
    HEADER_TYPE,
    STARTED_TYPE,
    STEP_END,
    TURN_END,
    TURN_START,
    EventNumbers,
    boundary_of,
    event_numbers,
    later_headers,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import DamagedLink, LinkDamage, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_lines import decompress_first_frame
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.storage.source import Source
from inspector.core.translation import joined, tr

KNOWN_VERSION = 0
_NO_NUMBERS = EventNumbers(-2)  # which no message replaces
_MESSAGE_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)
_HEADER_FRAME_SIZE = 64 * 1024
_NO_HEADER_FRAME = tr(
    "The compressed log does not begin with a frame that contains only the header, so DeepSeek "
    "Harness does not load the log."
)
_NO_LINE_END = tr("The last line does not end with a line break, so DeepSeek Harness removes it.")
_NO_HEADER = tr("The first line is not a session header. DeepSeek Harness does not load a log without this header.")


class LogEnd(Struct, frozen=True):
    """Where the log ends for the Harness: the first row that cannot be read or has a wrong number.

    `is_refused`: a turn ends behind that row, so that the log is not loaded at all.
    """

    record: int
    is_refused: bool = False


def header_of(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """Return the header, an empty object if the first line is another record."""
    if not len(columns) or columns.roles[0] != Role.OPAQUE or columns.marks[0] & RecordMark.UNREADABLE:
        return {}
    header = parse_json(raw(0))
    is_header = text_at(header, "/type") == HEADER_TYPE and text_at(header, "/id") and "createdAt" in header
    return header if is_header else {}


def is_known_version(header: dict[str, Any]) -> bool:
    """Return whether it is known how logs of this version are loaded. A missing header is repaired as one of these."""
    return not header or header.get("version") == KNOWN_VERSION


def first_number_break(columns: Columns, header: dict[str, Any]) -> list[DamagedLink]:
    """Return the row whose number is wrong, in a list. A row before it that cannot be read ends the log already."""
    expected = 0
    for record in range(1 if header else 0, len(columns)):
        numbers = event_numbers(columns, record)
        if columns.marks[record] & RecordMark.UNREADABLE:
            break
        if numbers is None or numbers.seq != expected:
            return [_wrong_number(columns, record, expected)]
        expected += numbers.count
    return [_wrong_number(columns, record, expected) for record in islice(later_headers(columns), 1)]


def draft_number_break(read: Columns, known: Sequence[DamagedLink], columns: Columns) -> list[DamagedLink]:
    """Return those of the `known` breaks that are left in a planned repair, whose new rows have no numbers yet.

    A repair of a joined line can also bring to light one more header.
    """
    for link in known:
        at = next((record for record, each in enumerate(columns.stable_numbers) if each == link.record), -1)
        if at >= 0 and columns.groups[at] == read.groups[link.record]:
            return [structs.replace(link, record=at)]
    return [_wrong_number(columns, record, 0) for record in islice(later_headers(columns), 1)]


def log_end(columns: Columns, breaks: Sequence[DamagedLink], links: Sequence[DamagedLink]) -> LogEnd:
    """Return where the log ends, behind the last row if nothing is wrong.

    `breaks` are the rows with wrong numbers, and `links` say whether the last row has a line end.
    """
    size = min((link.record for link in links if link.record), default=len(columns))
    end = min([size, columns.first_with_mark(RecordMark.UNREADABLE), *(link.record for link in breaks)])
    return LogEnd(end, any(boundary_of(columns, each) == TURN_END for each in range(end, size)))


def _turn_ends_after(columns: Columns, record: int) -> bool:
    return any(boundary_of(columns, each) == TURN_END for each in range(record, len(columns)))


def _wrong_number(columns: Columns, record: int, expected: int) -> DamagedLink:
    numbers = event_numbers(columns, record)
    if numbers is None and columns.roles[record] == Role.OPAQUE:
        problem = tr("This row is another session header.")
    else:
        number = numbers.seq if numbers else tr("missing")
        problem = tr(
            "The sequence number of this row is {number}, but {expected} was expected.",
            number=number,
            expected=expected,
        )
    consequence = (
        tr("A turn ends after this row, so DeepSeek Harness does not load the log.")
        if _turn_ends_after(columns, record)
        else tr("DeepSeek Harness removes this row and all rows after it.")
    )
    return DamagedLink(record, LinkDamage.WRONG_ORDINAL, text=joined(" ", (problem, consequence)))


def active_thread(columns: Columns, end: LogEnd, header: dict[str, Any]) -> Thread:
    """Return the messages that are restored, in the order in which they are sent; all of a log that is refused."""
    path: list[int] = []
    numbers_on_path: list[int] = []
    for record in range(len(columns) if end.is_refused else end.record):
        if columns.roles[record] not in _MESSAGE_ROLES:
            continue
        numbers = event_numbers(columns, record) or _NO_NUMBERS
        first, last, place = numbers.first_replaced, numbers.last_replaced, slice(len(path), None)
        if first >= 0 and first in numbers_on_path and last in numbers_on_path:
            place = slice(numbers_on_path.index(first), numbers_on_path.index(last) + 1)
        path[place], numbers_on_path[place] = [record], [numbers.seq]
    links = [] if header or not path else [DamagedLink(0, LinkDamage.MISSING_PARENT, text=_NO_HEADER)]
    return Thread(array("I", path), damaged_links=links)


def framing_damage(source: Source, read: Columns, columns: Columns) -> list[DamagedLink]:
    """Return which rows are not stored as the Harness requires: the header in a frame, and the last row in a line.

    `columns` are those of the log as `read`, or of a planned repair. Writing a repair puts the header into a frame.
    """
    damage = []
    if source.compressed_path and columns is read:
        frame = decompress_first_frame(source.compressed_path, _HEADER_FRAME_SIZE)
        if not frame.endswith(b"\n") or frame.count(b"\n") != 1:
            damage.append(DamagedLink(0, LinkDamage.MISSING_PARENT, text=_NO_HEADER_FRAME))
    last, end = len(columns) - 1, columns.ends[-1]
    is_original_end = columns.stable_numbers[last] == len(read) - 1 and columns.starts[last] < end
    if is_original_end and not columns.marks[last] & RecordMark.UNREADABLE and source.read(end, end + 1) != b"\n":
        damage.append(DamagedLink(last, LinkDamage.MISSING_PARENT, text=_NO_LINE_END))
    return damage


class OpenTurn(Struct, frozen=True):
    """A turn at the end of the log that is closed on resume, with its calls (by block row) and whether they started."""

    is_open: bool
    calls: dict[int, bool] = {}


def open_turn(columns: Columns, end: int, raw: ReadRecord) -> OpenTurn:
    """Return the turn that is closed on resume in a log that ends at record `end`."""
    bounds = (record for record in range(end - 1, -1, -1) if boundary_of(columns, record) in (TURN_START, TURN_END))
    start = next(bounds, -1)
    if start < 0 or boundary_of(columns, start) == TURN_END:
        return OpenTurn(False)
    pending: dict[str | None, int] = {}
    started: set[str] = set()
    for record in range(start, end):
        if boundary_of(columns, record) == STEP_END:
            pending.clear()
        elif columns.roles[record] == Role.LINK and pending and b'"tool/call"' in (text := raw(record)):
            event = parse_json(text)
            if text_at(event, "/type") == STARTED_TYPE:
                started.add(text_at(event, "/data/callId"))
        for row in columns.block_rows(record):
            if columns.block_kinds[row] == BlockKind.CALL:
                pending[columns.call_ids[row]] = row
            elif columns.block_kinds[row] == BlockKind.RESULT:
                pending.pop(columns.call_ids[row], None)
    return OpenTurn(True, {row: call_id in started for call_id, row in pending.items()})
