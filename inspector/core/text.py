"""Versions of agents and of their files, as logs spell them.

Merged; to be rewritten:
`amounts`: How many of something, as a sentence tells it.
`sizes`: Sizes as a person reads them.
"""

import re

# How many of something, as a sentence tells it.


def count_phrase(number: int, what: str, plural: str = "s") -> str:
    """'1 call' or '2,000 calls'; `plural` is what the name of several ends with."""
    return f"{number:,} {what}{'' if number == 1 else plural}"


# Nobody counts further; a log may hold thousands of digits, which `int` refuses.
_NUMBER = re.compile(r"\d{1,9}")


def version_numbers(version: str) -> tuple[int, ...]:
    """A version as at most three numbers that can be compared, () for one that is not known."""
    return tuple(map(int, _NUMBER.findall(version)[:3]))


def is_older_version(version: str, than: str) -> bool:
    """Whether a version is known, and comes before another one that is."""
    return bool(than) and () < version_numbers(version) < version_numbers(than)


# Sizes as a person reads them.


def format_bytes(count: int) -> str:
    """A number of bytes."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
