"""What a conversion did to the blocks of a history, as text and as JSON."""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.bytes.source import Source
from inspector.core.convert.converting import Conversion
from inspector.core.index.session import Log
from inspector.core.judging.places import Locator
from inspector.core.reports.head import encode_document
from inspector.core.reports.words import MAX_ROWS, omitted_rows_line, place_text
from inspector.core.showing.copies import ConvertNote, ConvertPreview

_MOST_SHOWN = 1000


def note_places(conversion: Conversion, log: Log) -> list[str]:
    """Where the first blocks stand that are not as they were, as far as `convert_lines` tells them one by one."""
    places, slots = Locator(log), conversion.scene.columns.stable_numbers
    noted = [slots[note.record] for note in conversion.notes.all if note.record is not None][:MAX_ROWS]
    return [
        place_text(places.locate(slot)) if slot < len(log.columns) else "in what the repair added" for slot in noted
    ]


def convert_lines(conversion: Conversion, places: list[str]) -> Iterator[str]:
    """Every kind of thing that is not as it was, with how often; then the first ones, one by one."""
    counted = conversion.notes.counts()
    if not counted:
        yield "  Every block was carried over as it is."
    for (action, what, why), number in counted.items():
        yield f"  {action:8} {number:,} × {what}: {why}"
    placed = [note for note in conversion.notes.all if note.record is not None]
    for note, place in zip(placed[:MAX_ROWS], places, strict=True):
        shown = " ".join(note.text.split())[:100]
        yield f"    {place}: {note.what} {note.action}{': ' if shown else ''}{shown}"
    yield from omitted_rows_line(len(placed))


def convert_preview(conversion: Conversion, source: Source) -> ConvertPreview:
    """The conversion as the window shows it: it is carried out, and what it makes is only measured."""
    size = sum(map(len, conversion.chunks()))
    counted, notes = conversion.notes.counts(), conversion.notes.all
    return ConvertPreview(
        name=conversion.target.output_name(source),
        bytes=size,
        sound=conversion.sound,
        counts=tuple((*key, number) for key, number in counted.items()),
        notes=tuple(ConvertNote(note.action, note.what, note.record, note.text) for note in notes[:_MOST_SHOWN]),
        noted=len(notes),
    )


def convert_json(conversion: Conversion | None, path: str, **more: Any) -> bytes:
    """The whole report."""
    told = {"path": path, **more}
    if conversion is not None:
        about = conversion.metadata
        told |= {"to": conversion.target.name, "session": about.session, "from": conversion.scene.format.name}
        told["notes"] = [msgspec.to_builtins(note) for note in conversion.notes.all]
        told["counts"] = [
            {"action": action, "what": what, "why": why, "number": number}
            for (action, what, why), number in conversion.notes.counts().items()
        ]
    return encode_document(told)
