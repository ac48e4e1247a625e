"""All questions that the window asks the person in dialogs, in one place, so that tests can answer them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QDir
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from inspector.core.lazy import LazyModule
from inspector.core.translation import tr_plural
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import make_message_box
from inspector.gui.common.ui_text import tr
from inspector.version import PROGRAM_NAME

if TYPE_CHECKING:
    from inspector.core.engine import stored_data, without_open_log
else:
    stored_data = LazyModule("inspector.core.engine.stored_data")
    without_open_log = LazyModule("inspector.core.engine.without_open_log")

T = TypeVar("T")
_LOG_PATTERNS = "*.jsonl *.json *.ndjson"


def _file_filters(patterns: str) -> str:
    """Return the filters of a file dialog for logs: those that match the patterns, and all files."""
    return tr("Logs ({patterns});;All files (*)", patterns=patterns)


class DialogQuestions:
    """The prompts. Each method asks one question. "" and False mean that the person canceled.

    The folder in which something was saved last is suggested for the next save.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._parent = parent
        self._last_folder = ""

    def log_to_open(self, folder: str) -> str:
        filters = _file_filters(f"{_LOG_PATTERNS} *.zst *.zip *.tar *.tgz *.tar.gz")
        return _run_file_dialog(QFileDialog.getOpenFileName, self._parent, tr("Open a log"), folder, filters)[0]

    def folder_to_list(self, folder: str) -> str:
        return _run_file_dialog(QFileDialog.getExistingDirectory, self._parent, tr("Open a folder of logs"), folder)

    def folder_to_write_to(self, title: str) -> str:
        folder = self._last_folder or QDir.homePath()
        chosen = _run_file_dialog(QFileDialog.getExistingDirectory, self._parent, title, folder)
        self._last_folder = chosen or self._last_folder
        return chosen

    def target_of_copy(self, name: str, log: str, title: str = "") -> str:
        """Ask where to save something of the log at a path; `name` is the suggested name."""
        shown = "" if hiding.salt(log) else log  # while content is hidden, a dialog shows no folder of a log
        folder = self._last_folder or without_open_log.folder_for_copy(shown)
        target = self._target(str(Path(folder) / name), title or tr("Save a repaired copy"))
        self._last_folder = str(Path(target).parent) if target else self._last_folder
        return target

    def _target(self, suggestion: str, title: str) -> str:
        return _run_file_dialog(QFileDialog.getSaveFileName, self._parent, title, suggestion)[0]

    def backup_to_restore(self, folder: str) -> str:
        """Ask for a backup, or for a file of one that is a folder."""
        backups = tr("Backups") + tr(" (*.backup *.backup-*)")
        title, filters = tr("Restore a backup"), tr("{backups};;All files (*)", backups=backups)
        return _run_file_dialog(QFileDialog.getOpenFileName, self._parent, title, folder, filters)[0]

    def logs_with_results(self, folder: str) -> list[str]:
        """Ask for other logs of the same conversation."""
        title = tr("Choose logs that may contain the missing results")
        filters = _file_filters(_LOG_PATTERNS)
        return _run_file_dialog(QFileDialog.getOpenFileNames, self._parent, title, folder, filters)[0]

    def log_to_compare(self, folder: str) -> str:
        """Ask for another log of the same conversation."""
        title = tr("Another log of this conversation")
        filters = _file_filters(_LOG_PATTERNS)
        return _run_file_dialog(QFileDialog.getOpenFileName, self._parent, title, folder, filters)[0]

    def wording(self, template: str) -> str:
        """Ask for the text of placeholders."""
        label = tr(
            "The text to use if no result was recorded. {name} is the name of the tool, and {id} is the id of the call."
        )
        text, sure = QInputDialog.getMultiLineText(self._parent, tr("Placeholder text"), label, template)
        return text.strip() if sure else ""

    def note(self, known: str) -> str | None:
        """Ask for a note. None when the person cancelled."""
        text, sure = QInputDialog.getText(
            self._parent, tr("Note"), tr("Enter a note for this row. The note is stored outside the log."), text=known
        )
        return text.strip() if sure else None

    def pasted_text(self) -> str:
        """Ask for an error or a request, pasted or typed."""
        label = tr(
            "Paste the body of a request, or an error message from the provider or the agent, including any "
            "surrounding text. The text is compared with logs and is not used for anything else."
        )
        text, sure = QInputDialog.getMultiLineText(self._parent, tr("Paste an error"), label)
        return text if sure else ""

    def confirm_agent_closed(self, path: str) -> bool:
        """Confirm that the agent is closed. Saving in place while it runs would mix both."""
        why = tr(
            "Close the agent first, because a running agent would write to the repaired log. A backup is made "
            "before the log is replaced."
        )
        return self._confirm(
            tr("Save in place"), f"{why}\n\n{hiding.display_path(path)}", tr("Save (I have closed the agent)")
        )

    def confirm_close_during_save(self) -> bool:
        """Confirm that the window closes although something is still being written."""
        told = tr("A file is still being written. The window will close when the file is complete.")
        undone = tr(
            "If you close now, incomplete files are removed. If a log is being replaced, there is a backup next to it."
        )
        return self._confirm(tr("Close while a file is being saved?"), undone, tr("Close without finishing"), told)

    def confirm_losing_choices(self, count: int) -> bool:
        """Confirm that choices are lost because another log is opened, or the window closes."""
        told = tr_plural(
            "{number:,} choice for this log has not been saved.",
            "{number:,} choices for this log have not been saved.",
            count,
        )
        why = tr("Choices are not remembered while content is hidden or when the settings cannot be saved.")
        return self._confirm(tr("Choices"), why, tr("Discard the choices"), told)

    def confirm_restore(self, backup: str, original: str) -> bool:
        """Confirm a restore, and show what it replaces."""
        back = tr("The following will be restored:\n{original}", original=hiding.display_path(original))
        source = tr("From this backup:\n{backup}", backup=hiding.display_path(backup))
        kept = tr("The current file is kept under another name.")
        more = "\n\n".join((back, source, kept))
        return self._confirm(tr("Restore a backup"), more, tr("Restore (the agent is closed)"))

    def confirm_forget(self) -> bool:
        """Confirm forgetting, which cannot be undone."""
        goes = tr(
            "This action removes bookmarks, notes, the window layout, the lists of recent logs and folders, "
            "and files left over from a save."
        )
        stays = tr(
            "Logs are not changed. Backups and files with damaged bytes that are stored next to logs are "
            "kept and are listed afterward."
        )
        return self._confirm(
            tr("Forget everything"), f"{goes}\n\n{stays}", tr("Forget everything"), tr("Forget everything?")
        )

    def show_message(self, told: str, more: str) -> None:
        """Show a message that has no place of its own in the window."""
        make_message_box(QMessageBox.Icon.Warning, PROGRAM_NAME, told, more, self._parent).exec()

    def about(self, versions: str) -> None:
        """Show the versions, and offer to copy them."""
        more = tr("No data leaves this machine. For the license, see LICENSE.")
        box = make_message_box(QMessageBox.Icon.NoIcon, tr("About Transcript Inspector"), versions, more, self._parent)
        copy = box.addButton(tr("Copy"), QMessageBox.ButtonRole.ActionRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Close))
        box.exec()
        if box.clickedButton() is copy:
            QGuiApplication.clipboard().setText(versions)

    def _confirm(self, title: str, more: str, yes: str, told: str = "") -> bool:
        told = told or tr("Close the agent first.")
        box = make_message_box(QMessageBox.Icon.Warning, title, told, more, self._parent)
        sure = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        return box.clickedButton() is sure


def _run_file_dialog(dialog: Callable[..., T], *question: object) -> T:
    """Run a file dialog. While content is hidden, its folder history is cleared afterwards."""
    try:
        return dialog(*question)
    finally:
        if hiding.enabled:
            stored_data.clear_dialog_history()
