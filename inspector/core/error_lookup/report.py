"""Report on a pasted error or request: as lines of text, as JSON, and as places that a front can show."""

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Report
from inspector.core.error_lookup.locate import Certainty, ErrorLocation, ErrorPlace
from inspector.core.error_lookup.lookup import ErrorLookup, LogMatch
from inspector.core.error_lookup.request_bodies import RequestMatch
from inspector.core.formats.base.stores import with_tilde
from inspector.core.presentation.results import LookupAnswer, LookupPlace
from inspector.core.providers.error_parser import ParsedErrorText, ServiceErrorKind, classify_error
from inspector.core.providers.registry import PROFILES
from inspector.core.report.json import encode_document, log_finding_entry
from inspector.core.report.sentences import one_line, place_text

_WHY = {
    "named": "",
    "id": ": it holds an id that the error names",
    "recorded": ": it keeps this error",
    "fits": ": what is wrong in it fits the error, which names no id; it may be another session's",
}
_SURE = {Certainty.BY_ID: "by its id", Certainty.BY_INDEX: "by its index", Certainty.BY_CLASS: "by its class alone"}

_WRONG_IN_A_REQUEST = 5


def lookup_lines(answer: ErrorLookup) -> Iterator[str]:
    """Yield the whole answer as lines of text."""
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
    yield f"{one_line(with_tilde(log.path), 1000)} ({log.format}, {log.verdict}){_WHY[log.match_reason]}"
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
    location = place.place.pointer if place.place.document is None else place.place.document
    pointer = f" at {location}" if location else ""
    if finding is not None:
        info_note = ", info" if finding.severity == Severity.INFO else ""
        message = one_line(finding.message, 400)
        return f"{message} [{finding.rule} {finding.slug}{info_note}]{pointer}, {_SURE[place.certainty]}"
    subject = f"{one_line(place.tool)} {one_line(place.call_id)}".strip() or "the message that is meant"
    return f"{subject}{pointer}, {_SURE[place.certainty]}"


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
    path = one_line(with_tilde(match.path), 1000)
    yield f"It begins session {one_line(match.session)} in {path} ({match.format}): {request_overlap_sentence(match)}."
    if match.place is not None:
        place = place_text(match.place, numbered=True)
        yield f"  It goes as far as {place}: {match.message} of {match.messages} messages."


def _search(answer: ErrorLookup) -> Iterator[str]:
    search = answer.search
    if search is None:
        return
    searched = (
        f"{search.logs:,} of {search.of:,} logs of this machine's stores were looked at ({search.size / 1e6:,.0f} MB)"
    )
    unread = f"; {search.unread} could not be read" if search.unread else ""
    yield ""
    if not answer.logs and not answer.matching_sessions:
        yield "No stored session was found that it comes from. Name a log to look for it there."
    yield f"{searched}{unread}."


def lookup_json(answer: ErrorLookup) -> bytes:
    """Return the whole answer as JSON."""
    search = answer.search
    fields = {
        "error": _error(answer),
        "logs": [_log_fields(log) for log in answer.logs],
        "request": _request(answer),
        "searched": None
        if search is None
        else {
            "logs": search.logs,
            "of": search.of,
            "bytes": search.size,
            "unread": search.unread,
            "stopped": search.stopped,
        },
    }
    return encode_document(fields | ({"faults": answer.faults} if answer.faults else {}))


def _error(answer: ErrorLookup) -> dict[str, Any]:
    pasted, meaning = answer.pasted, answer.pasted.explanation
    return {
        "known": meaning is not None,
        "sentence": meaning.sentence if meaning else None,
        "rules": meaning.rules if meaning else [],
        "profile": (meaning.profile or None) if meaning else None,
        "through": meaning.servers if meaning else [],
        "ids": [{"id": named.text, "cut": named.is_truncated} for named in pasted.ids],
        "places": [
            {
                "message": spot.message,
                "block": spot.block if spot.block >= 0 else None,
                "in": spot.list_key or None,
                "field": spot.field or None,
                "text": spot.text,
            }
            for spot in pasted.references
        ],
        "requests": pasted.request_ids,
    }


def _log_fields(log: LogMatch) -> dict[str, Any]:
    return {
        "path": log.path,
        "format": log.format,
        "verdict": log.verdict,
        "why": log.match_reason,
        **_location(log.location),
        "recorded": [_located(each) for each in log.recorded_places],
    }


def _location(location: ErrorLocation) -> dict[str, Any]:
    return {"found": [_located(each) for each in location.places], "remarks": location.remarks}


def _located(each: ErrorPlace) -> dict[str, Any]:
    place = each.place
    return {
        "by": each.certainty.word,
        "session": each.session,
        "record": place.record,
        "line": place.line,
        "member": place.member,
        "bytes": place.bytes,
        "pointer": place.pointer,
        "call_id": each.call_id or None,
        "tool": each.tool or None,
        "message": each.message if each.message >= 0 else None,
        "finding": to_builtins(log_finding_entry(each.finding)) if each.finding is not None else None,
    }


def _request(answer: ErrorLookup) -> dict[str, Any] | None:
    body = answer.body
    if body is None:
        return None
    findings = [finding for session in body.sessions for finding in session.findings]
    return {
        "format": body.format.name,
        "verdict": body.verdict.word,
        "messages": sum(session.messages for session in body.sessions),
        **_location(answer.body_location),
        "findings": [to_builtins(log_finding_entry(finding)) for finding in findings],
        "sessions": [_match_fields(match) for match in answer.matching_sessions],
    }


def _match_fields(match: RequestMatch) -> dict[str, Any]:
    return {
        "path": match.path,
        "format": match.format,
        "session": match.session,
        "ids": [match.ids, match.all_ids],
        "texts": [match.texts, match.all_texts],
        "record": match.place.record if match.place else None,
        "line": match.place.line if match.place else None,
        "message": match.message,
        "messages": match.messages,
    }


def lookup_answer(answer: ErrorLookup) -> LookupAnswer:
    """Return the answer as places with sentences, light enough to cross a pipe."""
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
        shows_id = located.call_id and located.call_id not in located.finding.message
        call_id = f" ({one_line(located.call_id)})" if shows_id else ""
        return f"{one_line(located.finding.message, 400)}{call_id}"
    subject = f"{one_line(located.tool)} {one_line(located.call_id)}".strip()
    return subject or "The message that is meant."


def _end_of_request(match: RequestMatch) -> LookupPlace:
    assert match.place is not None
    sentence = (
        f"The request ends here, at message {match.message} of {match.messages}: {request_overlap_sentence(match)}."
    )
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
    searched = f"{search.logs:,} of {search.of:,} sessions on this machine were looked at"
    size = f"{search.size / 1e6:,.0f} MB" if search.size >= 1e6 else f"{search.size / 1e3:,.0f} KB"
    unread = f"; {search.unread:,} could not be read" if search.unread else ""
    return f"{searched} ({size}){unread}."


def mentioned_names(pasted: ParsedErrorText) -> Iterator[str]:
    """Yield the ids and places that a text names, as it spells them."""
    for named in pasted.ids:
        yield one_line(named.text) + ("…" if named.is_truncated else "")
    for spot in pasted.references:
        yield one_line(spot.text)


def request_overlap_sentence(match: RequestMatch) -> str:
    """Return how much of a pasted request is in the session that begins with it."""
    shared = []
    if match.all_ids:
        shared.append(f"{match.ids} of its {match.all_ids} call ids")
    if match.all_texts:
        shared.append(f"{match.texts} of its {match.all_texts} texts of the user")
    return f"{' and '.join(shared)} are there"


def unrelated_error_sentence(kind: ServiceErrorKind) -> str:
    """Return a sentence on an error that is no fault of the history."""
    return f"It is about {kind.about}, which is no fault of the history."


def request_sentence(body: Report, format: str) -> str:
    """Return what a pasted request is. `format` is its format as the reader knows it."""
    messages = sum(session.messages for session in body.sessions)
    return f"The text holds a request of {messages} messages ({format}, {body.verdict.word})."
