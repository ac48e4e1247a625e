"""Everything the window asks the person in a dialog, in one place, so that tests can answer instead."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from inspector.gui.words import tr


class Questions:
    """Each method asks one thing; "" and False mean that the person thought better of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._parent = parent

    def log_to_open(self, folder: str) -> str:
        logs = tr("Logs") + " (*.jsonl *.json *.ndjson)"
        return QFileDialog.getOpenFileName(self._parent, tr("Open a log"), folder, f"{logs};;{tr('All files')} (*)")[0]

    def folder_to_list(self, folder: str) -> str:
        return QFileDialog.getExistingDirectory(self._parent, tr("Open a folder of logs"), folder)

    def target_of_copy(self, suggestion: str) -> str:
        return QFileDialog.getSaveFileName(self._parent, tr("Save a repaired copy"), suggestion)[0]

    def agent_is_closed(self, path: str) -> bool:
        """Saving in place while the agent runs would mix both: the person must confirm."""
        box = QMessageBox(self._parent)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(tr("Save in place"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(tr("Close the agent first."))
        box.setInformativeText(
            tr("An agent that still runs would write into the repaired log. A backup is made first.") + f"\n\n{path}"
        )
        save = box.addButton(tr("The agent is closed: save"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        return box.clickedButton() is save
