"""How large a window may be."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget


def fit(window: QWidget, wanted: QSize) -> None:
    """Make a window as large as is wanted, but never larger than what its screen has room for, frame and all."""
    frame = window.frameSize() - window.size()
    window.resize(wanted.boundedTo(window.screen().availableSize() - frame))
