"""Copying what is shown: as the words, as indented JSON, or as the very bytes of the log."""

from enum import Enum

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from inspector.core.showing.details.pieces import BlockDetails
from inspector.core.showing.details.record import bytes_at, json_at
from inspector.gui.basics.action_table import TABLE, Action
from inspector.gui.basics.plain_text import decode, visible

EXACT = "application/octet-stream"


class Copy(Enum):
    """The ways, and what they are called."""

    TEXT = TABLE[Action.COPY_TEXT].text
    JSON = TABLE[Action.COPY_JSON].text
    BYTES = TABLE[Action.COPY_BYTES].text


def copy(way: Copy, parts: list[BlockDetails], raws: dict[int, bytes], whole: bool) -> None:
    """Put parts of records into the clipboard: one value of a record or, of a `whole` message, its records.

    The bytes are there as they are (`EXACT`), and as text with what is no UTF-8 spelled out.
    """
    pointer = "" if whole else parts[0].pointer
    data = QMimeData()
    match way:
        case Copy.TEXT:
            data.setText(visible("\n\n".join(part.text for part in parts)))
        case Copy.JSON:
            data.setText(visible("\n".join(json_at(raw, pointer) for raw in raws.values())))
        case Copy.BYTES:
            exact = b"\n".join(bytes_at(raw, pointer) for raw in raws.values())
            data.setData(EXACT, exact)
            data.setText(decode(exact))
    QGuiApplication.clipboard().setMimeData(data)
