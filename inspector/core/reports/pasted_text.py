"""What there is to say about a pasted error or request, as lines for a person."""

from collections.abc import Iterator

from inspector.core.formats.bases.store import at_home
from inspector.core.known_texts.provider_errors import kind_of
from inspector.core.pasted.answering import Answer, InLog
from inspector.core.pasted.bodies import BodyMatch
from inspector.core.pasted.locating import Located, Location, Sure
from inspector.core.profiles import PROFILES
from inspector.core.reports.pasted_words import about_no_history, in_common, names_in, request_in
from inspector.core.reports.shown import shown
from inspector.core.reports.words import where
from inspector.core.scene.finding import Severity

_WHY = {
    "named": "",
    "id": ": it holds an id that the error names",
    "recorded": ": it keeps this error",
    "fits": ": what is wrong in it fits the error, which names no id; it may be another session's",
}
_SURE = {Sure.BY_ID: "by its id", Sure.BY_INDEX: "by its index", Sure.BY_CLASS: "by its class alone"}


def answer_lines(answer: Answer) -> Iterator[str]:
    """The whole answer."""
    yield from _meaning(answer)
    for log in answer.logs:
        yield ""
        yield from _log(log)
    if answer.body is not None:
        yield ""
        yield from _body(answer)
    yield from _search(answer)


def _meaning(answer: Answer) -> Iterator[str]:
    meaning = answer.pasted.meaning
    if meaning is not None:
        yield meaning.sentence
        yield f"Classes: {', '.join(meaning.rules)}"
        if meaning.profile in PROFILES:
            through = f", through {', '.join(meaning.through)}" if meaning.through else ""
            yield f"Profile: {meaning.profile} ({PROFILES[meaning.profile].label}{through})"
        elif meaning.through:
            yield f"Through: {', '.join(meaning.through)}"
    elif (kind := kind_of(answer.pasted.text)) is not None:
        yield about_no_history(kind)
    elif answer.body is None:
        yield "The wording of this error is not known. `check` says whether the history itself is sound."
    named = ", ".join(names_in(answer.pasted))
    if named and answer.body is None:
        yield f"It names: {named}"


def _log(log: InLog) -> Iterator[str]:
    yield f"{shown(at_home(log.path), 1000)} ({log.format}, {log.verdict}){_WHY[log.why]}"
    yield from _places(log.location)
    for recorded in log.recorded:
        yield f"  {where(recorded.place, numbered=True)}: the log keeps this error here"
    if not log.location.places and not log.recorded:
        yield "  No finding in this log explains it: it may be another session's, or already repaired."


def _places(location: Location) -> Iterator[str]:
    for place in location.places:
        yield f"  {where(place.place, numbered=True)}: {_said(place)}"
    for remark in location.remarks:
        yield f"  {shown(remark, 400)}"


def _said(place: Located) -> str:
    finding = place.finding
    told = place.place.pointer if place.place.document is None else place.place.document
    pointer = f" at {told}" if told else ""
    if finding is not None:
        aside = ", info" if finding.severity == Severity.INFO else ""
        return f"{shown(finding.message, 400)} [{finding.rule} {finding.slug}{aside}]{pointer}, {_SURE[place.sure]}"
    what = f"{shown(place.tool)} {shown(place.call_id)}".strip() or "the message that is meant"
    return f"{what}{pointer}, {_SURE[place.sure]}"


def _body(answer: Answer) -> Iterator[str]:
    body = answer.body
    assert body is not None
    yield request_in(body, body.format.name)
    if answer.in_body.places and answer.pasted.meaning is not None:
        yield from _places(answer.in_body)
    else:
        for finding in answer.wrong_in_body:
            record = f"message {finding.place.record} (from 0)"
            yield f"  {record}: {shown(finding.message, 400)} [{finding.rule} {finding.slug}]"
    yield from (line for match in answer.bodies for line in _match(match))
    if not answer.bodies:
        yield "No stored session begins with it."


def _match(match: BodyMatch) -> Iterator[str]:
    path = shown(at_home(match.path), 1000)
    yield f"It begins session {shown(match.session)} in {path} ({match.format}): {in_common(match)}."
    if match.place is not None:
        place = where(match.place, numbered=True)
        yield f"  It goes as far as {place}: {match.message} of {match.messages} messages."


def _search(answer: Answer) -> Iterator[str]:
    search = answer.search
    if search is None:
        return
    looked = (
        f"{search.logs:,} of {search.of:,} logs of this machine's stores were looked at ({search.size / 1e6:,.0f} MB)"
    )
    unread = f"; {search.unread} could not be read" if search.unread else ""
    yield ""
    if not answer.logs and not answer.bodies:
        yield "No stored session was found that it comes from. Name a log to look for it there."
    yield f"{looked}{unread}."
