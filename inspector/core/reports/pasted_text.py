"""What there is to say about a pasted error or request, as lines for a person."""

from collections.abc import Iterator

from inspector.core.formats.bases.store import at_home
from inspector.core.known_texts.provider_errors import classify_error
from inspector.core.pasted.answering import ErrorLookup, LogMatch
from inspector.core.pasted.bodies import RequestMatch
from inspector.core.pasted.locating import Certainty, ErrorLocation, ErrorPlace
from inspector.core.profiles import PROFILES
from inspector.core.reports.pasted_words import (
    mentioned_names,
    overlap_sentence,
    request_sentence,
    unrelated_error_sentence,
)
from inspector.core.reports.shown import one_line
from inspector.core.reports.words import place_text
from inspector.core.scene.finding import Severity

_WHY = {
    "named": "",
    "id": ": it holds an id that the error names",
    "recorded": ": it keeps this error",
    "fits": ": what is wrong in it fits the error, which names no id; it may be another session's",
}
_SURE = {Certainty.BY_ID: "by its id", Certainty.BY_INDEX: "by its index", Certainty.BY_CLASS: "by its class alone"}


def lookup_lines(answer: ErrorLookup) -> Iterator[str]:
    """The whole answer."""
    yield from _meaning_lines(answer)
    for log in answer.logs:
        yield ""
        yield from _log_lines(log)
    if answer.body is not None:
        yield ""
        yield from _body(answer)
    yield from _search(answer)


def _meaning_lines(answer: ErrorLookup) -> Iterator[str]:
    meaning = answer.pasted.explanation
    if meaning is not None:
        yield meaning.sentence
        yield f"Classes: {', '.join(meaning.rules)}"
        if meaning.profile in PROFILES:
            through = f", through {', '.join(meaning.servers)}" if meaning.servers else ""
            yield f"Profile: {meaning.profile} ({PROFILES[meaning.profile].label}{through})"
        elif meaning.servers:
            yield f"Through: {', '.join(meaning.servers)}"
    elif (kind := classify_error(answer.pasted.text)) is not None:
        yield unrelated_error_sentence(kind)
    elif answer.body is None:
        yield "The wording of this error is not known. `check` says whether the history itself is sound."
    named = ", ".join(mentioned_names(answer.pasted))
    if named and answer.body is None:
        yield f"It names: {named}"


def _log_lines(log: LogMatch) -> Iterator[str]:
    yield f"{one_line(at_home(log.path), 1000)} ({log.format}, {log.verdict}){_WHY[log.match_reason]}"
    yield from _place_lines(log.location)
    for recorded in log.recorded_places:
        yield f"  {place_text(recorded.place, numbered=True)}: the log keeps this error here"
    if not log.location.places and not log.recorded_places:
        yield "  No finding in this log explains it: it may be another session's, or already repaired."


def _place_lines(location: ErrorLocation) -> Iterator[str]:
    for place in location.places:
        yield f"  {place_text(place.place, numbered=True)}: {_place_sentence(place)}"
    for remark in location.remarks:
        yield f"  {one_line(remark, 400)}"


def _place_sentence(place: ErrorPlace) -> str:
    finding = place.finding
    told = place.place.pointer if place.place.document is None else place.place.document
    pointer = f" at {told}" if told else ""
    if finding is not None:
        aside = ", info" if finding.severity == Severity.INFO else ""
        message = one_line(finding.message, 400)
        return f"{message} [{finding.rule} {finding.slug}{aside}]{pointer}, {_SURE[place.certainty]}"
    what = f"{one_line(place.tool)} {one_line(place.call_id)}".strip() or "the message that is meant"
    return f"{what}{pointer}, {_SURE[place.certainty]}"


def _body(answer: ErrorLookup) -> Iterator[str]:
    body = answer.body
    assert body is not None
    yield request_sentence(body, body.format.name)
    if answer.body_location.places and answer.pasted.explanation is not None:
        yield from _place_lines(answer.body_location)
    else:
        for finding in answer.body_findings:
            record = f"message {finding.place.record} (from 0)"
            yield f"  {record}: {one_line(finding.message, 400)} [{finding.rule} {finding.slug}]"
    yield from (line for match in answer.matching_sessions for line in _match_lines(match))
    if not answer.matching_sessions:
        yield "No stored session begins with it."


def _match_lines(match: RequestMatch) -> Iterator[str]:
    path = one_line(at_home(match.path), 1000)
    yield f"It begins session {one_line(match.session)} in {path} ({match.format}): {overlap_sentence(match)}."
    if match.place is not None:
        place = place_text(match.place, numbered=True)
        yield f"  It goes as far as {place}: {match.message} of {match.messages} messages."


def _search(answer: ErrorLookup) -> Iterator[str]:
    search = answer.search
    if search is None:
        return
    looked = (
        f"{search.logs:,} of {search.of:,} logs of this machine's stores were looked at ({search.size / 1e6:,.0f} MB)"
    )
    unread = f"; {search.unread} could not be read" if search.unread else ""
    yield ""
    if not answer.logs and not answer.matching_sessions:
        yield "No stored session was found that it comes from. Name a log to look for it there."
    yield f"{looked}{unread}."
