"""The pieces that details are made of: values that a front draws, and that cross a pipe where a record is large."""

from enum import IntEnum

from msgspec import Struct

from inspector.core.index.views import BlockKind, BlockView, RecordView


class PieceKind(IntEnum):
    """What a piece is. CONTEXT: what a program put into a message of the person's.

    PROSE keeps its line breaks, MARKDOWN says by marks how it is laid out. TERMINAL is output of a tool, which may hold
    colours as terminals take them.
    """

    PROSE = 0
    MARKDOWN = 1
    SHELL = 2
    CODE = 3
    DIFF = 4
    TERMINAL = 5
    TABLE = 6
    THINKING = 7
    IMAGE = 8
    JSON = 9
    CONTEXT = 10


class DetailPiece(Struct, frozen=True):
    """One piece. `text` is what it says; of an IMAGE its data in base64.

    `title` names it: a file, a member of an input, a media type. `rows` are those of a TABLE, name and value. `gutter`:
    every line of this CODE begins with its number, as the tool printed it.
    """

    kind: PieceKind
    text: str = ""
    title: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    gutter: bool = False


class BlockDetails(Struct, frozen=True):
    """A block in pieces. `given` is the whole input of a call where the pieces tell it in other words, else ""."""

    kind: BlockKind
    pieces: tuple[DetailPiece, ...]
    pointer: str
    name: str = ""
    call_id: str = ""
    is_error: bool = False
    given: str = ""

    @property
    def text(self) -> str:
        """All that it says, as plain text."""
        told = (
            piece.title if piece.kind == PieceKind.IMAGE else piece.text or "\n".join(map(": ".join, piece.rows))
            for piece in self.pieces
        )
        return self.given or "\n".join(told)


class RecordDetails(Struct, frozen=True):
    """A record in parts, with what stands above them. Without any it is only summed up."""

    role: str
    summary: str
    parts: tuple[BlockDetails, ...] = ()
    time: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class DetailsRequest(Struct, frozen=True):
    """A record that is wanted in parts: of the log or, with a `path`, what lies at a span of another file.

    `reads` are the files that calls of other records read, by their ids.
    """

    record: int
    path: str
    span: tuple[int, int]
    reads: dict[str, str]


def record_details(view: RecordView, parts: tuple[BlockDetails, ...]) -> RecordDetails:
    """Parts under the head of their record."""
    return RecordDetails(view.role, view.summary, parts, view.time, view.model, view.tokens_in, view.tokens_out)


def block_details(block: BlockView, pieces: tuple[DetailPiece, ...], given: str = "") -> BlockDetails:
    """The pieces of a block with what names it."""
    return BlockDetails(block.kind, pieces, block.pointer, block.name, block.call_id, block.is_error, given)
