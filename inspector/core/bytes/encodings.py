"""Texts that are no UTF-8 lines, and so no log yet: how to tell them, and what to do first."""

from inspector.core.errors import UnreadableLog
from inspector.core.later import lazy_regex

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE_JSON = lazy_regex(rb'(?:\0\0\0|\0)[\[{]\0|[\[{]\0+["\s\[{\]}]\0')
_CARRIAGE_RETURNS = lazy_regex(rb"\}\r+[ \t]*\{")  # outside of a string, for there a raw line end may not stand


def require_utf8_lines(head: bytes, path: str) -> None:
    """Raises UnreadableLog where the beginning of a log is not written in UTF-8, or its lines end in no line feed."""
    if head.startswith(_UTF16_MARKS) or _WIDE_JSON.match(head):
        raise UnreadableLog(
            f"{path} is written in UTF-16 or UTF-32, and logs are UTF-8: save it as UTF-8 "
            "(`iconv -f UTF-16 -t UTF-8`, say), and open that."
        )
    if b"\n" not in head and _CARRIAGE_RETURNS.search(head):
        raise UnreadableLog(
            f"{path} ends its lines with carriage returns alone, which no agent reads: let them end with line feeds "
            r"(`tr '\r' '\n'`), and open that."
        )
