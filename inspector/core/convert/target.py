"""The shape of a target: what a history can be converted into."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import orjson

from inspector.core.bytes.source import Source
from inspector.core.convert.neutral import About, Notes, Part, Turn
from inspector.core.index.views import BlockKind

_SURROGATE = range(0xD800, 0xE000)


class Target(ABC):
    """One target. `reads_as` is the format that reads what is written, "" for a page that nothing reads back."""

    name: str
    summary: str
    suffix: str
    reads_as = ""

    def name_for(self, source: Source) -> str:
        """The name that the conversion of a log gets."""
        stem = PurePath(source.copy_name).stem.removesuffix(".repaired")
        return f"{stem}.{self.name}{self.suffix}"

    @abstractmethod
    def written(self, turns: Iterable[Turn], about: About, notes: Notes) -> Iterator[bytes]:
        """The converted history, piece by piece; what does not fit is noted on the way."""


def string(text: str, part: Part | None, notes: Notes) -> bytes:
    """A text as JSON. Half of a surrogate pair, which no provider takes, becomes U+FFFD."""
    try:
        return orjson.dumps(text)
    except TypeError:
        notes.add("adapted", "text", "half of a surrogate pair became U+FFFD", part)
        return orjson.dumps("".join("\ufffd" if ord(sign) in _SURROGATE else sign for sign in text))


def server_text(part: Part) -> str:
    """What a tool that the provider runs was asked, or answered, as text."""
    head = f"[{part.name or 'server tool'}]" if part.name else "[server tool]"
    return f"{head} {part.text}".strip()


def said(parts: Iterable[Part]) -> str:
    """The texts of some parts as one, paragraphs apart."""
    return "\n\n".join(text for part in parts for text in texts_in(part) if text.strip())


def texts_in(part: Part) -> list[str]:
    return [piece for piece in part.pieces if isinstance(piece, str)]


def steps(parts: list[Part]) -> Iterator[list[Part]]:
    """What the assistant says, divided where it goes on after results that stand in its own message."""
    step: list[Part] = []
    for part in parts:
        if part.kind in (BlockKind.TEXT, BlockKind.THINKING) and step and step[-1].kind == BlockKind.RESULT:
            yield step
            step = []
        step.append(part)
    yield step


def by_record(parts: list[Part]) -> list[list[Part]]:
    """The parts that are no results, those of each record together."""
    found: dict[int, list[Part]] = {}
    for part in parts:
        if part.kind != BlockKind.RESULT:
            found.setdefault(part.record, []).append(part)
    return list(found.values())
