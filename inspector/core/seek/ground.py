"""The open log as a search sees it: its records, those of the subagents' logs shown in it, and the rows of its tree."""

from bisect import bisect_right
from functools import cached_property, lru_cache

from inspector.core.bytes.source import Source
from inspector.core.errors import UnreadableLog
from inspector.core.formats import format_of
from inspector.core.formats.bases.isolated import view_of
from inspector.core.index.columns import Columns
from inspector.core.index.views import RecordView
from inspector.core.judging.check import Report
from inspector.core.seek.rows import RowMasks
from inspector.core.showing.answers import OpenedLogView
from inspector.core.showing.judged_outline import SubagentLog


class SearchIndex:
    """An open log with the logs of subagents that are shown in it.

    `report` and `opened` are of the log itself; `parts` are its columns and those of the others. Records are numbered
    through all of them: `bases` are the numbers of the first record of each.
    """

    def __init__(self, report: Report, opened: OpenedLogView, beside: list[SubagentLog]) -> None:
        self.report, self.opened, self.outline = report, opened, opened.outline
        self._logs = [report.log, *(each.log for each in beside)]
        self.log_columns = [log.columns for log in self._logs]
        self.first_records = [0, *(attached.record for attached in opened.overview.attached)]
        self._times: dict[int, str] = {}
        # Whoever asks for the blocks of a record, one by one, asks for its view each time.
        self.view_record = lru_cache(4)(self._view)

    @cached_property
    def rows(self) -> RowMasks:
        """The rows of the tree as masks."""
        return RowMasks(self.log_columns, self.first_records, self.opened)

    def _view(self, record: int) -> RecordView:
        """A record as it is shown; one of another log that cannot be read any more shows nothing."""
        part = bisect_right(self.first_records, record) - 1
        log, record = self._logs[part], record - self.first_records[part]
        try:
            # Only the log itself is still open.
            raw = log.raw(record) if not part else _read(log.source.path, log.columns, record)
        except UnreadableLog:
            return RecordView("", "")
        return view_of(format_of(log), raw, [])

    def record_time(self, record: int) -> str:
        """When a record was written, as the log tells it; "" where it does not."""
        if record not in self._times:
            self._times[record] = self.view_record(record).time
        return self._times[record]


def _read(path: str, columns: Columns, record: int) -> bytes:
    with Source.open(path) as source:
        return source.read(columns.starts[record], columns.ends[record])
