"""A message with its blocks edited. A result is written into the entry of `toolCalls` that holds its call."""

from __future__ import annotations

from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.bytes.spans import elements, locate
from inspector.core.formats.bases.terms import BlockEdits
from inspector.core.formats.gemini_cli.rows import Piece, parts_of, pieces
from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind

_FINAL = frozenset({"success", "error", "cancelled"})


def rewritten(raw: bytes, edits: BlockEdits) -> bytes:
    """The message after `edits`, from its last block to its first, so that places before stay what they are."""
    message = value_of(raw)
    found = pieces(message)
    entries = message.get("toolCalls") if isinstance(message.get("toolCalls"), list) else []
    gone = _entries_to_drop(found, entries, edits.drop)
    for ordinal, answer in sorted(edits.answers.items(), reverse=True):
        raw = _answered(raw, found[ordinal], answer)
    for ordinal in sorted({*edits.drop, *edits.replace, *edits.rename, *edits.inputs, *edits.names}, reverse=True):
        piece = found[ordinal]
        if piece.entry in gone:
            continue
        if ordinal in edits.drop:
            raw = _dropped(raw, piece)
        elif ordinal in edits.replace:
            raw = _replaced(raw, piece, edits.replace[ordinal])
        if ordinal in edits.rename:
            raw = _renamed(raw, piece, edits.rename[ordinal], entries)
        if ordinal in edits.inputs:
            raw = splice.set_member(raw, _call_at(piece), "args", edits.inputs[ordinal])
        if ordinal in edits.names:
            raw = _with_name(raw, piece, edits.names[ordinal])
    for entry in sorted(gone, reverse=True):
        raw = splice.remove_element(raw, "/toolCalls", entry)
    for ordinal, block in reversed(edits.insert):
        raw = _inserted(raw, ordinal, block)
    return raw if _says_something(value_of(raw)) else _emptied(raw)


def block_at(raw: bytes, pointer: str) -> bytes:
    """The JSON of a block; a result that a call holds comes as the part that it would be in a message."""
    for piece in pieces(value_of(raw)):
        if piece.pointer == pointer and piece.kind == BlockKind.RESULT and piece.entry >= 0:
            at, end = locate(raw, pointer)
            spans = list(elements(raw, at)) if raw[at : at + 1] == b"[" else [(at, end)]
            own = (raw[start:stop] for start, stop in spans if _is_part(value_of(raw[start:stop]), piece))
            return next(own, text_of(piece.value))
    return raw[slice(*locate(raw, pointer))]


def _is_part(value: Any, piece: Piece) -> bool:
    response = value.get("functionResponse") if isinstance(value, dict) else None
    return isinstance(response, dict) and response.items() <= piece.value["functionResponse"].items()


def _entries_to_drop(found: list[Piece], entries: list[Any], dropped: set[int]) -> set[int]:
    """The entries of `toolCalls` that go: their call is dropped, here or in the content, or they are nothing else."""
    gone = [found[ordinal] for ordinal in dropped if found[ordinal].kind != BlockKind.RESULT]
    ids = {piece.call_id for piece in gone if piece.entry < 0 and piece.call_id}
    by_id = {number for number, entry in enumerate(entries) if isinstance(entry, dict) and str(entry.get("id")) in ids}
    return by_id | {piece.entry for piece in gone if piece.entry >= 0}


def _answered(raw: bytes, call: Piece, answer: bytes) -> bytes:
    """The call with its result. What else its `result` held (a note, media) stays beside it."""
    message = value_of(raw)
    number = call.entry if call.entry >= 0 else _entry_of(message, call.call_id)
    response = value_of(answer)["functionResponse"].get("response")
    status = "error" if isinstance(response, dict) and "error" in response else "success"
    if number < 0:
        inner = call.value["functionCall"]
        head = text_of({"id": call.call_id, "name": call.name, "args": inner.get("args") or {}})
        tail = text_of({"status": status, "timestamp": message.get("timestamp")})
        entry = head[:-1] + b',"result":[' + answer + b"]," + tail[1:]
        if isinstance(message.get("toolCalls"), list):
            return splice.insert_element(raw, "/toolCalls", len(message["toolCalls"]), entry)
        return splice.set_member(raw, "", "toolCalls", b"[" + entry + b"]")
    old = message["toolCalls"][number]
    kept = [part for part in parts_of(old.get("result")) if isinstance(part, dict) and "functionResponse" not in part]
    parts = b",".join([answer, *map(text_of, kept)])
    at = f"/toolCalls/{number}"
    raw = splice.set_member(raw, at, "result", b"[" + parts + b"]")
    return raw if str(old.get("status")) in _FINAL else splice.set_member(raw, at, "status", text_of(status))


def _entry_of(message: dict[str, Any], call_id: str | None) -> int:
    """The place of a call's entry in `toolCalls`, -1 when it has none."""
    entries = message.get("toolCalls")
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and call_id and entry.get("id") == call_id:
            return number
    return -1


def _dropped(raw: bytes, piece: Piece) -> bytes:
    holder, _, last = piece.pointer.rpartition("/")
    if piece.pointer == "/content":
        return splice.replace(raw, piece.pointer, b'""')
    if last == "result":
        return splice.remove_member(raw, holder, last)
    return splice.remove_element(raw, holder, int(last))


def _replaced(raw: bytes, piece: Piece, block: bytes) -> bytes:
    if piece.flag & Flag.WHOLE and piece.pointer != "/content":
        block = b"[" + block + b"]"
    return splice.replace(raw, piece.pointer, block)


def _renamed(raw: bytes, piece: Piece, new: str, entries: list[Any]) -> bytes:
    """The block under another id; a call in the content takes the entry that supplies its result along."""
    if piece.kind == BlockKind.CALL:
        if piece.entry < 0:
            for number, entry in enumerate(entries):
                if isinstance(entry, dict) and piece.call_id and entry.get("id") == piece.call_id:
                    raw = splice.set_member(raw, f"/toolCalls/{number}", "id", text_of(new))
        return splice.set_member(raw, _call_at(piece), "id", text_of(new))
    if piece.entry < 0:
        return splice.set_member(raw, f"{piece.pointer}/functionResponse", "id", text_of(new))
    result = value_of(raw)["toolCalls"][piece.entry]["result"]
    if isinstance(result, str):
        return raw
    for number, part in enumerate(parts_of(result)):
        at = f"{piece.pointer}/{number}" if isinstance(result, list) else piece.pointer
        response = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(response, dict) and response.get("id") in (None, piece.call_id):
            raw = splice.set_member(raw, f"{at}/functionResponse", "id", text_of(new))
    return raw


def _with_name(raw: bytes, piece: Piece, name: str) -> bytes:
    """The block under another name of its tool; a response names it as well."""
    if piece.kind == BlockKind.CALL:
        return splice.set_member(raw, _call_at(piece), "name", text_of(name))
    places = [piece.pointer]
    if piece.entry >= 0:
        result = value_of(raw)["toolCalls"][piece.entry]["result"]
        if isinstance(result, list):
            places = [f"{piece.pointer}/{number}" for number in range(len(result))]
    for at in places:
        part = value_of(raw[slice(*locate(raw, at))])
        if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict):
            raw = splice.set_member(raw, f"{at}/functionResponse", "name", text_of(name))
    return raw


def _call_at(piece: Piece) -> str:
    return piece.pointer if piece.entry >= 0 else f"{piece.pointer}/functionCall"


def _inserted(raw: bytes, ordinal: int, block: bytes) -> bytes:
    content = value_of(raw).get("content")
    if isinstance(content, list):
        return splice.insert_element(raw, "/content", ordinal, block)
    old = raw[slice(*locate(raw, "/content"))] if content else b""
    if isinstance(content, str) and content:
        old = b'{"text":' + old + b"}"
    return splice.set_member(raw, "", "content", b"[" + b",".join(filter(None, (block, old))) + b"]")


def _says_something(message: dict[str, Any]) -> bool:
    return bool(message.get("content") or message.get("toolCalls"))


def _emptied(raw: bytes) -> bytes:
    """A message of which nothing is left stays as one of the program's own, which is never sent.

    Dropping it could bring an older version of it back, or leave a rewind with an id that nothing has.
    """
    raw = splice.set_member(raw, "", "type", b'"info"')
    return splice.remove_member(splice.remove_member(raw, "", "toolCalls"), "", "thoughts")
