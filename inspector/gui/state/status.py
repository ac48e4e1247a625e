"""How far the open log is, and the sentence that stands above all panes."""

from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """How far the log is."""

    EMPTY = 0
    LOADING = 1
    READY = 2
    FAILED = 3


class Notice(NamedTuple):
    """A sentence for the message bar; `offer` is retry, new (records) or nothing. `good`: all went as it was wanted."""

    sentence: str
    offer: str = ""
    good: bool = False
