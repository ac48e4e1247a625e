"""Which of a log's sessions is meant."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics.gate import Label
from inspector.gui.basics.plain_text import one_line

_TITLE_CHARS = 80


class SessionBox(QComboBox):
    """The titles of the sessions; an entry's data is the number of its session, as a text."""

    def fill(self, log: OpenedLog | None, node: int, most: int | None = None) -> None:
        """Offer the sessions of a log, `most` of them; that of a node of the tree is chosen, and nobody is told."""
        with QSignalBlocker(self):
            self.clear()
            for session in log.overview.sessions[:most] if log else ():
                title = one_line(session.title or session.id, _TITLE_CHARS) or str(session.number + 1)
                self.addItem(title, str(session.number))
            self.setCurrentIndex(min(max(log.session_of(node) if log else 0, 0), self.count() - 1))

    def make_row(self, title: str, parent: QWidget) -> QWidget:
        """The box behind its title, to be shown where there are several sessions."""
        row = QWidget(parent)
        row.hide()
        self.setAccessibleName(title.replace("&", ""))
        label = Label(title, row)
        label.setBuddy(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(label)
        layout.addWidget(self, 1)
        return row
