"""Completion of one word in a line of several."""

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit


class WordCompleter(QCompleter):
    """Completes the last word of a field; what is before it stays."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._words = QStringListModel(self)
        self.setModel(self._words)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(10)
        field.setCompleter(self)

    def set_words(self, words: Sequence[str]) -> None:
        """Offer other words."""
        self._words.setStringList(list(words))

    def splitPath(self, path: str) -> list[str]:
        word = path.rsplit(" ", 1)[-1]
        return [word.removeprefix("-")] if word.removeprefix("-") else ["\0"]

    def pathFromIndex(self, index: object) -> str:
        field = self.widget()
        before, space, word = field.text().rpartition(" ") if isinstance(field, QLineEdit) else ("", "", "")
        no = "-" if word.startswith("-") else ""
        return f"{before}{space}{no}{super().pathFromIndex(index)}"  # type: ignore[arg-type]
