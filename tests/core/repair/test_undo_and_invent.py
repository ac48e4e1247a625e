"""Placeholders that are undone, and calls that are invented, in every format that can hold them."""

import json
from pathlib import Path

import pytest

from inspector.core.providers.placeholders import (
    FILLER_MESSAGES,
    PLACEHOLDER_WORDINGS,
    fill_template,
    is_placeholder,
    may_be_placeholder,
    placeholder_wording_name,
)
from tests.core.formats import WRITABLE
from tests.core.formats.written import WrittenFormat
from tests.core.repair.every_format import beside, repaired, shown, write
from tests.core.repair.logs import repaired as repaired_to
from tests.core.repair.logs import written
from tests.support import product
from tests.support.notation import Call, Result, Text, parse
from tests.support.projection import as_read, printed

ABORTED = 'u | a{A,B} | r(A=alpha,B=aborted) | a"ok"'
FORMS = [pytest.param(each, id=name) for name, each in WRITABLE.items()]


@pytest.mark.parametrize("form", FORMS)
def test_a_placeholder_is_noted_and_nothing_is_done(form: WrittenFormat, tmp_path: Path) -> None:
    path = write(form, parse(ABORTED), tmp_path / "log")
    answer = product.check(path)
    assert answer.session["verdict"] == "healthy"
    (finding,) = [finding for finding in answer.findings if finding["rule"] == "R13"]
    assert (finding["severity"], finding["call_id"], finding["default"]) == ("info", "B", "leave")
    assert "that codex writes" in finding["message"]
    assert repaired(form, path).answer.edits == []


@pytest.mark.parametrize("form", FORMS)
def test_an_undone_placeholder_leaves_its_call_to_the_other_choices(form: WrittenFormat, tmp_path: Path) -> None:
    path = write(form, parse(ABORTED), tmp_path / "log")
    repair = repaired(form, path, strategies="R13=undo-placeholder")
    results = {result.id: result.text for turn in repair.history for result in turn.of(Result)}
    assert results["A"] == "alpha"
    assert results["B"] == fill_template(PLACEHOLDER_WORDINGS["honest"].text, "Read", "B")
    other = write(form, parse(ABORTED), tmp_path / "other")
    dropped = repaired(form, other, strategies="R13=undo-placeholder D3=drop-call")
    assert [call.id for turn in dropped.history for call in turn.of(Call)] == ["A"]


@pytest.mark.parametrize("name", ["openai", "anthropic", "claude-code", "neovate"])
def test_a_real_result_takes_the_place_of_what_is_undone(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{A} | r(A=aborted) | u"next" | a"mm" | r(A=alpha) | a')
    data, _ = repaired_to(path, name, strategies="R13=undo-placeholder")
    assert printed(data, name) == as_read('u | a{A} | r(A=alpha) | u"next" | a"mm" | a', name)


def test_undoing_is_an_option_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", "u | a{A} | r(A=aborted) | u | a{A} | r(A=aborted) | a")
    out = tmp_path / "out.json"
    assert product.repair(path, out, "--undo-placeholders").code == 0
    assert printed(out.read_bytes(), "openai") == "u | a{A} | PH(A) | u | a{A} | PH(A) | a"


@pytest.mark.parametrize("name", ["anthropic", "claude-code", "neovate"])
def test_reused_ids_are_undone_each_by_itself(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{c0} | r(c0=aborted) | u"q" | a{c0} | r(c0=aborted) | u"z"')
    data, _ = repaired_to(path, name, strategies="R13=undo-placeholder")
    assert printed(data, name) == as_read('u | a{c0} | PH!(c0)+"q" | a{c0-2} | PH!(c0-2)+"z"', name)


@pytest.mark.parametrize("wording", PLACEHOLDER_WORDINGS.values(), ids=list(PLACEHOLDER_WORDINGS))
def test_every_wording_is_known_again(wording: object) -> None:
    text = fill_template(wording.text, "run_shell", "call_7")  # type: ignore[attr-defined]
    assert placeholder_wording_name(text) == wording.name  # type: ignore[attr-defined]
    assert is_placeholder(f" {text}\n")
    assert not is_placeholder(text + " and then some")
    assert may_be_placeholder(b'"' + text.encode()[:40])


@pytest.mark.parametrize("text", [text for texts in FILLER_MESSAGES.values() for text in texts])
def test_what_programs_write_as_messages_is_no_result(text: str) -> None:
    assert not is_placeholder(text)


# What each program puts in a result's place, word for word, as its log or its request holds it.
WORDS = {
    "claude-code": [
        "[Tool result missing due to internal error]",
        "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. "
        "Check whether it took effect before relying on it or running it again.]",
        "[Agent call interrupted: the process running this conversation stopped before this agent finished, so it "
        "returned no result. Nobody asked it to stop.]",
    ],
    "codex": ["aborted"],
    "kimi-code": [
        "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.",
        "Tool result is not available in the current context. Do not assume the tool completed successfully.",
    ],
    "kimi-cli": [
        "<system>ERROR: Tool execution failed.</system>\n"
        "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.",
        "<system>ERROR: Tool execution was interrupted before completion.</system>",
    ],
    "opencode": ["[Tool execution was interrupted]", "Tool execution interrupted"],
    "cline-sdk": [
        "Tool execution was interrupted before a result was produced. Tool: run_commands.",
        "Tool execution was interrupted before a result was produced.",
        "[migration] Tool result missing in legacy conversation history.",
    ],
    "gemini-cli": ["The tool execution result was lost due to context management truncation."],
    "qwen-code": [
        "Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit. "
        "Treat as failure and retry if needed."
    ],
    "openai-chat": [
        "The execution of this tool, or a previous tool was interrupted.",
        "Tool execution was interrupted before a result was recorded. Its effects may be absent, partial, or already "
        "complete, and other tools may have completed successfully. Check the current state before retrying; do not "
        "assume success or replay this operation blindly.",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WORDS.items() for text in texts])
def test_what_programs_put_in_a_results_place_is_known_and_undone(name: str, text: str, tmp_path: Path) -> None:
    form = WRITABLE[name]
    path = write(form, parse(f'u | a{{A,B}} | r(A=alpha,B={json.dumps(text)}) | a"ok"'), tmp_path / "log")
    assert [(found["rule"], found["call_id"]) for found in product.check(path).findings] == [("R13", "B")]
    out = beside(path, "out")
    assert product.repair(path, out, "--undo-placeholders").code == 0
    results = {result.id: result.text for turn in form.load(out) for result in turn.of(Result)}
    assert results["A"] == "alpha"
    assert results["B"] == fill_template(PLACEHOLDER_WORDINGS["honest"].text, "Read", "B")


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 137\n[Request interrupted by user for tool use]",
        "[Request interrupted by user for tool use]",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "[Tool call skipped: the turn paused before this call ran. Nothing refused it and it had no effects; re-run it "
        "if still needed.]",
        "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
        "<system>ERROR: Command failed with exit code: 1.</system>",
        "<system>ERROR: Tool execution failed.</system>\nNo such file",
        "aborted by user after 2.1s",
        "User intentionally cancelled this tool call. Stop and await further instructions; do not retry.",
        "Interrupted by user",
    ],
)
def test_what_is_known_of_a_call_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


ORPHANS = {
    'u | a"ok" | r(Z=zeta) | a"fine"': ["zeta"],
    'r(Z=zeta) | a"ok" | u"q"': ["zeta"],
    "u | a{A,B} | r(A=alpha,Z=zeta,B=beta)": ["alpha", "beta", "zeta"],
    'u | a{A} | r(A=alpha,Z=zeta,Y=eta)+"hi" | a"fine"': ["alpha", "zeta", "eta"],
}
HOLD_RESULTS_IN_CALLS = {"ai-sdk-ui", "opencode", "opencode-database", "opencode-export"}
CANNOT_INVENT = {"claude-stream", "gemini-cli", "kimi-code", *HOLD_RESULTS_IN_CALLS}


@pytest.mark.parametrize("history", ORPHANS)
@pytest.mark.parametrize("name", sorted(WRITABLE.keys() - CANNOT_INVENT))
def test_an_invented_call_stands_before_its_result_and_says_so(name: str, history: str, tmp_path: Path) -> None:
    form = WRITABLE[name]
    repair = repaired(form, write(form, parse(history), tmp_path / "log"), strategies="R1=invent-call")
    results = [result.text for turn in repair.history for result in turn.of(Result)]
    assert sorted(results) == sorted(ORPHANS[history])
    calls = {call.id: call for turn in repair.history for call in turn.of(Call)}
    invented = [calls[id_] for id_ in ("Z", "Y") if id_ in calls]
    assert invented
    assert all(call.input == {} for call in invented)
    said = [text.text for turn in repair.history if turn.role == "assistant" for text in turn.of(Text)]
    assert sum("[No call was recorded for the result that follows." in text for text in said) == len(invented)
    assert repair.answer.losses == []


@pytest.mark.parametrize("name", sorted(CANNOT_INVENT - HOLD_RESULTS_IN_CALLS))
def test_where_no_call_can_be_invented_the_result_is_kept_as_a_note(name: str, tmp_path: Path) -> None:
    path = write(WRITABLE[name], parse('u | a"ok" | r(Z=zeta) | a"fine"'), tmp_path / "log")
    (finding,) = [finding for finding in product.check(path).findings if finding["rule"] == "R1"]
    assert "invent-call" not in finding["strategies"]
    assert "zeta" in shown(repaired(WRITABLE[name], path, strategies="R1=invent-call").history)


def test_a_result_without_an_id_gets_no_invented_call(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a"ok" | r(""=zeta) | a"fine"')
    (finding,) = product.check(path).findings
    assert "invent-call" not in finding["strategies"]


@pytest.mark.parametrize("name", ["openai", "anthropic", "claude-code"])
def test_no_default_invents_a_call(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a"ok" | r(Z=zeta) | a"fine"')
    (finding,) = product.check(path).findings
    assert finding["default"] == "keep-as-note"
    assert finding["costs"]["invent-call"] == "adds an invented call"
