"""The command palette: every action of the window, found by the words of its name and run from the keyboard."""

import re

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeView, QWidget

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.actions import ACTION_TABLE, Action, WindowActions
from inspector.gui.common.qt_helpers import fit_to_screen, stack_vertically
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.widgets.labels import PlainLabel

_SIZE = QSize(760, 460)
_ACTION_ROLE = Qt.ItemDataRole.UserRole + 1
_SEARCHED_ROLE = Qt.ItemDataRole.UserRole + 2
_RANK_ROLE = Qt.ItemDataRole.UserRole + 3
# These keys move in the list while the focus is in the field.
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """A field and the list of actions: Enter runs the current one, Escape closes the palette.

    Signal: `chosen` (an Action), after the palette is closed, also for an action that is not available.
    """

    chosen = Signal(object)

    def __init__(self, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        set_window_title(self, tr("Commands"))
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Type the words of a command in any order"))
        self.field.setAccessibleName(tr("Command"))
        self.field.setClearButtonEnabled(True)
        self._all = QStandardItemModel(0, 3, self)
        self.model = QSortFilterProxyModel(self)
        self.model.setSourceModel(self._all)
        self.model.setFilterRole(_SEARCHED_ROLE)
        self.model.setSortRole(_RANK_ROLE)
        self.model.sort(0)
        self.view = QTreeView(self)
        self.view.setModel(self.model)
        self.view.setAccessibleName(tr("Commands"))
        self.view.setRootIsDecorated(False)
        self.view.setHeaderHidden(True)
        self.view.setUniformRowHeights(True)
        self.view.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.activated.connect(self._run)
        self.view.clicked.connect(self._run)
        header = self.view.header()
        header.setStretchLastSection(False)
        for column, mode in enumerate(
            (
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.ResizeToContents,
            )
        ):
            header.setSectionResizeMode(column, mode)
        self.nothing = PlainLabel(tr("No commands contain all of these words."), quiet=True, parent=self)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(lambda: self._run(self.view.currentIndex()))
        self.field.installEventFilter(self)
        stack = stack_vertically(self, self.field, self.nothing, self.view, grows=self.view)
        stack.setContentsMargins(10, 10, 10, 10)
        stack.setSpacing(8)
        fit_to_screen(self, _SIZE)

    def ask(self) -> None:
        """Show all actions; those that are available come first."""
        self._all.removeRows(0, self._all.rowCount())
        listed = [action for action in Action if action is not Action.COMMANDS]
        for action in sorted(listed, key=lambda action: bool(self._actions.obstacle(action))):
            self._all.appendRow(self._row(action))
        self.field.clear()
        self._filter("")
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.open()

    def _row(self, action: Action) -> list[QStandardItem]:
        """Return the cells of an action: its name, why it is not available, and its keys."""
        info, obstacle = ACTION_TABLE[action], self._actions.obstacle(action)
        name, keys = self._actions.plain_text(action), self._actions.shortcut_text(action)
        cells = [QStandardItem(text) for text in (name, obstacle, keys)]
        cells[0].setData(action, _ACTION_ROLE)
        cells[0].setData(" ".join((name, tr(info.tip), keys)), _SEARCHED_ROLE)
        cells[0].setData(", ".join(filter(None, (name, keys, obstacle))), Qt.ItemDataRole.AccessibleTextRole)
        cells[0].setIcon(theme.icon(info.icon or "none", self.palette()))
        cells[2].setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for cell in cells if obstacle else cells[1:]:
            cell.setForeground(theme.MUTED.for_palette(self.palette()))
        return cells

    def _filter(self, text: str) -> None:
        """Show the actions that contain all words, and make the first of them current.

        Those with the words in their names come first; the others have them in their keys or explanations.
        """
        words = "".join(f"(?=.*{re.escape(word)})" for word in text.split())
        for row in range(self._all.rowCount()):
            item = self._all.item(row)
            item.setData(int(re.match(f"(?is){words}", item.text()) is None), _RANK_ROLE)
        self.model.setFilterRegularExpression(f"(?is)^{words}")
        self.view.setCurrentIndex(self.model.index(0, 0))
        self.nothing.setVisible(not self.model.rowCount())

    def _run(self, index: QModelIndex) -> None:
        if index.isValid():
            action = index.siblingAtColumn(0).data(_ACTION_ROLE)
            self.accept()
            self.chosen.emit(action)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _LIST_KEYS:
            self.view.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)
