"""What each provider would answer to a session, as JSON and as text."""

from collections.abc import Iterator
from typing import Any

from inspector.core.judging.check import Report
from inspector.core.reports.words import place_text
from inspector.core.showing.answers import Acceptance


def acceptance_fields(answers: dict[str, Acceptance]) -> dict[str, Any]:
    """The field `accepted_by` of a session."""
    return {name: _fields(answer) for name, answer in answers.items()}


def _fields(answer: Acceptance) -> dict[str, Any]:
    place = answer.place
    where = {"record": place.record, "member": place.member, "line": place.line, "bytes": place.bytes} if place else {}
    return {
        "accepts": answer.accepts,
        "rule": answer.rule or None,
        "error": answer.error or None,
        "message": answer.message or None,
        "place": where | {"pointer": place.pointer} if place else None,
        "refusals": answer.refusals,
        "not_run": answer.not_run,
    }


def acceptance_lines(report: Report, answers: list[dict[str, Acceptance]]) -> Iterator[str]:
    """A line a provider, under the session's id where the log holds several."""
    for session, asked in zip(report.sessions, answers, strict=False):
        yield "  Who would accept it:" if len(answers) == 1 else f"  Who would accept session {session.session.id}:"
        for name, answer in asked.items():
            place = f" ({place_text(answer.place)})" if answer.place else ""
            yield f"    {name}: {answer.sentence}{place}"
