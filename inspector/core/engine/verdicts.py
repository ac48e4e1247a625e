"""Judging a log for a list of many: what it comes to, and nothing that would have to be kept."""

from inspector.core.causes.likely import known_cause
from inspector.core.engine.alive import judged
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.formats.bases.terms import Cancelled as IsCancelled
from inspector.core.formats.bases.terms import Reading
from inspector.core.judging.check import Verdict
from inspector.core.opening.opening import open_log, open_source
from inspector.core.reports.words import sentence
from inspector.core.scene.finding import Severity
from inspector.core.showing.machine_answers import LogVerdict


def verdict_of(path: str, format_name: str = "", cancelled: IsCancelled | None = None) -> LogVerdict:
    """Read and judge the log at `path`. What is wrong with it is a verdict, too. Raises Cancelled."""
    try:
        with open_source(path, cancelled) as source:
            report = judged(open_log(source, format_name, Reading(cancelled=cancelled)), sides=False)
            worst = max(report.sessions, key=lambda session: session.verdict)
            found = [each for session in report.sessions for each in session.findings]
            errors = [finding.rule for finding in found if finding.severity == Severity.ERROR]
            word, said, cause = report.verdict.word, sentence(worst), known_cause(worst)
    except Cancelled:
        raise
    except InspectorError as error:
        return LogVerdict(Verdict.UNREADABLE.word, str(error))
    return LogVerdict(word, said, len(errors), len(report.sessions), cause.happened if cause else "")
