"""How counts and sizes are written in sentences, and how the versions that are recorded in logs are compared."""

import re
from functools import lru_cache

from inspector.core.translation import tr

# No version has longer numbers. A log may hold thousands of digits, which `int` refuses.
_NUMBER = re.compile(r"\d{1,9}")


@lru_cache(maxsize=16)
def version_numbers(version: str) -> tuple[int, ...]:
    """Return the first three numbers of a version for comparison, () if it is not known."""
    return tuple(map(int, _NUMBER.findall(version)[:3]))


def is_older_version(version: str, than: str) -> bool:
    """Return whether a version comes before another one. False if one of them is not known."""
    return bool(than) and () < version_numbers(version) < version_numbers(than)


def count_phrase(number: int, what: str, plural: str = "s") -> str:
    """Return '1 call' or '2,000 calls'. `plural` is the plural ending."""
    return f"{number:,} {what}{'' if number == 1 else plural}"


def format_bytes(count: int) -> str:
    """Return a number of bytes with a unit, such as '1.5 MB'."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return tr("{count} bytes", count=count)


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text, in which JavaScript and Qt count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
