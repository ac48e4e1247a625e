"""JSON texts: parsing and writing them, looking up values, and checking whether agents and providers can read them.

orjson decides whether a text is valid; where it is stricter than JSON, the standard parser decides. Most texts are
valid, and msgspec passes over a valid text in a third of the time that orjson takes to build its value. It is as strict
as orjson except for bytes in strings that are not UTF-8, which are checked separately.

orjson refuses numbers that no double holds (1e400), which JSON allows and every agent reads: such a text is valid.
It also refuses half of a surrogate pair, which providers refuse as well: such a text is invalid.

orjson reads 1,024 levels of nesting. How many levels msgspec and the standard parser read depends on the Python version
and on the stack of the caller, so they do not decide: a deeper text is invalid on every Python.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec
import orjson

from inspector.core.errors import TooDeep
from inspector.core.lazy import lazy_regex
from inspector.core.storage.nesting_limits import MAX_NESTING, MAX_NESTING_STANDARD_PARSER

_pass_over = msgspec.json.Decoder(msgspec.Raw).decode
LONE_SURROGATE = lazy_regex(
    # The common prefix of both alternatives comes first: it is searched as a literal, which is twenty times as fast.
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    rb"(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)
HALF_PAIR = lazy_regex("[\ud800-\udfff]")  # in a parsed text
# An escaped letter, digit or underscore, which no known program writes; and any escape.
_ESCAPED_WORD_CHARACTER = lazy_regex(rb"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])")
_ESCAPE = lazy_regex(rb"\\(?:u00([0-9a-fA-F]{2})|.)", re.DOTALL)


def parse_json(text: bytes) -> Any:
    """Return the value of a valid or nearly valid text (lone surrogates are accepted). Raises ValueError."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if is_too_deep(text):
            raise TooDeep from None
        return json.loads(text.decode("utf-8", "replace"), strict=False, parse_int=_whole_number)


def _has_brackets(text: bytes, levels: int) -> bool:
    """Return whether a text has enough brackets, anywhere, to be nested deeper than `levels`."""
    return len(text) > 2 * levels and text.count(b"[") + text.count(b"{") > levels


def is_too_deep(text: bytes) -> bool:
    """Return whether a text that orjson does not read is nested too deeply for the standard parser, on any Python."""
    if not _has_brackets(text, MAX_NESTING_STANDARD_PARSER):
        return False
    depth = 0
    for token in _STRUCTURE.finditer(text):
        token_text = token.group()
        depth += (token_text in b"[{") - (token_text in b"]}")
        if depth > MAX_NESTING_STANDARD_PARSER:
            return True
    return False


_STRUCTURE = lazy_regex(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _whole_number(digits: str) -> int | float:
    """Return any number of digits as an integer, or as a float if Python refuses it (by default over 4,300 digits).

    Such a number is infinite as a float.
    """
    try:
        return int(digits)
    except ValueError:
        return float(digits)


@lru_cache(maxsize=4)
def parse_json_cached(text: bytes) -> Any:
    """Return the value of a text, parsed once for repeated lookups. Callers must not change it."""
    return parse_json(text)


def unescape_keys(text: bytes) -> bytes:
    """Return a text, valid or not, with its escaped letters, digits and underscores unescaped, to search for keys."""
    return text if _ESCAPED_WORD_CHARACTER.search(text) is None else _ESCAPE.sub(_read, text)


def _read(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[1], 16),)) if _ESCAPED_WORD_CHARACTER.fullmatch(escape[0]) else escape[0]


def dump_json(value: Any) -> bytes:
    """Return a value as compact JSON. The standard writer takes what orjson does not (integers of any size)."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def pretty_json(value: Any) -> str:
    """Return a value as indented JSON for reading."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return str(value)


def value_at(value: Any, pointer: str, default: Any = None) -> Any:
    """Return the value at a pointer into a parsed value, `default` if there is none."""
    try:
        for key in _keys(pointer):
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (KeyError, TypeError, IndexError, ValueError):
        return default
    return value


@lru_cache(4096)
def _keys(pointer: str) -> list[str]:
    return pointer.split("/")[1:]


def text_at(value: Any, pointer: str) -> str:
    """Return the string at a pointer, "" if there is none."""
    member = value_at(value, pointer)
    return member if isinstance(member, str) else ""


def object_at(value: Any, pointer: str) -> dict[str, Any]:
    """Return the object at a pointer, an empty one if there is none."""
    member = value_at(value, pointer)
    return member if isinstance(member, dict) else {}


def list_at(value: Any, pointer: str) -> list[Any]:
    """Return the list at a pointer, an empty one if there is none."""
    member = value_at(value, pointer)
    return member if isinstance(member, list) else []


def objects_at(value: Any, pointer: str) -> list[dict[str, Any]]:
    """Return the objects in the list at a pointer."""
    return [item for item in list_at(value, pointer) if isinstance(item, dict)]


def integers_at(value: Any, *pointers: str) -> list[int | None]:
    """Return the integers at some pointers, None for anything else."""
    members = (value_at(value, pointer) for pointer in pointers)
    return [member if isinstance(member, int) else None for member in members]


def sum_at(value: Any, *pointers: str) -> int | None:
    """Return the sum of the integers at some pointers, None where there is none at all."""
    numbers = [number for number in integers_at(value, *pointers) if number is not None]
    return sum(numbers) if numbers else None


def coerce_to_json_object(value: Any) -> dict[str, Any]:
    """Return a value as an object: {} for null, a string that holds a JSON object parsed, all else under "_raw"."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            inner = parse_json(value.encode())
        except ValueError:
            inner = None
        if isinstance(inner, dict):
            return inner
    return value if isinstance(value, dict) else {"_raw": value}


def coerce_to_json_string(value: Any) -> str:
    """Return a value as a string that holds JSON, "{}" for None."""
    return "{}" if value is None else dump_json(value).decode()


def is_valid_json(text: bytes) -> bool:
    """Return whether agents and providers can read the text."""
    try:
        _pass_over(text)
        if not (_PASSES_TOO_DEEP and _has_brackets(text, MAX_NESTING)):
            return text.isascii() or bool(text.decode())
    except (ValueError, RecursionError):
        pass
    return _is_valid_for_orjson(text)


def _passes_too_deep() -> bool:
    """Return whether msgspec passes over more levels than orjson reads, as it does since Python 3.12."""
    try:
        _pass_over(b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1))
    except RecursionError:
        return False
    return True


_PASSES_TOO_DEEP = _passes_too_deep()
_STRIDE = MAX_NESTING // 4
_ONE_BRACKET = bytes.maketrans(b"}", b"]")


def may_be_too_deep(text: bytes | memoryview) -> bool:
    """Return whether a text that msgspec passed over may be too deep, for readers that do not call `is_valid_json`.

    A value nested so deeply nearly always ends in a row of closing brackets. Four bytes, each a stride after the one
    before, all fall into such a row, so that it is enough to look at one byte of each stride. A value that ends
    otherwise raises TooDeep when it is read.
    """
    if not _PASSES_TOO_DEEP or len(text) <= 2 * MAX_NESTING:
        return False
    return b"]]]]" in bytes(text[::_STRIDE]).translate(_ONE_BRACKET)


def is_utf8(text: bytes) -> bool:
    """Return whether bytes are a text in UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def javascript_can_parse(text: bytes) -> bool:
    """Return whether a JavaScript program parses a text. It accepts lone surrogates and replaces bytes not in UTF-8."""
    return is_valid_json(replace_lone_surrogates(text.decode("utf-8", "replace").encode()))


_LAST = b'}]"0123456789el'


def ends_like_json(text: bytes) -> bool:
    """Return whether the last byte is one that JSON can end with, unlike that of most lines of an indented document."""
    return text.rstrip()[-1:] in _LAST


def _is_valid_for_orjson(text: bytes) -> bool:
    if not ends_like_json(text):
        return False  # without the cost of an exception
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return _is_strictly_valid(text)
    return True


def _is_strictly_valid(text: bytes) -> bool:
    if LONE_SURROGATE.search(text) is not None or is_too_deep(text):
        return False
    try:
        _STRICT_DECODER.decode(text.decode("utf-8"))
    except ValueError:
        return False
    return True


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not valid JSON")


_STRICT_DECODER = json.JSONDecoder(parse_constant=_refuse)  # creating one takes longer than most of its uses


def replace_invalid_characters(text: bytes) -> bytes:
    """Return `text` with bytes that are not UTF-8, and escaped lone surrogates, replaced by U+FFFD."""
    return replace_lone_surrogates(replace_invalid_bytes(text))


def replace_invalid_bytes(text: bytes) -> bytes:
    """Return `text` with bytes that are not UTF-8 replaced by U+FFFD."""
    return text if text.isascii() else text.decode("utf-8", "replace").encode()


def has_lone_surrogate(text: bytes) -> bool:
    """Return whether a text holds an escaped lone surrogate."""
    return replace_lone_surrogates(text) != text


def replace_lone_surrogates(text: bytes) -> bytes:
    """Return `text` with every escaped lone surrogate replaced by an escaped U+FFFD."""

    def repaired(match: re.Match[bytes]) -> bytes:
        backslashes = 0
        while text[match.start() - 1 - backslashes : match.start() - backslashes] == b"\\":
            backslashes += 1
        return match.group() if backslashes % 2 else rb"\ufffd"

    return LONE_SURROGATE.sub(repaired, text)


# File names that are not UTF-8 are escaped to pass through interfaces that take only valid Unicode. Python holds a byte
# that it cannot decode as a lone surrogate; JSON and MessagePack refuse those, and Qt drops them.
#
# The last character of the private planes announces an escaped surrogate, which moves into the same planes.
_SIGN = "\U0010fffd"
_OFFSET = 0x100000
_ODD = lazy_regex(f"[\ud800-\udfff{_SIGN}]")
_ESCAPED = lazy_regex(f"{_SIGN}(.)", re.DOTALL)


def hide_surrogates(text: str) -> str:
    """Return a text as valid Unicode. In a valid text only the sign that announces an escape changes."""
    return _ODD.sub(lambda odd: _SIGN + (_SIGN if odd[0] == _SIGN else chr(ord(odd[0]) + _OFFSET)), text)


def restore_surrogates(text: str) -> str:
    """Return the text that `hide_surrogates` escaped."""
    return _ESCAPED.sub(lambda match: _SIGN if match[1] == _SIGN else chr(ord(match[1]) % _OFFSET), text)


def map_strings(change: Callable[[str], str], value: Any) -> Any:
    """Return a value of lists, tuples and dicts with `change` applied to every string in it. Tuples become lists."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [map_strings(change, item) for item in value]
    if isinstance(value, dict):
        return {map_strings(change, key): map_strings(change, item) for key, item in value.items()}
    return value
