"""Reading and setting the members of a block by the row that spells it."""

from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, parse_json, value_at
from inspector.core.bytes.spans import json_at
from inspector.core.wire.spelling.rows import BlockSchema, CallSpec, ToolSpec, matching_spec


def alternative_call_ids(call: Any, spelling: BlockSchema) -> list[str]:
    """The further ids that a parsed call carries, by which a result may name it."""
    row = matching_spec(spelling.calls, call)
    named = (value_at(call, pointer) for pointer in row.alternative_ids) if row is not None else ()
    return [each for each in named if isinstance(each, str) and each]


def update_tool_block(
    raw: bytes, at: str, specs: tuple[ToolSpec, ...], new_id: str | None, input_json: bytes | None, name: str | None
) -> bytes:
    """A text with the id, the input and the name set of the call or result at `at` in it; None leaves them as they are.

    `given` is JSON. Raises NothingThere where nothing stands at `at`.
    """
    if new_id is None and input_json is None and name is None:
        return raw
    block = parse_json(json_at(raw, at))
    row = matching_spec(specs, block)
    if row is None:
        return raw
    if new_id is not None:
        raw = _set(raw, at + row.id, dump_json(new_id))
    if input_json is not None and isinstance(row, CallSpec):
        raw = _set(raw, at + row.input[0], input_json)
    if name is not None and row.name and (row.wants_name or value_at(block, row.name, ...) is not ...):
        raw = _set(raw, at + row.name, dump_json(name))
    return raw


def _set(raw: bytes, pointer: str, value: bytes) -> bytes:
    holder, _, key = pointer.rpartition("/")
    return splice.set_member(raw, holder, key, value)
