"""Images of a log, decoded in background threads and scaled down to the size in which they are shown.

Only pixel formats are read, each by its own decoder: an SVG may refer to files.
"""

import binascii
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QBuffer, QIODevice, QObject, QRunnable, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QImageReader, QTextCursor
from PySide6.QtWidgets import QTextEdit

from inspector.gui.common import theme
from inspector.gui.common.ui_text import tr
from inspector.gui.details.piece_writer import TextFormats

# The first characters of each format in base64.
_FORMAT_BY_PREFIX = {"iVBORw0KGgo": b"png", "/9j/": b"jpeg", "R0lGOD": b"gif", "UklGR": b"webp"}
_MAX_BASE64_CHARS = 24 * 1024 * 1024
_MAX_PIXELS = 80_000_000
_SLICE = 256 * 1024
MAX_SHOWN_IMAGE_SIZE = QSize(560, 420)
_MIN_WIDTH = 60
_SMOOTH = Qt.TransformationMode.SmoothTransformation


class ImageLoader(QObject):
    """The images of a page. Each is inserted when it is decoded; `room` returns the largest width in pixels."""

    def __init__(self, page: QTextEdit, room: Callable[[], int]) -> None:
        super().__init__(page)
        self._page, self._room = page, room
        self._places: dict[int, QTextCursor] = {}
        self._asked = 0
        self._answer = _DecodeSignals(self)
        self._answer.decoded.connect(self._on_decoded)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def load(self, at: QTextCursor, data: str) -> None:
        """Decode an image from base64, and insert it at a cursor."""
        at.setKeepPositionOnInsert(True)
        self._asked += 1
        self._places[self._asked] = at
        self._pool.start(_DecodeTask(self._asked, data, self._answer))

    def cancel_all(self) -> None:
        """Cancel all images that are waiting: the page has changed."""
        self._pool.clear()
        self._places.clear()

    def _on_decoded(self, number: int, image: QImage) -> None:
        place = self._places.pop(number, None)
        if place is None:
            return
        cursor = QTextCursor(self._page.document())
        cursor.setPosition(place.position())
        if image.isNull():
            sentence = tr("This image cannot be shown because it is damaged or too large.")
            cursor.insertText(sentence, TextFormats(self._page.palette()).text(theme.MUTED))
        else:
            room = max(self._room(), _MIN_WIDTH)
            cursor.insertImage(image if image.width() <= room else image.scaledToWidth(room, _SMOOTH))


class _DecodeSignals(QObject):
    """The signal that brings a decoded image to the thread of the window."""

    decoded = Signal(object, object)


class _DecodeTask(QRunnable):
    """The task that decodes one image."""

    def __init__(self, number: object, data: str, answer: _DecodeSignals) -> None:
        super().__init__()
        self._number, self._data, self._answer = number, data, answer

    def run(self) -> None:
        image = decode_image(self._data)
        try:
            self._answer.decoded.emit(self._number, image)
        except RuntimeError:
            return  # the window was closed in the meantime


def _decode_base64(data: str) -> bytes:
    """Return the bytes of a base64 text up to the first error.

    It is decoded in slices, since no other thread can run during a call.
    """
    raw, data = bytearray(), data.replace("\n", "").replace("\r", "")  # a slice holds whole groups of four
    with suppress(ValueError):  # a truncated image is shown as far as it goes
        for start in range(0, len(data), _SLICE):
            raw += binascii.a2b_base64(data[start : start + _SLICE])
    return bytes(raw)


def decode_image(data: str) -> QImage:
    """Decode an image from base64, scaled to at most MAX_SHOWN_IMAGE_SIZE.

    Return a null image if it is invalid or too large.
    """
    image_format = next(
        (image_format for prefix, image_format in _FORMAT_BY_PREFIX.items() if data.startswith(prefix)), None
    )
    if image_format is None or len(data) > _MAX_BASE64_CHARS:
        return QImage()
    buffer = QBuffer()
    buffer.setData(_decode_base64(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, image_format)
    reader.setAutoDetectImageFormat(False)
    size = reader.size()
    if size.isEmpty() or size.width() * size.height() > _MAX_PIXELS:
        return QImage()
    if size.width() > MAX_SHOWN_IMAGE_SIZE.width() or size.height() > MAX_SHOWN_IMAGE_SIZE.height():
        reader.setScaledSize(size.scaled(MAX_SHOWN_IMAGE_SIZE, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()
