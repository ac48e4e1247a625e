"""What the lists below and beside the tree have in common."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QTreeView, QWidget

from inspector.gui.basics import words
from inspector.gui.delegates.list_delegates import LineDelegate, MarkDelegate
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.models.columns import Column
from inspector.gui.models.table_model import TableModel


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
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def offer(view: QAbstractItemView, text: str, slot: Callable[[], object], keys: str = "") -> None:
    """Put something that can be done with the current row into the menu of the list; `keys` do it, too."""
    action = QAction(text, view)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _=False: slot())
    view.addAction(action)


def widths(columns: Sequence[Column[Any]], tools: RowPainter) -> dict[int, int]:
    """The width of each column that does not take what is left, in pixels."""
    return {
        number: tools.width(max(map(words.tr, column.widest_texts), key=len)) + column.padding
        for number, column in enumerate(columns)
        if column.widest_texts
    }


def limit(wanted: Sequence[tuple[int, int]], room: int) -> float:
    """The width beyond which columns are cut, so that together they fill the room: what is narrower is shown whole.

    Wanted are widths, each with how many times as wide as others its column may be.
    """
    left, shares, most = max(room, 0), sum(share for _, share in wanted), 0.0
    for width, share in sorted(wanted, key=lambda each: each[0] / each[1]):
        most = left / shares
        if width > most * share:
            return most
        left, shares = left - width, shares - share
    return max((width / share for width, share in wanted), default=0)


def delegate_of(column: Column[Any], tools: RowPainter, view: QWidget) -> QStyledItemDelegate:
    """Who paints a column."""
    if column.colours is not None:
        return MarkDelegate(tools, view, column.colours)
    return LineDelegate(tools, view, right=column.align_right, quiet=column.muted)


def set_up_columns(view: QTreeView, columns: Sequence[Column[Any]], tools: RowPainter) -> None:
    """Paint and measure columns as they say."""
    header, measured = view.header(), widths(columns, tools)
    header.setStretchLastSection(False)
    for number, column in enumerate(columns):
        view.setItemDelegateForColumn(number, delegate_of(column, tools, view))
        if number in measured:
            header.resizeSection(number, measured[number])
        else:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)


def set_up_table(
    view: QTreeView,
    model: TableModel[Any],
    name: str,
    least_height: int = 0,
    chosen: Callable[[QModelIndex], None] | None = None,
) -> int:
    """A flat list; `chosen` hears a click on a row, and Enter. The height of a row is answered, in pixels."""
    tools = RowPainter((view.parentWidget() or view).font())
    set_up_list(view, model, name, least_height)
    view.setRootIsDecorated(False)
    set_up_columns(view, model.table.columns, tools)
    if chosen is not None:
        view.clicked.connect(chosen)
        view.activated.connect(chosen)
        offer(view, words.tr("Go there"), lambda: chosen(view.currentIndex()))
    return tools.row_height
