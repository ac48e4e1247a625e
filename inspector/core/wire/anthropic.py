"""Anthropic Messages: `tool_use` blocks in assistant messages, `tool_result` blocks in user messages.

Source of the shapes: the `anthropic` SDK's `types/*_param.py`; server tools answer inside their own message.
"""

from typing import Any

import msgspec
import orjson
from msgspec import Raw, Struct

from inspector.core.columns import Columns, Flag, Role
from inspector.core.json_text import text_of, value_of
from inspector.core.placeholders import LONGEST, is_placeholder, may_be_placeholder
from inspector.core.views import BlockKind, BlockView

_EMPTY = Raw(b"")
_SHORT = LONGEST + 100

KINDS = {
    "text": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "redacted_thinking": BlockKind.THINKING,
    "tool_use": BlockKind.CALL,
    "tool_result": BlockKind.RESULT,
    "server_tool_use": BlockKind.SERVER_CALL,
    "mcp_tool_use": BlockKind.SERVER_CALL,
    "image": BlockKind.MEDIA,
    "document": BlockKind.MEDIA,
}
_CODES = {name: int(kind) for name, kind in KINDS.items()}
_OTHER, _TEXT, _CALL, _RESULT, _SERVER_CALL = (
    int(kind) for kind in (BlockKind.OTHER, BlockKind.TEXT, BlockKind.CALL, BlockKind.RESULT, BlockKind.SERVER_CALL)
)
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


class Skipped(Struct, gc=False):
    """Any JSON object, of which nothing is kept. Another kind of value does not decode."""


class Block(Struct, gc=False):
    """The fields of a block that the index needs; everything else is skipped, not built."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: Raw = _EMPTY
    input: Skipped | None = None
    content: Raw = _EMPTY


class Message(Struct, gc=False):
    """The fields of a message that the index needs."""

    id: str | None = None
    role: str | None = None
    content: str | list[Block] | None = None


def tolerant_message(value: Any) -> Message:
    """A Message of a JSON value of unexpected shape: what fits is kept, the rest becomes an unknown block."""
    if not isinstance(value, dict):
        return Message()
    content = value.get("content")
    if isinstance(content, list):
        content = [_tolerant_block(item) for item in content]
    elif not isinstance(content, str):
        content = None
    return Message(_text(value.get("id")), _text(value.get("role")), content)


def _tolerant_block(item: Any) -> Block:
    if not isinstance(item, dict):
        return Block(type="unknown")
    block = Block(
        _text(item.get("type")), _text(item.get("id")), _text(item.get("name")), _text(item.get("tool_use_id"))
    )
    block.is_error = bool(item.get("is_error"))
    block.input = Skipped() if isinstance(item.get("input"), dict) else None
    for key in ("text", "content"):
        if key in item:
            setattr(block, key, Raw(text_of(item[key])))
    return block


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def add_content(columns: Columns, content: str | list[Block] | None) -> None:
    """Append the blocks of a message's content to the newest record."""
    if content is None:
        return
    if isinstance(content, str):
        blank = 0 if content and not content.isspace() else Flag.BLANK
        columns.add_block(BlockKind.TEXT, Flag.WHOLE | blank)
        return
    for block in content:
        columns.add_block(*row_of(block))


def row_of(block: Block) -> tuple[int, int, str | None, str | None]:
    """A block as a row of columns: kind, flags, call id, tool name."""
    kind = _CODES.get(block.type or "", _OTHER)
    if kind == _TEXT:
        return kind, Flag.BLANK if is_blank(block.text) else 0, None, None
    if kind == _CALL:
        return kind, Flag.BAD_INPUT if block.input is None else 0, block.id, block.name
    if kind == _RESULT:
        return kind, result_flags(block), block.tool_use_id, None
    if kind == _SERVER_CALL:
        return kind, 0, block.id, block.name
    if kind == _OTHER and (block.type or "").endswith("_tool_result"):
        return int(BlockKind.SERVER_RESULT), 0, block.tool_use_id, None
    return kind, 0, None, None


def is_blank(raw: Raw) -> bool:
    """Whether a text is missing, empty or white space. Long texts are not decoded to find out."""
    if len(raw) > 64:
        return False
    text = bytes(raw)
    if text[:1] != b'"':
        return text in (b"", b"null")
    return not msgspec.json.decode(text).strip()


def result_flags(block: Block) -> int:
    """ERROR and PLACEHOLDER of a tool_result."""
    flags = Flag.ERROR if block.is_error else 0
    raw = block.content
    short = 2 < len(raw) < _SHORT and may_be_placeholder(bytes(raw))
    if short and is_placeholder(result_text(value_of(bytes(raw)))):
        flags |= Flag.PLACEHOLDER
    return flags


def result_text(content: Any) -> str:
    """The text of a tool_result's content: a string, or the text blocks of a list; other blocks are named."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [_part_text(part) for part in content]
        return "\n".join(part for part in parts if part)
    return "" if content is None else text_of(content).decode()


def media_in(result: Any) -> list[str]:
    """The kinds of what a result holds beside text: OpenAI's `content`, or Neovate's `result.llmContent`."""
    inner = result.get("result") if isinstance(result, dict) else None
    holder = inner if isinstance(inner, dict) else result
    content = holder.get("content", holder.get("llmContent")) if isinstance(holder, dict) else None
    parts = content if isinstance(content, list) else []
    return [str(part.get("type")) for part in parts if isinstance(part, dict) and "text" not in part]


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        return str(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    return f"[{part.get('type', 'block')}]"


def views(content: Any, pointer: str) -> tuple[BlockView, ...]:
    """The blocks of a parsed content, for showing. `pointer` is the content's own."""
    if isinstance(content, str):
        return (BlockView(BlockKind.TEXT, content, pointer),)
    if not isinstance(content, list):
        return ()
    return tuple(_view(item, f"{pointer}/{number}") for number, item in enumerate(content))


def _view(item: Any, pointer: str) -> BlockView:
    if not isinstance(item, dict):
        return BlockView(BlockKind.OTHER, pretty(item), pointer)
    name = str(item.get("type", ""))
    kind = KINDS.get(name, BlockKind.OTHER)
    if kind == BlockKind.TEXT:
        return BlockView(kind, str(item.get("text") or ""), pointer)
    if kind == BlockKind.THINKING:
        return BlockView(kind, str(item.get("thinking") or "[redacted thinking]"), pointer)
    if kind in (BlockKind.CALL, BlockKind.SERVER_CALL):
        call_id = str(item.get("id") or "")
        return BlockView(kind, pretty(item.get("input")), pointer, str(item.get("name") or ""), call_id)
    if kind == BlockKind.RESULT or name.endswith("_tool_result"):
        kind = kind or BlockKind.SERVER_RESULT
        text, call_id = result_text(item.get("content")), str(item.get("tool_use_id") or "")
        return BlockView(kind, text, pointer, "", call_id, bool(item.get("is_error")))
    if kind == BlockKind.MEDIA:
        return BlockView(kind, f"[{name}]", pointer)
    return BlockView(kind, pretty(item), pointer, name)


def pretty(value: Any) -> str:
    """JSON for reading."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except (TypeError, orjson.JSONEncodeError):
        return str(value)


def result_block(call_id: str, text: str) -> dict[str, Any]:
    """A tool_result that stands in for a missing one; the error flag says only that this is no result."""
    return {"tool_use_id": call_id, "type": "tool_result", "content": text, "is_error": True}


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
