"""Pictures of a log, as base64 spells them."""

from base64 import b64encode
from random import Random
from textwrap import wrap

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QImage

from inspector.gui.details.images import decode_image


def test_base64_in_lines_is_the_picture_that_it_is_in_one() -> None:
    noise = QImage(Random(1).randbytes(400 * 300 * 4), 400, 300, QImage.Format.Format_RGB32)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert noise.save(buffer, "PNG")  # type: ignore[call-overload]
    picture = buffer.data().data()
    assert len(picture) > 300_000
    text = b64encode(picture).decode()
    assert decode_image("\r\n".join(wrap(text, 64))) == decode_image(text) == noise
