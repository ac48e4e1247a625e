"""Whether a JSON text is sound, and its value. orjson judges; where it is stricter than JSON, the standard parser.

Most texts are sound, and msgspec passes over such a one in a third of the time that orjson takes to build its value. It
is as strict as orjson but for bytes within a text that are no UTF-8, which are looked for apart.

orjson refuses numbers that no double holds (1e400), which JSON allows and every agent reads. It also refuses half of a
surrogate pair, which providers refuse as well: that stays unsound.

orjson reads 1,024 levels of nesting. How many msgspec and the standard parser read depends on the Python and on the
stack of the caller, so none of them decides: a deeper text is unsound on every Python.

Merged; to be rewritten:
`any_text`: Text that is no valid Unicode, carried through what takes nothing else: so are the names of files that are
no UTF-8.
`depth`: How deep a value may be nested. Without a JSON library, so that a command pays for none before it needs one.
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
from inspector.core.storage.nesting import DEEPEST, DEEPEST_ODD

_pass_over = msgspec.json.Decoder(msgspec.Raw).decode
LONE_SURROGATE = lazy_regex(
    # What both begin with stands in front: so it is searched for as it is, twenty times as fast.
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    rb"(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)
# An escaped letter, digit or underscore, which no known program writes; and any escape at all.
_ESCAPED_WORD_CHARACTER = lazy_regex(rb"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])")
_ESCAPE = lazy_regex(rb"\\(?:u00([0-9a-fA-F]{2})|.)", re.DOTALL)


def parse_json(text: bytes) -> Any:
    """The value of a sound or nearly sound text (half surrogates are let pass). Raises ValueError."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if is_too_deep(text):
            raise TooDeep from None
        return json.loads(text.decode("utf-8", "replace"), strict=False, parse_int=_whole_number)


def _has_brackets(text: bytes, levels: int) -> bool:
    """Whether a text has enough brackets to be nested deeper than that, wherever they stand."""
    return len(text) > 2 * levels and text.count(b"[") + text.count(b"{") > levels


def is_too_deep(text: bytes) -> bool:
    """Whether a text that orjson does not read is nested too deeply for the standard parser, on any Python."""
    if not _has_brackets(text, DEEPEST_ODD):
        return False
    depth = 0
    for token in _STRUCTURE.finditer(text):
        sign = token.group()
        depth += (sign in b"[{") - (sign in b"]}")
        if depth > DEEPEST_ODD:
            return True
    return False


_STRUCTURE = lazy_regex(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _whole_number(digits: str) -> int | float:
    """Any number of digits: what Python does not read as whole (by default over 4,300) is infinite to a double."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


@lru_cache(maxsize=4)
def parse_json_cached(text: bytes) -> Any:
    """The value of a text that is asked about for each of its calls: parsed once, and not to be changed by anyone."""
    return parse_json(text)


def unescape_keys(text: bytes) -> bytes:
    """A text to look for keys in, sound or not: letters that it escapes stand in it as themselves."""
    return text if _ESCAPED_WORD_CHARACTER.search(text) is None else _ESCAPE.sub(_read, text)


def _read(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[1], 16),)) if _ESCAPED_WORD_CHARACTER.fullmatch(escape[0]) else escape[0]


def dump_json(value: Any) -> bytes:
    """A value as compact JSON; the standard writer takes what orjson does not (integers of any size)."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def pretty_json(value: Any) -> str:
    """JSON for reading."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return str(value)


def value_at(value: Any, pointer: str, default: Any = None) -> Any:
    """What stands at a pointer into a parsed value, `default` where nothing does."""
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
    """The text that stands there, "" where none does."""
    found = value_at(value, pointer)
    return found if isinstance(found, str) else ""


def object_at(value: Any, pointer: str) -> dict[str, Any]:
    """The object that stands there, an empty one where none does."""
    found = value_at(value, pointer)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, pointer: str) -> list[Any]:
    """The list that stands there, an empty one where none does."""
    found = value_at(value, pointer)
    return found if isinstance(found, list) else []


def objects_at(value: Any, pointer: str) -> list[dict[str, Any]]:
    """The objects in that list."""
    return [each for each in list_at(value, pointer) if isinstance(each, dict)]


def numbers_at(value: Any, *pointers: str) -> list[int | None]:
    """The whole numbers that stand at some pointers, None for anything else."""
    found = (value_at(value, pointer) for pointer in pointers)
    return [each if isinstance(each, int) else None for each in found]


def as_json_object(value: Any) -> dict[str, Any]:
    """A value as an object: null becomes {}, a text with a JSON object is parsed, anything else is under "_raw"."""
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


def as_json_string(value: Any) -> str:
    """A value as a text with JSON."""
    return "{}" if value is None else dump_json(value).decode()


def is_valid_json(text: bytes) -> bool:
    """Whether agents and providers can read the text."""
    try:
        _pass_over(text)
        if not (_PASSES_TOO_DEEP and _has_brackets(text, DEEPEST)):
            return text.isascii() or bool(text.decode())
    except (ValueError, RecursionError):
        pass
    return _is_valid_for_orjson(text)


def _passes_too_deep() -> bool:
    """Whether msgspec passes over more levels than orjson reads, as it does since Python 3.12."""
    try:
        _pass_over(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1))
    except RecursionError:
        return False
    return True


_PASSES_TOO_DEEP = _passes_too_deep()
_CLOSINGS = tuple(pair * 32 for pair in (b"}}", b"]]", b"]}", b"}]"))


def may_be_too_deep(text: bytes | memoryview) -> bool:
    """Whether msgspec may have passed over what is too deep: a sign for readers that do not ask `is_sound` each time.

    What is nested so deeply ends, as good as always, in a row of closing brackets: they are found in a hundredth of the
    time that counting takes. What ends otherwise is TooDeep when it is read.
    """
    if not _PASSES_TOO_DEEP or len(text) <= 2 * DEEPEST:
        return False
    looked_at = bytes(text)  # a memoryview cannot be searched
    return any(row in looked_at for row in _CLOSINGS)


def javascript_can_parse(text: bytes) -> bool:
    """Whether a JavaScript program parses it: half surrogates pass, and bytes that are no UTF-8 are replaced."""
    return is_valid_json(replace_lone_surrogates(text.decode("utf-8", "replace").encode()))


_LAST = b'}]"0123456789el'  # what a JSON text ends with


def _is_valid_for_orjson(text: bytes) -> bool:
    if text.rstrip()[-1:] not in _LAST:
        return False  # most lines of an indented document, without an error for each reader that could raise one
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
    raise ValueError(f"{name} is no JSON")


_STRICT_DECODER = json.JSONDecoder(parse_constant=_refuse)  # making one takes longer than most of what it is asked


def replace_lone_surrogates(text: bytes) -> bytes:
    """`text` with every escaped half of a surrogate pair replaced by an escaped U+FFFD."""

    def mended(match: re.Match[bytes]) -> bytes:
        backslashes = 0
        while text[match.start() - 1 - backslashes : match.start() - backslashes] == b"\\":
            backslashes += 1
        return match.group() if backslashes % 2 else rb"\ufffd"

    return LONE_SURROGATE.sub(mended, text)


# Text that is no valid Unicode, carried through what takes nothing else: so are the names of files that are no UTF-8.
#
# Python holds a byte that it cannot decode as a lone surrogate; JSON and MessagePack refuse those, and Qt drops them.

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
