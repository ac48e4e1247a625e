"""The settings of the window on one page. Each is applied at once, and remembered."""

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QPushButton, QWidget

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.qt_helpers import fit_to_screen
from inspector.gui.common.safe_text import set_safe_tooltip, set_window_title
from inspector.gui.common.settings import Settings

_THEMES = {"system": tr("Same as system"), "light": tr("Light"), "dark": tr("Dark")}


class SettingsDialog(QDialog):
    """The colours, the size of letters, what is shown, and what is stored.

    `switches` and `forget` are actions of the window, which the dialog runs, so that menus and keys agree with it.
    """

    def __init__(
        self,
        settings: Settings,
        zooms: dict[int, str],
        set_zoom: Callable[[int], None],
        switches: tuple[QAction, ...],
        forget: QAction,
        parent: QWidget | None = None,
    ) -> None:
        """Create the dialog. `zooms` are the steps of the zoom with their names."""
        super().__init__(parent)
        set_window_title(self, tr("Settings"))
        self._settings = settings
        self.theme = QComboBox(self)
        for mode, title in _THEMES.items():
            self.theme.addItem(tr(title), mode)
        self.theme.setCurrentIndex(self.theme.findData(settings.theme))
        self.theme.currentIndexChanged.connect(self._on_theme_changed)
        self.zoom = QComboBox(self)
        for steps, title in zooms.items():
            self.zoom.addItem(title, steps)
        self.zoom.setCurrentIndex(self.zoom.findData(settings.zoom))
        self.zoom.currentIndexChanged.connect(lambda: set_zoom(self.zoom.currentData()))
        form = QFormLayout(self)
        form.setContentsMargins(16, 14, 16, 14)
        form.setVerticalSpacing(10)
        form.addRow(tr("&Colors"), self.theme)
        form.addRow(tr("Te&xt size"), self.zoom)
        self.switches = tuple(self._switch(action) for action in switches)
        for switch in self.switches:
            form.addRow("", switch)
        self.forget = QPushButton(forget.text(), self)
        self.forget.setEnabled(forget.isEnabled())
        set_safe_tooltip(self.forget, forget.toolTip())
        self.forget.clicked.connect(forget.trigger)
        form.addRow(tr("Stored data"), self.forget)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        fit_to_screen(self, QSize(460, 210))

    def _switch(self, action: QAction) -> QCheckBox:
        box = QCheckBox(action.text(), self)
        box.setChecked(action.isChecked())
        set_safe_tooltip(box, action.toolTip())
        box.clicked.connect(action.trigger)
        return box

    def _on_theme_changed(self) -> None:
        self._settings.theme = self.theme.currentData()
        theme.apply(self._settings.theme)
