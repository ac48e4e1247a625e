"""The tour still runs: a few of its states are drawn, and none of the pictures is blank."""

from pathlib import Path

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.gui.tour import STATES, draw


def test_states_are_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    pictures = draw(tmp_path, ("error", "running", "saved-small"))
    assert [picture.stem for picture in pictures] == ["saved-small-dark", "running", "error"]
    for picture in pictures:
        image = QImage(str(picture))
        assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}) > 9


def test_names_of_states_are_apart() -> None:
    assert len({state.name for state in STATES}) == len(STATES)
