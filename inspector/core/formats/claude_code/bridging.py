"""How Claude Code goes on where a record names a parent that is not there: to the record nearest in time before it.

Facts: cli.js 2.1.112, `WtY`, and 2.1.330, `vtn`: of the records of the same side that the walk has not passed, the
newest that is no more than five seconds older; of two with one time the first in the file. Both were run on it.
"""

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from msgspec import Struct

from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.wire.fields import LenientDecoder

_FARTHEST = 5.0  # seconds
_KINDS = (Role.USER, Role.ASSISTANT, Role.LINK)


class _Timed(Struct, gc=False):
    """What is read of a record: where one parent is missing, that is done of all of them."""

    timestamp: str = ""


_TIMED = LenientDecoder(_Timed)


class Bridges:
    """The records of a log by their times, which are read when the first parent is missing."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw
        self._walk: Callable[[int], bool] | None = None
        self._skips: dict[int, dict[int, int]] = {}
        self._times: dict[int, float | None] = {}

    def before(self, record: int, passed: Callable[[int], bool]) -> int:
        """The record that the walk goes on to from `record`, -1 where it ends.

        `passed` is the same one for the whole of a walk: what it has passed once is never looked at again.
        """
        side = self.columns.marks[record] & RecordMark.SIDE_THREAD
        timed = self._sides.get(side, [])
        time = self._times[record] if record in self._times else _time_of(self.raw(record))
        if time is None:
            return -1
        if passed is not self._walk:
            self._walk, self._skips = passed, {}
        skips = self._skips.setdefault(side, {})
        at = _before_skipped(skips, bisect_right(timed, (time, 0)) - 1)
        while at >= 0 and time - timed[at][0] <= _FARTHEST:
            if not passed(-timed[at][1]):
                return -timed[at][1]
            skips[at] = at - 1
            at = _before_skipped(skips, at)
        return -1

    @cached_property
    def _sides(self) -> dict[int, list[tuple[float, int]]]:
        """(time, -record) of each side, in order, so that of two with one time the first in the file comes last."""
        found: dict[int, list[tuple[float, int]]] = {}
        columns = self.columns
        for record, role in enumerate(columns.roles):
            mark = columns.marks[record]
            if role in _KINDS and columns.uuids[record] is not None and not mark & RecordMark.TRANSIENT:
                self._times[record] = time = _time_of(self.raw(record))
                if time is not None:
                    found.setdefault(mark & RecordMark.SIDE_THREAD, []).append((time, -record))
        for timed in found.values():
            timed.sort()
        return found


def _before_skipped(skips: dict[int, int], at: int) -> int:
    """The nearest place at or before `at` that is not skipped; all on the way to it skip to it from now on."""
    found = at
    while found in skips:
        found = skips[found]
    while at != found:
        skips[at], at = found, skips[at]
    return found


def _time_of(raw: bytes) -> float | None:
    """Seconds since 1970, None where the record tells no time."""
    try:
        return datetime.fromisoformat(_TIMED(raw).timestamp).timestamp()
    except ValueError:
        return None
