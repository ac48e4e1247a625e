"""The display tree of a log as columns: one row per node, children of a node contiguous, parents before children.

Node 0 is the invisible root. No node has more than PAGE_SIZE children: longer levels are grouped under PAGE nodes,
because a Qt tree view asks for every child of an expanded level.
"""

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    Numbers: TypeAlias = array[int]
else:
    Numbers = array  # Python 3.11 has no `array[int]` at run time, when values received from a pipe are checked

PAGE_SIZE = 500


class ByteColumn(bytearray):
    """A column of small numbers or bytes; its own type lets a pipe distinguish columns from small values."""


class NodeKind(IntEnum):
    """The kind of a node of the tree.

    SECTION is a named group (side threads, records outside the conversation …). INACTIVE_BRANCH holds messages that a
    resume does not load, at their place in the log.
    """

    ROOT = 0
    SESSION = 1
    SECTION = 2
    PAGE = 3
    TURN = 4
    MESSAGE = 5
    BLOCK = 6
    RECORD = 7
    INACTIVE_BRANCH = 8


class PairMark(IntEnum):
    """The state of a call or result, for the pair column."""

    NONE = 0
    ANSWERED = 1
    ANSWERS = 2
    UNANSWERED = 3
    ORPHAN = 4
    PENDING = 5
    DUPLICATE = 6
    RUNNING = 7
    RECOVERABLE = 8


class Outline(Struct):
    """The columns of the tree.

    `record` and `block` are -1 where a node has none; `peer` is the node of the counterpart or -1. `errors`, `warnings`
    and `infos` count the findings on the node and below it. `label` holds the text of nodes that no record can describe
    (sessions, sections, pages); all others are described by their record when they are painted.

    `record` of a SESSION, TURN, INACTIVE_BRANCH or PAGE is its first record, and so is that of a MESSAGE that folds
    several records. A message with one block has no child for it: `record`, `block` and the pair are those of the
    block. A TURN that a person began is the message with which they began it.
    """

    kind: ByteColumn
    parent: Numbers
    first: Numbers
    count: Numbers
    record: Numbers
    block: Numbers
    mark: ByteColumn
    peer: Numbers
    errors: Numbers
    warnings: Numbers
    infos: Numbers
    label: dict[int, str]
    node_of_record: Numbers

    def __len__(self) -> int:
        return len(self.kind)

    def node_of_block(self, record: int, block: int) -> int:
        """Return the node of a block, else that of its message; 0 where the tree has neither."""
        message: int = max(self.node_of_record[record], 0)
        if self.record[message] == record and self.block[message] == block:
            return message
        for child in range(self.first[message], self.first[message] + self.count[message]):
            if self.block[child] == block and self.record[child] == record:
                return child
        return message
