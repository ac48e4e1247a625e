"""The details of a record: its blocks in pieces, and what is copied of each."""

from contextlib import suppress

import msgspec

from inspector.core.bytes.json_text import parse_json
from inspector.core.bytes.spans import PointerNotFound, TruncatedJson, pointer_span
from inspector.core.formats import FORMATS
from inspector.core.index.views import CALL_KINDS, BlockKind, BlockView, RecordView
from inspector.core.showing.details import inputs, texts
from inspector.core.showing.details.pieces import (
    BlockDetails,
    DetailPiece,
    PieceKind,
    RecordDetails,
    block_details,
    record_details,
)
from inspector.core.wire.media.pixels import image_size
from inspector.core.wire.media.reading import locate_media
from inspector.core.wire.spelling.rows import BlockSchema

_BY_PERSON = ("user", "human", "system", "developer")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_NO_MEDIA = (BlockKind.TEXT, BlockKind.THINKING, *CALL_KINDS)


def details_of_record(
    format_name: str, view: RecordView, raw: bytes, reads: dict[str, str] | None = None
) -> RecordDetails:
    """A record, viewed by its format, in parts. `reads` are the files that calls read, by their ids.

    Never raises: a block of which nothing more can be told is its text.
    """
    format = FORMATS.get(format_name)
    spelling = BlockSchema() if format is None else format.block_schema
    found = []
    known = dict(reads or {})
    for block in view.blocks:
        if block.kind in CALL_KINDS and block.call_id:
            known[block.call_id] = inputs.file_read_by(block.text, block.name)
        found.append(_part(spelling, view, block, raw, known.get(block.call_id, "")))
    return record_details(view, tuple(found))


def _part(spelling: BlockSchema, view: RecordView, block: BlockView, raw: bytes, read: str) -> BlockDetails:
    match block.kind:
        case BlockKind.TEXT:
            return block_details(block, texts.message_pieces(block.text, view.role not in _BY_PERSON))
        case BlockKind.THINKING:
            return block_details(block, (DetailPiece(PieceKind.THINKING, block.text),))
        case BlockKind.CALL | BlockKind.SERVER_CALL:
            return block_details(block, inputs.input_pieces(block.text, block.name), block.text)
    images = _images(spelling, block, raw)
    if block.kind in _RESULTS:
        said = _without_named_images(block.text) if images else block.text
        told = texts.output_pieces(said, "" if block.is_error else read) if said or not images else ()
        return block_details(block, (*told, *images))
    if images:
        return block_details(block, images)
    told_as_json = texts.indented_json(block.text)
    kind = PieceKind.JSON if told_as_json else PieceKind.PROSE
    return block_details(block, (DetailPiece(kind, told_as_json or block.text),))


def _without_named_images(text: str) -> str:
    """A text without the names of images at its end: the images themselves are shown."""
    end = len(text.rstrip())
    while end and text[end - 1] == "]":
        start = text.rfind("[", 0, end)
        if not text.startswith("[image", start) or "]" in text[start : end - 1]:
            break
        end = start
        while end and text[end - 1].isspace():
            end -= 1
    return text if end == len(text.rstrip()) else text[:end]


def _images(spelling: BlockSchema, block: BlockView, raw: bytes) -> tuple[DetailPiece, ...]:
    """The images in a block that can be shown: those that lie in the record, in a form that is known by its head."""
    if block.kind in _NO_MEDIA:
        return ()
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        start, end = pointer_span(raw, block.pointer)
        value = parse_json(raw[start:end])
        found = (media for _, media in locate_media(value, spelling))
        return tuple(
            DetailPiece(PieceKind.IMAGE, media.data, media.label.strip("[]"))
            for media in found
            if media.is_image and media.data and image_size(media.data) != (0, 0)
        )
    return ()


def json_at(raw: bytes, pointer: str) -> str:
    """The value at a pointer into a record as indented JSON, its numbers and escapes as they are."""
    exact = bytes_at(raw, pointer)
    with suppress(msgspec.DecodeError):
        exact = msgspec.json.format(exact, indent=2)
    return exact.decode("utf-8", "backslashreplace")


def bytes_at(raw: bytes, pointer: str) -> bytes:
    """The bytes of the value at a pointer into a record; those of all of it where there is no such value."""
    with suppress(TruncatedJson, PointerNotFound):
        start, end = pointer_span(raw, pointer)
        return raw[start:end]
    return raw
