"""Parts of a widget that stand one below the other and fill it to its edges."""

from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget


def in_a_column(holder: QWidget, *parts: QWidget | QLayout, grows: QWidget | QLayout | None = None) -> QVBoxLayout:
    """Lay them out in `holder` without gaps; the one that `grows` takes the room that is left."""
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        if isinstance(part, QLayout):
            column.addLayout(part, int(part is grows))
        else:
            column.addWidget(part, int(part is grows))
    return column
