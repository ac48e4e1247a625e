"""What there is to say about a pasted error or request as JSON."""

from typing import Any

from inspector.core.pasted.answering import ErrorLookup, LogMatch
from inspector.core.pasted.bodies import RequestMatch
from inspector.core.pasted.locating import ErrorLocation, ErrorPlace
from inspector.core.reports.head import encode_document
from inspector.core.reports.json import finding_fields


def lookup_json(answer: ErrorLookup) -> bytes:
    """The whole answer."""
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
        "finding": finding_fields(each.finding) if each.finding is not None else None,
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
        "findings": [finding_fields(finding) for finding in findings],
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
