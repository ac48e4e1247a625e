"""What Cline reads of a message.

Seen in its command line 3.0.65: a message without content, a text block without text, a result without content and an
unknown role stop it before it sends anything, wherever the message stands.
"""

from typing import Any

from msgspec.structs import replace

from inspector.core.wire import anthropic
from inspector.core.wire.shapes import suspicion, tables
from inspector.core.wire.shapes.shape import BOOLEAN, LIST, NUMBER, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.wire.told import encode_string

_KEPT = tables.AGENT_MESSAGE_SCHEMA.fields["content"]
_TOLD = FieldSchema((TEXT, LIST, OBJECT, NUMBER, BOOLEAN), needed=True, text_encoder=encode_string, made=b'""')
_BLOCKS = ObjectSchema(
    type_key="type",
    variants={
        "text": ObjectSchema({"text": FieldSchema((TEXT,), needed=True)}),
        "thinking": ObjectSchema({"thinking": FieldSchema((TEXT,), needed=True)}),
        "tool_result": ObjectSchema({"content": _TOLD}),
    },
)
SHAPE = ObjectSchema(
    tables.AGENT_MESSAGE_SCHEMA.fields | {"content": replace(_KEPT, needed=True, of=_BLOCKS, made=b"[]")}
)


def is_odd(message: anthropic.AnthropicMessage) -> bool:
    content = message.content
    if content is None or suspicion.is_suspect_anthropic_message(message):
        return True
    return isinstance(content, list) and any(
        block.type == "tool_result" and not len(block.content) for block in content
    )


def stops(message: Any) -> bool:
    """Whether a message that is odd ends the program before it sends anything."""
    if not isinstance(message, dict):
        return True
    content, role = message.get("content"), message.get("role")
    if not isinstance(role, str) or role not in anthropic.ROLES or not isinstance(content, str | list):
        return True
    return isinstance(content, list) and any(map(_lacks_words, content))


def _lacks_words(block: Any) -> bool:
    match block:
        case {"type": "text"}:
            return block.get("text") is None
        case {"type": "tool_result", "content": list() as parts}:
            return None in parts
        case {"type": "tool_result"}:
            return "content" not in block
    return False
