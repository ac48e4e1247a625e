"""The sentences that all reports use: verdicts, answers of providers, places, and losses.

Texts of logs and of people are made fit for a line of a report: short, on one line, with no terminal control
characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, is_call_running, open_calls_of_kind
from inspector.core.check.check import SessionReport, Verdict
from inspector.core.discovery.log_entry import UNREAD_KINDS
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.lazy import lazy_regex
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.presentation.formatting import summarize_call
from inspector.core.providers.error_kinds import TOO_LONG
from inspector.core.providers.error_parser import parse_error_text
from inspector.core.repair.edits import Loss
from inspector.core.rules import RULES
from inspector.core.translation import joined, tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.repair.plan import Plan

MAX_ROWS = 50
"""The most rows of a list that a report shows."""
VERDICT_HEADINGS = {
    Verdict.UNREADABLE: tr("UNREADABLE"),
    Verdict.HEALTHY: tr("HEALTHY"),
    Verdict.HEALS_ITSELF: tr("REPAIRS ITSELF"),
    Verdict.WAITING: tr("WAITING"),
    Verdict.UNEXPLAINED: tr("UNEXPLAINED"),
    Verdict.BROKEN: tr("BROKEN"),
    Verdict.NOT_JUDGED: tr("NOT CHECKED"),
}
HEADINGS_BY_WORD = {verdict.word: heading for verdict, heading in VERDICT_HEADINGS.items()}
SEVERITY_NAMES = {Severity.ERROR: tr("error"), Severity.WARNING: tr("warning"), Severity.INFO: tr("note")}
USUAL_WIDTH = 120
"""The width of a line in characters where that of the terminal is not known."""

_MAY_RUN = tr(
    "If the agent is still running, there may be no problem. The log alone does not show whether it is running."
)
_RUNNING = tr("The agent is running, and its tool calls are waiting for their results. Nothing is damaged.")
_PENDING = tr("The tool calls at the end are waiting for their results. Nothing is damaged.")
_KIND_NAMES = {
    "result": tr("a result"),
    "text": tr("a text"),
    "call": tr("a call"),
    "reasoning": tr("reasoning"),
    "media": tr("an image or a file"),
    "bytes": tr("a damaged part"),
}
_SHOWN = 80
_LOOKED_AT = 20_000
_STRING = lazy_regex(r'"((?:[^"\\]|\\.)*)"?')  # a JSON string; the last one may be cut off
_ESCAPED = lazy_regex(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-f]{2}|.)")


def session_sentence(session: SessionReport) -> str:
    """Return a session's verdict, its state in the log, and the provider if that is assumed."""
    return joined(" ", session_sentences(session))


def session_sentences(session: SessionReport) -> tuple[str, ...]:
    """Return the sentences of `session_sentence`. The first is the headline: what happens on resume."""
    state, waiting = session.session.state, session.verdict == Verdict.WAITING
    state_sentence = f"{state[0].upper()}{state[1:]}." if state else ""
    sentences = [
        state_sentence if waiting else "",
        _verdict(session),
        *(_remarks_on_broken(session) if session.verdict == Verdict.BROKEN else ()),
        _recorded(session),
        "" if waiting else state_sentence,
    ]
    if is_profile_assumed(session):
        sentences.append(
            tr(
                "The log does not specify a provider, so {provider} was assumed for the check.",
                provider=_provider(session),
            )
        )
    return tuple(filter(None, sentences))


def _recorded(session: SessionReport) -> str:
    """Return what the recorded error is about where the history is sound all the same, else ""."""
    if session.error_kind is None or session.verdict not in (Verdict.HEALTHY, Verdict.WAITING):
        return ""
    return tr(
        "The last entry is an error about {about}. The error was not caused by the history.",
        about=tr(session.error_kind.about),
    )


def rule_title(rule: str) -> str:
    """Return a rule in words, as its page begins."""
    return RULES[rule].title


def is_profile_assumed(session: SessionReport) -> bool:
    """Return whether the provider that a session was judged for is a guess that has to be stated."""
    return session.assumed and bool(session.threads) and bool(session.messages)


def _unrun_checks_note(not_run: tuple[str, ...]) -> str:
    """Return what is added after "accepted" where some checks did not run."""
    return tr(" (some checks were skipped: {not_run})", not_run=", ".join(not_run)) if not_run else ""


def ended_with_too_long_error(session: SessionReport) -> bool:
    """Return whether the log ends with the provider's error that the history is too long."""
    return bool(session.recorded_error) and parse_error_text(session.recorded_error).kind == TOO_LONG


def provider_answer_sentence(refusal: str | None, not_run: tuple[str, ...]) -> str:
    """Return a provider's answer to a planned history: its refusal, or that it accepts it.

    `not_run` are the checks that did not run.
    """
    if refusal is not None:
        return tr("would reject: {refusal}", refusal=refusal)
    return tr("accepted{note}", note=_unrun_checks_note(not_run))


def _verdict(session: SessionReport) -> str:
    """Return what happens when the session is resumed."""
    profile, verdict = _provider(session), session.verdict
    if verdict == Verdict.BROKEN:
        return _what_breaks(session)
    if verdict == Verdict.HEALS_ITSELF:
        return tr("{agent} repairs the history when it resumes this session. Nothing is lost.", agent=_agent(session))
    if verdict == Verdict.UNEXPLAINED and ended_with_too_long_error(session):
        return tr("The history is valid, but the provider reported that it is too long for the model.")
    if verdict == Verdict.UNEXPLAINED:
        return tr("The log ends with a provider error, and nothing in the history explains it.")
    if verdict == Verdict.WAITING:
        return _RUNNING if _runs(session) else _PENDING
    if verdict == Verdict.NOT_JUDGED:
        if session.unsupported_agent:
            return tr(UNREAD_KINDS["format"].reason, detail=session.unsupported_agent)
        return tr("The format is uncertain, so nothing was checked.")
    if not session.messages:
        return tr("The history has no messages.")
    return tr(
        "{profile} accepts the history that the agent would load{note}.",
        profile=profile,
        note=_unrun_checks_note(session.not_run),
    )


def _what_breaks(session: SessionReport) -> str:
    """Return what happens on resume: the provider refuses the request, or the agent stops, or drops something."""
    resume, agent = session.on_resume, _agent(session)
    if resume.is_unknown_program:
        return tr("{provider} rejects this history.", provider=_provider(session))
    if resume.outcome == "refuses" and resume.is_rejected_request:
        return tr(
            "{provider} rejects the request that {agent} sends when it resumes this session.",
            provider=_provider(session),
            agent=agent,
        )
    if resume.outcome == "refuses":
        return tr("{agent} cannot resume this session.", agent=agent)
    if resume.starts_empty:
        return tr("{agent} starts with an empty history when it resumes this session.", agent=agent)
    if resume.outcome == "unknown":
        return tr("Cannot determine whether {agent} can resume this session.", agent=agent)
    if resume.losses:
        return tr(
            "When {agent} resumes this session, it will drop {losses}.",
            agent=agent,
            losses=enumerate_phrases(resume.losses),
        )
    return tr("{agent} can resume this session, but the file is damaged.", agent=agent)


def enumerate_phrases(phrases: Sequence[str]) -> str:
    """Return phrases as one: "a", "a and b", "a, b and c"."""
    *first, last = phrases
    return tr("{first} and {last}", first=joined(", ", first), last=last) if first else last


def _agent(session: SessionReport) -> str:
    return session.on_resume.label or session.on_resume.agent


def _provider(session: SessionReport) -> str:
    """Return the label of the provider that a session was judged for."""
    return session.profile.label if session.profile else ""


def _remarks_on_broken(session: SessionReport) -> Iterator[str]:
    """Yield what limits the verdict: the history continues, or the agent may still be at work.

    It may be where all that is wrong are calls that may be running.
    """
    if session.on_resume.is_unknown_program and session.on_resume.goes_on:
        yield tr(
            "However, the history continues past this problem, so the agent did not send the messages as recorded here."
        )
    kinds = session.findings.kinds
    if all(RULES[kind.rule].may_run for kind in kinds if kind.severity == Severity.ERROR):
        yield _MAY_RUN


def _runs(session: SessionReport) -> bool:
    """Return whether every open call of a waiting session is running."""
    context = session.threads[0].context
    return all(is_call_running(context, tool) for tool in open_calls_of_kind(context, OpenCallKind.PENDING))


def omitted_rows_line(count: int) -> Iterator[str]:
    """Yield the line for the rows beyond MAX_ROWS that a list omits of `count`, none where it has all."""
    if count > MAX_ROWS:
        yield tr("    … and {count:,} more; --format json lists them all", count=count - MAX_ROWS)


def place_text(place: RecordLocation, numbered: bool = False) -> str:
    """Return a place in a word or two: its file or row, else its line, else its record, both from 1.

    Where messages share a line, the message number (from 0, as providers count) and its pointer follow the line. With
    `numbered` the pointer is left out, and the number of a line or record follows a file or row.
    """
    position = (
        tr("line {line}", line=place.line) if place.line else tr("record {record}", record=one_based(place.record))
    )
    if place.index is not None:
        position += tr(
            ", message {index} ({document})", index=place.index, document="from 0" if numbered else place.document
        )
    if not place.member:
        return position
    return f"{one_line(place.member)} ({position})" if numbered else place.member


def loss_sentences(losses: Iterable[Loss], log: Log) -> Iterator[str]:
    """Yield a sentence for each loss: its place, its kind, its size, its first words, and the reason.

    The words are never JSON: of a call they are its summary, of an unreadable record the first text in it.
    """
    places = Locator(log)
    for loss in losses:
        place = "" if loss.record is None else f"{place_text(places.locate(loss.record))}: "
        count = tr_plural("{number:,} character", "{number:,} characters", len(loss.text))
        words = _first_words(loss)
        kind = _KIND_NAMES.get(loss.kind, loss.kind)
        excerpt = f", “{words}”" if words else ""
        if loss.kind == "media":  # its text is a description or an address
            yield tr("{place}{kind}{excerpt} ({reason})", place=place, kind=kind, excerpt=excerpt, reason=loss.reason)
            continue
        yield tr(
            "{place}{kind} of {count}{excerpt} ({reason})",
            place=place,
            kind=kind,
            count=count,
            excerpt=excerpt,
            reason=loss.reason,
        )


def recovered_sentences(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each result that a repair recovers from outside of the conversation."""
    for (_, call_id), result in plan.draft.recovered.items():
        what, why = _certainty(result)
        yield tr(
            "{what} of {call_id} is recovered from {place}{why}.",
            what=what,
            call_id=one_line(call_id),
            place=one_line(result.place),
            why=why,
        )


def unused_result_sentences(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each result outside of the conversation that a repair does not use."""
    for (_, call_id), result in plan.unused_results.items():
        what, why = _certainty(result)
        yield tr(
            "{what} of {call_id} is in {place} but is not used{why}.",
            what=what,
            call_id=one_line(call_id),
            place=one_line(result.place),
            why=why,
        )


def _certainty(result: LostResult) -> tuple[str, str]:
    """Return what a result is called, and the reason for a doubt."""
    return (tr("The result"), "") if result.is_certain else (tr("A possible result"), f": {result.doubt}")


def _first_words(loss: Loss) -> str:
    text = loss.text[:_LOOKED_AT]
    if loss.kind == "call":
        name, _, arguments = text.partition(" ")
        text = f"{name} {summarize_call(arguments, '')}".strip()
    elif text.lstrip()[:1] in ("{", "["):
        strings = (_ESCAPED.sub(" ", each) for each in _STRING.findall(text))
        text = next((each for each in strings if len(each.split(None, 1)) > 1), "")
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rsplit(' ', 1)[0]} …"


def one_line(text: str, limit: int = 160) -> str:
    """Return a text on one line, cut to `limit` characters, with control and direction characters escaped."""
    line = " ".join(text.split()) if not text.isprintable() else text
    clipped = clip(line, limit)
    if clipped.isprintable():
        return clipped
    return "".join(sign if sign.isprintable() else escape_character(sign) for sign in clipped)


def clip(text: str, limit: int) -> str:
    """Return a text cut to `limit` characters. The last character of a cut text is an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def escape_character(character: str) -> str:
    """Return a character as an escape."""
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
