"""What the lists below and beside the tree have in common."""

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractItemView, QTreeView


def set_up_list(view: QTreeView, model: QAbstractItemModel, name: str, least_height: int) -> None:
    """Rows of one height over `model`, scrolled by the pixel; `name` is what a screen reader says."""
    view.setModel(model)
    view.setAccessibleName(name)
    view.setUniformRowHeights(True)
    view.setMinimumHeight(least_height)
    view.setAllColumnsShowFocus(True)
    view.setIndentation(16)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
