"""The sentences that every report uses.

Merged; to be rewritten:
`losses`: What is lost, told to a person: where it stood, what it is, how much of it, its first words, and why it is
lost.
`shown`: Texts of logs and of people, made fit for a line of a report: short, one line, nothing that steers a terminal.
"""

import re
from collections.abc import Iterable, Iterator

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, is_call_running, open_calls
from inspector.core.check.check import SessionReport, Verdict
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.presentation.formatting import summarize_call
from inspector.core.repair.edits import Loss
from inspector.core.rules import RULES
from inspector.core.text import count_phrase

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


# What is lost, told to a person: where it stood, what it is, how much of it, its first words, and why it is lost.
#
# Never as JSON: of a call it is what it asks for, of a record that cannot be read the first text that stands in it.

_KIND_NAMES = {
    "result": "a result",
    "text": "a text",
    "call": "a call",
    "reasoning": "reasoning",
    "media": "a picture or a file",
    "bytes": "a damaged piece",
}
_SHOWN = 80
_LOOKED_AT = 20_000
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"?')  # of JSON; the last may break off
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-f]{2}|.)")


def loss_sentences(losses: Iterable[Loss], log: Log) -> Iterator[str]:
    """A sentence for each loss."""
    places = Locator(log)
    for loss in losses:
        place = "" if loss.record is None else f"{place_text(places.locate(loss.record))}: "
        count = count_phrase(len(loss.text), "character")
        words = _first_words(loss)
        kind = _KIND_NAMES.get(loss.kind, loss.kind)
        yield f"{place}{kind} of {count}{f', “{words}”' if words else ''} ({loss.reason})"


def _first_words(loss: Loss) -> str:
    text = loss.text[:_LOOKED_AT]
    if loss.kind == "call":
        name, _, asked = text.partition(" ")
        text = f"{name} {summarize_call(asked, '')}".strip()
    elif text.lstrip()[:1] in ("{", "["):
        strings = (_ESCAPED.sub(" ", each) for each in _STRING.findall(text))
        text = next((each for each in strings if len(each.split(None, 1)) > 1), "")
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rsplit(' ', 1)[0]} …"


# Texts of logs and of people, made fit for a line of a report: short, one line, nothing that steers a terminal.


def one_line(text: str, limit: int = 160) -> str:
    """A text on one line, cut to `most` characters; control and direction characters are spelled out."""
    line = " ".join(text.split()) if not text.isprintable() else text
    return "".join(sign if sign.isprintable() else escape_character(sign) for sign in clip(line, limit))


def clip(text: str, limit: int) -> str:
    """A text cut to `most` characters, of which the last one then tells that it goes on."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def escape_character(character: str) -> str:
    """A character as an escape."""
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
