"""Copying what is shown: as the words, as indented JSON, or as the very bytes of the log."""

from enum import Enum

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from inspector.core.presentation.detail_pieces import BlockDetails
from inspector.core.presentation.details import bytes_at, json_at
from inspector.gui.common.actions import ACTION_TABLE, Action
from inspector.gui.common.safe_text import decode_bytes, escape_invisible

EXACT_BYTES_MIME = "application/octet-stream"


class CopyFormat(Enum):
    """The ways, and what they are called."""

    TEXT = ACTION_TABLE[Action.COPY_TEXT].text
    JSON = ACTION_TABLE[Action.COPY_JSON].text
    BYTES = ACTION_TABLE[Action.COPY_BYTES].text


def copy_parts(way: CopyFormat, parts: list[BlockDetails], raws: dict[int, bytes], whole: bool) -> None:
    """Put parts of records into the clipboard: one value of a record or, of a `whole` message, its records.

    The bytes are there as they are (`EXACT`), and as text with what is no UTF-8 spelled out.
    """
    pointer = "" if whole else parts[0].pointer
    data = QMimeData()
    match way:
        case CopyFormat.TEXT:
            data.setText(escape_invisible("\n\n".join(part.text for part in parts)))
        case CopyFormat.JSON:
            data.setText(escape_invisible("\n".join(json_at(raw, pointer) for raw in raws.values())))
        case CopyFormat.BYTES:
            exact = b"\n".join(bytes_at(raw, pointer) for raw in raws.values())
            data.setData(EXACT_BYTES_MIME, exact)
            data.setText(decode_bytes(exact))
    QGuiApplication.clipboard().setMimeData(data)
