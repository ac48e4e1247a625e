"""Edits of a LangChain message.

A call that is dropped or gets another id is changed in every list that holds it.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

from inspector.core.formats.base.langchain import reader
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import CallSpec, update_tool_block
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import coerce_to_json_object, dump_json, object_at, parse_json

# The new id of a call, None if it is dropped, by its id and the number of earlier calls of the message with that id.
_CallChanges = dict[tuple[str, int], str | None]


def rewrite_message(
    columns: Columns, record: int, raw: bytes, edits: BlockEdits, pointer: Callable[[int], str]
) -> bytes | None:
    """Return the record after `edits`, None if nothing of it remains."""
    prefix = reader.FIELD_POINTERS[(columns.marks[record] & RecordMark.VARIANT_MASK) >> RecordMark.VARIANT_SHIFT]
    if columns.roles[record] == Role.TOOL:
        replaced = edits.replace.get(0) or update_tool_block(raw, "", reader.BLOCK_SCHEMA.results, *edits.for_block(0))
        return None if edits.drop else replaced
    rows = columns.block_rows(record)
    kinds, ids = columns.block_kinds, columns.call_ids
    dropped = {ids[rows[ordinal]] for ordinal in edits.drop if kinds[rows[ordinal]] == BlockKind.CALL}
    mirrors = {ordinal for ordinal, row in enumerate(rows) if kinds[row] == BlockKind.OTHER and ids[row] in dropped}
    if rows and len(edits.drop | mirrors) == len(rows):
        return None
    lists = json_edits.JsonEditor(raw)
    for ordinal, value in edits.inputs.items():
        spelled = _call_schema(columns.block_flags[rows[ordinal]])
        lists.edit(
            pointer(ordinal), partial(update_tool_block, specs=spelled, new_id=None, input_json=value, name=None)
        )
    for ordinal, name in edits.names.items():
        lists.edit(pointer(ordinal), partial(_with_tool_name, name=name, flags=columns.block_flags[rows[ordinal]]))
    raw = lists.text
    for ordinal in sorted(edits.drop, reverse=True):
        if kinds[rows[ordinal]] != BlockKind.CALL:
            raw = _remove_block(raw, prefix, ordinal, bool(columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING))
    for ordinal in sorted(edits.add_to_listing):
        raw = _add_to_tool_calls(raw, prefix, pointer(ordinal))
    changes = _changes(columns, record, edits)
    for mirror in reader.CALL_COPY_POINTERS if changes else ():
        raw = _apply_changes(raw, prefix, mirror, changes)
    return raw


def _call_schema(flags: int) -> tuple[CallSpec, ...]:
    """Return the schemas of a call. In a list of the message's own, only the one that the loader reads counts."""
    return (
        reader.BLOCK_SCHEMA.calls
        if flags & (reader.IN_CONTENT | reader.IN_ADDITIONAL_KWARGS)
        else reader.BLOCK_SCHEMA.calls[-1:]
    )


def _with_tool_name(raw: bytes, pointer: str, name: str, flags: int) -> bytes:
    """Return the message with a new name of the call at `pointer`. A call as the provider sent it has a function."""
    if flags & reader.IN_ADDITIONAL_KWARGS and not object_at(parse_json(raw_json_at(raw, pointer)), "/function"):
        return json_edits.set_member(raw, pointer, "function", dump_json({"name": name, "arguments": "{}"}))
    return update_tool_block(raw, pointer, _call_schema(flags), None, None, name)


def _add_to_tool_calls(raw: bytes, prefix: str, pointer: str) -> bytes:
    """Return the message with the call at `pointer` added to its `tool_calls`, where an agent looks for it."""
    block = parse_json(raw_json_at(raw, pointer))
    args = coerce_to_json_object(next((block[key] for key in ("input", "args", "arguments") if key in block), None))
    call_id = block.get(reader.call_id_key(block, "/content") or "id")
    entry = dump_json({"name": block.get("name"), "args": args, "id": call_id, "type": "tool_call"})
    message = reader.parse_message(parse_json(raw))
    known = message.fields.get("tool_calls") if message is not None else None
    if isinstance(known, list):
        return json_edits.insert_element(raw, f"{prefix}/tool_calls", len(known), entry)
    return json_edits.set_member(raw, prefix, "tool_calls", b"[" + entry + b"]")


def _remove_block(raw: bytes, prefix: str, ordinal: int, whole: bool) -> bytes:
    if whole:
        return json_edits.replace_value(raw, f"{prefix}/content", b'""')
    return json_edits.remove_element(raw, f"{prefix}/content", ordinal)


def _changes(columns: Columns, record: int, edits: BlockEdits) -> _CallChanges:
    found: _CallChanges = {}
    seen: Counter[str] = Counter()
    for ordinal, row in enumerate(columns.block_rows(record)):
        if columns.block_kinds[row] != BlockKind.CALL:
            continue
        call_id = columns.call_ids[row] or ""
        if ordinal in edits.drop:
            found[call_id, seen[call_id]] = None
        elif ordinal in edits.rename:
            found[call_id, seen[call_id]] = edits.rename[ordinal]
        seen[call_id] += 1
    return found


def _apply_changes(raw: bytes, prefix: str, mirror: str, changes: _CallChanges) -> bytes:
    """Return the record with the changes made in one of the lists that hold calls."""
    message = reader.parse_message(parse_json(raw))
    listed = reader.elements_as_dicts_at(message.fields, mirror) if message is not None else []
    seen: Counter[str] = Counter()
    places: list[tuple[int, str, str | None]] = []
    for index, entry in enumerate(listed):
        member = reader.call_id_key(entry, mirror)
        if member is None:
            continue
        call_id = reader.string_or_none(entry.get(member)) or ""
        if (call_id, seen[call_id]) in changes:
            places.append((index, member, changes[call_id, seen[call_id]]))
        seen[call_id] += 1
    if not places:
        return raw
    array = json_edits.ArrayEditor(raw, prefix + mirror)
    for index, member, new in reversed(places):
        if new is None:
            array.remove(index)
        elif not listed[index]:
            # The element is not an object: it becomes a minimal call.
            array.items[index] = dump_json({"name": "unknown", "args": {}, "id": new})
        else:
            array.items[index] = json_edits.set_member(array.items[index], "", member, dump_json(new))
    raw = array.text
    emptied = sum(new is None for _, _, new in places) == len(listed)
    if emptied and mirror == reader.CALL_LIST_POINTERS[reader.IN_ADDITIONAL_KWARGS]:
        # An empty list here is sent unchanged, and refused.
        raw = json_edits.remove_member(raw, f"{prefix}/additional_kwargs", "tool_calls")
    return raw
