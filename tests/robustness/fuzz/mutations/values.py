"""Single values: lost, empty, of another type, another word, in another place."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from tests.robustness.fuzz.mutations.picking import Unfit, pick, same_key
from tests.robustness.fuzz.tree import Spelling, Tree, Verbatim

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, 2**53 + 1, "", " ", "\n", "x", [], {}, [[]], [{}], [None], ["text"], [7],
    {"": ""}, {"type": "text"}, {"type": "text", "text": None}, {"type": "text", "content": "in the wrong field"},
    {"type": "tool_use"}, {"type": "tool_result"}, {"type": "tool_result", "text": "in the wrong field"}, "a" * 3000,
)  # fmt: skip

# Words that mean something to some format: one in the place of another is a record of another kind.
WORDS = tuple(
    """user assistant system developer tool model function human ai gpt text tool_use tool_result thinking
    redacted_thinking function_call function_call_output reasoning message image server_tool_use compaction summary
    config progress completed pending running error success session_meta response_item event_msg turn_context
    custom_tool_call local_shell_call""".split()
)
_PLAIN = Spelling()


def drop_key(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(key, str))
    del holder[key]


def odd_value(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree)
    holder[key] = deepcopy(random.choice(ODD))


def other_type(random: Random, tree: Tree) -> None:
    """The same value as another type: a number as its digits, a text in a list, an object as its JSON."""
    holder, key = pick(random, tree)
    value = holder[key]
    written = Tree([value], is_lines=False).write(_PLAIN)
    try:
        text = written.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # bytes that are none of a character: a record that was torn
        text = written.decode("utf-8", "surrogateescape")
    text = "".join(text.split("\n"))
    holder[key] = random.choice([[value], {"value": value}, {"text": value}, text, len(text), value is None])


def unwrap(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(value, dict | list) and len(value) > 0)
    value = holder[key]
    holder[key] = random.choice(list(value.values()) if isinstance(value, dict) else value)


def empty(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: bool(value) and isinstance(value, str | dict | list))
    holder[key] = type(holder[key])() if not isinstance(holder[key], Verbatim) else ""


def other_word(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: value in WORDS if isinstance(value, str) else False)
    holder[key] = random.choice(WORDS)


def misspelt(key: str) -> list[str]:
    return [key.upper(), f"{key}_", key[1:]]


def rename_key(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(key, str))
    new = random.choice([*misspelt(key), "content", "text", "type", "id"])
    items = [(new if each == key else each, value) for each, value in holder.items()]
    holder.clear()
    holder.update(items)


def add_key(random: Random, tree: Tree) -> None:
    holder, _ = pick(random, tree, lambda key, value: isinstance(key, str))
    name = random.choice(
        ["type", "role", "content", "text", "id", "tool_calls", "parts", "message", "is_error", "uuid"]
    )
    holder[name] = deepcopy(random.choice((*ODD, *WORDS)))


def swap_values(random: Random, tree: Tree) -> None:
    """The values of one key in two places."""
    holder, key = pick(random, tree)
    other, _ = same_key(random, tree, key, holder)
    if _holds(holder[key], other) or _holds(other[key], holder):
        raise Unfit
    holder[key], other[key] = other[key], holder[key]


def copy_value(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree)
    other, _ = same_key(random, tree, key, holder)
    holder[key] = deepcopy(other[key])


def transplant(random: Random, tree: Tree) -> None:
    """Any value into any place."""
    (holder, key), (other, from_key) = pick(random, tree), pick(random, tree)
    holder[key] = deepcopy(other[from_key])


def flip_flag(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(value, bool))
    holder[key] = not holder[key]


def turn_keys(random: Random, tree: Tree) -> None:
    holder, _ = pick(random, tree, lambda key, value: isinstance(key, str))
    items = list(holder.items())
    random.shuffle(items)
    holder.clear()
    holder.update(items)


def in_inner_json(random: Random, tree: Tree) -> None:
    """Arguments that are JSON in a text: cut, of another type, or no JSON."""
    holder, key = pick(random, tree, lambda key, value: isinstance(value, str) and value[:1] in ("{", "["))
    text = holder[key]
    holder[key] = random.choice([text[:-1], f"[{text}]", "null", "", "1e400", text + text, '{"a":1,"a":2}', "not JSON"])


def _holds(value: Any, wanted: Any) -> bool:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if each is wanted:
            return True
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return False


TABLE = {
    each.__name__: each
    for each in (
        drop_key,
        odd_value,
        other_type,
        unwrap,
        empty,
        other_word,
        rename_key,
        add_key,
        swap_values,
        copy_value,
        transplant,
        flip_flag,
        turn_keys,
        in_inner_json,
    )
}
