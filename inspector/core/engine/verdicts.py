"""Judging logs for a list of many: what each comes to, and nothing that would have to be kept."""

from collections.abc import Generator, Iterable, Iterator
from itertools import groupby, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.bytes.source import Source
from inspector.core.causes.likely import fingerprint
from inspector.core.containers.archive.kinds import member_at
from inspector.core.engine.alive import judged
from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.many import cores, in_order
from inspector.core.errors import Cancelled, InspectorError, UnreadableLog
from inspector.core.formats.bases.reading import IsCancelled, Reading
from inspector.core.judging.check import Verdict
from inspector.core.later import Later
from inspector.core.opening.opening import gatherer_named, open_log, open_source
from inspector.core.reports.causes import happened
from inspector.core.reports.outward.anonymous import version_of
from inspector.core.reports.words import sentence
from inspector.core.scene.finding import Severity
from inspector.core.showing.machine_answers import LogVerdict

if TYPE_CHECKING:
    from inspector.core.containers.archive import reading as archives
else:
    archives = Later("inspector.core.containers.archive.reading")


class _Asked(NamedTuple):
    """A log to be judged, by its path and format. One in an archive has its `source`, or why that could not be had."""

    path: str
    format: str
    source: Source | None = None
    refusal: UnreadableLog | None = None

    @property
    def stays(self) -> bool:
        """Whether this process judges it: it cannot be sent to another one, or there is nothing to judge."""
        return (self.source, self.refusal) != (None, None)


def verdicts_of(
    logs: Iterable[tuple[str, str]], cancelled: IsCancelled | None = None
) -> Generator[LogVerdict, None, None]:
    """What logs come to, each given by its path and the name of its format, in their order; close it.

    Several processes judge them, but for those of archives, which are gone through here, once each. Raises Cancelled.
    """
    return in_order(_verdict_of, _asked(logs), cores(), _unreadable, cancelled, stays=attrgetter("stays"))


def _asked(logs: Iterable[tuple[str, str]]) -> Iterator[_Asked]:
    """Those logs, with the sources of the ones in archives: each archive is gone through once."""
    for archive, together in groupby(logs, lambda log: (member_at(log[0]) or ("",))[0]):
        if not archive:
            yield from starmap(_Asked, together)
            continue
        members = [(path, format, path.removeprefix(f"{archive}/")) for path, format in together]
        passing = archives.Pass(archive, (name for _, _, name in members))
        for path, format, name in members:
            try:
                source = passing.read(name)
            except archives.NoSuchMember:
                yield _Asked(path, format)
            except UnreadableLog as error:
                yield _Asked(path, format, refusal=error)
            else:
                # A database is put together of its rows, as a folder of many members is.
                yield _Asked(path, format, None if gatherer_named(format) else source)


def _verdict_of(log: _Asked, cancelled: IsCancelled | None) -> LogVerdict:
    """Read and judge a log. What is wrong with it is a verdict, too. Raises Cancelled."""
    try:
        if log.refusal is not None:
            raise log.refusal
        with log.source or open_source(log.path, cancelled) as source:
            report = judged(open_log(source, log.format, Reading(cancelled=cancelled)), sides=False)
            worst = max(report.sessions, key=lambda session: session.verdict)
            errors = sum(session.count(Severity.ERROR) for session in report.sessions)
            word, said, cause = report.verdict.word, sentence(worst), happened(fingerprint(worst))
            lost = sum(session.dangling + session.orphans for session in report.sessions)
            version = version_of(worst.session.version)
    except Cancelled:
        raise
    except InspectorError as error:
        return LogVerdict(Verdict.UNREADABLE.word, str(error))
    except Exception as error:  # one log that we cannot cope with must not keep the others from being judged
        return _unreadable(log, fault_sentence(error))
    return LogVerdict(word, said, errors, len(report.sessions), cause, version, lost)


def _unreadable(log: _Asked, why: str) -> LogVerdict:
    return LogVerdict(Verdict.UNREADABLE.word, f"{log.path}: {why}")
