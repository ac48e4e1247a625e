"""OpenAI Chat Completions: `tool_calls` on assistant messages, one `tool` message a result.

Source of the shapes: the `openai` SDK's `types/chat/*_message_param.py`. tau2 benchmark runs write the same messages
with flat calls (`name`, `arguments` as an object) and the call's id as the result's `id`, marked by `requestor`.
"""

import re
from contextlib import suppress
from itertools import repeat
from typing import Any

import orjson
from msgspec import Raw, Struct

from inspector.core.columns import Columns, Flag, Mark, Role
from inspector.core.json_text import text_of, value_of
from inspector.core.placeholders import LONGEST, is_placeholder, may_be_placeholder
from inspector.core.views import BlockKind, BlockView
from inspector.core.wire.anthropic import pretty, result_text

_EMPTY = Raw(b"")
_QUOTE = memoryview(b'"')

ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.SYSTEM,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}


_ROLES = {name: int(role) for name, role in ROLES.items()}
_TEXT, _CALL, _RESULT = int(BlockKind.TEXT), int(BlockKind.CALL), int(BlockKind.RESULT)
_TOOL, _EMPTY_CALLS, _SHORT = int(Role.TOOL), Mark.EMPTY_CALLS, LONGEST + 100


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
    role = _ROLES.get(message.role or "", 0)
    empty_calls = Mark.EMPTY_CALLS if message.tool_calls == [] else 0
    columns.add_record(start, end, role, empty_calls)
    if role == _TOOL:
        columns.add_block(_RESULT, _result_flags(message.content), result_id(message))
        return
    if _says_something(message.content):
        columns.add_block(_TEXT)
    for call in message.tool_calls or ():
        flag = _call_flags(call.function) if call.function is not None else 0
        columns.add_block(_CALL, flag, call.id, call_name(call))


def add_messages(columns: Columns, messages: list[Message], spans: list[tuple[int, int]], offset: int) -> None:
    """The same for many messages, column by column: a call for each would double the time of it."""
    add_role, add_mark, add_count = columns.roles.append, columns.marks.append, columns.blocks.append
    add_kind, add_flag = columns.block_kinds.append, columns.block_flags.append
    add_id, add_name = columns.call_ids.append, columns.names.append
    for message in messages:
        role = _ROLES.get(message.role or "", 0)
        calls, content = message.tool_calls, message.content
        add_role(role)
        add_mark(_EMPTY_CALLS if calls == [] else 0)
        if role == _TOOL:
            add_count(1)
            add_kind(_RESULT)
            add_flag(_result_flags(content) if len(content) < _SHORT else 0)
            add_id(result_id(message))
            add_name(None)
            continue
        said = _says_something(content)
        add_count(said + len(calls or ()))
        if said:
            add_kind(_TEXT)
            add_flag(0)
            add_id(None)
            add_name(None)
        for call in calls or ():
            add_kind(_CALL)
            add_flag(_call_flags(call.function) if call.function is not None else 0)
            add_id(call.id)
            add_name(call_name(call))
    columns.starts.extend([offset + start for start, _ in spans])
    columns.ends.extend([offset + end for _, end in spans])
    for absent in (columns.uuids, columns.parents, columns.groups):
        absent.extend(repeat(None, len(messages)))


def long_result(raw: memoryview) -> Message | None:
    """A long tool message, told by its two ends; None when it is not spelled as most programs do.

    Most bytes of a log are results, and need not be looked through a second time: `raw` is known to be JSON, in which a
    quote that no backslash precedes, behind a comma, opens a key. No placeholder is as long.
    """
    if len(raw) < 2 * _LOOK:
        return None
    head, tail = bytes(raw[:_LOOK]), bytes(raw[-_LOOK:])
    at = tail.rfind(b'"tool_call_id"')
    if at < 0 or not tail[:at].rstrip().endswith(b",") or _RESULT_START.match(head) is None:
        return None
    found = _RESULT_END.match(tail, at)
    if found is None or head.find(b'",', head.index(b'"content"') + 9) >= 0:
        return None
    return Message("tool", tool_call_id=found[1].decode())


_LOOK = 2 * LONGEST
_RESULT_START = re.compile(rb'\{\s*"role"\s*:\s*"tool"\s*,\s*"content"\s*:\s*"')
_RESULT_END = re.compile(rb'"tool_call_id"\s*:\s*"([ !#-\[\]-~]+)"\s*\}\Z')


def result_id(message: Message) -> str | None:
    """The id of the call that a tool message answers."""
    if message.tool_call_id is None and message.requestor is not None:
        return message.id
    return message.tool_call_id


def call_name(call: Call) -> str | None:
    """The name of the tool that is called, as a function's, a custom tool's or a flat call's."""
    inner = call.function or call.custom
    return call.name if inner is None else inner.name


def _says_something(content: Raw) -> bool:
    size = len(content)
    return size > 4 or (size > 0 and bytes(content) not in (b"null", b'""', b"[]"))


def _call_flags(function: Function) -> int:
    """BAD_INPUT when `arguments` is no string: the text inside is the model's own and is never judged or mended."""
    return 0 if memoryview(function.arguments)[0:1] == _QUOTE else Flag.BAD_INPUT


def _result_flags(content: Raw) -> int:
    short = 2 < len(content) < _SHORT and may_be_placeholder(bytes(content))
    return Flag.PLACEHOLDER if short and is_placeholder(result_text(value_of(bytes(content)))) else 0


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
