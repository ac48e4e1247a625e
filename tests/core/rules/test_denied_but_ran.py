"""E2: results that say that their call was stopped, beside traces of its running."""

from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.agent_texts import (
    CALL_REFUSAL_TEXTS,
    STOPPED_CLAIMS,
    is_call_refusal,
    may_be_call_refusal,
    not_run_claim,
    record_may_hold_call_refusal,
)
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import dump_json
from tests.core.analysis.logs import answered, claude_lines, progress, written
from tests.core.formats.codex import FILE, call_item, event, message, output_item, rollout
from tests.support import product
from tests.support.notation import Call, Result

DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
RUNNING = progress({"type": "bash_progress", "output": "x"})


def said(path: Path) -> list[str]:
    return [f"{each['severity']} {each['message']}" for each in product.check(path).findings if each["rule"] == "E2"]


def test_a_rejected_call_that_left_traces_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "s.jsonl", claude_lines(RUNNING, answered(DENIED)))
    assert said(path) == [
        f'info The result of Bash says "{DENIED}", but the log shows that the call was started: '
        "The shell reported progress while the command was running."
    ]
    assert product.check(path).code == 0


@pytest.mark.parametrize(
    "more",
    [
        (answered(DENIED),),
        (progress({"type": "hook_progress", "hookEvent": "PreToolUse"}), answered(DENIED)),
        (RUNNING, answered("make: *** [install] Error 1")),
        (RUNNING, answered("ok", error=False)),
        (RUNNING, answered(f"cat: {DENIED}")),
        (answered(DENIED), RUNNING),
    ],
    ids=["no trace", "only a hook before it", "a failure", "a success", "words inside", "a trace after it"],
)
def test_nothing_is_told_without_both(tmp_path: Path, more: tuple[dict[str, Any], ...]) -> None:
    assert said(written(tmp_path, "s.jsonl", claude_lines(*more))) == []


def test_codex_results_have_no_mark_of_failure_and_are_found_all_the_same(tmp_path: Path) -> None:
    call = ("response_item", call_item(Call("c1", "shell", {"command": ["ls"]})))
    for text in ("aborted by user after 5.0s", "Wall time: 5.0 seconds\naborted by user", "aborted"):
        path = tmp_path / FILE
        begun = event("exec_command_begin", call_id="c1")
        answer = ("response_item", output_item(Result("c1", text)))
        path.write_bytes(rollout(("response_item", message("user", "hi")), call, begun, answer))
        assert len(said(path)) == 1, text


@pytest.mark.parametrize("text", [text for texts in CALL_REFUSAL_TEXTS.values() for text in texts])
def test_every_refusal_is_known_by_its_beginning(text: str) -> None:
    whole = f"{text} and more"
    assert is_call_refusal(whole)
    assert not_run_claim(whole)
    assert may_be_call_refusal(dump_json(whole))
    assert record_may_hold_call_refusal(dump_json({"content": whole}))
    assert not is_call_refusal(f"it said: {text}")


def test_a_denial_in_json_is_known() -> None:
    text = '{"status": "denied", "message": "The user denied this operation."}'
    assert is_call_refusal(text)
    assert may_be_call_refusal(dump_json(text))
    assert record_may_hold_call_refusal(dump_json({"content": text}))


def test_stand_ins_count_where_they_say_that_the_call_was_stopped() -> None:
    assert {wording.claims for wording in PLACEHOLDER_WORDINGS.values()} >= STOPPED_CLAIMS
    assert not_run_claim("aborted")
    assert not not_run_claim("[Tool result missing due to internal error]")
    assert not not_run_claim("Tool execution was interrupted before completion.")
