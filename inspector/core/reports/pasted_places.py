"""What there is to say about a pasted text, as places that a front can go to, each with a sentence."""

from collections.abc import Iterator

from inspector.core.known_texts.provider_errors import classify_error
from inspector.core.pasted.answering import ErrorLookup, LogMatch
from inspector.core.pasted.bodies import RequestMatch
from inspector.core.pasted.locating import ErrorPlace
from inspector.core.reports.pasted_words import (
    mentioned_names,
    overlap_sentence,
    request_sentence,
    unrelated_error_sentence,
)
from inspector.core.reports.shown import one_line
from inspector.core.showing.machine_answers import LookupAnswer, LookupPlace

_WRONG_IN_A_REQUEST = 5


def lookup_answer(answer: ErrorLookup) -> LookupAnswer:
    """The answer, light enough to cross a pipe."""
    body = answer.body
    places = [place for log in answer.logs for place in _pasted_places(log)]
    places += [_end_of_request(match) for match in answer.matching_sessions if match.place is not None]
    remarks = dict.fromkeys(one_line(remark, 400) for log in answer.logs for remark in log.location.remarks)
    return LookupAnswer(
        meaning=request_sentence(body, body.format.label) if body else _meaning_sentence(answer),
        named=tuple(mentioned_names(answer.pasted)) if body is None else (),
        is_request=body is not None,
        explains=answer.explains,
        fits=bool(answer.logs) and all(log.match_reason == "fits" for log in answer.logs),
        places=tuple(places),
        remarks=(*remarks, *_wrong_in_request(answer), *answer.faults),
        searched=_searched(answer),
        looked_at=answer.search.logs if answer.search else 0,
    )


def _meaning_sentence(answer: ErrorLookup) -> str:
    if answer.pasted.explanation is not None:
        return answer.pasted.explanation.sentence
    kind = classify_error(answer.pasted.text)
    return unrelated_error_sentence(kind) if kind is not None else ""


def _pasted_places(log: LogMatch) -> Iterator[LookupPlace]:
    for located in log.location.places:
        yield LookupPlace(
            path=log.path,
            place=located.place,
            how=located.certainty.word,
            sentence=_what_is_there(located),
            finding=located.finding.id if located.finding else "",
        )
    for recorded in log.recorded_places:
        sentence = "The log keeps this error here."
        yield LookupPlace(path=log.path, place=recorded.place, how="recorded", sentence=sentence)


def _what_is_there(located: ErrorPlace) -> str:
    if located.finding is not None:
        named = located.call_id and located.call_id not in located.finding.message
        call_id = f" ({one_line(located.call_id)})" if named else ""
        return f"{one_line(located.finding.message, 400)}{call_id}"
    what = f"{one_line(located.tool)} {one_line(located.call_id)}".strip()
    return what or "The message that is meant."


def _end_of_request(match: RequestMatch) -> LookupPlace:
    assert match.place is not None
    sentence = f"The request ends here, at message {match.message} of {match.messages}: {overlap_sentence(match)}."
    return LookupPlace(path=match.path, place=match.place, how="request", sentence=sentence)


def _wrong_in_request(answer: ErrorLookup) -> Iterator[str]:
    for finding in answer.body_findings[:_WRONG_IN_A_REQUEST]:
        yield f"Message {finding.place.record} (from 0) of the request: {one_line(finding.message, 400)}"


def _searched(answer: ErrorLookup) -> str:
    search = answer.search
    if search is None:
        return ""
    if not search.of:
        return "No known agent keeps sessions on this machine."
    looked = f"{search.logs:,} of {search.of:,} sessions on this machine were looked at"
    size = f"{search.size / 1e6:,.0f} MB" if search.size >= 1e6 else f"{search.size / 1e3:,.0f} KB"
    unread = f"; {search.unread:,} could not be read" if search.unread else ""
    return f"{looked} ({size}){unread}."
