"""Reading and setting the members of a block by the row that spells it."""

from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_at, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.wire.spelling.rows import CallRow, Spelling, ToolRow, row_of


def other_ids(call: Any, spelling: Spelling) -> list[str]:
    """The further ids that a parsed call carries, by which a result may name it."""
    row = row_of(spelling.calls, call)
    named = (value_at(call, pointer) for pointer in row.others) if row is not None else ()
    return [each for each in named if isinstance(each, str) and each]


def reset(
    raw: bytes, at: str, rows: tuple[ToolRow, ...], new_id: str | None, given: bytes | None, name: str | None
) -> bytes:
    """A text with the id, the input and the name set of the call or result at `at` in it; None leaves them as they are.

    `given` is JSON. Raises NothingThere where nothing stands at `at`.
    """
    if new_id is None and given is None and name is None:
        return raw
    block = value_of(json_at(raw, at))
    row = row_of(rows, block)
    if row is None:
        return raw
    if new_id is not None:
        raw = _set(raw, at + row.id, text_of(new_id))
    if given is not None and isinstance(row, CallRow):
        raw = _set(raw, at + row.input[0], given)
    if name is not None and row.name and (row.wants_name or value_at(block, row.name, ...) is not ...):
        raw = _set(raw, at + row.name, text_of(name))
    return raw


def _set(raw: bytes, pointer: str, value: bytes) -> bytes:
    holder, _, key = pointer.rpartition("/")
    return splice.set_member(raw, holder, key, value)
