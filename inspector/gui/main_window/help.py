"""Help: one page of what the keyboard does, and the versions of the program and its parts."""

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.gui.basics.actions import Actions
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.screen import fit
from inspector.gui.basics.words import tr
from inspector.gui.main_window.menus import keys_told
from inspector.gui.models.columns import Column, Table
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.list_view import set_up_table
from inspector.version import NAME, __version__

_PARTS = ("PySide6-Essentials", "orjson", "msgspec")

KEYS = Table[tuple[str, str, str]](
    (
        Column("Keys", lambda row: row[2], ("Ctrl+Shift+Z, Ctrl+Y",), padding=24),
        Column("What they do", lambda row: row[1]),
        Column("Where", lambda row: row[0], ("What is wrong", "Conversation"), padding=24, muted=True),
    )
)


class ShortcutsWindow(QWidget):
    """All keys, from the table of actions; Escape closes it."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        set_title(self, self.tr("Keyboard"))
        self.model = TableModel(KEYS, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, self.tr("What the keyboard does"))
        self.model.show(list(keys_told(actions)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(10, 8, 10, 10)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view, 1)
        column.addWidget(buttons)
        fit(self, QSize(760, 720))

    def ask(self) -> None:
        """Show the page."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)


def versions() -> str:
    """The program, what it runs on, and its parts, a line each: what whoever mends it wants to know."""
    parts = (f"{name} {_version_of(name)}" for name in _PARTS)
    python = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    return "\n".join((f"{NAME} {__version__}", python, f"Qt {qVersion()}", *parts))


def _version_of(part: str) -> str:
    try:
        return version(part)
    except PackageNotFoundError:  # of a program that was frozen into one file
        return tr("in a version that is not told")
