"""The details of a record: its blocks in pieces, and what is copied of each."""

from contextlib import suppress

import msgspec

from inspector.core.bytes.json_text import value_of
from inspector.core.bytes.spans import CutShort, NothingThere, locate
from inspector.core.formats import FORMATS
from inspector.core.index.views import CALLS, BlockKind, BlockView, RecordView
from inspector.core.showing.details import inputs, texts
from inspector.core.showing.details.pieces import Part, Piece, PieceKind, RecordParts, headed, part_of
from inspector.core.wire.media.pixels import size_of
from inspector.core.wire.media.reading import placed_media
from inspector.core.wire.spelling.rows import Spelling

_BY_PERSON = ("user", "human", "system", "developer")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_NO_MEDIA = (BlockKind.TEXT, BlockKind.THINKING, *CALLS)


def parts_of(format_name: str, view: RecordView, raw: bytes, reads: dict[str, str] | None = None) -> RecordParts:
    """A record, viewed by its format, in parts. `reads` are the files that calls read, by their ids.

    Never raises: a block of which nothing more can be told is its text.
    """
    format = FORMATS.get(format_name)
    spelling = Spelling() if format is None else format.spelling
    found = []
    known = dict(reads or {})
    for block in view.blocks:
        if block.kind in CALLS and block.call_id:
            known[block.call_id] = inputs.read_by(block.text, block.name)
        found.append(_part(spelling, view, block, raw, known.get(block.call_id, "")))
    return headed(view, tuple(found))


def _part(spelling: Spelling, view: RecordView, block: BlockView, raw: bytes, read: str) -> Part:
    match block.kind:
        case BlockKind.TEXT:
            return part_of(block, texts.said(block.text, view.role not in _BY_PERSON))
        case BlockKind.THINKING:
            return part_of(block, (Piece(PieceKind.THINKING, block.text),))
        case BlockKind.CALL | BlockKind.SERVER_CALL:
            return part_of(block, inputs.given(block.text, block.name), block.text)
    images = _images(spelling, block, raw)
    if block.kind in _RESULTS:
        said = _without_named_images(block.text) if images else block.text
        told = texts.output(said, "" if block.is_error else read) if said or not images else ()
        return part_of(block, (*told, *images))
    if images:
        return part_of(block, images)
    told_as_json = texts.as_json(block.text)
    kind = PieceKind.JSON if told_as_json else PieceKind.PROSE
    return part_of(block, (Piece(kind, told_as_json or block.text),))


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


def _images(spelling: Spelling, block: BlockView, raw: bytes) -> tuple[Piece, ...]:
    """The images in a block that can be shown: those that lie in the record, in a form that is known by its head."""
    if block.kind in _NO_MEDIA:
        return ()
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        start, end = locate(raw, block.pointer)
        value = value_of(raw[start:end])
        found = (media for _, media in placed_media(value, spelling))
        return tuple(
            Piece(PieceKind.IMAGE, media.data, media.words.strip("[]"))
            for media in found
            if media.is_image and media.data and size_of(media.data) != (0, 0)
        )
    return ()


def json_of(raw: bytes, pointer: str) -> str:
    """The value at a pointer into a record as indented JSON, its numbers and escapes as they are."""
    exact = bytes_of(raw, pointer)
    with suppress(msgspec.DecodeError):
        exact = msgspec.json.format(exact, indent=2)
    return exact.decode("utf-8", "backslashreplace")


def bytes_of(raw: bytes, pointer: str) -> bytes:
    """The bytes of the value at a pointer into a record; those of all of it where there is no such value."""
    with suppress(CutShort, NothingThere):
        start, end = locate(raw, pointer)
        return raw[start:end]
    return raw
