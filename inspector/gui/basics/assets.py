"""Icons from `resources/icons`, drawn in the colour that is asked for."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from inspector.assets import resources
from inspector.gui.basics import theme

SCALE = 2


@lru_cache(64)
def _source(name: str) -> bytes:
    try:
        return (resources() / "icons" / f"{name}.svg").read_bytes()
    except OSError:
        # A missing picture must not keep a window from opening: every icon has a word beside it.
        return b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>'


@lru_cache(512)
def _drawn(name: str, colour: str, size: int) -> QPixmap:
    drawn = QPixmap(size * SCALE, size * SCALE)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    svg = _source(name).replace(b"currentColor", colour.encode())
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, size * SCALE, size * SCALE))
    painter.end()
    drawn.setDevicePixelRatio(SCALE)
    return drawn


def pixmap(name: str, colour: QColor, size: int = 16) -> QPixmap:
    """An icon as a picture in one colour."""
    return _drawn(name, colour.name(), size)


def icon(name: str, palette: QPalette, pair: theme.Pair = theme.TEXT) -> QIcon:
    """An icon in a colour that fits the palette, with a paler picture for what is disabled."""
    made = QIcon(pixmap(name, pair.for_palette(palette)))
    faded = theme.MUTED.for_palette(palette)
    pale = QPixmap(pixmap(name, faded))
    pale.setDevicePixelRatio(SCALE)
    made.addPixmap(_faded(pale), QIcon.Mode.Disabled)
    return made


def _faded(source: QPixmap) -> QPixmap:
    faded = QPixmap(source.size())
    faded.setDevicePixelRatio(source.devicePixelRatio())
    faded.fill(Qt.GlobalColor.transparent)
    painter = QPainter(faded)
    painter.setOpacity(0.5)
    painter.drawPixmap(0, 0, source)
    painter.end()
    return faded
