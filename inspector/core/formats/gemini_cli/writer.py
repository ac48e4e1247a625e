"""Edits of a Gemini CLI message. A result is written into the entry of `toolCalls` that holds its call."""

from functools import lru_cache, partial
from typing import Any

from inspector.core.formats.base.writer import BlockEdits
from inspector.core.formats.gemini_cli.reader import MessageBlock, blocks_of, parts_of
from inspector.core.model.columnar_index import BlockFlag, Columns
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import array_elements, pointer_span, raw_json_at
from inspector.core.storage.json_text import dump_json, list_at, parse_json, value_at

_FINAL_STATES = frozenset({"success", "error", "cancelled"})


def rewrite_message(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes:
    """Return the message after `edits`, applied from the last block to the first so that pointers stay valid."""
    message = parse_json(raw)
    blocks = blocks_of(message)
    entries = _CallEntries(message)
    lists = json_edits.JsonEditor(raw)
    dropped_entries = _entries_to_drop(blocks, entries.of, edits.drop)
    answered = {blocks[ordinal].entry for ordinal in edits.answers} - {-1}
    for ordinal, answer in sorted(edits.answers.items(), reverse=True):
        _add_result(lists, entries, blocks[ordinal], answer)
    for ordinal in sorted({*edits.drop, *edits.replace, *edits.rename, *edits.inputs, *edits.names}, reverse=True):
        piece = blocks[ordinal]
        if piece.entry in dropped_entries or (piece.entry in answered and piece.kind == BlockKind.RESULT):
            continue
        if ordinal in edits.drop:
            _drop(lists, piece)
        elif ordinal in edits.replace:
            _replace(lists, piece, edits.replace[ordinal])
        if ordinal in edits.rename:
            _rename(lists, piece, edits.rename[ordinal], entries.of)
        if ordinal in edits.inputs:
            lists.set_member(_call_at(piece), "args", edits.inputs[ordinal])
        if ordinal in edits.names:
            _set_name(lists, piece, edits.names[ordinal])
    for entry in sorted(dropped_entries, reverse=True):
        lists.remove_element("/toolCalls", entry)
    for ordinal, block in reversed(edits.insert):
        _insert(lists, ordinal, block)
    raw = lists.text
    return raw if _has_content(parse_json(raw)) else _empty_message(raw)


class _CallEntries:
    """The entries of `toolCalls` by call id: `of` holds all as read, `first` the first of each with added ones."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.timestamp = message.get("timestamp")
        self.of: dict[str, list[int]] = {}
        for number, entry in enumerate(list_at(message, "/toolCalls")):
            if isinstance(entry, dict):
                self.of.setdefault(str(entry.get("id")), []).append(number)
        self.first = {call_id: numbers[0] for call_id, numbers in self.of.items()}


def block_at(raw: bytes, pointer: str) -> bytes:
    """Return the JSON of a block. A result held by a call has the form of a part of a message."""
    piece = _held_results(raw).get(pointer)
    if piece is None:
        return raw_json_at(raw, pointer)
    at, end = pointer_span(raw, pointer)
    spans = list(array_elements(raw, at)) if raw[at : at + 1] == b"[" else [(at, end)]
    parts = (raw[start:stop] for start, stop in spans if _is_part(parse_json(raw[start:stop]), piece))
    return next(parts, dump_json(piece.value))


@lru_cache(maxsize=2)
def _held_results(raw: bytes) -> dict[str, MessageBlock]:
    """Return the results that calls hold, by pointer. Cached, because one message is read once per result."""
    results = (piece for piece in blocks_of(parse_json(raw)) if piece.kind == BlockKind.RESULT and piece.entry >= 0)
    return {piece.pointer: piece for piece in results}


def _is_part(value: Any, piece: MessageBlock) -> bool:
    response = value_at(value, "/functionResponse")
    return isinstance(response, dict) and response.items() <= piece.value["functionResponse"].items()


def _entries_to_drop(blocks: list[MessageBlock], entries: dict[str, list[int]], dropped: set[int]) -> set[int]:
    """Return the entries of `toolCalls` to remove: those whose call is dropped there or in the content, and others."""
    pieces = [blocks[ordinal] for ordinal in dropped if blocks[ordinal].kind != BlockKind.RESULT]
    ids = {piece.call_id for piece in pieces if piece.entry < 0 and piece.call_id}
    by_id = {number for call_id in ids for number in entries.get(call_id, ())}
    return by_id | {piece.entry for piece in pieces if piece.entry >= 0}


def _add_result(lists: json_edits.JsonEditor, entries: _CallEntries, call: MessageBlock, answer: bytes) -> None:
    """Put a result into the entry of its call. Other parts of the entry's `result` (a note, media) are kept."""
    number = call.entry if call.entry >= 0 else entries.first.get(call.call_id or "", -1)
    response = parse_json(answer)["functionResponse"].get("response")
    status = "error" if isinstance(response, dict) and "error" in response else "success"
    if number < 0:
        inner = call.value["functionCall"]
        head = dump_json({"id": call.call_id, "name": call.name, "args": inner.get("args") or {}})
        tail = dump_json({"status": status, "timestamp": entries.timestamp})
        _add_entry(lists, entries, call, head[:-1] + b',"result":[' + answer + b"]," + tail[1:])
        return
    old = parse_json(lists.element("/toolCalls", number))
    kept = [part for part in parts_of(old.get("result")) if isinstance(part, dict) and "functionResponse" not in part]
    parts = b",".join([answer, *map(dump_json, kept)])
    at = f"/toolCalls/{number}"
    lists.set_member(at, "result", b"[" + parts + b"]")
    if str(old.get("status")) not in _FINAL_STATES:
        lists.set_member(at, "status", dump_json(status))


def _add_entry(lists: json_edits.JsonEditor, entries: _CallEntries, call: MessageBlock, entry: bytes) -> None:
    listed = lists.array_at("/toolCalls")
    if call.call_id:
        entries.first[call.call_id] = len(listed.items) if listed is not None else 0
    if listed is not None:
        listed.insert(len(listed.items), entry)
    else:
        lists.set_member("", "toolCalls", b"[" + entry + b"]")


def _drop(lists: json_edits.JsonEditor, piece: MessageBlock) -> None:
    holder, _, last = piece.pointer.rpartition("/")
    if piece.pointer == "/content":
        lists.replace(piece.pointer, b'""')
    elif last == "result":
        lists.remove_member(holder, last)
    else:
        lists.remove_element(holder, int(last))


def _replace(lists: json_edits.JsonEditor, piece: MessageBlock, block: bytes) -> None:
    if piece.flag & BlockFlag.PLAIN_STRING and piece.pointer != "/content":
        block = b"[" + block + b"]"
    lists.replace(piece.pointer, block)


def _rename(lists: json_edits.JsonEditor, piece: MessageBlock, new: str, entries: dict[str, list[int]]) -> None:
    """Change the id of a block. A call in the content also changes the entry that supplies its result."""
    if piece.kind == BlockKind.CALL:
        for number in entries.get(piece.call_id, ()) if piece.entry < 0 and piece.call_id else ():
            lists.set_member(f"/toolCalls/{number}", "id", dump_json(new))
        lists.set_member(_call_at(piece), "id", dump_json(new))
        return
    if piece.entry < 0:
        lists.set_member(f"{piece.pointer}/functionResponse", "id", dump_json(new))
        return
    result = parse_json(lists.element("/toolCalls", piece.entry))["result"]
    for number, part in enumerate(() if isinstance(result, str) else parts_of(result)):
        at = f"{piece.pointer}/{number}" if isinstance(result, list) else piece.pointer
        response = value_at(part, "/functionResponse")
        if isinstance(response, dict) and response.get("id") in (None, piece.call_id):
            lists.set_member(f"{at}/functionResponse", "id", dump_json(new))


def _set_name(lists: json_edits.JsonEditor, piece: MessageBlock, name: str) -> None:
    """Change the tool name of a block. A response names its tool as well."""
    if piece.kind == BlockKind.CALL:
        lists.set_member(_call_at(piece), "name", dump_json(name))
        return
    places = [piece.pointer]
    if piece.entry >= 0:
        result = parse_json(lists.element("/toolCalls", piece.entry))["result"]
        if isinstance(result, list):
            places = [f"{piece.pointer}/{number}" for number in range(len(result))]
    for at in places:
        lists.edit(at, partial(_with_tool_name, name))


def _with_tool_name(name: str, text: bytes, at: str) -> bytes:
    if not isinstance(value_at(parse_json(raw_json_at(text, at)), "/functionResponse"), dict):
        return text
    return json_edits.set_member(text, f"{at}/functionResponse", "name", dump_json(name))


def _call_at(piece: MessageBlock) -> str:
    return piece.pointer if piece.entry >= 0 else f"{piece.pointer}/functionCall"


def _insert(lists: json_edits.JsonEditor, ordinal: int, block: bytes) -> None:
    listed = lists.array_at("/content")
    if listed is not None:
        listed.insert(ordinal, block)
        return
    raw = lists.text
    content = parse_json(raw).get("content")
    old = raw_json_at(raw, "/content") if content else b""
    if isinstance(content, str) and content:
        old = b'{"text":' + old + b"}"
    lists.set_member("", "content", b"[" + b",".join(filter(None, (block, old))) + b"]")


def _has_content(message: dict[str, Any]) -> bool:
    return bool(message.get("content") or message.get("toolCalls"))


def _empty_message(raw: bytes) -> bytes:
    """Turn an empty message into one of the program's own, which is never sent.

    Dropping it could bring back an older version, or leave a rewind without the id that it names.
    """
    raw = json_edits.set_member(raw, "", "type", b'"info"')
    return json_edits.remove_member(json_edits.remove_member(raw, "", "toolCalls"), "", "thoughts")
