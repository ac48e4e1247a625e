"""Where the blocks of a changed record come from: an edit is told by the place that a block had in the log as read.

Each pass drops blocks and puts others in, so that an ordinal means something else in the next one.
"""

from collections.abc import Iterator

from inspector.core.formats.bases.edits import BlockEdits

_MAX_BLOCKS_FROM_ONE = 8
# By ordinal: the ordinal that a block had in the log as read, or a number of its own below zero if it was put in.
BlockOrigins = list[int]


class BlockProvenance:
    """The origins of blocks, by the slots of changed records."""

    def __init__(self) -> None:
        self._known: dict[int, BlockOrigins] = {}
        self._put: dict[int, BlockOrigins] = {}
        self._expected: dict[int, list[BlockOrigins]] = {}
        self._last = 0

    def block_origins(self, slot: int) -> BlockOrigins | None:
        """Those of a record whose blocks changed, None where they did not, none where it is not known how."""
        return self._known.get(slot)

    def origin_of(self, slot: int, ordinal: int) -> int | None:
        """Where a block of the draft comes from, None where that is not known."""
        known = self._known.get(slot)
        return ordinal if known is None else known[ordinal] if known else None

    def add_block(self, slot: int, moved: int | None = None) -> int:
        """The origin of a block that is put in; `moved` is that of one that stood elsewhere in the record."""
        origin = self._new() if moved is None else moved
        self._put.setdefault(slot, []).append(origin)
        return origin

    def _new(self) -> int:
        self._last -= 1
        return self._last

    def predict(self, slot: int, count: int, edits: BlockEdits) -> None:
        """Work out what the edits of a record of `count` blocks may come to.

        A format keeps an answer in its call, as a block behind it or in the place of one.
        """
        was, put = self._known.get(slot, [*range(count)]), self._put.pop(slot, [])
        if len(was) != count:
            return  # Not known since an earlier pass.
        before: dict[int, BlockOrigins] = {}
        for (at, _), origin in zip(edits.insert, put, strict=True):
            before.setdefault(at, []).append(origin)
        plain, answered = BlockOrigins(), BlockOrigins()
        for ordinal in range(count + 1):
            stay = before.get(ordinal, [])
            if ordinal < count and ordinal not in edits.drop:
                stay = [*stay, was[ordinal]]
            plain += stay
            answered += stay if ordinal not in edits.answers else [*stay, self._new()]
        self._expected[slot] = [plain, answered, *self._with_several(plain, [was[each] for each in edits.replace])]

    def _with_several(self, blocks: BlockOrigins, replaced: BlockOrigins) -> Iterator[BlockOrigins]:
        """The same where the only block that is replaced becomes several: a note holds images beside its text."""
        if len(replaced) == 1 and replaced[0] in blocks:
            behind = blocks.index(replaced[0]) + 1
            for _ in range(_MAX_BLOCKS_FROM_ONE):
                blocks = [*blocks[:behind], self._new(), *blocks[behind:]]
                yield blocks

    def confirm(self, slot: int, count: int) -> None:
        """Take note of how many blocks a record has after its edits."""
        if slot in self._expected:
            expected = self._expected.pop(slot)
            self._known[slot] = next((blocks for blocks in expected if len(blocks) == count), [])
