"""The request that an agent will send, as a list of blocks.

Long lists are split into pages. Dropped blocks are listed at their place in the log.
"""

from array import array
from enum import IntEnum
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from inspector.core.model.views import BlockKind
from inspector.core.presentation.engine_results import RequestPreviewBlock
from inspector.core.translation import tr
from inspector.gui.common import theme, ui_text
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.models.base import ColumnSpec, ItemRole, ModelIndex, PagedTreeModel, TableSpec
from inspector.gui.worker.packed_answers import PackedResumeRequest, record_display_number

_MAX_CHARS = 200


class ResumeRequestColumn(IntEnum):
    """The columns of the list of blocks."""

    MESSAGE = 0
    ROLE = 1
    MARK = 2
    PART = 3
    TEXT = 4
    LINE = 5


_DROPPED = "dropped"  # what is not sent looks like it in every column


class ResumeRequestRow(NamedTuple):
    """A block, and the number of its record, None when the log does not contain it."""

    block: RequestPreviewBlock
    number: int | None


def _message(row: ResumeRequestRow) -> str:
    return "" if row.block.message is None else f"{row.block.message:,}"


def _role(row: ResumeRequestRow) -> str:
    return to_one_line(row.block.role, _MAX_CHARS)


def _mark(row: ResumeRequestRow) -> str:
    return tr(ui_text.SENT_MARK_WORDS[row.block.mark])


def _part(row: ResumeRequestRow) -> str:
    kind = tr(ui_text.BLOCK_KIND_WORDS[BlockKind[row.block.kind.upper()]])
    return to_one_line(f"{kind} {row.block.name}", _MAX_CHARS)


def _text(row: ResumeRequestRow) -> str:
    return to_one_line(row.block.text, _MAX_CHARS)


def _line(row: ResumeRequestRow) -> str:
    return "" if row.number is None else f"{row.number:,}"


def _spoken(row: ResumeRequestRow) -> str:
    """Return the whole row as text for a screen reader."""
    said = [_role(row), _part(row), _text(row)]
    if row.block.message is not None:
        said.insert(0, tr("message {message}", message=_message(row)))
    if row.number is not None:
        said.append(tr("line {line}", line=_line(row)))
    return f"{_mark(row)}: {', '.join(filter(None, said))}"


RESUME_REQUEST_TABLE = TableSpec[ResumeRequestRow](
    (
        ColumnSpec(
            tr("Message"),
            _message,
            (tr("Message"),),
            34,
            tr("Message number as counted by the provider, starting at 0"),
            align_right=True,
        ),
        ColumnSpec(tr("Role"), _role, ("function_call",), padding=24),
        ColumnSpec(
            tr("What happens"),
            _mark,
            ui_text.SENT_MARK_WORDS.values(),
            padding=40,
            icon_key=lambda row: ui_text.SENT_MARK_ICONS[row.block.mark],
            colours=theme.SENT_MARK_COLOURS,
        ),
        ColumnSpec(tr("Part"), _part, ("result mcp__files__read",), padding=20),
        ColumnSpec(tr("Beginning"), _text),
        ColumnSpec(tr("Line"), _line, ("888,888",), 20, tr("Location in the log"), align_right=True),
    ),
    tip=_text,
    accessible_text=_spoken,
    roles={ItemRole.MARK: lambda row: row.block.mark if row.block.mark == _DROPPED else None},
)


class ResumeRequestModel(PagedTreeModel):
    """The model of a PackedResumeRequest, or only of the blocks that are not sent as they are in the log.

    `lines` are the lines of the log's records, and may be empty.
    """

    TABLE, PAGES = RESUME_REQUEST_TABLE, ResumeRequestColumn.TEXT

    def __init__(self, parent: QObject | None = None) -> None:
        self._book: PackedResumeRequest | None = None
        self._lines: array[int] = array("q")
        self._only_other = False
        super().__init__(parent)

    def show(self, book: PackedResumeRequest | None, lines: "array[int]", only_other: bool = False) -> None:
        """Show another request, or another part of it."""
        self.beginResetModel()
        self._book, self._lines, self._only_other = book, lines, only_other
        self.clear_groups()
        self.set_root_leaves(0 if book is None else len(book.changed_positions) if only_other else len(book))
        self.endResetModel()

    def row(self, index: ModelIndex) -> ResumeRequestRow | None:
        """Return the block of a leaf, None for a page."""
        leaf = self.leaf(index)
        if self._book is None or leaf < 0:
            return None
        block = self._book[self._book.changed_positions[leaf] if self._only_other else leaf]
        return ResumeRequestRow(block, record_display_number(self._lines, block.place.record) if block.place else None)

    def first_changed_row(self) -> QModelIndex:
        """Return the first row that is not sent as it is in the log, else the first row."""
        if self._book is None or not len(self._book.changed_positions):
            return self.index_of_leaf(0)
        return self.index_of_leaf(0 if self._only_other else self._book.changed_positions[0])
