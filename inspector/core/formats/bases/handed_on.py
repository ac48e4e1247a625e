"""Messages that an agent hands on within its records: what of them no provider takes, and no agent can read.

A member of a record holds the message. What an agent notes of its own (pictures, results) is not judged; that a text is
a text is.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from inspector.core.wire.shapes.shape import LIST, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.wire.told import encode_string, typed_text_encoder, typed_text_list_encoder

_A_TEXT = FieldSchema((TEXT,), needed=True)


# What the agents have in common: blocks that tell their type, and texts that are texts. Older logs of Kimi Code keep
# the words of reasoning under another key; 2.1.0 trims what stands under this one, and falls over null.
BLOCK = ObjectSchema(
    type_key="type",
    variants={
        "text": ObjectSchema({"text": _A_TEXT}),
        "thinking": ObjectSchema({"thinking": _A_TEXT}),
        "think": ObjectSchema({"think": FieldSchema((TEXT,), nullable=False)}),
    },
)
LISTED = FieldSchema(
    (LIST,),
    needed=True,
    of=BLOCK,
    text_encoder=typed_text_list_encoder("text"),
    element_encoder=typed_text_encoder("text"),
)
WORDS = FieldSchema(
    (TEXT, LIST), needed=True, of=BLOCK, text_encoder=encode_string, element_encoder=typed_text_encoder("text")
)


def within(member: str, held: ObjectSchema, needed: bool = False) -> ObjectSchema:
    """A record with a message under `member`; `needed` where the agent falls over one without."""
    return ObjectSchema({member: FieldSchema((OBJECT,), needed, held)})


def is_text(value: Raw) -> bool:
    """Whether a value is a JSON string, told by its first byte."""
    return bytes(memoryview(value)[:1]) == b'"'


def is_odd(blocks: Iterable[Any]) -> bool:
    """Whether one of the decoded blocks needs a closer look: it tells no type, or says nothing that is a text."""
    return any(not block.type or (block.type in BLOCK.variants and not is_text(_words(block))) for block in blocks)


def _words(block: Any) -> Raw:
    words: Raw = getattr(block, block.type, block.text)
    return words
