"""The load phase of the open log, and the notice that is shown below all panes."""

from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """How far the log is loaded."""

    EMPTY = 0
    LOADING = 1
    READY = 2
    FAILED = 3


class Notice(NamedTuple):
    """A sentence for the message bar.

    `offer` is "retry", "new" (go to the new records) or "". `good` is True when the action succeeded as wanted.
    """

    sentence: str
    offer: str = ""
    good: bool = False
