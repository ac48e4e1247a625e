"""Bookmarks: rows that a person marked, with an optional note. They are stored per log, outside the log."""

from hashlib import blake2b
from itertools import starmap
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.kept_choices import settings_key
from inspector.gui.state.record_reader import RecordReader

_DIGESTED_BYTES = 65536


class Bookmark(NamedTuple):
    """A bookmarked record: its number, the digest of its bytes, and the note.

    The digest says whether the record is still the same one.
    """

    record: int
    digest: str
    note: str


class Bookmarks(QObject):
    """The bookmarks of the open log.

    Of the log itself only hashes are stored, never any text.

    Signals: `changed`.
    """

    changed = Signal()

    def __init__(self, document: Document, settings: Settings) -> None:
        super().__init__(document)
        self._document, self._settings = document, settings
        self._marks: dict[int, Bookmark] = {}
        self._stale: list[Bookmark] = []
        self._reader: RecordReader | None = None
        self._path = ""
        document.log_changed.connect(self._on_log_changed)

    def __len__(self) -> int:
        return len(self._marks)

    def note(self, record: int) -> str | None:
        """Return the note on a record, None when the record has no bookmark.

        The note is "" when the bookmark has no text or notes are hidden.
        """
        mark = self._marks.get(record)
        return None if mark is None else self._shown(mark).note

    def all(self) -> list[Bookmark]:
        """Return the bookmarks in the order of the log."""
        return [self._shown(self._marks[record]) for record in self.records]

    @property
    def records(self) -> list[int]:
        """The bookmarked records, ascending."""
        return sorted(self._marks)

    @property
    def current_record(self) -> int:
        """The record of the current row, -1 for none."""
        log, node = self._document.whole_log, self._document.node
        return log.outline.record[node] if log is not None and node > 0 else -1

    def toggle(self) -> None:
        """Add a bookmark to the current row, or remove it together with its note."""
        self.set_note(self.current_record, "" if self.note(self.current_record) is None else None)

    def set_note(self, record: int, note: str | None) -> None:
        """Set a bookmark with a note ("" for no text). With None, remove it."""
        digest = self._digest(record) if record >= 0 else ""
        if not digest:
            return
        if note is None:
            self._marks.pop(record, None)
        else:
            self._marks[record] = Bookmark(record, digest, note)
        self._settings.set_notes(
            settings_key(self._document.path), [*(self._marks[number] for number in self.records), *self._stale]
        )
        self.changed.emit()

    def _shown(self, mark: Bookmark) -> Bookmark:
        return mark._replace(note="") if hiding.salt(self._document.path) else mark

    def _digest(self, record: int) -> str:
        """Return the digest of the length and first bytes of a record.

        Returns "" when the record cannot be read, because the file changed or is gone.
        """
        raw = self._reader.read_bytes(record, _DIGESTED_BYTES) if self._reader is not None else None
        if self._reader is None or raw is None:
            return ""
        start, end = self._reader.span(record)
        return blake2b(b"%d " % (end - start) + raw, digest_size=12).hexdigest()

    @Slot()
    def _on_log_changed(self) -> None:
        log, path = self._document.whole_log, self._document.path
        if log is None and path == self._path:
            return  # it is read again
        self._path = path
        self._marks, self._stale, self._reader = {}, [], self._document.reader if log else None
        kept = self._settings.notes(settings_key(self._document.path)) if self._reader else []
        for mark in starmap(Bookmark, kept):
            if log and 0 <= mark.record < len(log.starts) and self._digest(mark.record) == mark.digest:
                self._marks[mark.record] = mark
            else:
                # An undone repair or a restored copy can bring the record back.
                self._stale.append(mark)
        self.changed.emit()
