"""Roles that delegates and panels ask models for; every model uses the same."""

from enum import IntEnum

from PySide6.QtCore import Qt


class Role(IntEnum):
    """What lies behind an index, besides its text."""

    NODE = Qt.ItemDataRole.UserRole + 1
    ROW = NODE + 1
    PEER = NODE + 2
    MARK = NODE + 3
    POSITION = NODE + 4
    STRATEGY = NODE + 5
    STRATEGIES = NODE + 6
    ICON = NODE + 7
    COUNT = NODE + 8
    RULE = NODE + 9
    FOUND = NODE + 10
    NOTE = NODE + 11
    RECORD = NODE + 12
