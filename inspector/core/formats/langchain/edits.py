"""Editing a LangChain message in place: a call that goes or gets another id does so everywhere where it stands."""

from collections import Counter
from collections.abc import Callable
from functools import partial

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import as_json_object, dump_json, object_at, parse_json
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits
from inspector.core.index.columns import BlockFlag, Columns, RecordMark, Role
from inspector.core.index.views import BlockKind
from inspector.core.wire import langchain
from inspector.core.wire.spelling.members import update_tool_block
from inspector.core.wire.spelling.rows import CallSpec
from inspector.core.wire.spelling.tables import LANGCHAIN

# By a call's id and how many calls of the message with the same id come before it: its new id, None when it goes.
_Changes = dict[tuple[str, int], str | None]


def rewritten(
    columns: Columns, record: int, raw: bytes, edits: BlockEdits, pointer: Callable[[int], str]
) -> bytes | None:
    """The record with its blocks edited; None when nothing of it remains."""
    prefix = langchain.FIELD_POINTERS[(columns.marks[record] & RecordMark.VARIANT_MASK) >> RecordMark.VARIANT_SHIFT]
    if columns.roles[record] == Role.TOOL:
        replaced = edits.replace.get(0) or update_tool_block(raw, "", LANGCHAIN.results, *edits.for_block(0))
        return None if edits.drop else replaced
    rows = columns.block_rows(record)
    kinds, ids = columns.block_kinds, columns.call_ids
    gone = {ids[rows[ordinal]] for ordinal in edits.drop if kinds[rows[ordinal]] == BlockKind.CALL}
    mirrors = {ordinal for ordinal, row in enumerate(rows) if kinds[row] == BlockKind.OTHER and ids[row] in gone}
    if rows and len(edits.drop | mirrors) == len(rows):
        return None
    lists = splice.JsonEditor(raw)
    for ordinal, value in edits.inputs.items():
        spelled = _spelled(columns.block_flags[rows[ordinal]])
        lists.edit(
            pointer(ordinal), partial(update_tool_block, specs=spelled, new_id=None, input_json=value, name=None)
        )
    for ordinal, name in edits.names.items():
        lists.edit(pointer(ordinal), partial(_named, name=name, flags=columns.block_flags[rows[ordinal]]))
    raw = lists.text
    for ordinal in sorted(edits.drop, reverse=True):
        if kinds[rows[ordinal]] != BlockKind.CALL:
            raw = _without_content(
                raw, prefix, ordinal, bool(columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING)
            )
    for ordinal in sorted(edits.add_to_listing):
        raw = _listed(raw, prefix, pointer(ordinal))
    changes = _changes(columns, record, edits)
    for mirror in langchain.CALL_COPY_POINTERS if changes else ():
        raw = _changed(raw, prefix, mirror, changes)
    return raw


def _spelled(flags: int) -> tuple[CallSpec, ...]:
    """How a call is spelled: in a list of the message's own as the loader reads it, whatever it looks like."""
    return LANGCHAIN.calls if flags & (langchain.IN_CONTENT | langchain.IN_ADDITIONAL_KWARGS) else LANGCHAIN.calls[-1:]


def _named(raw: bytes, pointer: str, name: str, flags: int) -> bytes:
    """The message with the name of the call at `pointer`; one as the provider sent it has it in its function."""
    if flags & langchain.IN_ADDITIONAL_KWARGS and not object_at(parse_json(json_at(raw, pointer)), "/function"):
        return splice.set_member(raw, pointer, "function", dump_json({"name": name, "arguments": "{}"}))
    return update_tool_block(raw, pointer, _spelled(flags), None, None, name)


def _listed(raw: bytes, prefix: str, pointer: str) -> bytes:
    """The message with the call in the block at `pointer` among its `tool_calls`, too: there an agent looks for it."""
    block = parse_json(json_at(raw, pointer))
    args = as_json_object(next((block[key] for key in ("input", "args", "arguments") if key in block), None))
    call_id = block.get(langchain.call_id_key(block, "/content") or "id")
    entry = dump_json({"name": block.get("name"), "args": args, "id": call_id, "type": "tool_call"})
    message = langchain.parse_message(parse_json(raw))
    known = message.fields.get("tool_calls") if message is not None else None
    if isinstance(known, list):
        return splice.insert_element(raw, f"{prefix}/tool_calls", len(known), entry)
    return splice.set_member(raw, prefix, "tool_calls", b"[" + entry + b"]")


def _without_content(raw: bytes, prefix: str, ordinal: int, whole: bool) -> bytes:
    if whole:
        return splice.replace_value(raw, f"{prefix}/content", b'""')
    return splice.remove_element(raw, f"{prefix}/content", ordinal)


def _changes(columns: Columns, record: int, edits: BlockEdits) -> _Changes:
    found: _Changes = {}
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


def _changed(raw: bytes, prefix: str, mirror: str, changes: _Changes) -> bytes:
    """The record with the changes made in one of the lists that hold calls."""
    message = langchain.parse_message(parse_json(raw))
    listed = langchain.list_entries(message.fields, mirror) if message is not None else []
    seen: Counter[str] = Counter()
    places: list[tuple[int, str, str | None]] = []
    for index, entry in enumerate(listed):
        member = langchain.call_id_key(entry, mirror)
        if member is None:
            continue
        call_id = langchain.string_or_none(entry.get(member)) or ""
        if (call_id, seen[call_id]) in changes:
            places.append((index, member, changes[call_id, seen[call_id]]))
        seen[call_id] += 1
    if not places:
        return raw
    array = splice.ArrayEditor(raw, prefix + mirror)
    for index, member, new in reversed(places):
        if new is None:
            array.remove(index)
        elif not listed[index]:
            # What stands here is no object: it becomes the least that is a call.
            array.items[index] = dump_json({"name": "unknown", "args": {}, "id": new})
        else:
            array.items[index] = splice.set_member(array.items[index], "", member, dump_json(new))
    raw = array.text
    emptied = sum(new is None for _, _, new in places) == len(listed)
    if emptied and mirror == langchain.CALL_LIST_POINTERS[langchain.IN_ADDITIONAL_KWARGS]:
        # An empty list here is sent as it is, and refused.
        raw = splice.remove_member(raw, f"{prefix}/additional_kwargs", "tool_calls")
    return raw
