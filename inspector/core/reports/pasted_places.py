"""What there is to say about a pasted text, as places that a front can go to, each with a sentence."""

from collections.abc import Iterator

from inspector.core.known_texts.provider_errors import kind_of
from inspector.core.pasted.answering import Answer, InLog
from inspector.core.pasted.bodies import BodyMatch
from inspector.core.pasted.locating import Located
from inspector.core.reports.pasted_words import about_no_history, in_common, names_in, request_in
from inspector.core.reports.shown import shown
from inspector.core.showing.machine_answers import PastedAnswer, PastedPlace

_WRONG_IN_A_REQUEST = 5


def pasted_answer(answer: Answer) -> PastedAnswer:
    """The answer, light enough to cross a pipe."""
    body = answer.body
    places = [place for log in answer.logs for place in _places(log)]
    places += [_end_of_request(match) for match in answer.bodies if match.place is not None]
    remarks = dict.fromkeys(shown(remark, 400) for log in answer.logs for remark in log.location.remarks)
    return PastedAnswer(
        meaning=request_in(body, body.format.label) if body else _meaning(answer),
        named=tuple(names_in(answer.pasted)) if body is None else (),
        is_request=body is not None,
        explains=answer.explains,
        fits=bool(answer.logs) and all(log.why == "fits" for log in answer.logs),
        places=tuple(places),
        remarks=(*remarks, *_wrong_in_request(answer), *answer.faults),
        searched=_searched(answer),
        looked_at=answer.search.logs if answer.search else 0,
    )


def _meaning(answer: Answer) -> str:
    if answer.pasted.meaning is not None:
        return answer.pasted.meaning.sentence
    kind = kind_of(answer.pasted.text)
    return about_no_history(kind) if kind is not None else ""


def _places(log: InLog) -> Iterator[PastedPlace]:
    for located in log.location.places:
        yield PastedPlace(
            path=log.path,
            place=located.place,
            how=located.sure.word,
            sentence=_said(located),
            finding=located.finding.id if located.finding else "",
        )
    for recorded in log.recorded:
        sentence = "The log keeps this error here."
        yield PastedPlace(path=log.path, place=recorded.place, how="recorded", sentence=sentence)


def _said(located: Located) -> str:
    if located.finding is not None:
        named = located.call_id and located.call_id not in located.finding.message
        call_id = f" ({shown(located.call_id)})" if named else ""
        return f"{shown(located.finding.message, 400)}{call_id}"
    what = f"{shown(located.tool)} {shown(located.call_id)}".strip()
    return what or "The message that is meant."


def _end_of_request(match: BodyMatch) -> PastedPlace:
    assert match.place is not None
    sentence = f"The request ends here, at message {match.message} of {match.messages}: {in_common(match)}."
    return PastedPlace(path=match.path, place=match.place, how="request", sentence=sentence)


def _wrong_in_request(answer: Answer) -> Iterator[str]:
    for finding in answer.wrong_in_body[:_WRONG_IN_A_REQUEST]:
        yield f"Message {finding.place.record} (from 0) of the request: {shown(finding.message, 400)}"


def _searched(answer: Answer) -> str:
    search = answer.search
    if search is None:
        return ""
    if not search.of:
        return "No known agent keeps sessions on this machine."
    looked = f"{search.logs:,} of {search.of:,} sessions on this machine were looked at"
    size = f"{search.size / 1e6:,.0f} MB" if search.size >= 1e6 else f"{search.size / 1e3:,.0f} KB"
    unread = f"; {search.unread:,} could not be read" if search.unread else ""
    return f"{looked} ({size}){unread}."
