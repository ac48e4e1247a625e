"""Operations on many logs: listing the logs at a path, checking a list of them, and one report on several."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from hashlib import file_digest
from itertools import groupby, starmap
from operator import attrgetter
from typing import NamedTuple

from inspector.core.analysis.finding import Severity
from inspector.core.check.causes import bug_fingerprint
from inspector.core.check.check import Verdict
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.discovery.opening import is_multi_file_format, open_log, open_source
from inspector.core.doctor.store_examination import kept_messages
from inspector.core.engine import without_open_log
from inspector.core.engine.activity import check_log_as_live_if_written
from inspector.core.engine.log import OpenLog
from inspector.core.engine.program_faults import program_fault_sentence, raise_as_program_fault
from inspector.core.engine.shareable_files import write_report
from inspector.core.engine.workers import available_cores, map_in_order
from inspector.core.error_lookup.report import lookup_answer
from inspector.core.errors import Cancelled, InspectorError, UnreadableLog
from inspector.core.formats.base.format import IsCancelled, Progress, ReadOptions
from inspector.core.presentation.engine_results import (
    LogVerdict,
    LookupAnswer,
    RenderedShareableReport,
    ShareableReportOptions,
)
from inspector.core.report.sentences import session_sentence
from inspector.core.report.session_parts import fingerprint_cause_sentence
from inspector.core.report.shareable.builder import builder_for, render_report, safe_version
from inspector.core.report.shareable.log_content_reader import LogContentReader
from inspector.core.storage.archive import ArchivePass, NoSuchMember
from inspector.core.storage.archive_paths import split_archive_path
from inspector.core.storage.source import Source
from inspector.core.translation import tr

# The path and the format of each log, and the name of the ticket that it was sent in, "" for none.
NamedLogs = list[tuple[str, str, str]]


class EngineWithoutOpenLog:
    """The requests that need no open log. Logs are given by path and name of format."""

    def list_logs(self, paths: Iterable[str] = (), others: list[UnreadFile] | None = None) -> Iterator[LogEntry]:
        """Yield the logs at `paths` and below, or in the stores of this machine if `paths` is empty, the newest first.

        Files that are no logs are added to `others`.
        """
        return without_open_log.list_logs(paths, others=others)

    def digests(self, paths: list[str]) -> list[str]:
        """Return the digests of files, "" for one that cannot be read."""
        return [_digest_of(path) for path in paths]

    def check_logs(
        self, logs: Iterable[tuple[str, str]], cancelled: IsCancelled | None = None
    ) -> Generator[LogVerdict, None, None]:
        """Yield the verdicts on the logs of a list, in their order.

        Close the generator, because other processes may be working on it. Raises Cancelled.
        """
        return judge_logs(logs, cancelled)

    def search(self, text: str, progress: Progress | None = None, cancelled: IsCancelled | None = None) -> LookupAnswer:
        """Return what a pasted error or request has to do with the sessions of this machine.

        `progress(done, total)` is called with numbers of logs.
        """

        def go_on(done: int, total: int) -> None:
            if cancelled is not None and cancelled():
                raise Cancelled(tr("The search was stopped."))
            if progress is not None:
                progress(done, total)

        return lookup_answer(without_open_log.look_up_error(text, go_on))

    def logs_report(
        self, logs: NamedLogs, wish: ShareableReportOptions, cancelled: IsCancelled | None = None
    ) -> RenderedShareableReport:
        """Return one report on several logs to pass on. Raises Cancelled."""
        builder, entries = builder_for(wish), []
        for path, format_name, ticket in logs:
            if cancelled is not None and cancelled():
                raise Cancelled(tr("Report generation was stopped."))
            try:
                with raise_as_program_fault(), OpenLog.at(path, format_name) as log:
                    report = log.check()
                    entries.append(builder.judged_log(report, LogContentReader(report), log.evidence(), ticket=ticket))
            except InspectorError as error:
                entries.append(builder.unreadable_log(error, ticket))
        return render_report(entries, builder, wish)

    def save_logs_report(self, logs: NamedLogs, wish: ShareableReportOptions, target: str) -> str:
        """Write the report on several logs to `target`, and return `target`. Raises CannotWrite."""
        write_report(target, [self.logs_report(logs, wish).text.encode()], [path for path, _, _ in logs])
        return target


def _digest_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file_digest(file, "blake2b").hexdigest()
    except OSError:
        return ""


class _LogToJudge(NamedTuple):
    """A log to judge, by its path and format. One in an archive has its `source`, or the reason why it has none."""

    path: str
    format: str
    source: Source | None = None
    refusal: UnreadableLog | None = None

    @property
    def stays(self) -> bool:
        """Whether this process judges it: it cannot be sent to another one, or there is nothing to judge."""
        return (self.source, self.refusal) != (None, None)


def judge_logs(
    logs: Iterable[tuple[str, str]], cancelled: IsCancelled | None = None
) -> Generator[LogVerdict, None, None]:
    """Yield the verdicts on logs, which are given by path and name of format, in their order. Raises Cancelled.

    Close the generator. Several processes judge the logs, except for those in archives: this process reads every
    archive once.
    """
    return map_in_order(
        _verdict_of, _logs_to_judge(logs), available_cores(), _unreadable, cancelled, runs_here=attrgetter("stays")
    )


def _logs_to_judge(logs: Iterable[tuple[str, str]]) -> Iterator[_LogToJudge]:
    """Yield the logs, with the sources of those in archives. Every archive is read once."""
    for archive, group in groupby(logs, lambda log: (split_archive_path(log[0]) or ("",))[0]):
        if not archive:
            yield from starmap(_LogToJudge, group)
            continue
        members = [(path, format, path.removeprefix(f"{archive}/")) for path, format in group]
        archive_pass = ArchivePass(archive, (name for _, _, name in members))
        for path, format, name in members:
            try:
                source = archive_pass.read(name)
            except NoSuchMember:
                yield _LogToJudge(path, format)
            except UnreadableLog as error:
                yield _LogToJudge(path, format, refusal=error)
            else:
                # A database is assembled from its rows, and a folder from its members, so they are opened by path.
                yield _LogToJudge(path, format, None if is_multi_file_format(format) else source)


def _verdict_of(log: _LogToJudge, cancelled: IsCancelled | None) -> LogVerdict:
    """Read and judge a log. An error is a verdict, too. Raises Cancelled."""
    try:
        if log.refusal is not None:
            raise log.refusal
        with log.source or open_source(log.path, cancelled) as source:
            report = check_log_as_live_if_written(
                open_log(source, log.format, ReadOptions(cancelled=cancelled)), sides=False
            )
            worst = max(report.sessions, key=lambda session: session.verdict)
            errors = sum(session.count(Severity.ERROR) for session in report.sessions)
            word, sentence, cause = (
                report.verdict.word,
                session_sentence(worst),
                fingerprint_cause_sentence(bug_fingerprint(worst)),
            )
            version = safe_version(worst.session.version)
            loses = worst.verdict != Verdict.WAITING and worst.on_resume.outcome != "refuses"
            losses = worst.on_resume.losses if loses else ()
            # Building the request takes time, so it is done only for a session that loses something.
            sent, messages = kept_messages(report, worst) if losses else (0, 0)
    except Cancelled:
        raise
    except InspectorError as error:
        return LogVerdict(Verdict.UNREADABLE.word, str(error))
    except Exception as error:  # a fault with one log must not keep the others from being judged
        return _unreadable(log, program_fault_sentence(error))
    drops = losses[0] if losses and sent == messages else ""
    return LogVerdict(word, sentence, errors, len(report.sessions), cause, version, sent, messages, drops)


def _unreadable(log: _LogToJudge, why: str) -> LogVerdict:
    return LogVerdict(Verdict.UNREADABLE.word, f"{log.path}: {why}")
