"""OpenAI Chat Completions: `tool_calls` on assistant messages, one `tool` message a result.

Source of the shapes: the `openai` SDK's `types/chat/*_message_param.py`. tau2 benchmark runs write the same messages
with flat calls (`name`, `arguments` as an object) and the call's id as the result's `id`, marked by `requestor`.
"""

from contextlib import suppress
from typing import Any

import msgspec
import orjson
from msgspec import Raw, Struct

from inspector.core.columns import Columns, Flag, Mark, Role
from inspector.core.json_text import text_of
from inspector.core.placeholders import LONGEST, is_placeholder
from inspector.core.views import BlockKind, BlockView
from inspector.core.wire.anthropic import pretty, result_text

_EMPTY = Raw(b"")

ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.SYSTEM,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}


class Function(Struct, gc=False):
    """The inner part of a call, also of a custom tool's."""

    name: str | None = None
    arguments: Raw = _EMPTY
    input: Raw = _EMPTY


class Call(Struct, gc=False):
    """One entry of `tool_calls`."""

    id: str | None = None
    name: str | None = None
    function: Function | None = None
    custom: Function | None = None


class Message(Struct, gc=False):
    """The fields of a message that the index needs."""

    role: str | None = None
    content: Raw = _EMPTY
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    id: str | None = None
    requestor: str | None = None


def tolerant_message(value: Any) -> Message:
    """A Message of a JSON value of unexpected shape: what fits is kept."""
    if not isinstance(value, dict):
        return Message()
    message = Message(role=_text(value.get("role")), tool_call_id=_text(value.get("tool_call_id")))
    message.id, message.requestor = _text(value.get("id")), _text(value.get("requestor"))
    if "content" in value:
        message.content = Raw(text_of(value["content"]))
    calls = value.get("tool_calls")
    if isinstance(calls, list):
        message.tool_calls = [_tolerant_call(call) for call in calls]
    return message


def _tolerant_call(value: Any) -> Call:
    if not isinstance(value, dict):
        return Call()
    call = Call(_text(value.get("id")), _text(value.get("name")))
    inner = value.get("function")
    if isinstance(inner, dict):
        arguments = Raw(text_of(inner["arguments"])) if "arguments" in inner else _EMPTY
        call.function = Function(_text(inner.get("name")), arguments)
    return call


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def add_message(columns: Columns, start: int, end: int, message: Message) -> None:
    """Append a message as a record with its blocks."""
    role = ROLES.get(message.role or "", Role.OPAQUE)
    empty_calls = Mark.EMPTY_CALLS if message.tool_calls == [] else 0
    columns.add_record(start, end, role, empty_calls)
    if role == Role.TOOL:
        call_id = message.tool_call_id
        if call_id is None and message.requestor is not None:
            call_id = message.id
        columns.add_block(BlockKind.RESULT, _result_flags(message.content), call_id)
        return
    if len(message.content) and bytes(message.content) not in (b"null", b'""', b"[]"):
        columns.add_block(BlockKind.TEXT)
    for call in message.tool_calls or ():
        function = call.function
        if function is not None:
            columns.add_block(BlockKind.CALL, _call_flags(function), call.id, function.name)
        else:
            columns.add_block(BlockKind.CALL, 0, call.id, call.custom.name if call.custom else call.name)


def _call_flags(function: Function) -> int:
    """BAD_INPUT when `arguments` is no string: the text inside is the model's own and is never judged or mended."""
    return 0 if bytes(function.arguments)[:1] == b'"' else Flag.BAD_INPUT


def _result_flags(content: Raw) -> int:
    if 2 < len(content) < LONGEST + 100 and is_placeholder(result_text(msgspec.json.decode(content))):
        return Flag.PLACEHOLDER
    return 0


def pointer(columns: Columns, record: int, ordinal: int) -> str:
    """The pointer of block `ordinal` of a record."""
    row = columns.first[record] + ordinal
    if columns.block_kinds[row] != BlockKind.CALL:
        return "/content"
    calls_before = sum(columns.block_kinds[other] == BlockKind.CALL for other in range(columns.first[record], row))
    return f"/tool_calls/{calls_before}"


def views(message: dict[str, Any]) -> tuple[BlockView, ...]:
    """The blocks of a parsed message, for showing."""
    found: list[BlockView] = []
    content = message.get("content")
    if message.get("role") == "tool":
        call_id = message.get("tool_call_id") or message.get("id") or ""
        name = str(message.get("name") or "")
        return (BlockView(BlockKind.RESULT, result_text(content), "/content", name, str(call_id)),)
    if content not in (None, "", []):
        found.append(BlockView(BlockKind.TEXT, result_text(content), "/content"))
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        found.append(_call_view(call, f"/tool_calls/{number}"))
    return tuple(found)


def _call_view(call: Any, at: str) -> BlockView:
    if not isinstance(call, dict):
        return BlockView(BlockKind.OTHER, pretty(call), at)
    inner = call.get("function") or call.get("custom") or call
    arguments = inner.get("arguments", inner.get("input")) if isinstance(inner, dict) else None
    if isinstance(arguments, str):
        with suppress(orjson.JSONDecodeError):
            arguments = pretty(orjson.loads(arguments))
    else:
        arguments = pretty(arguments)
    name = inner.get("name", "") if isinstance(inner, dict) else ""
    return BlockView(BlockKind.CALL, arguments, at, str(name or ""), str(call.get("id") or ""))


def result_message(call_id: str, text: str) -> dict[str, Any]:
    """A tool message that stands in for a missing result; the wire has no error flag."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
