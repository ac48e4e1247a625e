"""Values and keys as JSON allows them and few write them, and as it does not."""

from __future__ import annotations

import re
from random import Random

from tests.robustness.fuzz.mutations.picking import Unfit, pick
from tests.robustness.fuzz.tree import Key, Tree, Verbatim

NUMBERS = (
    "1e400", "-1e999", "1E+2", "-0", "-0.0", "1.0000000000000000000000001", "9" * 400, "NaN", "Infinity", "-Infinity",
    "01", "1.", ".5", "0x10", "18446744073709551616",
)  # fmt: skip

# Signs that steer a terminal or turn the direction of text, halves of surrogate pairs, and what is no character.
SIGNS = (
    "\x00", "\x07", "\x08", "\x1b[31m", "\x1b]0;title\x07", "\x1b]52;c;eA==\x07", "\x7f", "\x85", "\x9b2J", "\r",
    "\u2028", "\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\ufffe", "\ufffd", "\ud800", "\udc00",
    "\udfff\ud800", "\U0001f600", "\u0301",
    "<img src=file:///dev/zero>", "&amp;", "$(id)", "'; id #", "`id`", "{name}", "%s", "../../etc", "\n\n",
)  # fmt: skip

DEPTHS = (20, 150, 400, 1200, 20_000)


def odd_number(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree)
    holder[key] = Verbatim(random.choice(NUMBERS))


def deep_value(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree)
    depth = random.choice(DEPTHS)
    opened, closed = random.choice((("[", "]"), ('{"a":', "}"), ('[{"type":"text","text":', "}]")))
    holder[key] = Verbatim(opened * depth + "1" + closed * (depth - (random.random() < 0.2)))


def sign_in_text(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(value, str))
    text, at = holder[key], random.randint(0, len(holder[key]))
    holder[key] = text[:at] + random.choice(SIGNS) + text[at:]


def sign_in_key(random: Random, tree: Tree) -> None:
    holder, key = pick(random, tree, lambda key, value: isinstance(key, str))
    holder[key + random.choice(SIGNS)] = holder[key]


def escaped_half(random: Random, tree: Tree) -> None:
    """Half of a surrogate pair as an escape, behind backslashes of its own or not."""
    holder, key = pick(random, tree, lambda key, value: isinstance(value, str))
    holder[key] = Verbatim(
        random.choice((r'"\ud83d"', r'"\udc00 x"', r'"\\ud83d"', r'"\\\ud83d text"', r'"\ud83d\ud83d"'))
    )


def escaped_key(random: Random, tree: Tree) -> None:
    """One letter of a key as an escape: the same key to every reader."""
    holder, key = pick(random, tree, lambda key, value: isinstance(key, str) and key.isalpha())
    at = random.randrange(len(key))
    spelled = Key(f'"{key[:at]}\\u{ord(key[at]):04x}{key[at + 1 :]}"')
    items = [(spelled if each == key else each, value) for each, value in holder.items()]
    holder.clear()
    holder.update(items)


def escaped_text(random: Random, tree: Tree) -> None:
    """A word spelled with escapes: the same value to every reader."""
    holder, key = pick(
        random, tree, lambda key, value: isinstance(value, str) and 0 < len(value) < 200 and value.isascii()
    )
    holder[key] = Verbatim('"' + "".join(f"\\u{ord(letter):04x}" for letter in holder[key]) + '"')


def many_digits(random: Random, tree: Tree) -> None:
    """A number of more digits than Python reads in the place of one that a text holds."""
    holder, key = pick(random, tree, lambda key, value: isinstance(value, str) and any(map(str.isdigit, value)))
    numbers = [*re.finditer(r"\d+", holder[key])]
    if not numbers:
        raise Unfit
    number = random.choice(numbers)
    holder[key] = holder[key][: number.start()] + "9" * 5000 + holder[key][number.end() :]


def repeated_key(random: Random, tree: Tree) -> None:
    """A key twice in one object, with two values."""
    holder, key = pick(random, tree, lambda key, value: isinstance(key, str) and key.isidentifier())
    holder[Key(f'"{key}"')] = random.choice((None, "", "x", [], 7, holder[key]))


def odd_word(random: Random, tree: Tree) -> None:
    """What is no JSON in the place of a value."""
    holder, key = pick(random, tree)
    holder[key] = Verbatim(
        random.choice(("undefined", "None", "'x'", "", '"open', '"tab\there"', "{,}", "[1,]", "\x00", "/**/1"))
    )


TABLE = {
    each.__name__: each
    for each in (
        odd_number,
        deep_value,
        sign_in_text,
        sign_in_key,
        escaped_half,
        escaped_key,
        escaped_text,
        many_digits,
        repeated_key,
        odd_word,
    )
}
