"""What a window asks about many logs at once: which there are, what each comes to, one report on several of them."""

from collections.abc import Generator, Iterable, Iterator
from hashlib import file_digest
from typing import TYPE_CHECKING

from inspector.core.engine import machine
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.report_file import write_report
from inspector.core.engine.verdicts import judge_logs
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.formats.bases.reading import IsCancelled, Progress
from inspector.core.later import LazyModule
from inspector.core.reports.pasted_places import lookup_answer
from inspector.core.showing.machine_answers import LogVerdict, LookupAnswer
from inspector.core.showing.outward import RenderedReport, ShareOptions
from inspector.core.stores.log_entry import LogEntry

if TYPE_CHECKING:
    from inspector.core.reports.outward import on_logs
else:
    on_logs = LazyModule("inspector.core.reports.outward.on_logs")

NamedLogs = list[tuple[str, str]]


class LogListEngine:
    """Needs no log that is open, and leaves one that is as it is. Logs are given by path and name of format."""

    def logs(self, paths: Iterable[str] = (), others: list[str] | None = None) -> Iterator[LogEntry]:
        """The logs at `paths` and below, or in the stores of this machine when none is named, the newest first.

        The files that are met and are no logs are added to `others`.
        """
        return machine.list_logs(paths, others=others)

    def digests(self, paths: list[str]) -> list[str]:
        """What tells whether files hold the same bytes; "" for one that cannot be read."""
        return [_digest_of(path) for path in paths]

    def judge(
        self, logs: Iterable[tuple[str, str]], cancelled: IsCancelled | None = None
    ) -> Generator[LogVerdict, None, None]:
        """What the logs of a list come to, in their order.

        Close it: other processes may be at work on it. Raises Cancelled.
        """
        return judge_logs(logs, cancelled)

    def search(self, text: str, progress: Progress | None = None, cancelled: IsCancelled | None = None) -> LookupAnswer:
        """What a pasted error or request has to do with the sessions of this machine.

        `progress(done, total)` is called with logs.
        """

        def go_on(done: int, total: int) -> None:
            if cancelled is not None and cancelled():
                raise Cancelled("The search was stopped.")
            if progress is not None:
                progress(done, total)

        return lookup_answer(machine.look_up_error(text, go_on))

    def outward_of(self, logs: NamedLogs, wish: ShareOptions, cancelled: IsCancelled | None = None) -> RenderedReport:
        """One report on several logs to pass on. Raises Cancelled."""
        gathering, told = on_logs.builder_for(wish), []
        for path, format_name in logs:
            if cancelled is not None and cancelled():
                raise Cancelled("The report was stopped.")
            try:
                with raise_as_program_fault(), OpenLog.at(path, format_name) as log:
                    told.append(gathering.judged_log(log.check(), log.evidence()))
            except InspectorError as error:
                told.append(gathering.unreadable_log(error))
        return on_logs.build_report(told, gathering, wish)

    def save_outward_of(self, logs: NamedLogs, wish: ShareOptions, target: str) -> str:
        """Write that to `target`, which is the answer. Raises CannotWrite."""
        write_report(target, [self.outward_of(logs, wish).text.encode()], [path for path, _ in logs])
        return target


def _digest_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file_digest(file, "blake2b").hexdigest()
    except OSError:
        return ""
