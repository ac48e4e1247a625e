"""The tokens of the context over a session: tiny log in, bars out."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log
from inspector.core.presentation import context_series as module
from inspector.core.presentation.context_series import context_series
from inspector.core.presentation.engine_results import ContextSeries
from inspector.core.storage.source import Source
from tests.support.notation import claude_code_records, lines, parse

HISTORY = 'u"one" | a{A} | r!(A=no) | a"done" | u"two" | a{B} | r(B=b) | a"end"'


def log_of(folder: Path, history: str, *tokens: int, extra: tuple[tuple[int, dict[str, Any]], ...] = ()) -> Path:
    """A log of Claude Code whose answers had so many tokens in their context; `extra` records with their places."""
    records: list[dict[str, Any]] = claude_code_records(parse(history))
    answers = [record["message"] for record in records if record["type"] == "assistant"]
    for number, message in enumerate(answers):
        message["model"] = "claude-sonnet-4-5"
        message.pop("usage", None)
        if number < len(tokens):
            message["usage"] = {"input_tokens": 1, "cache_read_input_tokens": tokens[number] - 10, "output_tokens": 9}
    for place, record in extra:
        records.insert(place, record)
    path = folder / "log.jsonl"
    path.write_bytes(lines(records))
    return path


def series_of(path: Path) -> ContextSeries:
    with Source.open(str(path)) as source:
        return context_series(check(open_log(source)), 0)


def printed(series: ContextSeries) -> list[str]:
    """The bars with a # for each 10,000 tokens, the marks behind the bar that they follow, and the sentence."""
    marks = dict.fromkeys(range(-1, len(series.records)), "")
    for name, records in (("compacted", series.compactions), ("failed", series.failures), ("broken", [series.broken])):
        for record in records:
            if record >= 0:
                marks[series.position_of(record)] += f" {name}"
    bars = zip(series.records, series.turns, series.tokens, strict=True)
    rows = [
        f"record {record} turn {turn} {'#' * (tokens // 10_000)} {tokens:,}{marks[position]}"
        for position, (record, turn, tokens) in enumerate(bars)
    ]
    return [*rows, series.summary]


def test_recorded_tokens_of_each_answer(tmp_path: Path) -> None:
    series = series_of(log_of(tmp_path, HISTORY, 30_000, 50_000, 120_000, 170_000))
    assert printed(series) == [
        "record 1 turn 1 ### 30,000 failed",
        "record 3 turn 1 ##### 50,000",
        "record 5 turn 2 ############ 120,000",
        "record 7 turn 2 ################# 170,000",
        "Context: 170,000 of 200,000 tokens at turn 2",
    ]
    assert (series.limit, series.model, series.near_limit) == (200_000, "claude-sonnet-4", True)
    assert series.source.startswith("https://platform.claude.com/")


def test_the_break_is_at_the_first_error(tmp_path: Path) -> None:
    history = 'u"one" | a"ok" | u"two" | a{A} | u"three" | a"end"'
    assert printed(series_of(log_of(tmp_path, history, 30_000, 40_000, 50_000))) == [
        "record 1 turn 1 ### 30,000",
        "record 3 turn 2 #### 40,000 broken",
        "record 5 turn 3 ##### 50,000",
        "Context: 50,000 of 200,000 tokens at turn 3; broken at turn 2",
    ]


def test_without_recorded_tokens_they_are_estimated_and_said_to_be(tmp_path: Path) -> None:
    series = series_of(log_of(tmp_path, HISTORY))
    assert not series.is_recorded
    assert list(series.records) == [1, 3, 5, 7]
    assert list(series.tokens) == sorted(series.tokens)
    assert series.tokens[0] > 25_000  # the system prompt and the tools of the agent
    assert series.summary == f"Context: about {series.tokens[-1]:,} of 200,000 tokens (estimated) at turn 2"


def test_what_comes_before_a_compaction_is_part_of_it(tmp_path: Path) -> None:
    path = log_of(tmp_path, HISTORY, 150_000, 160_000, 20_000, 30_000)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    boundary = {**records[4], "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    boundary |= {"uuid": "5b7a6f2e-0000-4000-8000-000000000001", "parentUuid": None}
    boundary |= {"logicalParentUuid": records[3]["uuid"], "compactMetadata": {"trigger": "auto", "preTokens": 160_000}}
    boundary.pop("message")
    records[4]["parentUuid"] = boundary["uuid"]
    path.write_bytes(lines([*records[:4], boundary, *records[4:]]))
    assert printed(series_of(path)) == [
        "record 1 turn 1 ############### 150,000 failed",
        "record 3 turn 1 ################ 160,000 compacted",
        "record 6 turn 2 ## 20,000",
        "record 8 turn 2 ### 30,000",
        "Context: 30,000 of 200,000 tokens at turn 2; compacted once",
    ]


def test_of_a_long_session_only_some_answers_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_READ", 10)
    history = " | ".join(f'u"{number}" | a"{number}"' for number in range(95))
    series = series_of(log_of(tmp_path, history, *range(1000, 10_500, 100)))
    assert list(series.turns) == [*range(1, 95, 10), 95]
    assert series.summary == "Context: 10,400 of 200,000 tokens at turn 95"


def test_a_log_without_answers_has_no_series(tmp_path: Path) -> None:
    assert printed(series_of(log_of(tmp_path, 'u"one"'))) == [""]


def test_codex_names_the_model_in_metadata(tmp_path: Path) -> None:
    def event(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2025-10-21T20:08:54.285Z", "type": kind, "payload": payload}

    def spoken(role: str, kind: str, text: str) -> dict[str, Any]:
        return event("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    usage = {"input_tokens": 90_000, "output_tokens": 1000, "total_tokens": 91_000}
    records = [
        event("session_meta", id="0199f0a0-0000-7000-8000-000000000001", cwd="/x", cli_version="0.169.0"),
        event("turn_context", cwd="/x", model="gpt-5-codex"),
        spoken("user", "input_text", "one"),
        spoken("assistant", "output_text", "two"),
        event("event_msg", type="token_count", info={"last_token_usage": usage, "total_token_usage": usage}),
    ]
    path = tmp_path / "rollout-2025-10-21T20-08-54-0199f0a0-0000-7000-8000-000000000001.jsonl"
    path.write_bytes(lines(records))
    assert printed(series_of(path)) == [
        "record 4 turn 1 ######### 91,000",
        "Context: 91,000 of 400,000 tokens at turn 1",
    ]
