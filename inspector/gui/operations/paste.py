"""Pasting, dropping or typing outside a text field: files are opened, and a text is looked up."""

import os
from collections.abc import Callable
from urllib.parse import unquote_to_bytes, urlsplit

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication

from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.state.error_lookup import ErrorLookup


class PasteOperation:
    """The paste operation.

    `open` opens paths. `in_log` returns whether to look for a text in the open log.
    """

    def __init__(
        self,
        pasted: ErrorLookup,
        questions: DialogQuestions,
        open: Callable[[list[str]], None],
        in_log: Callable[[], bool],
    ) -> None:
        self._pasted, self._questions = pasted, questions
        self._open, self._is_log_shown = open, in_log

    def paste(self) -> None:
        """Paste the clipboard. It is treated as empty when the system does not give access."""
        data: QMimeData | None = QGuiApplication.clipboard().mimeData()
        self.insert(data if data is not None else QMimeData())

    def ask(self) -> None:
        """Ask for a text and look it up."""
        text = self._questions.pasted_text()
        if text.strip():
            self._pasted.ask(text, self._is_log_shown())

    def accepts(self, data: QMimeData) -> bool:
        return bool(_paths(data)) or data.hasText()

    def insert(self, data: QMimeData) -> None:
        """Open the files, or look up the text."""
        paths = _paths(data)
        if paths:
            self._open(paths)
        else:
            self._pasted.ask(data.text(), self._is_log_shown())


def _paths(data: QMimeData) -> list[str]:
    return [_path(url) for url in data.urls() if url.isLocalFile()]


def _path(url: QUrl) -> str:
    """Return the path of a file. Qt loses bytes of a name that are not UTF-8, so they are taken from the URL."""
    path = url.toLocalFile()
    return os.fsdecode(unquote_to_bytes(urlsplit(url.toEncoded().toStdString()).path)) if "\ufffd" in path else path
