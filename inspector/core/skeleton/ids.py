"""Other ids in the place of those of a log: each a different one, of the same length and shape, in the same order."""

import re
from collections.abc import Iterable
from string import ascii_lowercase, ascii_uppercase, digits

# What ids of providers and agents begin with, which tells what they are ids of; and what a model's name does that
# tells whose rules judge it.
ID_PREFIX = re.compile(
    r"(?:(?:toolu|msg)_(?:vrtx|bdrk)|srvtoolu|toolu|call|prt|ses|req|item|resp|chatcmpl|msg|amsg|rs|fc|ctc|ws)[_-]|"
    r"(?:claude|gemini|gpt)-"
)
_FIRST = (ascii_lowercase, ascii_uppercase, digits)  # a name that begins with a letter still does
_REST = ("56789", digits, digits + ascii_uppercase + ascii_lowercase)


def replacement_ids(texts: Iterable[str]) -> dict[str, str]:
    """The other id of each text, which has no blanks and is ASCII."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for text in sorted(set(texts)):
        prefix = id_prefix(text)
        rest = text[len(prefix) :]
        first = next(filter(str.isalnum, rest), "0")
        alike.setdefault((prefix, re.sub(r"[A-Za-z0-9]", "x", rest), _class_of(first)), []).append(text)
    return {
        text: _nth_id(key, number, len(group)) for key, group in alike.items() for number, text in enumerate(group)
    }  # fmt: skip


def id_prefix(text: str) -> str:
    """What an id begins with, "" where that tells nothing."""
    found = ID_PREFIX.match(text)
    return found[0] if found else ""


def _class_of(sign: str) -> str:
    return next(signs for signs in _FIRST if sign in signs)


def _nth_id(key: tuple[str, str, str], number: int, count: int) -> str:
    """The id with this number of so many that are shaped alike."""
    prefix, shape, first = key
    places = shape.count("x")
    if not places:
        return prefix + shape
    rest = next((each for each in _REST if len(first) * len(each) ** (places - 1) >= count), _REST[-1])
    signs = []
    for _ in range(places - 1):
        number, place = divmod(number, len(rest))
        signs.append(rest[place])
    signs.append(first[number % len(first)])
    return prefix + "".join(signs.pop() if sign == "x" else sign for sign in shape)
