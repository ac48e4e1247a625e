"""A file of very many conversations: what is kept of each is small, and none looks at the whole file."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from inspector.core.check.check import LazyCheckedThreads
from inspector.core.check.execution_evidence import evidence_by_finding
from inspector.core.engine.log import OpenLog
from inspector.core.errors import Cancelled
from inspector.core.report.json import (
    SessionEntry,
    check_report_without_sessions,
    chunked_session_entries,
    report_chunks,
)
from inspector.core.storage.source import Source

COUNT = 1100


def conversation(number: int, result: str = "", words: str = "on") -> dict[str, Any]:
    call = {"id": f"call_number_{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    if result:
        messages.append({"role": "tool", "tool_call_id": f"call_number_{number}", "content": result})
    return {"messages": [*messages, {"role": "user", "content": words}]}


def written(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "log.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Every hundredth conversation has an open call."""
    return written(tmp_path, [conversation(number, "alpha" if number % 100 else "") for number in range(COUNT)])


def as_json(log: OpenLog, release: bool) -> bytes:
    report = log.check(release=release)
    sessions = chunked_session_entries(report, SessionEntry, log.evidence())
    return b"".join(report_chunks(check_report_without_sessions({}, [], [], []), sessions))


def test_a_report_is_the_same_when_sessions_without_findings_are_released(path: Path) -> None:
    with OpenLog.at(path) as log:
        assert as_json(log, release=True) == as_json(log, release=False)


def test_the_threads_of_a_released_session_are_checked_again(path: Path) -> None:
    with OpenLog.at(path) as log:
        kept = log.check().sessions
        released = log.check(release=True).sessions
    for before, after in zip(kept, released, strict=True):
        assert isinstance(after.threads, LazyCheckedThreads) == (not before.findings)
    threads = list(released[1].threads)
    assert len(threads) == len(released[1].threads) == 1
    assert threads[0].matches == released[1].threads[0].matches == kept[1].threads[0].matches == []
    assert threads[0].context.pairing.states == kept[1].threads[0].context.pairing.states


def test_the_lines_of_the_file_are_counted_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0
    count_line_ends = Source.count_line_ends

    def count(source: Source, start: int, end: int) -> int:
        nonlocal counted
        counted += end - start
        return count_line_ends(source, start, end)

    monkeypatch.setattr(Source, "count_line_ends", count)
    with OpenLog.at(path) as log:
        lines = [finding.place.line for session in log.check().sessions for finding in session.findings]
    assert lines == [number + 1 for number in range(0, COUNT, 100)]
    assert counted <= path.stat().st_size


def test_another_conversation_says_nothing_about_a_call(tmp_path: Path) -> None:
    lines = [conversation(1), conversation(2, words="call_number_1 ran")]
    with OpenLog.at(written(tmp_path, lines)) as log:
        assert {evidence.verdict for evidence in evidence_by_finding(log.check()).values()} == {"no-trace"}


def test_reading_reports_progress_and_can_be_cancelled(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with OpenLog.at(path, progress=lambda done, total: seen.append((done, total))) as log:
        assert len(log.log.sessions) == COUNT
    assert len(seen) > 1
    assert seen == sorted(seen)
    with OpenLog.at(path, cancelled=lambda: bool(seen)) as log, pytest.raises(Cancelled):
        assert log.log
