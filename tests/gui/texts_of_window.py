"""The texts of the window with a log open, as JSON: `python -m tests.gui.texts_of_window LOG`.

It runs in a process of its own, because the tables of a module are translated when it is imported.
"""

import json
import os
import sys
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTabWidget,
    QTextEdit,
    QWidget,
)

from inspector.gui import app
from inspector.gui.common.settings import Settings
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies


def texts(window: MainWindow) -> Iterator[str]:
    """Yield the texts of all widgets, actions, menus and lists."""
    for action in window.findChildren(QAction):
        yield from (action.text(), action.toolTip(), action.statusTip())
    for widget in window.findChildren(QWidget):
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle())
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QLineEdit | QTextEdit):
            yield widget.placeholderText()
        elif isinstance(widget, QMenu):
            yield widget.title()
        elif isinstance(widget, QTabWidget):
            yield from map(widget.tabText, range(widget.count()))
        elif isinstance(widget, QComboBox):
            yield from map(widget.itemText, range(widget.count()))
        elif isinstance(widget, QAbstractItemView):
            yield from _texts_of_model(widget.model())


def _texts_of_model(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[str]:
    parent = parent or QModelIndex()
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    for column in range(model.columnCount(parent)):
        yield from (str(model.headerData(column, Qt.Orientation.Horizontal, role) or "") for role in roles)
        for row in range(model.rowCount(parent)):
            index = model.index(row, column, parent)
            yield from (str(model.data(index, role) or "") for role in roles)
            if not parent.isValid():
                yield from _texts_of_model(model, index)


def main(path: str, settings: str) -> None:
    """Open a log in a window, and print its texts."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
    app.make_application()
    window = MainWindow(CoreDependencies(), Settings())
    window.resize(1440, 900)
    window.show()
    window.show_path(path)
    app._wait_until_settled(window)
    app._run_event_loop(app._SETTLE_MS)
    print(json.dumps([*dict.fromkeys(filter(None, texts(window)))]), flush=True)
    window.document.close()
    window.log_list.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)
