"""Copying to the clipboard: as text, as indented JSON, or as the exact bytes of the log."""

from enum import Enum

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from inspector.core.presentation.detail_pieces import BlockDetails
from inspector.core.presentation.details import bytes_at_pointer, indented_json_at
from inspector.gui.common.actions import ACTION_TABLE, Action
from inspector.gui.common.safe_text import decode_bytes, escape_invisible

EXACT_BYTES_MIME = "application/octet-stream"


class CopyFormat(Enum):
    """The formats to copy in; the values are their names in menus."""

    TEXT = ACTION_TABLE[Action.COPY_TEXT].text
    JSON = ACTION_TABLE[Action.COPY_JSON].text
    BYTES = ACTION_TABLE[Action.COPY_BYTES].text


def copy_parts(way: CopyFormat, parts: list[BlockDetails], raws: dict[int, bytes], whole: bool) -> None:
    """Copy parts of records to the clipboard: one value of a record or, for a `whole` message, its records.

    Bytes are copied as they are (`EXACT_BYTES_MIME`), and as text in which invalid UTF-8 is escaped.
    """
    pointer = "" if whole else parts[0].pointer
    data = QMimeData()
    match way:
        case CopyFormat.TEXT:
            data.setText(escape_invisible("\n\n".join(part.text for part in parts)))
        case CopyFormat.JSON:
            data.setText(escape_invisible("\n".join(indented_json_at(raw, pointer) for raw in raws.values())))
        case CopyFormat.BYTES:
            exact = b"\n".join(bytes_at_pointer(raw, pointer) for raw in raws.values())
            data.setData(EXACT_BYTES_MIME, exact)
            data.setText(decode_bytes(exact))
    QGuiApplication.clipboard().setMimeData(data)
