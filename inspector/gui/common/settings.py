"""The settings that the window remembers, declared once and typed. They never contain text of a log."""

from pathlib import Path
from typing import TypeAlias

import msgspec
from PySide6.QtCore import QByteArray, QObject, QSettings

from inspector.core.storage.json_text import hide_surrogates, restore_surrogates
from inspector.version import PROGRAM_NAME

BookmarkEntries: TypeAlias = list[tuple[int, str, str]]

_MAX_RECENT = 10


class Settings(QObject):
    """Typed values in an INI file: only paths, sizes, names, and the person's notes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, PROGRAM_NAME, PROGRAM_NAME, self)

    @property
    def theme(self) -> str:
        """The colour mode: "system", "light" or "dark"."""
        return str(self._store.value("theme", "system", type=str))

    @theme.setter
    def theme(self, mode: str) -> None:
        self._store.setValue("theme", mode)

    @property
    def recent(self) -> list[str]:
        """The logs opened last, the newest first."""
        return [restore_surrogates(each) for each in self._texts("recent")]

    def add_recent(self, path: str) -> None:
        """Put a log first in the list of recent logs."""
        full = str(Path(path).absolute())
        kept = [other for other in self.recent if other != full]
        self._store.setValue("recent", [hide_surrogates(each) for each in [full, *kept][:_MAX_RECENT]])

    def forget_recent(self) -> None:
        self._store.setValue("recent", [])

    def forget_all(self) -> None:
        """Forget everything, except whether content is hidden."""
        hides = self.hide_content
        self._store.clear()
        if hides:
            self.hide_content = True
        self._store.sync()

    @property
    def hide_content(self) -> bool:
        """Whether the content of logs is hidden. A system-wide settings file can set this for all users."""
        return bool(self._store.value("hide_content", False, type=bool))

    @hide_content.setter
    def hide_content(self, on: bool) -> None:
        self._store.setValue("hide_content", on)

    @property
    def show_context(self) -> bool:
        """Whether the tokens of the context are shown above the tree."""
        return bool(self._store.value("show_context", True, type=bool))

    @show_context.setter
    def show_context(self, on: bool) -> None:
        self._store.setValue("show_context", on)

    @property
    def zoom(self) -> int:
        """How many steps the letters are larger than the system asks for; smaller ones are negative."""
        value = self._store.value("zoom", 0, type=int)
        return value if isinstance(value, int) else 0

    @zoom.setter
    def zoom(self, steps: int) -> None:
        self._store.setValue("zoom", steps)

    @property
    def hidden_columns(self) -> list[str]:
        """The names of the tree columns that are not shown."""
        return self._texts("hidden_columns")

    @hidden_columns.setter
    def hidden_columns(self, names: list[str]) -> None:
        self._store.setValue("hidden_columns", names)

    def state(self, name: str) -> QByteArray:
        """Return a remembered size or layout, empty when there is none."""
        value = self._store.value(f"state/{name}", QByteArray(), type=QByteArray)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_state(self, name: str, state: QByteArray) -> None:
        self._store.setValue(f"state/{name}", state)

    @property
    def folder(self) -> str:
        """The folder in which a log was last chosen."""
        return restore_surrogates(str(self._store.value("folder", "", type=str)))

    @folder.setter
    def folder(self, path: str) -> None:
        self._store.setValue("folder", hide_surrogates(path))

    def notes(self, log: str) -> BookmarkEntries:
        """Return the bookmarks of a log (named by a digest) as (record, digest of the record, note)."""
        try:
            return msgspec.json.decode(str(self._store.value(f"notes/{log}", "[]", type=str)), type=BookmarkEntries)
        except msgspec.DecodeError:
            return []

    def set_notes(self, log: str, notes: BookmarkEntries) -> None:
        if notes:
            self._store.setValue(f"notes/{log}", msgspec.json.encode(notes).decode())
        else:
            self._store.remove(f"notes/{log}")

    def all_choices(self) -> dict[str, str]:
        """Return the choices of all logs (named by digests), encoded."""
        self._store.beginGroup("choices")
        try:
            return {log: str(self._store.value(log, "", type=str)) for log in self._store.childKeys()}
        finally:
            self._store.endGroup()

    def set_choices(self, log: str, choices: str) -> bool:
        """Store the encoded choices of a log (named by a digest), "" for none. Return whether they can be stored."""
        if choices:
            self._store.setValue(f"choices/{log}", choices)
        else:
            self._store.remove(f"choices/{log}")
        return self._store.isWritable()

    @property
    def marks(self) -> dict[str, tuple[float, str]]:
        """When logs (named by digests) were marked, and the file that the mark is about, the oldest mark first."""
        try:
            # Earlier versions stored only the time.
            stored = msgspec.json.decode(
                str(self._store.value("marks", "{}", type=str)), type=dict[str, float | tuple[float, str]]
            )
        except msgspec.DecodeError:
            return {}
        both = {log: (mark, "") if isinstance(mark, float) else mark for log, mark in stored.items()}
        return {log: (marked_at, restore_surrogates(file)) for log, (marked_at, file) in both.items()}

    @marks.setter
    def marks(self, marks: dict[str, tuple[float, str]]) -> None:
        stored = {log: (marked_at, hide_surrogates(file)) for log, (marked_at, file) in marks.items()}
        self._store.setValue("marks", msgspec.json.encode(stored).decode())

    @property
    def wording(self) -> str:
        """The wording of placeholders: the name of a known one, the person's text, or "" for the preset's."""
        return str(self._store.value("wording", "", type=str))

    @wording.setter
    def wording(self, wording: str) -> None:
        self._store.setValue("wording", wording)

    def _texts(self, name: str) -> list[str]:
        # An INI file stores a list of one item as plain text, and an empty list as nothing.
        value = self._store.value(name, [], type=list)
        if isinstance(value, str):
            return [value]
        return [str(text) for text in value] if isinstance(value, list) else []
