"""The sentences that every report uses."""

from collections.abc import Iterator

from inspector.core.index.place import RecordLocation, one_based
from inspector.core.judging.check import SessionReport, Verdict
from inspector.core.reports.shown import one_line
from inspector.core.rules import RULES
from inspector.core.scene.finding import Severity
from inspector.core.scene.open_calls import OpenCallKind, is_call_running, open_calls

MAX_ROWS = 50
"""How many rows of a list a report tells."""


def session_sentence(session: SessionReport) -> str:
    """What is the matter with a session: its verdict, the state that the log tells of, and the provider if assumed."""
    said, state = _verdict(session) + _recorded(session), session.session.state
    told = f"{state[0].upper()}{state[1:]}." if state else ""
    if told:
        waiting = f"{told} {_RUNNING if _runs(session) else _PENDING}{_recorded(session)}"
        said = waiting if session.verdict == Verdict.WAITING else f"{said} {told}"
    return (
        f"{said} Judged for {_provider(session)}: the log names no provider." if is_profile_assumed(session) else said
    )


def _recorded(session: SessionReport) -> str:
    """What the recorded error is about, where the history is sound all the same."""
    if session.error_kind is None or session.verdict not in (Verdict.HEALTHY, Verdict.WAITING):
        return ""
    return f" The last entry is a recorded error about {session.error_kind.about}, which is no fault of the history."


def rule_title(rule: str) -> str:
    """A rule in words, as its page begins."""
    return RULES[rule].title


def is_profile_assumed(session: SessionReport) -> bool:
    """Whether it must be said for whom a session was judged, for it was a guess."""
    return session.assumed and bool(session.threads) and bool(session.messages)


def _unrun_checks_note(not_run: tuple[str, ...]) -> str:
    """What must be said behind "accepted" where some checks did not run."""
    return f", as far as the checks that ran can tell ({', '.join(not_run)} did not)" if not_run else ""


def acceptance_sentence(refusal: str | None, not_run: tuple[str, ...]) -> str:
    """A provider's answer to a planned history: its refusal, or that it accepts it but for what was `not_run`."""
    return f"accepted{_unrun_checks_note(not_run)}" if refusal is None else f"would refuse: {refusal}"


def _verdict(session: SessionReport) -> str:
    profile = _provider(session)
    if session.verdict == Verdict.BROKEN:
        return f"Broken for {profile}: {_first_error(session)}{_what_goes(session)}"
    if session.verdict == Verdict.HEALS_ITSELF:
        return f"Heals itself: {session.on_resume.sentence} Nothing is lost. In the file: {_first_error(session)}"
    if session.verdict == Verdict.UNEXPLAINED:
        return "The log ends with an error of the provider, and nothing in the history explains it."
    if session.verdict == Verdict.WAITING:
        return f"Waiting. {_RUNNING if _runs(session) else _PENDING}"
    if session.verdict == Verdict.NOT_JUDGED:
        return "Not judged: what the records mean is not certain. Its records are shown as they are."
    if not session.messages:
        return "Healthy: the history is empty."
    return f"Healthy: {profile} accepts the history as it would be loaded{_unrun_checks_note(session.not_run)}."


def _provider(session: SessionReport) -> str:
    """The provider that a session was judged for, as a person names it."""
    return session.threads[0].context.profile.label if session.threads else ""


def _first_error(session: SessionReport) -> str:
    """The first error, how many more there are, and whether it may be none because the agent is at work."""
    errors = session.count(Severity.ERROR)
    more = f" There {_count(errors - 1, 'more error')}." if errors > 1 else ""
    kinds = session.findings.kinds
    may_run = all(RULES[kind.rule].may_run for kind in kinds if kind.severity == Severity.ERROR)
    return f"{session.findings[0].message}{more}{_MAY_RUN if may_run else ''}"


def _what_goes(session: SessionReport) -> str:
    """What the agent drops where it goes on with a broken session: that it goes on does not make the log whole."""
    resume = session.on_resume
    if resume.outcome not in ("mends", "as-is") or not resume.losses:
        return ""
    return f" On resume {resume.label or resume.agent} goes on without {'; '.join(resume.losses)}."


_MAY_RUN = " Unless the agent is still at work: the log alone cannot tell."
_RUNNING = "The agent is at work: its open calls are running, and nothing is damaged."
_PENDING = "The open calls are pending, and nothing is damaged."


def _runs(session: SessionReport) -> bool:
    """Whether every open call of a waiting session is one of an agent at work."""
    scene = session.threads[0].context
    return all(is_call_running(scene, tool) for tool in open_calls(scene, OpenCallKind.PENDING))


def _count(number: int, what: str) -> str:
    return f"is 1 {what}" if number == 1 else f"are {number} {what}s"


def omitted_rows_line(count: int) -> Iterator[str]:
    """The line that stands for what a list of MOST rows leaves out of `count`; none where it holds all."""
    if count > MAX_ROWS:
        yield f"    … and {count - MAX_ROWS:,} more; --format json lists them all"


def place_text(place: RecordLocation, numbered: bool = False) -> str:
    """A place in a word or two: its file or row, else its line, else its record, both from 1.

    Where messages share a line, their number (from 0, as providers count) and the pointer to it stand behind the line.
    With `numbered` no pointer does, and the number of a line or record behind a file or row.
    """
    told = f"line {place.line}" if place.line else f"record {one_based(place.record)}"
    if place.index is not None:
        told += f", message {place.index} ({'from 0' if numbered else place.document})"
    if not place.member:
        return told
    return f"{one_line(place.member)} ({told})" if numbered else place.member
