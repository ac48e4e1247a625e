"""What fills a context window, and what the provider measured of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.analysis.context_usage import SHORTENED_MARK, TYPICAL_UNRECORDED, ContextUsage, measure_context
from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log
from inspector.core.providers.token_estimates import GEMINI
from inspector.core.storage.source import Source
from tests.core.repair.logs import written
from tests.support.notation import claude_code_records, lines, parse

WORDS = "word " * 700  # 1,000 tokens of Claude: 3,500 letters and spaces
HISTORY = f'u"{WORDS}" | [th={WORDS}]"{WORDS}"{{A}} | r(A="{WORDS}") | a"{WORDS}"'.replace("[th", "a[th")


def measured(path: Path) -> ContextUsage:
    with Source.open(str(path)) as source:
        (session,) = check(open_log(source)).sessions
        return measure_context(session.threads[0].context)


def claude(folder: Path, history: str, *read: int, model: str = "claude-sonnet-4-5") -> Path:
    """A log of Claude Code whose answers read so many tokens; 0 for one that records none."""
    records: list[dict[str, Any]] = claude_code_records(parse(history))
    answers = [record["message"] for record in records if record["type"] == "assistant"]
    for message, tokens in zip(answers, read, strict=False):
        message["model"] = model
        if tokens:
            message["usage"] = {"input_tokens": 1, "cache_read_input_tokens": tokens - 1, "output_tokens": 9}
    path = folder / "log.jsonl"
    path.write_bytes(lines(records))
    return path


def test_tokens_by_kind_and_tool(tmp_path: Path) -> None:
    history = f'u"{WORDS}" | a"{WORDS}"{{A@Bash p=1}} | r(A="{WORDS}") | a"ok"{{B}} | r(B=no)'
    usage = measured(written(tmp_path, "anthropic", history))
    kinds = usage.by_kind()
    assert [kinds[kind] for kind in ("prompts", "answers", "results")] == [1000, 1000, 1000]
    assert usage.by_tool()["Bash"] == pytest.approx(1000, abs=10)
    assert list(usage.by_tool()) == ["Bash", "Read"]
    assert usage.total == pytest.approx(3010, abs=10)
    assert (usage.measured, usage.scale, usage.unrecorded) == (None, 1.0, 0)


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ({"file_path": "/a/b.py", "content": "x"}, "/a/b.py"),
        ({"path": 'with "quotes"'}, 'with "quotes"'),
        ({"absolutePath": "/c"}, ""),
        ({"filePath": "C:\\d"}, ""),
        ({"input": "*** Begin Patch\n*** Update File: src/e.rs\n"}, "src/e.rs"),
        ({"command": "ls"}, ""),
    ],
)
def test_tokens_by_file(arguments: dict[str, str], file: str, tmp_path: Path) -> None:
    log = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "T", "input": arguments}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": WORDS}]},
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    found = measured(path).by_file()
    assert list(found) == ([file] if file else [])
    assert all(tokens > 1000 for tokens in found.values())


def test_two_measurements_give_the_scale_and_what_is_not_in_the_log(tmp_path: Path) -> None:
    history = f'u"{WORDS}" | a{{A}} | r(A="{WORDS * 4}") | a"ok"'
    usage = measured(claude(tmp_path, history, 21_000, 25_400))
    assert usage.measured == 25_400
    assert usage.scale == pytest.approx(1.1, abs=0.02)
    assert usage.unrecorded == pytest.approx(19_900, abs=50)
    assert usage.total == pytest.approx(25_400, abs=10)
    assert usage.by_kind()["unrecorded"] == usage.unrecorded
    assert usage.model == "claude-sonnet-4-5"


def test_what_was_measured_before_a_compaction_does_not_count(tmp_path: Path) -> None:
    history = f'u"{WORDS}" | a"x" | u"y" | a"z"'
    assert measured(claude(tmp_path, history, 90_000, 4_000)).measured == 4_000


def test_a_measurement_that_is_far_below_the_estimate_is_of_something_else(tmp_path: Path) -> None:
    history = f'u"{WORDS * 3}" | a"x"'
    usage = measured(claude(tmp_path, history, 100))
    assert (usage.measured, usage.unrecorded) == (None, TYPICAL_UNRECORDED["claude-code"])


def test_what_was_shortened_counts_as_it_was_measured(tmp_path: Path) -> None:
    note = f"[… 3,500 characters were {SHORTENED_MARK} the history …]"
    history = f'u"one" | a{{A}} | r(A="{"word " * 100}{note}") | a"ok"'
    usage = measured(claude(tmp_path, history, 21_000, 22_200))
    assert usage.measured == 22_200
    assert usage.total == pytest.approx(21_000 + 170, abs=60)


def test_a_history_that_was_cut_is_estimated(tmp_path: Path) -> None:
    history = f'u"[The beginning of this conversation was {SHORTENED_MARK} it: 7 messages]" | a"ok"'
    assert measured(claude(tmp_path, history, 21_000)).measured is None


def test_another_model_takes_the_scale_of_the_one_that_was_measured(tmp_path: Path) -> None:
    history = f'u"{WORDS}" | a{{A}} | r(A="{WORDS * 4}") | a"ok"'
    with Source.open(str(claude(tmp_path, history, 21_000, 25_400))) as source:
        (session,) = check(open_log(source)).sessions
        usage = measure_context(session.threads[0].context, family=GEMINI)
    assert usage.measured is None
    assert usage.scale == pytest.approx(1.1, abs=0.02)
    assert usage.unrecorded == pytest.approx(19_900 * 3.5 / 4, abs=50)
