"""What belongs to a node of the tree: its blocks, and of a call its result and what came between. No Qt."""

from typing import NamedTuple

from inspector.core.showing.outline import NodeKind, Outline

MOST = 60


class Block(NamedTuple):
    """A block of the log; `number` is -1 for a record as a whole. `node` is that of its row."""

    record: int
    number: int
    node: int


def blocks_of(outline: Outline, node: int) -> list[Block]:
    """The blocks that a row shows, of a long message the first ones: MOST and a page."""
    if outline.block[node] >= 0:
        return [Block(outline.record[node], outline.block[node], node)]
    found: list[Block] = []
    for child in children(outline, node):
        if outline.kind[child] == NodeKind.BLOCK:
            found.append(Block(outline.record[child], outline.block[child], child))
        elif outline.kind[child] == NodeKind.PAGE and outline.kind[outline.first[child]] == NodeKind.BLOCK:
            found += blocks_of(outline, child)
        if len(found) > MOST:
            break
    return found or [Block(outline.record[node], -1, node)]


def children(outline: Outline, node: int) -> range:
    return range(outline.first[node], outline.first[node] + outline.count[node])


def between(outline: Outline, call: int, result: int) -> list[int]:
    """The rows of the records that the log has between a call and its result, without those of the call's message."""
    first, last = sorted((outline.record[call], outline.record[result]))
    own = {node_above(outline, call), node_above(outline, result)}
    nodes = (outline.node_of_record[record] for record in range(first + 1, last))
    return [node for node in dict.fromkeys(nodes) if node > 0 and node not in own]


def node_above(outline: Outline, node: int) -> int:
    """The message that a block stands in, or the row itself."""
    while outline.kind[node] in (NodeKind.BLOCK, NodeKind.PAGE) and outline.parent[node] > 0:
        node = outline.parent[node]
    return node
