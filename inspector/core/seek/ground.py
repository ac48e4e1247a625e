"""What is sought in: an open log with those that are shown in it, its tree, and where each row of that lies."""

from __future__ import annotations

from bisect import bisect_right

from inspector.core.index.columns import Columns
from inspector.core.judging.check import Report
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

    def columns_of(self, record: int) -> tuple[Columns, int]:
        """The columns that hold a record, and its number in them."""
        part = bisect_right(self.bases, record) - 1
        return self.parts[part], record - self.bases[part]
