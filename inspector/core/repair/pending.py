"""What is to be done to a draft, until it is carried out."""

from msgspec import Struct

from inspector.core.formats.bases.edits import BlockEdits


class PendingEdits(Struct):
    """Operations that wait for the next commit, by record of the draft's columns; HEAD is before the first."""

    blocks: dict[int, BlockEdits]
    notes: set[int]
    replaced: dict[int, bytes]
    deleted: set[int]
    insertions: dict[int, list[int]]

    def __bool__(self) -> bool:
        return bool(self.blocks or self.replaced or self.deleted or self.insertions)
