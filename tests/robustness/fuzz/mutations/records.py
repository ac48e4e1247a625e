"""Records and the blocks in them: lost, doubled, moved, put into one another."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from tests.robustness.fuzz.mutations.picking import Unfit, nested_list
from tests.robustness.fuzz.tree import Tree


def _records(tree: Tree, least: int = 1) -> list[Any]:
    if len(tree.records) < least:
        raise Unfit
    return tree.records


def drop_record(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    del records[random.randrange(len(records))]


def drop_several_records(random: Random, tree: Tree) -> None:
    records = _records(tree, 4)
    low = random.randrange(len(records) - 1)
    del records[low : low + random.randint(1, len(records) // 2)]


def repeat_record(random: Random, tree: Tree) -> None:
    records = _records(tree)
    records.insert(random.randint(0, len(records)), deepcopy(random.choice(records)))


def repeat_record_often(random: Random, tree: Tree) -> None:
    records = _records(tree)
    at = random.randrange(len(records))
    records[at:at] = [deepcopy(records[at]) for _ in range(random.choice((5, 40)))]


def move_record(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    record = records.pop(random.randrange(len(records)))
    records.insert(random.randint(0, len(records)), record)


def swap_neighbours(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    at = random.randrange(len(records) - 1)
    records[at], records[at + 1] = records[at + 1], records[at]


def shuffle_records(random: Random, tree: Tree) -> None:
    random.shuffle(_records(tree, 2))


def cut_off(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    del records[random.randrange(1, len(records)) :]


def behead(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    del records[: random.randrange(1, len(records))]


def log_twice(random: Random, tree: Tree) -> None:
    records = _records(tree)
    records += deepcopy(records)


def drop_block(random: Random, tree: Tree) -> None:
    blocks = nested_list(random, tree)
    del blocks[random.randrange(len(blocks))]


def repeat_block(random: Random, tree: Tree) -> None:
    blocks = nested_list(random, tree)
    blocks.insert(random.randint(0, len(blocks)), deepcopy(random.choice(blocks)))


def move_block(random: Random, tree: Tree) -> None:
    """Into another list of blocks: a call into a user's message, a result into an answer."""
    blocks, others = nested_list(random, tree), nested_list(random, tree)
    block = blocks.pop(random.randrange(len(blocks)))
    others.insert(random.randint(0, len(others)), block)


def turn_blocks(random: Random, tree: Tree) -> None:
    nested_list(random, tree, 2).reverse()


def block_in_block(random: Random, tree: Tree) -> None:
    """A block into a field of another one."""
    blocks, others = nested_list(random, tree), nested_list(random, tree)
    holder = random.choice([each for each in others if isinstance(each, dict)])
    holder[random.choice(["content", "text", "input", "output", "result"])] = deepcopy(
        random.choice([blocks, blocks[0]])
    )


def record_in_record(random: Random, tree: Tree) -> None:
    records = _records(tree, 2)
    one, other = random.sample(range(len(records)), 2)
    if not isinstance(records[one], dict):
        raise Unfit
    records[one][random.choice(["message", "content", "extra"])] = deepcopy(records[other])


TABLE = {
    each.__name__: each
    for each in (
        drop_record,
        drop_several_records,
        repeat_record,
        repeat_record_often,
        move_record,
        swap_neighbours,
        shuffle_records,
        cut_off,
        behead,
        log_twice,
        drop_block,
        repeat_block,
        move_block,
        turn_blocks,
        block_in_block,
        record_in_record,
    )
}
