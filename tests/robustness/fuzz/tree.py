"""A log as JSON values that can be moved about, and written again in many spellings, some of them no JSON at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any


class Verbatim(str):
    """A text that is written as it is, in the place of a value."""

    __slots__ = ()


class Key(str):
    """A key that is written as it is, and equals no other: an object can hold one twice, or escaped."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


@dataclass(frozen=True)
class Spelling:
    """How values are written: escapes for what is not ASCII, spaces, and an indent (0: on one line)."""

    ascii: bool = False
    spaces: bool = False
    indent: int = 0

    @classmethod
    def any(cls, random: Random) -> Spelling:
        return cls(random.random() < 0.2, random.random() < 0.2, random.choice((0, 0, 2)))


@dataclass
class Tree:
    """The values of a log: its lines (what is no JSON among them verbatim), or the one value of a document."""

    values: list[Any]
    is_lines: bool

    @classmethod
    def read(cls, data: bytes) -> Tree | None:
        """None when nothing of it is JSON."""
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        try:
            return cls([json.loads(text)], is_lines=False)
        except (ValueError, RecursionError):
            values = [_value(line) for line in text.split("\n") if line.strip()]
        return cls(values, is_lines=True) if any(not isinstance(value, Verbatim) for value in values) else None

    @property
    def records(self) -> list[Any]:
        """The list whose members are the records: the lines, or the longest list of objects in the document."""
        if self.is_lines:
            return self.values
        lists = [self.values, *(value for value in inner(self.values) if isinstance(value, list))]
        return max(lists, key=lambda each: sum(isinstance(value, dict) for value in each))

    def write(self, spelling: Spelling) -> bytes:
        if not self.is_lines:
            return _encoded("".join(_spelled(self.values[0], spelling, 0)) if self.values else "") + b"\n"
        line = Spelling(spelling.ascii, spelling.spaces)
        return b"".join(_encoded("".join(_spelled(value, line, 0))) + b"\n" for value in self.values)


def inner(value: Any) -> Iterator[Any]:
    """Everything in a value, outermost first."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        held = list(each.values()) if isinstance(each, dict) else each if isinstance(each, list) else []
        yield from held
        waiting += reversed(held)


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return Verbatim(line)


def _encoded(text: str) -> bytes:
    """UTF-8; bytes that were none come back as they were, and half surrogates as the bytes that some programs write."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _spelled(value: Any, how: Spelling, depth: int) -> Iterator[str]:
    if isinstance(value, Verbatim):
        yield str(value)
    elif isinstance(value, dict | list) and value:
        is_object = isinstance(value, dict)
        gap = "\n" + " " * how.indent * (depth + 1) if how.indent else ""
        comma = "," if how.indent or not how.spaces else ", "
        yield "{" if is_object else "["
        for number, each in enumerate(value):
            yield (comma if number else "") + gap
            if is_object:
                yield (str(each) if isinstance(each, Key) else json.dumps(each, ensure_ascii=how.ascii))
                yield ": " if how.spaces or how.indent else ":"
            yield from _spelled(value[each] if is_object else each, how, depth + 1)
        yield ("\n" + " " * how.indent * depth if how.indent else "") + ("}" if is_object else "]")
    else:
        yield json.dumps(value, ensure_ascii=how.ascii)
