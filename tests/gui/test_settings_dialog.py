"""The settings on one page: each is applied at once, remembered, and agrees with the menus."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings
from inspector.gui.dialogs.settings_dialog import SettingsDialog
from inspector.gui.window.main_window import MainWindow
from tests.gui.there import there


@pytest.fixture
def dialog(window: MainWindow, qapp: QApplication) -> Iterator[SettingsDialog]:
    window.window_actions[Action.SETTINGS].trigger()
    yield there(window.findChild(SettingsDialog))
    window.set_zoom(0)
    hiding.set_enabled(False)
    theme.apply("light", styled=False)
    qapp.setStyleSheet("")


def test_a_setting_is_applied_at_once_and_remembered(
    qtbot: QtBot, window: MainWindow, dialog: SettingsDialog, qapp: QApplication
) -> None:
    size = qapp.font().pointSizeF()
    dialog.theme.setCurrentIndex(dialog.theme.findData("dark"))
    assert theme.is_dark(window.palette())
    dialog.zoom.setCurrentIndex(dialog.zoom.findText("150 %"))
    assert qapp.font().pointSizeF() == pytest.approx(1.5 * size)
    context, hides = dialog.switches
    for box in (context, hides):
        qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.rect().center() - box.rect().center() / 1.1)
    assert (context.isChecked(), hides.isChecked()) == (False, True)
    assert window.window_actions[Action.HIDE_CONTENT].isChecked()
    kept = Settings()
    assert (kept.theme, kept.zoom, kept.show_context, kept.hide_content) == ("dark", 5, False, True)


def test_everything_can_be_forgotten_from_there(dialog: SettingsDialog, window: MainWindow) -> None:
    action = window.window_actions[Action.FORGET]
    assert (dialog.forget.isEnabled(), dialog.forget.text()) == (action.isEnabled(), action.text())
