"""What an agent will send as a list of blocks, in pages when it is long; what it drops stands where the log has it."""

from array import array
from enum import IntEnum
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from inspector.core.index.views import BlockKind
from inspector.core.showing.copies import RequestPreviewBlock
from inspector.gui.answers.opened_log import number_in
from inspector.gui.answers.sent_book import SentBook
from inspector.gui.basics import theme, words
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Index, Table
from inspector.gui.models.paged_tree import PagedTreeModel
from inspector.gui.models.roles import Role

_CHARS = 200


class SentColumn(IntEnum):
    """The columns of the list of blocks."""

    MESSAGE = 0
    ROLE = 1
    MARK = 2
    PART = 3
    TEXT = 4
    LINE = 5


_DROPPED = "dropped"  # what is not sent looks like it in every column


class SentRow(NamedTuple):
    """A block, and the number of the record that it stands in, None for one that the log does not have."""

    block: RequestPreviewBlock
    number: int | None


def _message(row: SentRow) -> str:
    return "" if row.block.message is None else f"{row.block.message:,}"


def _role(row: SentRow) -> str:
    return one_line(row.block.role, _CHARS)


def _mark(row: SentRow) -> str:
    return words.tr(words.SENT[row.block.mark])


def _part(row: SentRow) -> str:
    kind = words.tr(words.BLOCK[BlockKind[row.block.kind.upper()]])
    return one_line(f"{kind} {row.block.name}", _CHARS)


def _text(row: SentRow) -> str:
    return one_line(row.block.text, _CHARS)


def _line(row: SentRow) -> str:
    return "" if row.number is None else f"{row.number:,}"


def _spoken(row: SentRow) -> str:
    """The whole row, for a reader that does not see the columns."""
    said = [_role(row), _part(row), _text(row)]
    if row.block.message is not None:
        said.insert(0, f"{words.tr('message')} {_message(row)}")
    if row.number is not None:
        said.append(f"{words.tr('line')} {_line(row)}")
    return f"{_mark(row)}: {', '.join(filter(None, said))}"


SENT = Table[SentRow](
    (
        Column("Message", _message, ("Message",), 34, "Its number as the provider counts, from 0", align_right=True),
        Column("Role", _role, ("function_call",), padding=24),
        Column(
            "What happens",
            _mark,
            words.SENT.values(),
            padding=40,
            icon_key=lambda row: words.SENT_ICON[row.block.mark],
            colours=theme.SENT,
        ),
        Column("Part", _part, ("result mcp__files__read",), padding=20),
        Column("First words", _text),
        Column("Line", _line, ("888,888",), 20, "Where it stands in the log", align_right=True),
    ),
    tip=_text,
    accessible_text=_spoken,
    roles={Role.MARK: lambda row: row.block.mark if row.block.mark == _DROPPED else None},
)


class SentModel(PagedTreeModel):
    """Shows a SentBook, or only what of it does not go out as the log holds it.

    `lines` are the lines of the log's records, and may be empty.
    """

    TABLE, PAGES = SENT, SentColumn.TEXT

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
        self.set_root_leaves(0 if book is None else len(book.changed_positions) if only_other else len(book))
        self.endResetModel()

    def row(self, index: Index) -> SentRow | None:
        """The block of a leaf, None for a page."""
        leaf = self.leaf(index)
        if self._book is None or leaf < 0:
            return None
        block = self._book[self._book.changed_positions[leaf] if self._only_other else leaf]
        return SentRow(block, number_in(self._lines, block.place.record) if block.place else None)

    def first_changed_row(self) -> QModelIndex:
        """The first row that does not go out as the log holds it; the first one where all do."""
        if self._book is None or not len(self._book.changed_positions):
            return self.index_of_leaf(0)
        return self.index_of_leaf(0 if self._only_other else self._book.changed_positions[0])
