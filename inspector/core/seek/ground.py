"""What is sought in: an open log with those that are shown in it, its tree, and where each row of that lies."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from inspector.core.formats import format_of
from inspector.core.formats.bases.isolated import view_of
from inspector.core.index.columns import Columns
from inspector.core.judging.check import Report
from inspector.core.seek.rows import Rows
from inspector.core.seek.times import iso
from inspector.core.showing.answers import Opened
from inspector.core.showing.judged_outline import Beside


class Ground:
    """`report` and `opened` are of the log itself; `parts` are its columns and those of the logs that are shown in it.

    Records are numbered through all of them: `bases` are the numbers of the first of each.
    """

    def __init__(self, report: Report, opened: Opened, beside: list[Beside]) -> None:
        self.report, self.opened, self.outline = report, opened, opened.outline
        self.parts: list[Columns] = [report.log.columns, *(each.log.columns for each in beside)]
        self.bases = [0, *(attached.record for attached in opened.overview.attached)]
        self._times: dict[int, str] = {}

    @cached_property
    def rows(self) -> Rows:
        """The rows of the tree as masks."""
        return Rows(self.parts, self.bases, self.opened)

    def part_of(self, record: int) -> int:
        """Which of the parts holds a record."""
        return bisect_right(self.bases, record) - 1

    def time(self, record: int) -> str:
        """When a record was written, as ISO text; "" where it does not tell, or lies in another log."""
        if record not in self._times and self.part_of(record) == 0:
            log = self.report.log
            self._times[record] = iso(view_of(format_of(log), log.raw(record), []).time)
        return self._times.get(record, "")
