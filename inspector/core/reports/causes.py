"""Likely causes: as a field of a session, as lines below it, and as groups of logs that have one in common."""

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.core.causes.known import KNOWN_CAUSES
from inspector.core.causes.likely import bug_fingerprint, find_likely_cause
from inspector.core.judging.check import Report, SessionReport
from inspector.core.reports.words import rule_title
from inspector.core.rules import RULES

_CAUSE_SENTENCES = {cause.id: cause.explanation for cause in KNOWN_CAUSES}


def cause_fields(session: SessionReport) -> dict[str, Any]:
    """The fields `likely_cause` and `fingerprint` of a session; the latter is what sessions with one bug share."""
    return {"likely_cause": _likely(session), "fingerprint": bug_fingerprint(session) or None}


def _likely(session: SessionReport) -> dict[str, Any] | None:
    likely = find_likely_cause(session)
    if likely is None:
        return None
    return {
        "id": likely.cause.id,
        "happened": likely.cause.explanation,
        "advice": likely.advice.format(version=likely.upgrade_to),
        "upgrade_to": likely.upgrade_to or None,
        "source": likely.cause.url,
    }


def cause_lines(session: SessionReport) -> Iterator[str]:
    """What happened, and what to do."""
    told = _likely(session)
    if told is not None:
        yield f"  Likely cause: {told['happened']} ({told['source']})"
        yield f"  What to do: {told['advice']}"


def session_fingerprints(report: Report) -> list[tuple[str, str]]:
    """The log and the fingerprint of each of its sessions with which something is wrong."""
    marks = dict.fromkeys(filter(None, map(bug_fingerprint, report.sessions)))
    return [(report.log.source.path, mark) for mark in marks]


def fingerprint_sentence(fingerprint: str) -> str:
    """What a fingerprint stands for: a known cause, else the class that it begins with; "" for none."""
    rule = fingerprint.partition(" ")[0]
    return _CAUSE_SENTENCES.get(fingerprint) or (rule_title(rule) if rule in RULES else fingerprint)


def group_by_fingerprint(fingerprints: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """The logs by what is wrong in them, the most frequent first, from (log, fingerprint of a session) pairs."""
    found: dict[str, dict[str, None]] = {}
    for path, mark in fingerprints:
        found.setdefault(mark, {})[path] = None
    told = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"cause": mark, "happened": fingerprint_sentence(mark), "logs": [*logs]} for mark, logs in told]


def group_lines(fingerprints: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The same as lines, where several logs have something in common."""
    told = group_by_fingerprint(fingerprints)
    if any(len(group["logs"]) > 1 for group in told):
        yield "By cause:"
        for group in told:
            yield f"  {len(group['logs'])} × {group['happened']} [{group['cause']}]"
