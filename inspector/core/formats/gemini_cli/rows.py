"""One record of a chat: what the loader takes it for, and its blocks in the order in which they are indexed.

The blocks of a message: its `content` (part by part, or the one string), then for every entry of `toolCalls` the call
and its result, then `thoughts`. Where the content itself holds calls or thoughts it is what is sent, and `toolCalls`
only supplies results (`convertSessionToClientHistory`, gemini-cli-core 0.61.0). A block that stands outside of a list
of parts carries the flag WHOLE.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.bytes.json_text import list_at, objects_at, parse_json, pretty_json, text_at, value_at
from inspector.core.index.columns import BlockFlag, Columns, RecordMark, Role
from inspector.core.index.views import BlockKind, BlockView
from inspector.core.wire.fields import placeholder_flags, string_in
from inspector.core.wire.result_parts import function_response_text
from inspector.core.wire.shapes.shape import Misfit
from inspector.core.wire.spelling.rows import CallSpec
from inspector.core.wire.spelling.shown import call_view, result_view
from inspector.core.wire.spelling.tables import GEMINI
from inspector.core.wire.told import encode_text_object

TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
IGNORED = ("/", "?", "<session_context>", "<hook_context>")
_NO_MORE_THAN_TEXT = frozenset({"text", "thought", "callIndex"})
_API_ERROR = "[API Error"
SIGNS = (*map(re.escape, (*IGNORED[2:], _API_ERROR)),)
_TOLD_BY_A_WORD = frozenset(
    "videoMetadata thought codeExecutionResult executableCode fileData functionCall functionResponse inlineData".split()
)
# An entry of `toolCalls` names its members itself.
SPELLING = replace(GEMINI, calls=(GEMINI.calls[0], CallSpec(input=("/args",))), text=None)


class Piece(Struct, frozen=True):
    """One block of a message, and the value that it was read from. `entry` is its place in `toolCalls`."""

    kind: BlockKind
    pointer: str
    value: Any
    flag: int = 0
    call_id: str | None = None
    name: str | None = None
    entry: int = -1


def add(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one line, or one message of a document.

    `groups` holds the id of a message (the loader keeps the newest version of each) or that which a rewind names,
    `uuids` the id of the session where the record tells it.
    """
    value = parse_json(raw)
    if not isinstance(value, dict):
        columns.add_record(start, end, Role.OPAQUE)
    elif isinstance(value.get("$rewindTo"), str):
        columns.add_record(start, end, Role.OPAQUE, RecordMark.LEAF_POINTER, group=value["$rewindTo"])
    elif isinstance(value.get("id"), str) or string_in(value, "type") in TYPES:
        _add_message(columns, value, start, end)
    elif isinstance(value.get("$set"), dict):
        checkpoint = isinstance(value["$set"].get("messages"), list)
        role, mark = (Role.LINK, RecordMark.COMPACTION) if checkpoint else (Role.OPAQUE, 0)
        columns.add_record(start, end, role, mark, string_in(value["$set"], "sessionId"))
    else:
        columns.add_record(start, end, Role.OPAQUE, 0, string_in(value, "sessionId"))


def _add_message(columns: Columns, message: dict[str, Any], start: int, end: int) -> None:
    found = pieces(message)
    role = _role(message, found)
    error = role == Role.LINK and message.get("type") == "error" and said(message).startswith(_API_ERROR)
    mark = (RecordMark.API_ERROR if error else 0) | (
        RecordMark.MAYBE_MALFORMED if role == Role.ASSISTANT and misfits(message) else 0
    )
    columns.add_record(start, end, role, mark, group=string_in(message, "id"))
    if role != Role.LINK:
        for piece in found:
            columns.add_block(piece.kind, piece.flag, piece.call_id, piece.name)


def _role(message: dict[str, Any], found: list[Piece]) -> Role:
    """Who speaks; LINK for what is never sent: the program's own words, commands, and messages that say nothing."""
    kind = message.get("type")
    if kind == "user" and found:
        words = said(message).strip()
        return Role.LINK if not words or words.startswith(IGNORED) else Role.USER
    sent = any(piece.kind != BlockKind.THINKING or not piece.flag & BlockFlag.PLAIN_STRING for piece in found)
    return Role.ASSISTANT if kind == "gemini" and sent else Role.LINK


def said(message: dict[str, Any]) -> str:
    """The words of a message; another kind of part is told by a word."""
    return "".join(_words(part) for part in parts_of(message.get("content")))


def _words(part: Any) -> str:
    if isinstance(part, str):
        return part
    told = isinstance(part, dict) and not _TOLD_BY_A_WORD.isdisjoint(part)
    return "[part]" if told else text_at(part, "/text")


def parts_of(content: Any) -> list[Any]:
    """A `PartListUnion` as a list."""
    if isinstance(content, list):
        return content
    return [content] if content else []


def pieces(message: dict[str, Any]) -> list[Piece]:
    """The blocks of a user's or the model's message."""
    content, by_model = message.get("content"), message.get("type") == "gemini"
    if isinstance(content, list):
        more = by_model and (bool(message.get("toolCalls")) or any(map(says_something, content)))
        found = [_part(part, f"/content/{number}", more) for number, part in enumerate(content)]
    else:
        found = [_whole(part, by_model) for part in parts_of(content)]
    if not by_model:
        return found
    modern = any(piece.kind in (BlockKind.CALL, BlockKind.THINKING) for piece in found)
    for number, entry in enumerate(list_at(message, "/toolCalls")):
        found += _entry(entry, number, modern)
    for number, thought in enumerate(() if modern else list_at(message, "/thoughts")):
        found.append(Piece(BlockKind.THINKING, f"/thoughts/{number}", thought, BlockFlag.PLAIN_STRING))
    return found


def says_something(part: Any) -> bool:
    """Whether a part is valid: for one of the model that is not, its whole message is left out (`isValidContent`)."""
    if not isinstance(part, dict):
        return bool(part)
    return bool(part) and (part.get("text") != "" or bool(part.get("thought")) or not part.keys() <= _NO_MORE_THAN_TEXT)


def _part(part: Any, pointer: str, more: bool) -> Piece:
    """The block of a part. One that makes its message invalid is marked blank where the message says `more`."""
    blank = BlockFlag.BLANK if more and not says_something(part) else 0
    if isinstance(part, str):
        return Piece(BlockKind.TEXT, pointer, part, blank)
    if not isinstance(part, dict):
        return Piece(BlockKind.OTHER, pointer, part)
    call, response = part.get("functionCall"), part.get("functionResponse")
    if isinstance(call, dict):
        return Piece(BlockKind.CALL, pointer, part, _input_flag(call), string_in(call, "id"), string_in(call, "name"))
    if isinstance(response, dict):
        return _result(response, pointer, part)
    if part.get("thought"):
        return Piece(BlockKind.THINKING, pointer, part)
    if isinstance(part.get("text"), str):
        return Piece(BlockKind.TEXT, pointer, part, blank)
    media = "inlineData" in part or "fileData" in part
    return Piece(BlockKind.MEDIA if media else BlockKind.OTHER, pointer, part)


def _whole(content: Any, by_model: bool) -> Piece:
    """A content that is no list: a string, or one part, of which only a user's response is told apart."""
    response = value_at(content, "/functionResponse")
    if isinstance(response, dict) and not by_model:
        return _result(response, "/content", content, BlockFlag.PLAIN_STRING)
    text = content if isinstance(content, str) else value_at(content, "/text")
    return Piece(
        BlockKind.TEXT if isinstance(text, str) else BlockKind.MEDIA, "/content", content, BlockFlag.PLAIN_STRING
    )


def _entry(entry: Any, number: int, modern: bool) -> Iterator[Piece]:
    """The blocks of one entry of `toolCalls`: one at least."""
    pointer = f"/toolCalls/{number}"
    if not isinstance(entry, dict):
        yield Piece(BlockKind.OTHER, pointer, entry, BlockFlag.PLAIN_STRING, entry=number)
        return
    call_id, name = string_in(entry, "id"), string_in(entry, "name")
    response = response_of(entry)
    if not modern:
        yield Piece(BlockKind.CALL, pointer, entry, BlockFlag.PLAIN_STRING | _input_flag(entry), call_id, name, number)
    if response is not None:
        response = {"id": call_id, "name": name} | response
        yield _result(response, f"{pointer}/result", None, BlockFlag.PLAIN_STRING, number)
    elif modern:
        yield Piece(BlockKind.OTHER, pointer, entry, BlockFlag.PLAIN_STRING, entry=number)


def response_of(entry: dict[str, Any]) -> dict[str, Any] | None:
    """The response that an entry of `toolCalls` holds: its own one, else the first of another; None when it has none.

    The program copies all responses of a turn into each of its calls when it writes a checkpoint.
    """
    result = entry.get("result")
    if isinstance(result, str):
        return {"response": {"output": result}} if result else None
    found = [part["functionResponse"] for part in parts_of(result)
             if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)]  # fmt: skip
    own = [response for response in found if response.get("id") in (None, entry.get("id"))]
    return own[0] if own else found[0] if found else None


def misfits(message: Any) -> list[Misfit]:
    """The responses in the calls of a message that are none of theirs: all go out, and the API counts them.

    A copy of another call's is none, see `response_of`. A text beside responses is what the program itself sends where
    the person went on behind them (`coalesceConsecutiveRoles`, core/geminiChat.ts).
    """
    entries = objects_at(message, "/toolCalls")
    if all(len(parts_of(entry.get("result"))) < 2 for entry in entries):
        return []
    own = [response_of(entry) for entry in entries]
    why = "a response stands in a call that has its own"
    places = (
        (f"/toolCalls/{number}/result/{place}", value_at(part, "/functionResponse"))
        for number, entry in enumerate(list_at(message, "/toolCalls"))
        for place, part in enumerate(parts_of(value_at(entry, "/result")))
    )
    return [
        Misfit(at, why, at, encode_text_object) for at, found in places if isinstance(found, dict) and found not in own
    ]


def _result(response: dict[str, Any], pointer: str, value: Any, flag: int = 0, entry: int = -1) -> Piece:
    inner = response.get("response")
    if isinstance(inner, dict) and "error" in inner:
        flag |= BlockFlag.ERROR
    if not response.get("parts"):
        flag |= placeholder_flags(function_response_text(inner))
    call_id, name = string_in(response, "id"), string_in(response, "name")
    part = value if entry < 0 else {"functionResponse": response}
    return Piece(BlockKind.RESULT, pointer, part, flag, call_id, name, entry)


def view_of(piece: Piece) -> BlockView:
    """A block for showing."""
    value = piece.value
    if piece.kind == BlockKind.CALL:
        return call_view(value, SPELLING, piece.pointer)
    if piece.kind == BlockKind.RESULT:
        failed = bool(piece.flag & BlockFlag.ERROR)  # also by an error beside something else
        return replace(result_view(value, SPELLING, piece.pointer), is_error=failed)
    if isinstance(value, str):
        text = value
    elif isinstance(value, dict) and isinstance(value.get("text"), str):
        text = value["text"]
    elif piece.kind == BlockKind.THINKING and isinstance(value, dict):
        text = ": ".join(str(value[key]) for key in ("subject", "description") if value.get(key))
    elif piece.kind == BlockKind.MEDIA:
        text = "[media]"
    else:
        text = pretty_json(value)
    return BlockView(piece.kind, text, piece.pointer)


def pointer_of(columns: Columns, record: int, ordinal: int) -> str:
    """The pointer of a block, told from the rows before it."""
    rows = columns.block_rows(record)
    if not columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING:
        return f"/content/{ordinal}"
    kinds, flags = columns.block_kinds[rows.start : rows.stop], columns.block_flags[rows.start : rows.stop]
    return _pointers(columns.roles[record] == Role.ASSISTANT, bytes(kinds), tuple(flags))[ordinal]


@lru_cache(maxsize=4)
def _pointers(by_model: bool, kinds: bytes, flags: tuple[int, ...]) -> list[str]:
    """The pointers of all blocks of a message: they are asked for one after another."""
    found = []
    entry = thought = -1
    called = False
    for ordinal, (kind, flag) in enumerate(zip(kinds, flags, strict=True)):
        if not flag & BlockFlag.PLAIN_STRING:
            found.append(f"/content/{ordinal}")
            continue
        if not by_model or kind in (BlockKind.TEXT, BlockKind.MEDIA):
            found.append("/content")
            continue
        if kind == BlockKind.THINKING:
            thought += 1
            found.append(f"/thoughts/{thought}")
        else:
            entry += kind != BlockKind.RESULT or not called
            found.append(f"/toolCalls/{entry}" + ("/result" if kind == BlockKind.RESULT else ""))
        called = kind == BlockKind.CALL
    return found


def _input_flag(call: dict[str, Any]) -> int:
    return 0 if isinstance(call.get("args"), dict | None) else BlockFlag.BAD_INPUT
