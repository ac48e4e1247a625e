"""The shape of a target: what a history can be converted into.

Merged; to be rewritten:
`neutral`: A history in no provider's shape: turns of parts, and what could not be carried over.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import orjson
from msgspec import Struct

from inspector.core.model.columns import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.media import Media
from inspector.core.storage.source import Source

# A history in no provider's shape: turns of parts, and what could not be carried over.

_SHOWN = 200


class TurnPart(Struct):
    """One block of a turn. `pieces` are its text and media in order; `tool` and `peer` number it in the pairing.

    `input` is a call's input, a JSON object in the bytes that the log has; `raw` the JSON of a block that one provider
    alone understands.
    """

    kind: BlockKind
    record: int
    pieces: tuple[str | Media, ...] = ()
    name: str = ""
    call_id: str = ""
    tool: int = -1
    peer: int = -1
    input: bytes = b"{}"
    raw: bytes = b""
    is_error: bool = False
    is_placeholder: bool = False

    @property
    def text(self) -> str:
        """Its text; media are named."""
        return "\n".join(piece if isinstance(piece, str) else piece.label for piece in self.pieces)


class Turn(Struct):
    """What one side says before the other one does. The results of the assistant's calls are the user's parts."""

    role: Role
    parts: list[TurnPart]
    time: str = ""
    model: str = ""


class HistoryMetadata(Struct, frozen=True):
    """What is known of the whole history."""

    title: str = ""
    format: str = ""
    agent: str = ""
    session: str = ""
    system: str = ""


class ConversionNote(Struct, frozen=True):
    """A block that the target does not have as it was. `action`: skipped, adapted, kept or open."""

    action: str
    what: str
    why: str
    record: int | None = None
    text: str = ""


class ConversionNotes:
    """What was noted while a history was written."""

    def __init__(self) -> None:
        self.all: list[ConversionNote] = []

    def add(self, action: str, what: str, why: str, part: TurnPart | None = None, text: str = "") -> None:
        shown = text or (part.text if part is not None else "")
        self.all.append(ConversionNote(action, what, why, None if part is None else part.record, shown[:_SHOWN]))

    def counts(self) -> dict[tuple[str, str, str], int]:
        """How often each thing was noted: by action, kind of block and reason, in the order they came up in."""
        found: dict[tuple[str, str, str], int] = {}
        for note in self.all:
            key = (note.action, note.what, note.why)
            found[key] = found.get(key, 0) + 1
        return found


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
