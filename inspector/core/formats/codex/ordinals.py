"""The ordinals of a paginated rollout: every line has one, above that of the line before it; gaps are legal.

Facts: codex-rs/rollout/src/ordinal.rs @3b1fd5b, and Codex 0.169.0, resumed on each case: without an ordinal on the last
line it does not load the rollout ("final paginated rollout record … is missing an ordinal"), and goes on behind any
other. Versions 0.150 to 0.153 are reported to write the ordinal of their last line a second time when they resume; the
history that the desktop app and `thread/read` show stops there for good ("thread history projection expected ordinal
690, got 689"; openai/codex #35746, #41079, #41566, #44609).
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from inspector.core.bytes.json_text import object_at, parse_json, text_at, value_at
from inspector.core.formats.codex.rows import LINES
from inspector.core.index.columns import Columns, ReadRecord, RecordMark
from inspector.core.index.session import DamagedLink, LinkDamage, Log

_HEAD = 120  # bytes: a line begins with its time and its ordinal
_BLOCK = 1 << 22
_BEGINS = re.compile(rb'\{"timestamp":"[^"\\]*","ordinal":(\d{1,18})[,}]')


def uncounted(log: Log, columns: Columns, raw: ReadRecord) -> list[DamagedLink]:
    """The lines of a paginated rollout whose ordinal does not follow the one before; of a run without, the first.

    Of columns that a repair changed those that are known and were not mended.
    """
    if columns is log.columns or not log.sessions:
        return _broken(_counted(log, columns))
    known = {link.record: link for link in log.sessions[0].ordinal_breaks}
    if not known:
        return []
    found = []
    for before, record in pairwise(readable_lines(columns)):
        link = known.get(columns.stable_numbers[record])
        if link and not _follows(ordinal_of(raw(record)), ordinal_of(raw(before))):
            found.append(DamagedLink(record, link.kind, text=link.text, agent_continues=link.agent_continues))
    return found


def readable_lines(columns: Columns) -> list[int]:
    """The records that are lines by themselves and can be read."""
    return [
        record
        for record, mark in enumerate(columns.marks)
        if not mark & (RecordMark.NO_ENVELOPE | RecordMark.UNREADABLE)
    ]


def ordinal_of(line: bytes) -> int | None:
    """The ordinal of a line, None where it has none."""
    begins = _BEGINS.match(line)
    if begins:
        return int(begins[1])
    try:
        return _ordinal_in(parse_json(line))
    except ValueError:
        return None


def _ordinal_in(value: Any) -> int | None:
    ordinal = value_at(value, "/ordinal")
    return ordinal if isinstance(ordinal, int) and not isinstance(ordinal, bool) and ordinal >= 0 else None


def _counted(log: Log, columns: Columns) -> Iterator[tuple[int, int | None]]:
    """Every line with its ordinal. Most are told by their first bytes, which are read by the block."""
    source, at, block = log.source, 0, b""
    for record in readable_lines(columns):
        start, end = columns.starts[record], columns.ends[record]
        if not at <= start <= at + len(block) - _HEAD:
            at, block = start, source.read(start, start + _BLOCK)
        begins = _BEGINS.match(block, start - at)
        if begins:
            yield record, int(begins[1])
            continue
        value = parse_json(source.read(start, end))
        if _is_known(value):
            yield record, _ordinal_in(value)


def _is_known(value: Any) -> bool:
    """Whether it is a line that Codex reads, rather than one of another type or count, which it passes over."""
    counted = value_at(value, "/ordinal") is None or _ordinal_in(value) is not None
    return counted and text_at(value, "/type") in LINES and bool(object_at(value, "/payload"))


def _broken(counted: Iterator[tuple[int, int | None]]) -> list[DamagedLink]:
    found: list[DamagedLink] = []
    before: int | None = -1
    for record, ordinal in counted:
        if ordinal is None:
            if before is not None:
                found.append(
                    DamagedLink(
                        record, LinkDamage.WRONG_ORDINAL, text="This line has no ordinal.", agent_continues=True
                    )
                )
        elif before is not None and ordinal <= before:
            text = f"The ordinal of this line is {ordinal}, and that of the line before it {before}."
            found.append(DamagedLink(record, LinkDamage.WRONG_ORDINAL, text=text, agent_continues=True))
        before = ordinal
    if found and before is None:
        text = "From here to the end no line has an ordinal, without which Codex does not load the rollout."
        found[-1] = DamagedLink(found[-1].record, LinkDamage.WRONG_ORDINAL, text=text)
    return found


def _follows(ordinal: int | None, before: int | None) -> bool:
    return ordinal is not None and (before is None or ordinal > before)
