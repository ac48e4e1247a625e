"""Names for nodes that stay the same when the tree of a log is built anew: a node's number does not."""

from typing import NamedTuple

from inspector.core.showing.outline import NodeKind, Outline


class NodeKey(NamedTuple):
    """What names a node in another state of the same log."""

    kind: int
    record: int
    block: int
    label: str


def key_of(outline: Outline, node: int) -> NodeKey:
    return NodeKey(outline.kind[node], outline.record[node], outline.block[node], outline.label.get(node, ""))


def node_of(outline: Outline, key: NodeKey) -> int:
    """The node that a key names, 0 when there is none any more."""
    if not 0 <= key.record < len(outline.node_of_record):
        return next((node for node, text in outline.label.items() if text == key.label), 0) if key.label else 0
    message: int = max(outline.node_of_record[key.record], 0)
    node: int = message
    if key.kind == NodeKind.BLOCK:
        return outline.node_of_block(key.record, key.block)
    while node > 0 and outline.kind[node] != key.kind:
        node = outline.parent[node]
    return node or message


def path_to(outline: Outline, node: int) -> list[int]:
    """The ancestors of a node from the top, without the root and without the node."""
    path = []
    while (node := outline.parent[node]) > 0:
        path.append(node)
    return path[::-1]
