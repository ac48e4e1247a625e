"""The records of a Gemini CLI chat: how they are indexed, the blocks of a message, and the evidence of a call's fate.

The blocks of a message are its `content` (part by part, or the one string), then the call and the result of every entry
of `toolCalls`, then `thoughts`. If the content itself holds calls or thoughts, it is what is sent, and `toolCalls` only
supplies results (`convertSessionToClientHistory`, gemini-cli-core 0.61.0). A block outside a list of parts has the flag
PLAIN_STRING.

Facts about the states of a call: google-gemini/gemini-cli 5411f11, services/chatRecordingTypes.ts (ToolCallRecord) and
core/coreToolScheduler.ts: validating, awaiting_approval, scheduled, executing, success, error, cancelled.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.session import Log
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import CallSpec, encode_text_object
from inspector.core.providers.block_views import call_view, result_view
from inspector.core.providers.gemini import schema
from inspector.core.providers.message_fields import function_response_text, placeholder_or_blank_flags, string_in
from inspector.core.providers.message_misfits import Misfit, find_misfits
from inspector.core.storage.json_spans import array_elements, pointer_span
from inspector.core.storage.json_text import (
    is_valid_json,
    list_at,
    objects_at,
    parse_json,
    pretty_json,
    text_at,
    unescape_keys,
    value_at,
)
from inspector.core.translation import tr

MESSAGE_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
UNSENT_PREFIXES = ("/", "?", "<session_context>", "<hook_context>")
_TEXT_PART_KEYS = frozenset({"text", "thought", "callIndex"})
_API_ERROR = "[API Error"
RECOGNIZED_TEXT_PATTERNS = (*map(re.escape, (*UNSENT_PREFIXES[2:], _API_ERROR)),)
_DESCRIBED_PARTS = frozenset(
    "videoMetadata thought codeExecutionResult executableCode fileData functionCall functionResponse inlineData".split()
)
# An entry of `toolCalls` has members of its own names.
CHAT_BLOCK_SCHEMA = replace(
    schema.BLOCK_SCHEMA, calls=(schema.BLOCK_SCHEMA.calls[0], CallSpec(input=("/args",))), text=None
)


class MessageBlock(Struct, frozen=True):
    """A block of a message and the value that it was read from. `entry` is its index in `toolCalls`, else -1."""

    kind: BlockKind
    pointer: str
    value: Any
    flag: int = 0
    call_id: str | None = None
    name: str | None = None
    entry: int = -1


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one line, or one message of a document.

    `groups` holds the id of a message (the loader keeps the newest version of each) or the id that a rewind names.
    `uuids` holds the id of the session if the record names it.
    """
    value = parse_json(raw)
    if not isinstance(value, dict):
        columns.add_record(start, end, Role.OPAQUE)
    elif isinstance(value.get("$rewindTo"), str):
        columns.add_record(start, end, Role.OPAQUE, RecordMark.LEAF_POINTER, group=value["$rewindTo"])
    elif isinstance(value.get("id"), str) or string_in(value, "type") in MESSAGE_TYPES:
        _add_message(columns, value, start, end)
    elif isinstance(value.get("$set"), dict):
        checkpoint = isinstance(value["$set"].get("messages"), list)
        role, mark = (Role.LINK, RecordMark.COMPACTION) if checkpoint else (Role.OPAQUE, 0)
        columns.add_record(start, end, role, mark, string_in(value["$set"], "sessionId"))
    else:
        columns.add_record(start, end, Role.OPAQUE, 0, string_in(value, "sessionId"))


def _add_message(columns: Columns, message: dict[str, Any], start: int, end: int) -> None:
    blocks = blocks_of(message)
    role = _role(message, blocks)
    error = role == Role.LINK and message.get("type") == "error" and text_of_message(message).startswith(_API_ERROR)
    mark = (RecordMark.API_ERROR if error else 0) | (
        RecordMark.MAYBE_MALFORMED if role in (Role.USER, Role.ASSISTANT) and misfits_of(message) else 0
    )
    columns.add_record(start, end, role, mark, group=string_in(message, "id"))
    if role != Role.LINK:
        for piece in blocks:
            columns.add_block(piece.kind, piece.flag, piece.call_id, piece.name)


def _role(message: dict[str, Any], blocks: list[MessageBlock]) -> Role:
    """Return the role of a message; LINK if it is never sent: the program's own words, commands, empty messages."""
    kind = message.get("type")
    if kind == "user" and blocks:
        words = text_of_message(message).strip()
        return Role.LINK if not words or words.startswith(UNSENT_PREFIXES) else Role.USER
    sent = any(piece.kind != BlockKind.THINKING or not piece.flag & BlockFlag.PLAIN_STRING for piece in blocks)
    return Role.ASSISTANT if kind == "gemini" and sent else Role.LINK


def text_of_message(message: dict[str, Any]) -> str:
    """Return the text of a message, with "[part]" for a part that is not text."""
    return "".join(_text_of_part(part) for part in parts_of(message.get("content")))


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    is_other_kind = isinstance(part, dict) and not _DESCRIBED_PARTS.isdisjoint(part)
    return "[part]" if is_other_kind else text_at(part, "/text")


def parts_of(content: Any) -> list[Any]:
    """Return a `PartListUnion` as a list."""
    if isinstance(content, list):
        return content
    return [content] if content else []


def blocks_of(message: dict[str, Any]) -> list[MessageBlock]:
    """Return the blocks of a user's or the model's message."""
    content, by_model = message.get("content"), message.get("type") == "gemini"
    if isinstance(content, list):
        marks_blank = by_model and (bool(message.get("toolCalls")) or any(map(is_valid_part, content)))
        blocks = [_block_of_part(part, f"/content/{number}", marks_blank) for number, part in enumerate(content)]
    else:
        blocks = [_unlisted_content(part, by_model) for part in parts_of(content)]
    if not by_model:
        return blocks
    content_is_sent = _replaces_calls(content)
    for number, entry in enumerate(list_at(message, "/toolCalls")):
        blocks += _blocks_of_entry(entry, number, content_is_sent)
    for number, thought in enumerate(() if content_is_sent else list_at(message, "/thoughts")):
        blocks.append(MessageBlock(BlockKind.THINKING, f"/thoughts/{number}", thought, BlockFlag.PLAIN_STRING))
    return blocks


def _replaces_calls(content: Any) -> bool:
    """Return whether a content of the model is sent instead of the calls in `toolCalls`: it holds calls or thoughts."""
    return any(value_at(part, "/functionCall") or value_at(part, "/thought") for part in parts_of(content))


def is_valid_part(part: Any) -> bool:
    """Return whether a part is valid. An invalid part of the model excludes its whole message (`isValidContent`)."""
    if not isinstance(part, dict):
        return bool(part)
    return bool(part) and (part.get("text") != "" or bool(part.get("thought")) or not part.keys() <= _TEXT_PART_KEYS)


def _block_of_part(part: Any, pointer: str, marks_blank: bool) -> MessageBlock:
    """Return the block of a part. With `marks_blank`, for a message with other content, an invalid part is blank."""
    blank = BlockFlag.BLANK if marks_blank and not is_valid_part(part) else 0
    if isinstance(part, str):
        return MessageBlock(BlockKind.TEXT, pointer, part, blank)
    if not isinstance(part, dict):
        return MessageBlock(BlockKind.OTHER, pointer, part)
    call, response = part.get("functionCall"), part.get("functionResponse")
    if isinstance(call, dict):
        return MessageBlock(
            BlockKind.CALL, pointer, part, _input_flag(call), string_in(call, "id"), string_in(call, "name")
        )
    if isinstance(response, dict):
        return _result_block(response, pointer, part)
    if part.get("thought"):
        return MessageBlock(BlockKind.THINKING, pointer, part)
    if isinstance(part.get("text"), str):
        return MessageBlock(BlockKind.TEXT, pointer, part, blank)
    media = "inlineData" in part or "fileData" in part
    return MessageBlock(BlockKind.MEDIA if media else BlockKind.OTHER, pointer, part)


def _unlisted_content(content: Any, by_model: bool) -> MessageBlock:
    """Return the block of a content that is not a list: a string or one part.

    Only a response in a user's message is a block of its own kind.
    """
    response = value_at(content, "/functionResponse")
    if isinstance(response, dict) and not by_model:
        return _result_block(response, "/content", content, BlockFlag.PLAIN_STRING)
    text = content if isinstance(content, str) else value_at(content, "/text")
    return MessageBlock(
        BlockKind.TEXT if isinstance(text, str) else BlockKind.MEDIA, "/content", content, BlockFlag.PLAIN_STRING
    )


def _blocks_of_entry(entry: Any, number: int, content_is_sent: bool) -> Iterator[MessageBlock]:
    """Yield the blocks of one entry of `toolCalls`, at least one."""
    pointer = f"/toolCalls/{number}"
    if not isinstance(entry, dict):
        yield MessageBlock(BlockKind.OTHER, pointer, entry, BlockFlag.PLAIN_STRING, entry=number)
        return
    call_id, name = string_in(entry, "id"), string_in(entry, "name")
    response = response_of(entry)
    if not content_is_sent:
        yield MessageBlock(
            BlockKind.CALL, pointer, entry, BlockFlag.PLAIN_STRING | _input_flag(entry), call_id, name, number
        )
    if response is not None:
        yield _result_block({"id": call_id} | response, f"{pointer}/result", None, BlockFlag.PLAIN_STRING, number)
    elif content_is_sent:
        yield MessageBlock(BlockKind.OTHER, pointer, entry, BlockFlag.PLAIN_STRING, entry=number)


def response_of(entry: dict[str, Any]) -> dict[str, Any] | None:
    """Return the response that an entry of `toolCalls` holds: its own, else the first of another call, else None.

    The program copies all responses of a turn into each of its calls when it writes a checkpoint.
    """
    result = entry.get("result")
    if isinstance(result, str):
        return {"name": entry.get("name"), "response": {"output": result}} if result else None
    responses = [part["functionResponse"] for part in parts_of(result)
             if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)]  # fmt: skip
    own = [response for response in responses if response.get("id") in (None, entry.get("id"))]
    return own[0] if own else responses[0] if responses else None


def misfits_of(message: Any) -> list[Misfit]:
    """Return what the API rejects in the parts and calls that are sent, and responses that belong to no call."""
    is_by_model = value_at(message, "/type") == "gemini"
    surplus = _surplus_response_misfits(message) if is_by_model else []
    content = value_at(message, "/content")
    parts = [place for place in _places("/content", content) if not _is_left_out(place[1], is_by_model)]
    entries = [(f"/toolCalls/{number}", entry) for number, entry in enumerate(list_at(message, "/toolCalls"))]
    calls = [] if _replaces_calls(content) else [place for place in entries if isinstance(place[1], dict)]
    for at, entry in entries:
        parts += _places(f"{at}/result", value_at(entry, "/result"))
    odd_parts = (place for place in parts if not schema.is_plain_part(place[1]))
    places = [(schema.NAME_AND_ID_SCHEMA, Misfit(at, ""), call) for at, call in calls]
    places += [(schema.PART_SCHEMA, Misfit(at, "", at, encode_text_object), part) for at, part in odd_parts]
    return [*surplus, *(misfit for shape, at, value in places for misfit in find_misfits(value, shape, at))]


def _places(pointer: str, parts: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a `PartListUnion` with their pointers, but for strings, which the program makes parts of."""
    if isinstance(parts, list):
        yield from ((f"{pointer}/{at}", part) for at, part in enumerate(parts) if not isinstance(part, str))
    elif parts and not isinstance(parts, str):
        yield pointer, parts


def _is_left_out(part: Any, is_by_model: bool) -> bool:
    """Return whether a part is not sent: a thought, or an invalid part of the model, which rules M6 and M7 report."""
    return isinstance(part, dict) and (bool(part.get("thought")) or (is_by_model and not is_valid_part(part)))


def _surplus_response_misfits(message: Any) -> list[Misfit]:
    """Return the responses in the calls of a message that belong to no call of it: all are sent, and the API counts.

    A copy of another call's response is no misfit, see `response_of`. A text next to responses is valid: the program
    itself sends one if the user went on after them (`coalesceConsecutiveRoles`, core/geminiChat.ts).
    """
    entries = objects_at(message, "/toolCalls")
    if all(len(parts_of(entry.get("result"))) < 2 for entry in entries):
        return []
    own = [response_of(entry) for entry in entries]
    why = tr("the call already has a different response")
    places = (
        (f"/toolCalls/{number}/result/{place}", value_at(part, "/functionResponse"))
        for number, entry in enumerate(list_at(message, "/toolCalls"))
        for place, part in enumerate(parts_of(value_at(entry, "/result")))
    )
    return [
        Misfit(at, why, at, encode_text_object)
        for at, response in places
        if isinstance(response, dict) and response not in own
    ]


def _result_block(response: dict[str, Any], pointer: str, value: Any, flag: int = 0, entry: int = -1) -> MessageBlock:
    inner = response.get("response")
    if isinstance(inner, dict) and "error" in inner:
        flag |= BlockFlag.ERROR
    if not response.get("parts"):
        flag |= placeholder_or_blank_flags(function_response_text(inner))
    call_id, name = string_in(response, "id"), string_in(response, "name") or ""
    part = value if entry < 0 else {"functionResponse": response}
    return MessageBlock(BlockKind.RESULT, pointer, part, flag, call_id, name, entry)


def block_view(piece: MessageBlock) -> BlockView:
    """Return the view of a block."""
    value = piece.value
    if piece.kind == BlockKind.CALL:
        return call_view(value, CHAT_BLOCK_SCHEMA, piece.pointer)
    if piece.kind == BlockKind.RESULT:
        failed = bool(piece.flag & BlockFlag.ERROR)  # also if the response holds something besides the error
        return replace(result_view(value, CHAT_BLOCK_SCHEMA, piece.pointer), is_error=failed)
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


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of a block, worked out from the rows before it."""
    rows = columns.block_rows(record)
    if not columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING:
        return f"/content/{ordinal}"
    known = _POINTERS.get(columns)
    if known is None or known[0] != rows:
        kinds, flags = columns.block_kinds[rows.start : rows.stop], columns.block_flags[rows.start : rows.stop]
        known = rows, _block_pointers(columns.roles[record] == Role.ASSISTANT, kinds, flags)
        _POINTERS[columns] = known
    return known[1][ordinal]


# The rows of a message, and the pointers of all its blocks. They are looked up one after another.
_POINTERS: WeakKeyDictionary[Columns, tuple[range, list[str]]] = WeakKeyDictionary()


def _block_pointers(by_model: bool, kinds: Iterable[int], flags: Iterable[int]) -> list[str]:
    """Return the pointers of all blocks of a message."""
    pointers = []
    entry = thought = -1
    follows_call = False
    for ordinal, (kind, flag) in enumerate(zip(kinds, flags, strict=True)):
        if not flag & BlockFlag.PLAIN_STRING:
            pointers.append(f"/content/{ordinal}")
            continue
        if not by_model or kind in (BlockKind.TEXT, BlockKind.MEDIA):
            pointers.append("/content")
            continue
        if kind == BlockKind.THINKING:
            thought += 1
            pointers.append(f"/thoughts/{thought}")
        else:
            entry += kind != BlockKind.RESULT or not follows_call
            pointers.append(f"/toolCalls/{entry}" + ("/result" if kind == BlockKind.RESULT else ""))
        follows_call = kind == BlockKind.CALL
    return pointers


def _input_flag(call: dict[str, Any]) -> int:
    return 0 if isinstance(call.get("args"), dict | None) else BlockFlag.BAD_INPUT


# the two kinds of chat file, and what they hold around the messages

_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]*)"')


def is_metadata(line: dict[str, Any]) -> bool:
    return isinstance(line.get("sessionId"), str) and isinstance(line.get("projectHash"), str) and "type" not in line


def is_message(line: dict[str, Any]) -> bool:
    return str(line.get("type")) in MESSAGE_TYPES and "timestamp" in line and "content" in line and "uuid" not in line


def is_single_document(log: Log) -> bool:
    return any(sequence.enclosing_object is not None for sequence in log.sequences)


def message_array_start(log: Log) -> int:
    return next(sequence.array_start for sequence in log.sequences if sequence.array_start is not None)


def nested_message_array(line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
    """Return the start of the array of messages in a line, its pointer and the spans of its elements.

    The start is -1 if there is no such array.
    """
    if b'"messages"' not in unescape_keys(line) or not is_valid_json(line):
        return -1, "", []
    value = parse_json(line)
    pointer = "/$set/messages" if isinstance(value_at(value, "/$set"), dict) else "/messages"
    if isinstance(value_at(value, "/id"), str) or not isinstance(value_at(value, pointer), list):
        return -1, "", []
    at, _ = pointer_span(line, pointer)
    return at, pointer, list(array_elements(line, at))


def session_id(log: Log, columns: Columns) -> str:
    """Return the id that the chat names last, or the file's name without its suffix if it names none."""
    chat_id = next((uuid for uuid in reversed(columns.uuids) if uuid is not None), None)
    if chat_id is None and is_single_document(log):
        match = _SESSION_ID.search(log.source.read(0, message_array_start(log))) or _SESSION_ID.search(
            log.source.read(log.columns.ends[-1] if log.columns.ends else 0, log.source.size)
        )
        chat_id = match[1].decode("utf-8", "replace") if match else None
    return chat_id or re.sub(r"\.jsonl?$", "", re.split(r"[\\/]", log.source.path)[-1])


# evidence of a call without a response: the state that it left in `toolCalls`

_EVIDENCE_BY_STATE = {
    "executing": (EvidenceStrength.STARTED, tr("The state of the call is `executing`, so it was still running.")),
    "success": (
        EvidenceStrength.RAN,
        tr("The state of the call is “success”, so the call ran, but its response was not kept."),
    ),
    "error": (
        EvidenceStrength.RAN,
        tr("The state of the call is “error”, so the call failed, but its response was not kept."),
    ),
    "cancelled": (
        EvidenceStrength.MENTIONED,
        tr("The state of the call is “cancelled”, which does not show whether the call had started."),
    ),
    "awaiting_approval": (
        EvidenceStrength.MENTIONED,
        tr("The call was waiting for the user's approval (awaiting_approval)."),
    ),
    "scheduled": (EvidenceStrength.MENTIONED, tr("The call was approved and was about to run (scheduled).")),
    "validating": (EvidenceStrength.MENTIONED, tr("The call had not been approved yet (validating).")),
}
# The entries that were looked up last, and the index of the first entry of each id.
_LAST_ENTRIES: list[tuple[list[Any], dict[str, int]]] = [([], {})]


def evidence_in_record(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return what the call's own entry shows, see `CallEvidenceSource`. The newest line of a message counts."""
    entries = row.get("toolCalls") if own and isinstance(row, dict) else None
    if not isinstance(entries, list):
        return None
    _, _, number = call.pointer.rpartition("/toolCalls/")
    own_entry = int(number) if number.isdigit() and int(number) < len(entries) else len(entries)
    first = min(own_entry, _first_of_ids(entries).get(call.id, own_entry) if call.id else own_entry)
    entry = entries[first] if first < len(entries) else None
    return _evidence_in_entry(entry) if isinstance(entry, dict) else None


def _first_of_ids(entries: list[Any]) -> dict[str, int]:
    """Return the index of the first entry of each id, cached for the calls of one list."""
    newest = _LAST_ENTRIES[0]
    if newest[0] is not entries:
        ids = [(entry.get("id"), number) for number, entry in enumerate(entries) if isinstance(entry, dict)]
        newest = entries, {call_id: number for call_id, number in reversed(ids) if isinstance(call_id, str)}
        _LAST_ENTRIES[0] = newest
    return newest[1]


def _evidence_in_entry(entry: dict[str, Any]) -> EvidenceItem | None:
    known = _EVIDENCE_BY_STATE.get(str(entry.get("status")))
    shown = entry.get("resultDisplay")
    if shown and (known is None or known[0] == EvidenceStrength.MENTIONED):
        return EvidenceItem(EvidenceStrength.STARTED, tr("The outcome of the call was displayed (resultDisplay)."))
    return EvidenceItem(*known) if known is not None else None
