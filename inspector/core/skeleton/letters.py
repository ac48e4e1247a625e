"""Letters, numbers and times in the place of others, of the same length in UTF-8 and in JSON."""

import re
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import blake2b

_PARTS = re.compile(r"\\+u[0-9a-fA-F]{4}|\\+.|[^\\]+", re.DOTALL)
_RANGES = (("a", 26), ("A", 26), ("0", 10))
_OTHERS = {
    2: ("é", "è"),
    3: ("字", "文"),
    4: ("\U00010348", "\U00010349"),
}  # for a sign of so many bytes, and for itself
_SHIFT = timedelta(days=1000, hours=1, minutes=1, seconds=1)
_CLOCKS = (10, 13, 16, 19)  # digits of seconds since 1970, and of their thousandths


def other_letters(text: str, seed: str) -> str:
    """Each letter and digit is another one, by the `seed` and its place; blanks, punctuation and escapes stay."""
    stream = blake2b(seed.encode("utf-8", "surrogateescape"), digest_size=61).digest()
    made: list[str] = []
    for part in _PARTS.findall(text):
        if part[0] == "\\":
            made.append(_escape(part))
        else:
            made += (_other(sign, stream[(len(made) + at) % len(stream)]) for at, sign in enumerate(part))
    return "".join(made)


def _other(sign: str, step: int) -> str:
    for first, size in _RANGES:
        place = ord(sign) - ord(first)
        if 0 <= place < size:
            return chr(ord(first) + (place + 1 + step % (size - 1)) % size)
    if sign.isascii() or "\ud800" <= sign <= "\udfff":
        return sign  # the latter stands for a byte that is no text
    one, two = _OTHERS[len(sign.encode())]
    return two if sign == one else one


def _escape(part: str) -> str:
    """An escape, as it is but for a sign that it spells by its number; halves of pairs stay halves."""
    if len(part) < 6 or part[-5] != "u":
        return part
    code = int(part[-4:], 16)
    if 0xD800 <= code < 0xE000:
        return f"{part[:-2]}{(code + 1) & 0xFF:02x}"
    return part if code < 0x20 else f"{part[:-4]}{0x4E00 + code % 0x100:04x}" if code > 0x7F else f"{part[:-4]}0078"


def other_number(text: bytes) -> bytes:
    """A long number: one that may be a time is an earlier one, any other has other digits."""
    if text.isdigit() and len(text) in _CLOCKS and text[:1] == b"1":
        return b"%d" % (int(text) - int(_SHIFT.total_seconds()) * 10 ** (len(text) - _CLOCKS[0]))
    return re.sub(rb"(?<![eE+-])\d", lambda sign: b"%d" % (int(sign[0]) % 9 + 1), text)


def shifted(time: str) -> str:
    """A time of ISO 8601, earlier by what all of them are earlier."""
    with suppress(ValueError, OverflowError):
        return (datetime.fromisoformat(time[:19]) - _SHIFT).isoformat() + time[19:]
    return other_letters(time, time)
