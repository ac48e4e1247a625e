"""Versions of agents and of their files, as logs spell them."""

import re

# Nobody counts further; a log may hold thousands of digits, which `int` refuses.
_NUMBER = re.compile(r"\d{1,9}")


def version_numbers(version: str) -> tuple[int, ...]:
    """A version as at most three numbers that can be compared, () for one that is not known."""
    return tuple(map(int, _NUMBER.findall(version)[:3]))


def is_older_version(version: str, than: str) -> bool:
    """Whether a version is known, and comes before another one that is."""
    return bool(than) and () < version_numbers(version) < version_numbers(than)
