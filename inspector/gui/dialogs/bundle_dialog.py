"""What a bundle is, and the language of the reports in it."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.screen import fit
from inspector.gui.dialogs.report_dialog import LANGUAGES, choice
from inspector.gui.panels.icon_lines import IconLines, Line


class BundleDialog(QDialog):
    """It is accepted when the bundle is to be made."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_title(self, self.tr("A bundle without content"))
        self.language = choice(self, LANGUAGES)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = self.buttons.addButton(self.tr("&Save…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        said = IconLines(self._lines, self.tr("What it is"), self, limit=400)
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(self.tr("&Language of the reports"), self.language)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        column.addWidget(said)
        column.addStretch(1)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        column.addWidget(self.buttons)
        said.refresh()
        fit(self, QSize(560, 210))

    def _lines(self) -> list[Line]:
        return [
            (
                "info",
                theme.INFO,
                self.tr("A zip with this log, every text in it replaced by other letters, and reports."),
            ),
            ("ok", theme.GOOD, self.tr("It has the same findings, which is checked before it is written.")),
            ("ok", theme.GOOD, words.tr(words.CONTENT_FREE)),
        ]
