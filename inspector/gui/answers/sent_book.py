"""What an agent will send as the window holds it. No Qt here."""

from array import array
from collections import Counter

from msgspec.structs import replace

from inspector.core.showing.copies import RequestPreview, RequestPreviewBlock
from inspector.core.showing.outline import Numbers
from inspector.gui.answers.packed import Packed, packed


class SentBook(Packed[RequestPreviewBlock], kw_only=True):
    """The blocks in their order; `head` is the rest of what the core answered, `counts` how many have each mark.

    `other` are the positions of those that do not go out as the log holds them.
    """

    ITEM_TYPE = RequestPreviewBlock

    summary: RequestPreview
    counts: dict[str, int]
    changed_positions: Numbers


def sent_book(preview: RequestPreview) -> SentBook:
    """A preview packed."""
    return SentBook(
        *packed(preview.blocks),
        summary=replace(preview, blocks=()),
        counts=dict(Counter(block.mark for block in preview.blocks)),
        changed_positions=array("q", (number for number, block in enumerate(preview.blocks) if block.mark != "kept")),
    )
