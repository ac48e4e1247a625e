"""The settings on one page: each is applied at once, remembered, and agrees with the menus."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextFragment
from PySide6.QtWidgets import QApplication, QTextEdit, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings
from inspector.gui.dialogs.settings_dialog import SettingsDialog
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.there import there
from tests.support.paths import SAMPLES

Settle = Callable[[Document], None]


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
    dialog.zoom.setCurrentIndex(dialog.zoom.findText("150%"))
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


def test_another_theme_reaches_what_is_drawn_already(
    real_window: MainWindow, settle: Settle, qapp: QApplication, qtbot: QtBot
) -> None:
    theme.apply("light")
    real_window.show_path(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    real_window.side.show_tab(real_window.side.details)
    theme.apply("dark")
    qtbot.wait(50)

    def brightest(widget: QWidget) -> int:
        image = widget.grab().toImage()
        return max(image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height()))

    def lightness_of_ground(widget: QWidget) -> int:
        image = widget.grab().toImage()
        spots = [image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)]
        return QColor(max(set(spots), key=spots.count)).lightness()

    open_button = there(real_window.findChild(QToolBar)).widgetForAction(real_window.window_actions[Action.RELOAD])
    assert brightest(open_button) > 200  # the icon
    page = real_window.side.details.page
    assert lightness_of_ground(page) < 50
    colours = {fragment.charFormat().foreground().color().name() for fragment in fragments(page)}
    assert theme.MUTED.dark in colours
    assert theme.MUTED.light not in colours
    theme.apply("light", styled=False)
    qapp.setStyleSheet("")


def fragments(page: QTextEdit) -> Iterator[QTextFragment]:
    block = page.document().begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            yield at.fragment()
            at += 1
        block = block.next()
