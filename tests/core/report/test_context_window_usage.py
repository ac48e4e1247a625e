"""What `check`, `fix` and `explain --error` report of a session that is too long for its model."""

from pathlib import Path

from tests.core.repair.logs import saved
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse

LONG = "lorem ipsum " * 1000
ERROR = "prompt is too long: 213462 tokens > 200000 maximum"
EXPECTED = """\
{log}  UNEXPLAINED  The history is valid, but the provider reported that it is too long for the model.
  Error   prompt is too long: 213462 tokens > 200000 maximum
  Context The history has 190,032 tokens (measured by the provider): \
tool results 2%, system prompt and tools (not in the log) 98%.
          claude-sonnet-4-5 has a context window of 200,000 tokens \
(https://platform.claude.com/docs/en/build-with-claude/context-windows).
          Most tokens: Bash 3,430, /a.txt 3,430.
  Fit     transcript-inspector trim {log} --fit claude-sonnet-4-5
  5 messages, 1 call, 1 result; 1 note, shown with -v
"""


def too_long(folder: Path) -> Path:
    """A log of Claude Code that ends with the error."""
    history = f'u"one" | a{{A@Bash p=1}} | r(A="{LONG}") | a"ok" | u"go on" | a"{ERROR}"'
    records = claude_code_records(parse(history))
    answers = [record["message"] for record in records if record["type"] == "assistant"]
    answers[0]["content"][0]["input"] = {"file_path": "/a.txt"}
    for message, read in zip(answers, (186_600, 190_030), strict=False):
        message |= {"model": "claude-sonnet-4-5", "usage": {"input_tokens": read, "output_tokens": 9}}
    records[-1] |= {"isApiErrorMessage": True}
    return saved(folder, "claude-code", lines(records))


def test_check_says_what_fills_the_window_and_how_to_shorten_it(tmp_path: Path) -> None:
    path = too_long(tmp_path)
    assert product.run("check", str(path)).stdout == EXPECTED.format(log=path)


def test_fix_leads_to_the_same_command(tmp_path: Path) -> None:
    path = too_long(tmp_path)
    result = product.run("fix", str(path))
    assert result.exit_code == 0
    shown = [line for line in EXPECTED.format(log=path).splitlines() if "Error" not in line and "messages" not in line]
    assert result.stdout.splitlines() == shown


def test_explain_says_it_of_the_log_that_is_named(tmp_path: Path) -> None:
    path = too_long(tmp_path)
    shown = product.run("explain", "--error", ERROR, str(path)).stdout
    assert "Kind: too-long" in shown
    assert "  The history has 190,032 tokens (measured by the provider)" in shown
    assert f"  To shorten the history, run: transcript-inspector trim {path} --fit claude-sonnet-4-5\n" in shown


def test_json_has_it_by_kind_tool_and_file(tmp_path: Path) -> None:
    context = product.check(too_long(tmp_path)).session["context"]
    assert (context["basis"], context["window"], context["model"]) == ("measured", 200_000, "claude-sonnet-4-5")
    assert context["tools"] == {"Bash": 3430}
    assert context["files"] == {"/a.txt": 3430}
    assert sum(context["kinds"].values()) == context["tokens"]


def test_any_other_session_has_none(tmp_path: Path) -> None:
    path = saved(tmp_path, "claude-code", lines(claude_code_records(parse("u | a"))))
    assert product.check(path).session["context"] is None
    assert "Context" not in product.run("check", str(path)).stdout
