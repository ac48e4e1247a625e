"""What is done to a log: the tables say it by name. A mutation of values changes a tree, one of bytes gives others.

A mutation that finds nothing to do raises Unfit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from tests.robustness.fuzz.mutations import ids, packed, published, raw, records, spelling, values
from tests.robustness.fuzz.mutations.picking import Unfit
from tests.robustness.fuzz.tree import Spelling, Tree

OfValues = Callable[[Random, Tree], None]
OfBytes = Callable[[Random, bytes], bytes]

OF_VALUES: Mapping[str, OfValues] = {
    **records.TABLE,
    **values.TABLE,
    **ids.TABLE,
    **spelling.TABLE,
    **published.TABLE,
}
OF_BYTES: Mapping[str, OfBytes] = raw.TABLE
OF_CONTAINERS: Mapping[str, OfBytes] = packed.TABLE

_HOW_MANY = (1, 1, 1, 2, 2, 3, 5)


def mutated(random: Random, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The bytes after a few mutations, and their names in order."""
    if data.startswith(packed.SQLITE):
        return packed.in_database(random, data, _as_text)
    data, did = _as_text(random, data)
    if random.random() < 0.04:
        name = random.choice(list(OF_CONTAINERS))
        return OF_CONTAINERS[name](random, data), (*did, name)
    return data, did


def _as_text(random: Random, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    did: list[str] = []
    tree = Tree.read(data) if random.random() < 0.8 else None
    if tree is not None:
        did += _in_tree(random, tree)
        data = tree.write(Spelling.any(random))
    if not did or random.random() < 0.1:
        for _ in range(random.choice(_HOW_MANY)):
            name = random.choice(list(OF_BYTES))
            data = OF_BYTES[name](random, data)
            did.append(name)
    return data, tuple(did)


def _in_tree(random: Random, tree: Tree) -> list[str]:
    did: list[str] = []
    for _ in range(random.choice(_HOW_MANY)):
        name = random.choice(list(OF_VALUES))
        try:
            OF_VALUES[name](random, tree)
        except Unfit:
            continue
        did.append(name)
    return did
