"""Judging logs for a list of many: what each comes to, and nothing that would have to be kept."""

from collections.abc import Generator, Iterable, Iterator
from itertools import groupby, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.bytes.source import Source
from inspector.core.causes.likely import bug_fingerprint
from inspector.core.containers.archive.kinds import split_archive_path
from inspector.core.engine.alive import judge_log
from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.many import available_cores, map_in_order
from inspector.core.errors import Cancelled, InspectorError, UnreadableLog
from inspector.core.formats.bases.reading import IsCancelled, Reading
from inspector.core.judging.check import Verdict
from inspector.core.later import LazyModule
from inspector.core.opening.opening import is_multi_file_format, open_log, open_source
from inspector.core.reports.causes import fingerprint_sentence
from inspector.core.reports.outward.anonymous import safe_version
from inspector.core.reports.words import session_sentence
from inspector.core.scene.finding import Severity
from inspector.core.showing.machine_answers import LogVerdict

if TYPE_CHECKING:
    from inspector.core.containers.archive import reading as archives
else:
    archives = LazyModule("inspector.core.containers.archive.reading")


class _LogToJudge(NamedTuple):
    """A log to be judged, by its path and format. One in an archive has its `source`, or why that could not be had."""

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
    """What logs come to, each given by its path and the name of its format, in their order; close it.

    Several processes judge them, but for those of archives, which are gone through here, once each. Raises Cancelled.
    """
    return map_in_order(
        _verdict_of, _asked(logs), available_cores(), _unreadable, cancelled, runs_here=attrgetter("stays")
    )


def _asked(logs: Iterable[tuple[str, str]]) -> Iterator[_LogToJudge]:
    """Those logs, with the sources of the ones in archives: each archive is gone through once."""
    for archive, together in groupby(logs, lambda log: (split_archive_path(log[0]) or ("",))[0]):
        if not archive:
            yield from starmap(_LogToJudge, together)
            continue
        members = [(path, format, path.removeprefix(f"{archive}/")) for path, format in together]
        passing = archives.ArchivePass(archive, (name for _, _, name in members))
        for path, format, name in members:
            try:
                source = passing.read(name)
            except archives.NoSuchMember:
                yield _LogToJudge(path, format)
            except UnreadableLog as error:
                yield _LogToJudge(path, format, refusal=error)
            else:
                # A database is put together of its rows, as a folder of many members is.
                yield _LogToJudge(path, format, None if is_multi_file_format(format) else source)


def _verdict_of(log: _LogToJudge, cancelled: IsCancelled | None) -> LogVerdict:
    """Read and judge a log. What is wrong with it is a verdict, too. Raises Cancelled."""
    try:
        if log.refusal is not None:
            raise log.refusal
        with log.source or open_source(log.path, cancelled) as source:
            report = judge_log(open_log(source, log.format, Reading(cancelled=cancelled)), sides=False)
            worst = max(report.sessions, key=lambda session: session.verdict)
            errors = sum(session.count(Severity.ERROR) for session in report.sessions)
            word, said, cause = (
                report.verdict.word,
                session_sentence(worst),
                fingerprint_sentence(bug_fingerprint(worst)),
            )
            lost = sum(session.dangling + session.orphans for session in report.sessions)
            version = safe_version(worst.session.version)
    except Cancelled:
        raise
    except InspectorError as error:
        return LogVerdict(Verdict.UNREADABLE.word, str(error))
    except Exception as error:  # one log that we cannot cope with must not keep the others from being judged
        return _unreadable(log, fault_sentence(error))
    return LogVerdict(word, said, errors, len(report.sessions), cause, version, lost)


def _unreadable(log: _LogToJudge, why: str) -> LogVerdict:
    return LogVerdict(Verdict.UNREADABLE.word, f"{log.path}: {why}")
