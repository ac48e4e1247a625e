"""How large a window may be."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStyle, QWidget


def fit(window: QWidget, wanted: QSize) -> None:
    """Make a window as large as is wanted, but never larger than what its screen has room for, frame and all."""
    # A window that was not shown yet has no frame: the style's own is reckoned with, and a little more.
    style, frame = window.style(), window.frameSize() - window.size()
    edge = 2 * style.pixelMetric(QStyle.PixelMetric.PM_MdiSubWindowFrameWidth)
    around = QSize(edge, style.pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight) + edge)
    window.resize(wanted.boundedTo(window.screen().availableSize() - frame.expandedTo(around)))
