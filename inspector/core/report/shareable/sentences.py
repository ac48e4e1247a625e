"""The sentences that all shareable reports use, in the language of the report.

Sentences are written in English, and looked up where another language is requested.
"""

from collections.abc import Iterator

from inspector.core.analysis.finding import Severity
from inspector.core.formats.base.agent_behavior import UNKNOWN_BEHAVIOR
from inspector.core.model.views import one_based
from inspector.core.report.shareable.model import (
    ReportedFinding,
    ReportedLog,
    ReportedPlace,
    ReportedSession,
    ShareableReport,
)
from inspector.core.report.shareable.tickets import worst_session
from inspector.core.translation import Translator, tr

MAX_FINDINGS = 50
"""The most findings of a session that are shown to a person."""
_VERDICTS = {
    "broken": tr("broken: the provider rejects the history, or the agent loses part of it"),
    "heals-itself": tr("repairs itself: the agent repairs the history on resume, and nothing is lost"),
    "unexplained": tr("unexplained: the log ends with a provider error that nothing in the history explains"),
    "waiting": tr("waiting: calls are waiting for their results, and nothing is damaged"),
    "healthy": tr("healthy: nothing is wrong with the history"),
    "not-judged": tr("not checked: the format is uncertain"),
    "unreadable": "unreadable",
}
_OUTCOMES = {
    "as-is": tr("The agent loads the session unchanged."),
    "mends": tr("The agent repairs the session on resume."),
    "refuses": tr("The agent cannot continue the session."),
    "unknown": UNKNOWN_BEHAVIOR,
}
_CONTINUES_WITH_LOSSES = tr("The agent continues the session, but drops part of the history.")
_REDACTION_LIMITS = tr(
    "Read the excerpts before you share them. Redaction cannot recognize postal addresses, dates of birth, or "
    "secrets in an unknown format. Names of people, companies and projects are recognized only if they are "
    "recorded in the log as users, authors or folders."
)
_EVIDENCE = {
    "ran": tr("the log shows that the call ran"),
    "started": tr("the log shows that the call was started"),
    "no-trace": tr("the log does not show whether the call ran"),
}
_ERROR_SUBJECTS = {
    "": tr("caused by the history, or of unknown cause"),
    "quota": tr("about quota"),
    "rate-limit": tr("about the rate limit"),
    "sign-in": tr("about signing in"),
    "overload": tr("about overload"),
    "network": tr("about network"),
    "stopped": tr("about stopped"),
}


def report_title(words: Translator) -> str:
    """Return the headline of a report."""
    return words("Report on LLM agent logs")


def verdict_sentence(word: str, words: Translator) -> str:
    """Return a verdict as a sentence."""
    return words(_VERDICTS[word])


def redaction_limits(report: ShareableReport, words: Translator) -> str:
    """Return what redaction cannot remove, "" for a report without content."""
    return words(_REDACTION_LIMITS) if report.has_excerpts else ""


def verdict_counts_sentence(report: ShareableReport, words: Translator) -> str:
    """Return how many logs have which verdict, and how many files are no logs."""
    verdicts = [log.verdict for log in report.logs]
    each = (f"{verdicts.count(word)} {words(word)}" for word in _VERDICTS if word in verdicts)
    logs = words("Logs: {count} ({verdicts}).", count=len(verdicts), verdicts=", ".join(each))
    rest = (
        (tr("Other files, in unsupported formats: {count}."), report.other_files),
        (tr("Archive members skipped for safety: {count}."), report.unread),
        (tr("Duplicate files, each reported only once: {count}."), report.duplicates),
    )
    return " ".join([logs, *(words(text, count=count) for text, count in rest if count)])


def cause_group_lines(report: ShareableReport, words: Translator) -> Iterator[str]:
    """Yield a line for each cause with its logs, none where no two logs have a cause in common."""
    found = report.groups
    if any(len(names) > 1 for _, names in found):
        for session, names in found:
            happened = session.cause.happened if session.cause else session.findings[0].title
            yield f"{len(names)} × {words(happened)} ({', '.join(names)})"


def overview_heads(words: Translator) -> tuple[str, ...]:
    """Return the headings of the overview of the logs that are not healthy."""
    return words("log"), words("verdict"), words("problem")


def overview_cells(log: ReportedLog, words: Translator) -> tuple[str, ...]:
    """Return the row of a log in the overview: its title, its verdict, and its cause or its first finding."""
    session = worst_session(log)
    problem = log.reason
    if session is not None and session.cause is not None:
        problem = session.cause.happened
    elif session is not None and session.findings:
        problem = session.findings[0].title
    return log.title, words(log.verdict), words(problem) if problem else ""


def healthy_count_sentence(count: int, words: Translator) -> str:
    """Return how many tickets and logs are healthy, for the summary of the folded part."""
    return words("Healthy: {count}", count=count)


def place_text(place: ReportedPlace, words: Translator) -> str:
    """Return a place in a word or two."""
    if place.member is not None:
        return words("file {name}", name=place.member)
    if place.line is None:
        return words("record {number}", number=one_based(place.record))
    line = words("line {number}", number=place.line)
    return line if place.index is None else f"{line}, {words('message {number}', number=place.index)}"


def session_label(session: ReportedSession, words: Translator) -> str:
    """Return a session's label, with its number in the log from 1."""
    return f"{words('Session')} {one_based(session.number)}"


def log_facts(log: ReportedLog, words: Translator) -> Iterator[tuple[str, str]]:
    """Yield the facts about a log, as (label, value)."""
    if log.reason:
        yield words("Reason"), words(log.reason)
    if log.read_from:
        yield words("Read from"), words(log.read_from)
    if log.label:
        yield words("Format"), log.label
        yield words("Version"), log.version or words("not known")
        yield words("Size"), words("{count} bytes", count=f"{log.size:,}")


def session_facts(session: ReportedSession, words: Translator) -> Iterator[tuple[str, str]]:
    """Yield the facts about a session, as (label, value)."""
    if session.profile_label:
        assumed = f" {words('(assumed, because the log does not specify a provider)')}" if session.assumed else ""
        yield words("Checked for"), session.profile_label + assumed
    if session.findings:
        yield words("On resume"), _on_resume(session, words)
    if session.cause is not None:
        yield words("Likely cause"), f"{words(session.cause.happened)} ({session.cause.url})"
        yield words("What to do"), words(session.cause.advice, version=session.cause.upgrade_to)
    if session.has_error:
        yield words("Recorded error"), words(_ERROR_SUBJECTS[session.error_kind])
    if session.begins:
        yield words("Time"), session.begins if session.begins == session.ends else f"{session.begins} – {session.ends}"
    template = "messages: {messages}, calls: {calls}, results: {results}"
    said = words(template, messages=session.messages, calls=session.calls, results=session.results)
    memory = (
        f"; {words('messages in memory: {count}', count=session.in_memory[0])}" if session.in_memory is not None else ""
    )
    yield words("Holds"), said + memory
    found = {severity.word: session.count(severity) for severity in Severity}
    yield words("Found"), words("errors: {error}, warnings: {warning}, notes: {info}", **found)
    for name, answer in session.accepted_by.items():
        word = {True: "accepted", None: tr("not everything was checked"), False: "refused"}[answer.accepts]
        yield name, f"{words(word)} ({answer.rule})" if answer.rule else words(word)


def _on_resume(session: ReportedSession, words: Translator) -> str:
    goes_on = session.loses and session.outcome in ("as-is", "mends")
    return words(_CONTINUES_WITH_LOSSES if goes_on else _OUTCOMES[session.outcome])


def finding_sentence(found: ReportedFinding, words: Translator) -> str:
    """Return a finding as a sentence, without its place."""
    tool = f" ({words('tool')} {found.tool})" if found.tool else ""
    ran = f" – {words(_EVIDENCE[found.ran])}" if found.ran else ""
    return f"{words(found.title)}{tool}{ran}"


def findings_to_show(session: ReportedSession) -> tuple[ReportedFinding, ...]:
    """Return the findings that are shown to a person."""
    return session.findings[:MAX_FINDINGS]


def omitted_findings_sentence(session: ReportedSession, words: Translator) -> str:
    """Return how many findings are not shown, "" where all are shown."""
    left = len(session.findings) - MAX_FINDINGS
    return words("… and {count} more (--format json lists them all)", count=left) if left > 0 else ""


def sessions_to_show(log: ReportedLog) -> tuple[ReportedSession, ...]:
    """Return the sessions that get a paragraph: a single one always, of several those with findings."""
    return log.sessions if len(log.sessions) == 1 else tuple(each for each in log.sessions if each.findings)
