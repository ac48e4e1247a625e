"""The choices for logs, stored per log and outside of it, and restored when the log is opened again."""

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import ADOPT_STRATEGY, Choices
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings

if TYPE_CHECKING:
    from inspector.gui.state.document import Document

# More than this is not kept in the settings, and the person is asked before it is lost.
_MAX_BYTES = 262_144


class KeptChoices(msgspec.Struct, frozen=True):
    """The choices for one log: names of strategies by rule and by the id of a finding, no text of the log.

    `session` is the id of its first session: another log in its place does not get them. `unsaved` is the number of
    choices that no save contains.
    """

    session: str
    choices: Choices
    unsaved: int


class ChoiceKeeper(QObject):
    """Keeps the choices for the open log in the settings at once, and restores them when the log is opened again.

    A growing log keeps them, because findings are named by their ids. Signals: `changed` (the path of a log).
    """

    changed = Signal(str)

    def __init__(self, document: "Document", settings: Settings) -> None:
        super().__init__(document)
        self._document, self._settings = document, settings
        self._kept = {log: kept for log, text in settings.all_choices().items() if (kept := _decode(text))}
        self.can_keep = True
        document.log_changed.connect(self._on_log_changed)
        document.written.connect(self._on_written)
        document.repair.choices_changed.connect(self._on_choices_changed)

    def unsaved_in(self, path: str) -> int:
        """Return how many choices for a log were not saved, including those for the open log that cannot be kept."""
        if path == self._document.path and self._document.repair.is_restored:
            return self.unsaved
        # Most lists have no such log: then no path has to be hashed.
        kept = self._kept.get(settings_key(path)) if self._kept else None
        return kept.unsaved if kept else 0

    @property
    def unsaved(self) -> int:
        """How many choices for the open log were not saved."""
        return self._document.repair.unsaved_count

    @property
    def would_be_lost(self) -> int:
        """How many choices would be lost if another log was opened now, because they cannot be kept."""
        return 0 if self.can_keep else self.unsaved

    def forget_all(self) -> None:
        """Forget the choices for all logs, because the settings were cleared. Those for the open log stay in use."""
        self._kept = {}
        self.changed.emit(self._document.path)

    @Slot()
    def _on_log_changed(self) -> None:
        log, repair = self._document.whole_log, self._document.repair
        if log is None or repair.is_restored:
            return
        repair.is_restored, self.can_keep = True, True
        kept = self._kept.get(settings_key(self._document.path))
        if repair.has_choices:  # made while the log was being read
            self._on_choices_changed()
        elif kept is not None and (hiding.salt(self._document.path) or kept.session == self._session()):
            # While content is hidden, the id of the session is not known.
            repair.restore(_usable(kept.choices), is_saved=not kept.unsaved)
        self.changed.emit(self._document.path)

    @Slot()
    def _on_choices_changed(self) -> None:
        """Store the choices, or remove them if there are none any more."""
        path, repair = self._document.path, self._document.repair
        if not repair.is_restored:
            return
        key, kept = settings_key(path), KeptChoices(self._session(), repair.choices, repair.unsaved_count)
        if not repair.has_choices:
            self._kept.pop(key, None)
            self.can_keep = self._settings.set_choices(key, "")
        else:
            # While content is hidden, nothing is stored that has ids of a log. What was stored before stays.
            text = None if hiding.enabled else _encode(kept)
            if text is not None and self._settings.set_choices(key, text):
                self._kept[key] = kept
            self.can_keep = key in self._kept and self._kept[key].choices == repair.choices
        self.changed.emit(path)

    @Slot(str, object)
    def _on_written(self, path: str, saved: SaveResult) -> None:
        """Note that a saved repair contains the choices. A save in place carried them out, so they are removed."""
        if saved.made not in ("repaired", "partly-repaired"):
            return
        key = settings_key(path)
        if Path(saved.path) == Path(path):
            self._settings.set_choices(key, "")
            self._kept.pop(key, None)
        elif path == self._document.path:
            self._document.repair.mark_saved(self._document.written_choices)
            self._on_choices_changed()
        self.changed.emit(path)

    def _session(self) -> str:
        log = self._document.log
        return log.overview.sessions[0].id if log and log.overview.sessions else ""


def settings_key(path: str) -> str:
    """Return the name of a log in the settings, which does not show its path."""
    return blake2b(str(Path(path).absolute()).encode(errors="surrogateescape"), digest_size=12).hexdigest()


def _encode(kept: KeptChoices) -> str | None:
    """Return the text to store, None where it is too long or an id is no text that can be stored."""
    try:
        encoded = msgspec.json.encode(kept)
    except UnicodeEncodeError:
        return None
    return encoded.decode() if len(encoded) <= _MAX_BYTES else None


def _decode(text: str) -> KeptChoices | None:
    try:
        return msgspec.json.decode(text, type=KeptChoices)
    except (msgspec.DecodeError, RecursionError):
        return None


def _usable(choices: Choices) -> Choices:
    """Return choices without the other logs that are gone, and without the results that were to be copied from them."""
    present = tuple(path for path in choices.results_from if os.path.exists(path))
    if present == choices.results_from:
        return choices
    findings = {name: chosen for name, chosen in choices.findings.items() if chosen != ADOPT_STRATEGY}
    return replace(choices, results_from=present, findings=findings)
