"""Judging logs for a list of many: what each comes to, and nothing that would have to be kept."""

from collections.abc import Generator, Iterable

from inspector.core.causes.likely import known_cause
from inspector.core.engine.alive import judged
from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.many import cores, in_order
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.formats.bases.terms import Cancelled as IsCancelled
from inspector.core.formats.bases.terms import Reading
from inspector.core.judging.check import Verdict
from inspector.core.opening.opening import open_log, open_source
from inspector.core.reports.outward.anonymous import version_of
from inspector.core.reports.words import sentence
from inspector.core.scene.finding import Severity
from inspector.core.showing.machine_answers import LogVerdict


def verdicts_of(
    logs: Iterable[tuple[str, str]], cancelled: IsCancelled | None = None
) -> Generator[LogVerdict, None, None]:
    """What logs come to, each given by its path and the name of its format, in their order; close it.

    Several processes judge them. Raises Cancelled.
    """
    return in_order(_verdict_of, logs, cores(), _unreadable, cancelled)


def _verdict_of(log: tuple[str, str], cancelled: IsCancelled | None) -> LogVerdict:
    """Read and judge a log. What is wrong with it is a verdict, too. Raises Cancelled."""
    path, format_name = log
    try:
        with open_source(path, cancelled) as source:
            report = judged(open_log(source, format_name, Reading(cancelled=cancelled)), sides=False)
            worst = max(report.sessions, key=lambda session: session.verdict)
            errors = sum(session.count(Severity.ERROR) for session in report.sessions)
            word, said, cause = report.verdict.word, sentence(worst), known_cause(worst)
            lost = sum(session.dangling + session.orphans for session in report.sessions)
            version = version_of(worst.session.version)
    except Cancelled:
        raise
    except InspectorError as error:
        return LogVerdict(Verdict.UNREADABLE.word, str(error))
    except Exception as error:  # one log that we cannot cope with must not keep the others from being judged
        return _unreadable(log, fault_sentence(error))
    return LogVerdict(word, said, errors, len(report.sessions), cause.happened if cause else "", version, lost)


def _unreadable(log: tuple[str, str], why: str) -> LogVerdict:
    return LogVerdict(Verdict.UNREADABLE.word, f"{log[0]}: {why}")
