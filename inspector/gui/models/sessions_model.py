"""The sessions of a log as a list."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.showing.answers import SessionSummary
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.roles import Role

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
_WORST_FIRST = ("broken", "unreadable", "unexplained", "not-judged", "heals-itself", "waiting", "healthy")


class SessionsModel(QAbstractListModel):
    """Worst first; POSITION is the session's place in the overview."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sessions: tuple[SessionSummary, ...] = ()
        self._order: list[int] = []

    def show(self, sessions: tuple[SessionSummary, ...]) -> None:
        """Show other sessions."""
        self.beginResetModel()
        self._sessions = sessions
        self._order = sorted(range(len(sessions)), key=lambda number: (_rank(sessions[number]), number))
        self.endResetModel()

    def index_of(self, session: int) -> QModelIndex:
        return self.index(self._order.index(session)) if session in self._order else QModelIndex()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        session = self._sessions[self._order[index.row()]]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                title = one_line(session.title or session.id, 120) or str(session.number)
                return f"{words.tr('Session')} {title}" if title.isdigit() else title
            case Role.POSITION:
                return self._order[index.row()]
            case Role.MARK:
                return session.verdict
            case Role.COUNT:
                return session.errors
            case Qt.ItemDataRole.ToolTipRole:
                return tip(one_line(session.sentence, 300))
            case Qt.ItemDataRole.AccessibleTextRole:
                title = one_line(session.title or session.id, 120)
                return f"{words.VERDICT.get(session.verdict, session.verdict)}: {title}"
        return None


def _rank(session: SessionSummary) -> int:
    return _WORST_FIRST.index(session.verdict) if session.verdict in _WORST_FIRST else len(_WORST_FIRST)
