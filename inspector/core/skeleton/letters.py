"""Letters, numbers and times in the place of others, of the same length in UTF-8 and in JSON."""

import json
import re
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import shake_256

_SIGN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_PARTS = re.compile(r"\\+u[0-9a-fA-F]{4}|\\+.|[^\\]+", re.DOTALL)
_RANGES = (("a", 26), ("A", 26), ("0", 10))
_OTHERS = {
    2: ("é", "è"),
    3: ("字", "文"),
    4: ("\U00010348", "\U00010349"),
}  # for a sign of so many bytes, and for itself
_SHIFT = timedelta(days=1000, hours=1, minutes=1, seconds=1)
# Seconds since 1970, or their thousandths, millionths, billionths.
_CLOCK = re.compile(rb"(1\d{9}(?:\d{3}){0,3})(\.\d{1,9})?")
_DIGITS = b"123456789"


def split_characters(raw: str) -> list[str]:
    """The characters of a string as JSON spells it, each as it is spelled."""
    return _SIGN.findall(raw)


def decode_json_string(raw: str) -> str:
    """A string that JSON spells, as it is read; what is no escape of JSON is the letter behind the stroke."""
    return "".join(map(_read, split_characters(raw))) if "\\" in raw else raw


def encode_like(text: str, like: str) -> str:
    """A text as JSON spells another of as many characters: what is told there by its number is so here."""
    signs = zip(text, split_characters(like), strict=True)
    return "".join(
        f"\\u{ord(sign):04x}" if len(other) == 6 else other if len(other) == 2 else sign for sign, other in signs
    )


def _read(sign: str) -> str:
    try:
        return str(json.loads(f'"{sign}"', strict=False)) if sign[0] == "\\" else sign
    except ValueError:
        return sign[-1]


def replace_letters(text: str, seed: str) -> str:
    """Each letter and digit is another one, by the `seed` and its place; blanks, punctuation and escapes stay.

    Without the seed nothing tells what it was: no step comes twice, however long the text is.
    """
    stream, made = _stream(seed, len(text)), list[str]()
    for found in _PARTS.finditer(text):
        if found[0][0] == "\\":
            made.append(_escape(found[0], stream[found.start()]))
        else:
            made += map(_other, found[0], stream[found.start() : found.end()])
    return "".join(made)


def _stream(seed: str, length: int) -> bytes:
    return shake_256(seed.encode("utf-8", "surrogateescape")).digest(length)


def _other(sign: str, step: int) -> str:
    for first, size in _RANGES:
        place = ord(sign) - ord(first)
        if 0 <= place < size:
            return chr(ord(first) + (place + 1 + step % (size - 1)) % size)
    if sign.isascii() or "\ud800" <= sign <= "\udfff":
        return sign  # the latter stands for a byte that is no text
    one, two = _OTHERS[len(sign.encode())]
    return two if sign == one else one


def _escape(part: str, step: int) -> str:
    """An escape, as it is but for a sign that it spells by its number; halves of pairs stay halves."""
    if len(part) < 6 or part[-5] != "u":
        return part
    code = int(part[-4:], 16)
    if code < 0x20:
        return part
    first = code & 0xFC00 if 0xD800 <= code < 0xE000 else 0x4E00 if code > 0x7F else 0x78
    other = first + (step if code > 0x7F else 0)
    return f"{part[:-4]}{other + (other == code > 0x7F):04x}"


def replace_number(text: bytes, seed: str) -> bytes:
    """A long number: one that may be a time is an earlier one, any other has other digits."""
    if time := _CLOCK.fullmatch(text):
        return b"%d" % (int(time[1]) - int(_SHIFT.total_seconds()) * 10 ** (len(time[1]) - 10)) + (time[2] or b"")
    stream = _stream(seed, len(text))
    return re.sub(
        rb"(?<![eE+])(?<![eE]-)\d",
        lambda sign: (others := _DIGITS.replace(sign[0], b""))[(at := stream[sign.start()] % len(others)) : at + 1],
        text,
    )


def shift_time(time: str) -> str:
    """A time of ISO 8601, earlier by what all of them are earlier; "" for one that is none."""
    with suppress(ValueError, OverflowError):
        return (datetime.fromisoformat(time[:19]) - _SHIFT).isoformat() + time[19:]
    return ""
