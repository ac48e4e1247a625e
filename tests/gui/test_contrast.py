"""Texts and edges stand out from their ground as WCAG 2 asks, in both themes, measured on rendered pixels."""

import math
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLabel, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.safe_text import make_message_box
from inspector.gui.dialogs.trim_and_convert_dialogs import TrimDialog
from inspector.gui.models.base import ItemRole
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.there import there
from tests.support.paths import SAMPLES

Settle = Callable[[Document], None]
TEXT, EDGE = 4.5, 3.0


@pytest.fixture(params=["light", "dark"])
def themed(
    real_window: MainWindow, settle: Settle, request: pytest.FixtureRequest, qapp: QApplication
) -> Iterator[MainWindow]:
    """A broken log in large letters, so that the strokes have pixels of their full colour."""
    theme.apply(request.param)
    real_window.resize(1900, 1000)
    real_window.set_zoom(10)
    real_window.open(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    yield real_window
    real_window.set_zoom(0)
    theme.apply("light", styled=False)
    qapp.setStyleSheet("")


def luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    parts = [part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4) for part in channels]
    return math.fsum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def pixels(image: QImage, rect: QRect) -> Counter[int]:
    spots = ((x, y) for x in range(rect.left(), rect.right() + 1) for y in range(rect.top(), rect.bottom() + 1))
    return Counter(image.pixel(x, y) for x, y in spots if image.rect().contains(x, y))


def text_contrast(image: QImage, rect: QRect) -> float:
    """The contrast of the text in a part of a picture: of the most common colour, and the one farthest from it."""
    seen = pixels(image, rect)
    ground = QColor(seen.most_common(1)[0][0])
    return max(contrast(ground, QColor(colour)) for colour in seen)


def edge_contrast(widget: QWidget) -> float:
    """The contrast of the left edge of a widget with the ground that it is on, in the middle of its height."""
    window = widget.window()
    corner, image = widget.mapTo(window, QPoint(0, widget.height() // 2)), window.grab().toImage()
    outside = image.pixelColor(corner - QPoint(2, 0))
    return max(contrast(outside, image.pixelColor(corner + QPoint(x, 0))) for x in range(3))


def test_texts_on_the_selected_row_and_its_edge(themed: MainWindow) -> None:
    view, log = themed.outline.view, there(themed.document.log)
    found: dict[str, float] = {}
    for node in range(1, len(log.outline)):
        themed.document.select_node(node)
        index = view.currentIndex()
        row, chip = view.visualRect(index), index.data(ItemRole.ROW).chip
        if not chip or row.height() < 1:
            continue
        image = view.viewport().grab().toImage()
        inside = row.adjusted(0, 3, 0, -3)
        found[chip] = text_contrast(image, QRect(row.x() + 8, inside.y(), 40, inside.height()))
        line = view.visualRect(index.siblingAtColumn(OutlineColumn.LINE))
        found[f"line of {chip}"] = text_contrast(image, line.adjusted(2, 3, -2, -3))
        below, edge = image.pixelColor(row.center().x(), row.bottom() + 3), image.pixelColor(row.x() + 2, row.bottom())
        found[f"edge of {chip}"] = contrast(below, edge) * TEXT / EDGE
    assert {"user", "assistant", "call", "result"} <= set(found)
    assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < TEXT} == {}


def test_muted_texts_and_the_edges_of_fields(themed: MainWindow) -> None:
    image = themed.verdict.grab().toImage()
    assert text_contrast(image, image.rect()) >= TEXT
    header = themed.outline.view.header()
    assert text_contrast(header.grab().toImage(), QRect(4, 4, 200, header.height() - 9)) >= TEXT
    themed.window_actions[Action.TRIM].trigger()
    dialog = there(themed.findChild(TrimDialog))
    kinds = (QLineEdit, QComboBox, QAbstractSpinBox)
    fields = [
        each
        for each in themed.findChildren(QWidget)
        if isinstance(each, kinds) and each.isVisible() and not isinstance(each.parentWidget(), QAbstractSpinBox)
    ]
    assert {type(each).__name__ for each in fields} >= {"QLineEdit", "QComboBox", "QSpinBox"}
    faint = {f"{type(each).__name__} {each.accessibleName()}": round(edge_contrast(each), 2) for each in fields}
    dialog.reject()
    assert {name: ratio for name, ratio in faint.items() if ratio < EDGE} == {}


def test_no_label_is_muted_by_being_disabled(themed: MainWindow) -> None:
    themed.window_actions[Action.TRIM].trigger()
    dialog = there(themed.findChild(TrimDialog))
    labels = [each for each in themed.findChildren(QLabel) if each.text()]
    assert {"Recent logs", "Before", "After"} <= {each.text() for each in labels}
    assert [each.text() for each in labels if not each.isEnabledTo(there(each.parentWidget()))] == []
    dialog.reject()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_default_button_of_a_question_is_marked(qtbot: QtBot, qapp: QApplication, mode: str) -> None:
    theme.apply(mode)
    box = make_message_box(QMessageBox.Icon.Warning, "Save in place", "Close the agent first.", "")
    qtbot.addWidget(box)
    buttons = [box.addButton(text, QMessageBox.ButtonRole.AcceptRole) for text in ("Save", "Cancel")]
    box.setDefaultButton(buttons[1])
    box.show()
    accent = theme.ACCENT.for_palette(qapp.palette())
    edges = [button.grab().toImage().pixelColor(0, button.height() // 2) for button in buttons]
    assert [edge == accent for edge in edges] == [False, True]
    theme.apply("light", styled=False)
    qapp.setStyleSheet("")
