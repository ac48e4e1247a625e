"""Choosing what is changed: a place is what holds a value, and the key or the number that it has there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

from tests.robustness.fuzz.tree import Tree

Place: TypeAlias = tuple[Any, Any]

# What a reader goes by, and half of all that is picked: the rest of a log is mostly text and counts.
STRUCTURE = frozenset(
    """type role content id name input args arguments parts message messages text output result response status state
    tool_use_id toolUseId call_id callId callID tool_call_id toolCallId toolCall tool_calls toolCalls function
    functionCall functionResponse toolUse toolResult tool_result uuid parentUuid payload kind event is_error data
    thinking signature summary""".split()
)


class Unfit(Exception):
    """The log holds nothing that this mutation could change."""


def places(value: Any) -> Iterator[Place]:
    """Every place in a value, outermost first."""
    waiting = [value]
    while waiting:
        holder = waiting.pop(0)
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def pick(random: Random, tree: Tree, fits: Callable[[Any, Any], bool] = lambda key, value: True) -> Place:
    """A place in some record (or, seldom, around the records) that fits by its key and value. Raises Unfit."""
    records = tree.records
    found: list[Place] = []
    for _ in range(4):
        if not records or random.random() < 0.05:
            found = [*places(tree.values)]
        else:
            at = random.randrange(len(records))
            found = [(records, at), *places(records[at])]
        found = [(holder, key) for holder, key in found if fits(key, holder[key])]
        if found:
            break
    if not found:
        raise Unfit
    told = [(holder, key) for holder, key in found if key in STRUCTURE]
    return random.choice(told if told and random.random() < 0.5 else found)


def same_key(random: Random, tree: Tree, key: Any, other_than: Any) -> Place:
    """Another place with the same key, in any record. Raises Unfit."""
    found = [(holder, each) for holder, each in places(tree.values) if each == key and holder is not other_than]
    if not found or isinstance(key, int):
        raise Unfit
    return random.choice(found)


def nested_list(random: Random, tree: Tree, least: int = 1) -> list[Any]:
    """A list of objects inside a record: the blocks of a message, say. Raises Unfit."""
    records = tree.records
    lists = [
        holder[key]
        for holder, key in places(records)
        if isinstance(holder[key], list) and len(holder[key]) >= least and any(isinstance(x, dict) for x in holder[key])
    ]
    if not lists:
        raise Unfit
    return random.choice(lists)
