"""Records that cannot be read: the kind of damage, and what can still be read from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.thread_context import RuleMatch, ThreadContext, cached_on_thread
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.storage.json_spans import TruncatedJson, closing_brackets, skip_space, value_end
from inspector.core.storage.json_text import (
    LONE_SURROGATE,
    is_too_deep,
    is_utf8,
    is_valid_json,
    parse_json,
    replace_lone_surrogates,
)
from inspector.core.storage.source import BOM
from inspector.core.translation import tr, tr_plural

_RECORD_START = lazy_regex(
    rb'\{"(?:(?:id|\$set|type|parentUuid|uuid|role|messages|message|sessionId|timestamp)"|kind":\d)'
)
_STRING = lazy_regex(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_LONGEST_JOIN = 200
_AFTER_STRING = b",:]}"  # or the end of the line
_OPENING, _CLOSING = (b"{", b"["), (b"}", b"]")


class DamageKind(Enum):
    """The kind of damage, in words."""

    TRUNCATED = tr("The log ends in the middle of its last record")
    SEVERAL_ON_ONE_LINE = tr("A line contains several records")
    NUL_BYTES = tr("A line contains NUL bytes")
    SPLIT_OVER_LINES = tr("A record is split across several lines by unescaped line breaks")
    NOT_UTF8 = tr("A line contains bytes that are not UTF-8")
    INVALID_JSON = tr("A line is not valid JSON")
    INVALID_STRUCTURE = tr("A line is valid JSON, but the agent cannot read it")
    BYTE_ORDER_MARK = tr("A byte order mark precedes a record")
    LONE_SURROGATE = tr("A string contains half of a surrogate pair")


ENCODING_DAMAGE = (DamageKind.NOT_UTF8, DamageKind.LONE_SURROGATE)


class Damage(Struct, frozen=True):
    """One damaged place: its kind, its first and last record, and what salvage yields.

    `salvaged` is None when nothing can be read. `records_before` are whole records before it on its line.
    `leftover_bytes` are the bytes that salvage leaves out.
    """

    kind: DamageKind
    first: int
    last: int
    salvaged: bytes | None = None
    leftover_bytes: bytes = b""
    records_before: tuple[bytes, ...] = ()

    @property
    def records(self) -> tuple[bytes, ...]:
        """All records that salvage yields, in order."""
        return () if self.salvaged is None else (*self.records_before, self.salvaged)


@cached_on_thread
def damaged_places(context: ThreadContext) -> list[Damage]:
    """Return the damaged places of the session.

    They are reported once, with its main thread.
    """
    if context.thread is not context.session.main_thread:
        return []
    places = damaged_places_in_records(context.columns, context.session.records, context.raw)
    can_be_salvaged = context.format.can_be_salvaged
    return [
        place
        if all(can_be_salvaged(context.columns, place.first, record) for record in place.records)
        else replace(place, salvaged=None, records_before=())
        for place in places
    ]


def damaged_places_in_records(columns: Columns, members: range, raw: ReadRecord) -> list[Damage]:
    """Return the damaged places among `members`, in order."""
    if not columns.has_mark(RecordMark.UNREADABLE):
        return []
    marks = columns.marks
    bad = [record for record in members if marks[record] & RecordMark.UNREADABLE]
    places, last_seen, lines = [], -1, _Lines(columns, raw)
    for record in bad:
        if record > last_seen:
            damage = _classify_damage(lines, record, members.stop)
            last_seen = damage.last
            places.append(damage)
    return places


def match_damage_of_kind(context: ThreadContext, rule: str, kind: DamageKind, default: str = "") -> Iterator[RuleMatch]:
    """Yield a match for each damaged place of one kind.

    `default` is the strategy where something can be read of it, "" for the rule's own.
    """
    for damage in damaged_places(context):
        if damage.kind == kind:
            number = damage.last - damage.first + 1
            message = tr_plural("{damage}.", "{damage} ({number} lines).", number, damage=kind.value)
            strategy = "quarantine" if damage.salvaged is None else default
            yield RuleMatch(rule=rule, message=message, record=damage.first, default=strategy)


def _classify_damage(lines: _Lines, record: int, stop: int) -> Damage:
    text, columns = lines.raw(record), lines.columns
    if columns.marks[record] & RecordMark.DAMAGED_PART:
        # Salvaged, it would be part of its message, which has been checked without it.
        return Damage(DamageKind.INVALID_JSON if is_utf8(text) else DamageKind.NOT_UTF8, record, record, None, text)
    body = text.strip(b"\0 \t\r\n")
    if b"\0" in text and not (body and b"\0" in body):
        return Damage(
            DamageKind.NUL_BYTES, record, record, body if _is_object(body) else None, b"" if _is_object(body) else text
        )
    may_be_record = (
        not columns.marks[record] & RecordMark.GROUP_END
    )  # text after the end of a document is not a record of it
    if may_be_record and not is_utf8(text):
        repaired = text.decode("utf-8", "replace").encode()
        if _is_object(repaired):
            return Damage(DamageKind.NOT_UTF8, record, record, repaired)
    if may_be_record and _is_half_surrogate(text):
        repaired = replace_lone_surrogates(text)
        if _is_object(repaired):
            return Damage(DamageKind.LONE_SURROGATE, record, record, repaired)
    if may_be_record and _is_object(text):
        return Damage(DamageKind.INVALID_STRUCTURE, record, record, None, text)
    if text.startswith(BOM) and _is_object(without_mark := text.removeprefix(BOM)):
        return Damage(DamageKind.BYTE_ORDER_MARK, record, record, without_mark)
    suffix = _whole_suffix(text)
    if suffix and not _is_cut_between(text):
        before, rest = _whole_records(text[:suffix])
        return Damage(DamageKind.SEVERAL_ON_ONE_LINE, record, record, text[suffix:], rest, before)
    joined = _rejoin_split_record(lines, record, stop)
    if joined is not None:
        return joined
    is_torn = record == stop - 1 and _is_torn(text)
    before, rest = _whole_records(text) if may_be_record and not is_torn else ((), b"")
    if before:
        return Damage(DamageKind.INVALID_JSON, record, record, before[-1], rest, before[:-1])
    kind = DamageKind.INVALID_JSON if is_utf8(text) else DamageKind.NOT_UTF8
    return Damage(DamageKind.TRUNCATED if is_torn else kind, record, record, None, text)


def _is_object(text: bytes) -> bool:
    return is_valid_json(text) and isinstance(parse_json(text), dict)


def _is_half_surrogate(text: bytes) -> bool:
    if is_too_deep(text):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return LONE_SURROGATE.search(text) is not None


def _whole_suffix(text: bytes) -> int:
    """Return where a whole record starts that ends the line, 0 when there is none."""
    for count, match in enumerate(_RECORD_START.finditer(text, 1)):
        if count > 64:
            break
        if _is_object(text[match.start() :]):
            return match.start()
    return 0


def _whole_records(text: bytes) -> tuple[tuple[bytes, ...], bytes]:
    """Return the whole records that a text begins with, and the rest of it."""
    records: list[bytes] = []
    start = skip_space(text, 0)
    while start < len(text):
        try:
            end = value_end(text, start)
        except TruncatedJson:
            break
        if not _is_object(text[start:end]):
            break
        records.append(text[start:end])
        start = skip_space(text, end)
    return tuple(records), text[start:]


def _rejoin_split_record(lines: _Lines, record: int, stop: int) -> Damage | None:
    """Return the damage when this line and the unreadable lines after it are parts of one record, else None."""
    first = lines.text(record)
    if first.lstrip()[:1] != b"{":
        return None
    last, line_end = record, lines.end(record, False)
    depth = line_end.depth if line_end else 0
    while line_end and depth > 0 and last + 1 < stop and lines.is_bad(last + 1) and last - record < _LONGEST_JOIN:
        last += 1
        line_end = lines.end(last, line_end.in_text)
        depth += line_end.depth if line_end else 0
    if depth or not line_end or last == record:
        return None
    joined = _join_lines([lines.text(number) for number in range(record, last + 1)])
    return Damage(DamageKind.SPLIT_OVER_LINES, record, last, joined) if _is_object(joined) else None


class _End(NamedTuple):
    """The state at the end of a line.

    `depth` is the number of brackets the line opens less those it closes. `in_text` says whether a string goes on.
    """

    depth: int
    in_text: bool


class _Lines:
    """The lines of a log, each scanned once for what it adds to a record that is split over several lines."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw
        self._ends: dict[tuple[int, bool], _End | None] = {}

    def is_bad(self, record: int) -> bool:
        return bool(self.columns.marks[record] & RecordMark.UNREADABLE)

    def text(self, record: int) -> bytes:
        return self.raw(record).rstrip(b"\r")

    def end(self, record: int, in_text: bool) -> _End | None:
        """Return how a line ends that begins inside a string or not, None where no record continues like that."""
        if (record, in_text) not in self._ends:
            self._ends[record, in_text] = _end_of(self.text(record), in_text)
        return self._ends[record, in_text]


def _end_of(line: bytes, in_text: bool) -> _End | None:
    """Return how a line ends, see `_Lines.end`."""
    begun = b'"' + line if in_text else line
    outside, quote, _ = _STRING.sub(b"0", begun).partition(b'"')
    if in_text and outside[1:].lstrip()[:1] not in _AFTER_STRING:
        return None
    return _End(sum(map(outside.count, _OPENING)) - sum(map(outside.count, _CLOSING)), bool(quote))


def _join_lines(lines: list[bytes]) -> bytes:
    """Join lines into one text.

    A line end inside a string belongs to the string. A line end in a key or between values is dropped.
    """
    joined = [lines[0]]
    outside, ahead = b"", lines[0]  # `outside` is the scanned text without its strings
    for line in lines[1:]:
        scanned, quote, _ = _STRING.sub(b"0", ahead).partition(b'"')
        outside += scanned
        last = outside.rstrip()[-1:]
        in_key = last == b"{" or (last == b"," and closing_brackets(outside)[:1] == b"}")
        joined.append((rb"\n" if quote and not in_key else b"") + line)
        ahead = quote + joined[-1]
    return b"".join(joined)


def _is_cut_between(text: bytes) -> bool:
    """Return whether a text is cut off right after an element of its one value.

    What is whole at its end is then that element, not a record.
    """
    body = text.lstrip(b", \t\r\n")
    return is_valid_json(body + closing_brackets(body))


def _is_torn(text: bytes) -> bool:
    try:
        value_end(text, skip_space(text, 0))
    except TruncatedJson:
        return True
    return not text.strip()
