"""What an agent will send as a list of blocks, in pages when it is long; what it drops stands where the log has it."""

from array import array
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from inspector.core.index.views import BlockKind
from inspector.core.showing.answers import SentBlock
from inspector.gui.answers.sent_book import SentBook
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.paged_tree import Index, PagedTreeModel
from inspector.gui.models.roles import Role

_NO_INDEX = QModelIndex()
_CHARS = 200


class SentColumn(IntEnum):
    """The columns of the list of blocks."""

    MESSAGE = 0
    ROLE = 1
    MARK = 2
    PART = 3
    TEXT = 4
    LINE = 5


_TITLES = ("Message", "Role", "What happens", "Part", "First words", "Line")
_DROPPED = "dropped"  # what is not sent looks like it in every column
_NUMBERS = (SentColumn.MESSAGE, SentColumn.LINE)
_TIPS = {SentColumn.MESSAGE: "Its number as the provider counts, from 0", SentColumn.LINE: "Where it stands in the log"}


class SentModel(PagedTreeModel):
    """Shows a SentBook, or only what of it does not go out as the log holds it.

    `lines` are the lines of the log's records, and may be empty.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        self._book: SentBook | None = None
        self._lines: array[int] = array("q")
        self._only_other = False
        super().__init__(parent)

    def show(self, book: SentBook | None, lines: "array[int]", only_other: bool = False) -> None:
        """Show another answer, or another part of it."""
        self.beginResetModel()
        self._book, self._lines, self._only_other = book, lines, only_other
        self.clear_groups()
        self.set_root_leaves(0 if book is None else len(book.other) if only_other else len(book))
        self.endResetModel()

    def block(self, index: Index) -> SentBlock | None:
        """The block of a row, None for a page."""
        leaf = self.leaf(index)
        if self._book is None or leaf < 0:
            return None
        return self._book[self._book.other[leaf] if self._only_other else leaf]

    def first_other(self) -> QModelIndex:
        """The first row that does not go out as the log holds it; the first one where all do."""
        if self._book is None or not len(self._book.other):
            return self.index_of_leaf(0)
        return self.index_of_leaf(0 if self._only_other else self._book.other[0])

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return len(SentColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        block, column = self.block(index), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(block, column) if block else self._page(index)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if block is None:
            return None
        match role:
            case Role.MARK:
                if column == SentColumn.MARK:
                    return words.SENT_ICON[block.mark]
                return block.mark if block.mark == _DROPPED else None
            case Qt.ItemDataRole.ToolTipRole:
                return tip(one_line(block.text, _CHARS))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(block)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(SentColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        if role == Qt.ItemDataRole.ToolTipRole and section in _TIPS:
            return tip(words.tr(_TIPS[SentColumn(section)]))
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, block: SentBlock, column: int) -> str:
        match column:
            case SentColumn.MESSAGE:
                return "" if block.message is None else f"{block.message:,}"
            case SentColumn.ROLE:
                return one_line(block.role, _CHARS)
            case SentColumn.MARK:
                return words.tr(words.SENT[block.mark])
            case SentColumn.PART:
                kind = words.tr(words.BLOCK[BlockKind[block.kind.upper()]])
                return one_line(f"{kind} {block.name}", _CHARS)
            case SentColumn.TEXT:
                return one_line(block.text, _CHARS)
            case _:
                return f"{self._line(block.place.record):,}" if block.place else ""

    def _line(self, record: int) -> int:
        return self._lines[record] if record < len(self._lines) else record + 1

    def _page(self, index: Index) -> str:
        start, stop = self.range_of(self.group(index))
        return f"{start + 1:,} – {stop:,}" if index.column() == SentColumn.TEXT else ""

    def _spoken(self, block: SentBlock) -> str:
        """The whole row, for a reader that does not see the columns."""
        said = [self._text(block, column) for column in (SentColumn.ROLE, SentColumn.PART, SentColumn.TEXT)]
        if block.message is not None:
            said.insert(0, f"{words.tr('message')} {block.message:,}")
        if block.place:
            said.append(f"{words.tr('line')} {self._text(block, SentColumn.LINE)}")
        return f"{self._text(block, SentColumn.MARK)}: {', '.join(filter(None, said))}"
