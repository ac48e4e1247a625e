"""What there is to say about a pasted error or request as JSON."""

from typing import Any

from inspector.core.pasted.answering import Answer, InLog
from inspector.core.pasted.bodies import BodyMatch
from inspector.core.pasted.locating import Located, Location
from inspector.core.reports.head import document
from inspector.core.reports.json import finding_fields


def answer_json(answer: Answer) -> bytes:
    """The whole answer."""
    search = answer.search
    fields = {
        "error": _error(answer),
        "logs": [_log(log) for log in answer.logs],
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
    return document(fields | ({"faults": answer.faults} if answer.faults else {}))


def _error(answer: Answer) -> dict[str, Any]:
    pasted, meaning = answer.pasted, answer.pasted.meaning
    return {
        "known": meaning is not None,
        "sentence": meaning.sentence if meaning else None,
        "rules": meaning.rules if meaning else [],
        "profile": (meaning.profile or None) if meaning else None,
        "through": meaning.through if meaning else [],
        "ids": [{"id": named.text, "cut": named.cut} for named in pasted.ids],
        "places": [
            {
                "message": spot.message,
                "block": spot.block if spot.block >= 0 else None,
                "in": spot.inside or None,
                "field": spot.field or None,
                "text": spot.text,
            }
            for spot in pasted.spots
        ],
        "requests": pasted.requests,
    }


def _log(log: InLog) -> dict[str, Any]:
    return {
        "path": log.path,
        "format": log.format,
        "verdict": log.verdict,
        "why": log.why,
        **_location(log.location),
        "recorded": [_located(each) for each in log.recorded],
    }


def _location(location: Location) -> dict[str, Any]:
    return {"found": [_located(each) for each in location.places], "remarks": location.remarks}


def _located(each: Located) -> dict[str, Any]:
    place = each.place
    return {
        "by": each.sure.word,
        "session": each.session,
        "record": place.record,
        "line": place.line,
        "member": place.member,
        "bytes": place.bytes,
        "pointer": place.pointer,
        "call_id": each.call_id or None,
        "tool": each.tool or None,
        "message": each.message if each.message >= 0 else None,
        "finding": finding_fields(each.finding) if each.finding is not None else None,
    }


def _request(answer: Answer) -> dict[str, Any] | None:
    body = answer.body
    if body is None:
        return None
    findings = [finding for session in body.sessions for finding in session.findings]
    return {
        "format": body.format.name,
        "verdict": body.verdict.word,
        "messages": sum(session.messages for session in body.sessions),
        **_location(answer.in_body),
        "findings": [finding_fields(finding) for finding in findings],
        "sessions": [_match(match) for match in answer.bodies],
    }


def _match(match: BodyMatch) -> dict[str, Any]:
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
