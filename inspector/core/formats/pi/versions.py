"""Which of pi's versions is meant: no session says it, so that one that is not named counts as a newer one."""

import re


def is_older(version: str, than: tuple[int, ...]) -> bool:
    """Whether a version is known, and comes before another one."""
    numbers = tuple(map(int, re.findall(r"\d+", version)))
    return bool(numbers) and numbers < than
