"""Windows beside the main one, such as the page of a rule, do not cover the verdict where there is room."""

import pytest
from PySide6.QtCore import QRect, QSize

from inspector.gui.common.qt_helpers import position_beside

SCREEN = QRect(0, 0, 1920, 1080)


@pytest.mark.parametrize(
    ("main", "size", "at"),
    [
        (QRect(100, 100, 1000, 700), QSize(700, 500), (1100, 100)),  # at the right
        (QRect(800, 100, 1000, 700), QSize(700, 500), (100, 100)),  # at the left
        (QRect(100, 800, 1000, 700), QSize(700, 500), (1100, 580)),  # not below the screen
        (QRect(0, 0, 1920, 1080), QSize(700, 500), (1220, 580)),  # no room: at the lower right
        (QRect(0, 0, 1920, 1080), QSize(2000, 1200), (0, 0)),  # larger than the screen
    ],
)
def test_a_window_is_placed_beside_the_main_one(main: QRect, size: QSize, at: tuple[int, int]) -> None:
    assert position_beside(main, size, SCREEN).toTuple() == at
