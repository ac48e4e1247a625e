"""The shape of a target: what a history can be converted into."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import orjson

from inspector.core.bytes.source import Source
from inspector.core.convert.neutral import ConversionNotes, HistoryMetadata, Turn, TurnPart
from inspector.core.index.views import BlockKind

_SURROGATE = range(0xD800, 0xE000)


class ConversionTarget(ABC):
    """One target. `reads_as` is the format that reads what is written, "" for a page that nothing reads back."""

    name: str
    summary: str
    suffix: str
    reader_format = ""

    def output_name(self, source: Source) -> str:
        """The name that the conversion of a log gets."""
        stem = PurePath(source.copy_name).stem.removesuffix(".repaired")
        return f"{stem}.{self.name}{self.suffix}"

    @abstractmethod
    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        """The converted history, piece by piece; what does not fit is noted on the way."""


def encode_text(text: str, part: TurnPart | None, notes: ConversionNotes) -> bytes:
    """A text as JSON. Half of a surrogate pair, which no provider takes, becomes U+FFFD."""
    try:
        return orjson.dumps(text)
    except TypeError:
        notes.add("adapted", "text", "half of a surrogate pair became U+FFFD", part)
        return orjson.dumps("".join("\ufffd" if ord(sign) in _SURROGATE else sign for sign in text))


def server_tool_text(part: TurnPart) -> str:
    """What a tool that the provider runs was asked, or answered, as text."""
    head = f"[{part.name or 'server tool'}]" if part.name else "[server tool]"
    return f"{head} {part.text}".strip()


def joined_text(parts: Iterable[TurnPart]) -> str:
    """The texts of some parts as one, paragraphs apart."""
    return "\n\n".join(text for part in parts for text in part_texts(part) if text.strip())


def part_texts(part: TurnPart) -> list[str]:
    return [piece for piece in part.pieces if isinstance(piece, str)]


def assistant_steps(parts: list[TurnPart]) -> Iterator[list[TurnPart]]:
    """What the assistant says, divided where it goes on after results that stand in its own message."""
    step: list[TurnPart] = []
    for part in parts:
        if part.kind in (BlockKind.TEXT, BlockKind.THINKING) and step and step[-1].kind == BlockKind.RESULT:
            yield step
            step = []
        step.append(part)
    yield step


def group_by_record(parts: list[TurnPart]) -> list[list[TurnPart]]:
    """The parts that are no results, those of each record together."""
    found: dict[int, list[TurnPart]] = {}
    for part in parts:
        if part.kind != BlockKind.RESULT:
            found.setdefault(part.record, []).append(part)
    return list(found.values())
