"""A history in no provider's shape (turns of parts), the notes of a conversion, and the base class of targets."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import orjson
from msgspec import Struct

from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.presentation.engine_results import ConvertNote
from inspector.core.providers.media import Media
from inspector.core.storage.json_text import HALF_PAIR
from inspector.core.storage.source import Source

_SHOWN = 200

SERVER_KINDS = (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT)


class TurnPart(Struct):
    """One block of a turn. `pieces` are its text and media in order.

    `tool` and `peer` are the numbers of the block and its counterpart in the pairing, -1 where there is none. `input`
    is a call's input, a JSON object in the log's own bytes. `raw` is the JSON of a block that only one provider
    understands.
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
        """The text of the part, with media by their labels."""
        return "\n".join(piece if isinstance(piece, str) else piece.label for piece in self.pieces)


class Turn(Struct):
    """What one side says before the other one does. Results of the assistant's calls are parts of the user's turn."""

    role: Role
    parts: list[TurnPart]
    time: str = ""
    model: str = ""


class HistoryMetadata(Struct, frozen=True):
    """What is known about the history as a whole, "" where something is not known."""

    title: str = ""
    format: str = ""
    agent: str = ""
    session: str = ""
    system: str = ""


class ConversionNotes:
    """The notes made while a history is written."""

    def __init__(self) -> None:
        self.all: list[ConvertNote] = []

    def add(self, action: str, what: str, why: str, part: TurnPart | None = None, text: str = "") -> None:
        shown = text or (part.text if part is not None else "")
        self.all.append(ConvertNote(action, what, why, None if part is None else part.record, shown[:_SHOWN]))

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how often each change was noted, by (action, kind of block, reason), in the order of appearance."""
        return Counter((note.action, note.what, note.why) for note in self.all)


class ConversionTarget(ABC):
    """A target of conversion. `reader_format` is the format that reads the output, "" for a page."""

    name: str
    summary: str
    suffix: str
    reader_format = ""

    def output_name(self, source: Source) -> str:
        """Return the file name for the conversion of a log."""
        stem = PurePath(source.copy_name).stem.removesuffix(".repaired")
        return f"{stem}.{self.name}{self.suffix}"

    @abstractmethod
    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        """Yield the converted history in chunks. What does not fit is noted along the way."""


def encode_json_text(text: str, part: TurnPart | None, notes: ConversionNotes) -> bytes:
    """Return a text as JSON. Half of a surrogate pair, which no provider accepts, becomes U+FFFD."""
    try:
        return orjson.dumps(text)
    except TypeError:
        notes.add("adapted", "text", "half of a surrogate pair was replaced with U+FFFD", part)
        return orjson.dumps(HALF_PAIR.sub("\ufffd", text))


def call_as_text(part: TurnPart, notes: ConversionNotes) -> str:
    """Return a call that is not the assistant's as text."""
    notes.add("adapted", "call", "not in an assistant message, so it became text", part)
    return f"[{part.name}] {part.input.decode('utf-8', 'replace')}"


def assistant_part_as_text(part: TurnPart, notes: ConversionNotes) -> str | None:
    """Return what the assistant's message can hold only as text, None for other parts."""
    if part.kind in SERVER_KINDS:
        notes.add("adapted", "server tool", "became text", part)
        return f"[{part.name or 'server tool'}] {part.text}".strip()
    if part.kind == BlockKind.MEDIA:
        notes.add("adapted", "media", "assistant messages hold only text, so a text names it", part)
        return part.text
    return None


def json_list_items(items: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the items of a JSON list with what divides them, one per line."""
    for number, item in enumerate(items):
        yield (b",\n" if number else b"\n") + item


def joined_text(parts: Iterable[TurnPart]) -> str:
    """Return the texts of some parts as one text of paragraphs."""
    return "\n\n".join(text for part in parts for text in part_texts(part) if text.strip())


def part_texts(part: TurnPart) -> list[str]:
    return [piece for piece in part.pieces if isinstance(piece, str)]


def assistant_steps(parts: list[TurnPart]) -> Iterator[list[TurnPart]]:
    """Yield the assistant's parts, divided where it continues after results within its own message."""
    step: list[TurnPart] = []
    for part in parts:
        if part.kind in (BlockKind.TEXT, BlockKind.THINKING) and step and step[-1].kind == BlockKind.RESULT:
            yield step
            step = []
        step.append(part)
    yield step


def non_results_by_record(parts: list[TurnPart]) -> list[list[TurnPart]]:
    """Return the parts that are not results, grouped by record."""
    groups: dict[int, list[TurnPart]] = {}
    for part in parts:
        if part.kind != BlockKind.RESULT:
            groups.setdefault(part.record, []).append(part)
    return list(groups.values())
