"""Tiny logs with a call without a result, and what is told of it, as lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.check.check import check
from inspector.core.check.execution_evidence import evidence_by_finding
from inspector.core.discovery.opening import open_log, open_source
from tests.support.notation import clock, lines, uuid

CALL = "toolu_01Qe4TkWARGyf1"


def evidence(path: Path) -> list[Evidence]:
    """The evidence of every call without a result of a log, each once, in the order of its findings."""
    with open_source(str(path)) as source:
        report = check(open_log(source))
        known = evidence_by_finding(report)
        ids = [finding.id for session in report.sessions for finding in session.findings]
        return list({id(known[each]): known[each] for each in ids if each in known}.values())


def told(path: Path) -> list[str]:
    """The verdict on the only call without a result, and its traces: weight, record and sentence."""
    (found,) = evidence(path)
    return [found.verdict, *(f"{each.strength.word} {each.record} {each.sentence}" for each in found.traces)]


def written(folder: Path, name: str, records: list[Any]) -> Path:
    path = folder / name
    path.write_bytes(lines(records))
    return path


def claude_lines(
    *more: dict[str, Any], name: str = "Bash", given: Any = None, call: str = CALL
) -> list[dict[str, Any]]:
    """A prompt, a call in the line uuid(1), and `more` lines, each linked to the one before it."""
    block = {"type": "tool_use", "id": call, "name": name, "input": given or {"command": "make install"}}
    prompt = {"type": "user", "message": {"role": "user", "content": "hi"}}
    asked = {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [block]}}
    found: list[dict[str, Any]] = []
    for number, line in enumerate((prompt, asked, *more)):
        linked = {"parentUuid": uuid(number - 1) if number else None, "isSidechain": False, "cwd": "/work"}
        ids = {"uuid": uuid(number), "timestamp": clock(number), "sessionId": uuid(99)}
        apart = line.get("type") == "file-history-snapshot"
        found.append(line if apart else linked | line | ids)
    return found


def progress(data: dict[str, Any], call: str = CALL) -> dict[str, Any]:
    return {"type": "progress", "data": data, "toolUseID": "bash-progress-0", "parentToolUseID": call}


def answered(text: str, *, error: bool = True, call: str = CALL) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}
    return {"type": "user", "message": {"role": "user", "content": [block]}}
