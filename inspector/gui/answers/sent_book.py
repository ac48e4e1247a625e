"""What an agent will send as the window holds it: packed blocks, decoded one by one when shown. No Qt here."""

from array import array
from functools import lru_cache

import msgspec

from inspector.core.showing.answers import SentBlock
from inspector.gui.answers.big_answers import unpack


class SentHead(msgspec.Struct, frozen=True):
    """The small part of a `SentPreview`, whose fields these are; `counts` is how many blocks have each mark."""

    wire: str
    outcome: str
    sentence: str
    messages: int
    bytes: int
    counts: dict[str, int]


class SentBook(msgspec.Struct):
    """The blocks in their order; `other` are the positions of those that do not go out as the log holds them."""

    head: SentHead
    offsets: "array[int]"
    blob: bytes
    other: "array[int]"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> SentBlock:
        return _block(self.blob[self.offsets[position] : self.offsets[position + 1]])


@lru_cache(512)
def _block(packed: bytes) -> SentBlock:
    block: SentBlock = unpack(packed, SentBlock)
    return block
