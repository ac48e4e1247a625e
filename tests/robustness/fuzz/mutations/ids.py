"""Ids: what binds a result to its call and a record to its parent."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from tests.robustness.fuzz.mutations.picking import Unfit, pick, places
from tests.robustness.fuzz.tree import Tree

_ENDS = ("id", "Id", "ID", "uuid", "Uuid")


def _is_id(key: Any, value: Any) -> bool:
    return isinstance(key, str) and key.endswith(_ENDS) and isinstance(value, str | None)


def _ids(tree: Tree) -> list[tuple[Any, Any]]:
    """The places of ids that stand more than once: those bind something."""
    found = [(holder, key) for holder, key in places(tree.values) if _is_id(key, holder[key])]
    times = Counter(holder[key] for holder, key in found)
    return [(holder, key) for holder, key in found if times[holder[key]] > 1 or holder[key] is None]


def swap_ids(random: Random, tree: Tree) -> None:
    (holder, key), (other, its_key) = _two(random, tree)
    holder[key], other[its_key] = other[its_key], holder[key]


def reuse_id(random: Random, tree: Tree) -> None:
    """One id in the place of another, at one place."""
    (holder, key), (other, its_key) = _two(random, tree)
    holder[key] = other[its_key]


def one_id_for_two(random: Random, tree: Tree) -> None:
    """One id in the place of another, everywhere."""
    (holder, key), (other, its_key) = _two(random, tree)
    old, new = holder[key], other[its_key]
    for each, name in _ids(tree):
        if each[name] == old:
            each[name] = new


def spoil_id(random: Random, tree: Tree) -> None:
    """An id that nothing else has, or that is none."""
    holder, key = pick(random, tree, _is_id)
    old = str(holder[key])
    holder[key] = random.choice([None, "", " ", f"{old}x", old.upper(), "a/b:c.d", "é" * 70, 7, {}, "null", old + "\n"])


def parent_of_itself(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: key in ("parentUuid", "parentID", "parent_id"))
    own = next((holder[name] for name in ("uuid", "id") if name in holder), None)
    holder[key] = own


def _two(random: Random, tree: Tree) -> list[tuple[Any, Any]]:
    found = _ids(tree)
    if len(found) < 2:
        raise Unfit
    return random.sample(found, 2)


TABLE = {each.__name__: each for each in (swap_ids, reuse_id, one_id_for_two, spoil_id, parent_of_itself)}
