"""Messages that an agent hands on within its records: what of them no provider takes, and no agent can read.

A member of a record holds the message. What an agent notes of its own (pictures, results) is not judged; that a text is
a text is.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from inspector.core.wire.shapes.shape import LIST, OBJECT, TEXT, Field, Shape
from inspector.core.wire.told import string, typed, typed_list

_A_TEXT = Field((TEXT,), needed=True)


# What the agents have in common: blocks that tell their type, and texts that are texts. Older logs of Kimi Code keep
# the words of reasoning under another key; 2.1.0 trims what stands under this one, and falls over null.
BLOCK = Shape(
    by="type",
    kinds={
        "text": Shape({"text": _A_TEXT}),
        "thinking": Shape({"thinking": _A_TEXT}),
        "think": Shape({"think": Field((TEXT,), null=False)}),
    },
)
LISTED = Field((LIST,), needed=True, of=BLOCK, told=typed_list("text"), part=typed("text"))
WORDS = Field((TEXT, LIST), needed=True, of=BLOCK, told=string, part=typed("text"))


def within(member: str, held: Shape, needed: bool = False) -> Shape:
    """A record with a message under `member`; `needed` where the agent falls over one without."""
    return Shape({member: Field((OBJECT,), needed, held)})


def is_text(value: Raw) -> bool:
    """Whether a value is a JSON string, told by its first byte."""
    return bytes(memoryview(value)[:1]) == b'"'


def is_odd(blocks: Iterable[Any]) -> bool:
    """Whether one of the decoded blocks needs a closer look: it tells no type, or says nothing that is a text."""
    return any(not block.type or (block.type in BLOCK.kinds and not is_text(_words(block))) for block in blocks)


def _words(block: Any) -> Raw:
    words: Raw = getattr(block, block.type, block.text)
    return words
