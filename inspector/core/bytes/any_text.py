"""Text that is no valid Unicode, carried through what takes nothing else: so are the names of files that are no UTF-8.

Python holds a byte that it cannot decode as a lone surrogate; JSON and MessagePack refuse those, and Qt drops them.
"""

import re
from collections.abc import Callable
from typing import Any

# The last character of the private planes announces an escaped surrogate, which moves into the same planes.
_SIGN = "\U0010fffd"
_OFFSET = 0x100000
_ODD = re.compile(f"[\ud800-\udfff{_SIGN}]")
_ESCAPED = re.compile(f"{_SIGN}(.)", re.DOTALL)


def escape_surrogates(text: str) -> str:
    """A text as valid Unicode; one that is valid is itself, but for the sign that announces an escape."""
    return _ODD.sub(lambda odd: _SIGN + (_SIGN if odd[0] == _SIGN else chr(ord(odd[0]) + _OFFSET)), text)


def unescape_surrogates(text: str) -> str:
    """The inverse of `escaped`."""
    return _ESCAPED.sub(lambda found: _SIGN if found[1] == _SIGN else chr(ord(found[1]) % _OFFSET), text)


def map_strings(change: Callable[[str], str], value: Any) -> Any:
    """A value of lists, tuples and dicts with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [map_strings(change, each) for each in value]
    if isinstance(value, dict):
        return {map_strings(change, key): map_strings(change, each) for key, each in value.items()}
    return value
