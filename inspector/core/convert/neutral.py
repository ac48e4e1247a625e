"""A history in no provider's shape: turns of parts, and what could not be carried over."""

from msgspec import Struct

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.wire.media.reading import Media

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
