"""The text report: verdict, cause and command first, then one finding of each kind with a line of the log."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.discovery.opening import open_source
from inspector.core.engine.log import OpenLog
from inspector.core.repair.choices import Choices
from inspector.core.report.one_line_summaries import repair_button_text
from tests.core.repair.logs import written
from tests.support.paths import SAMPLES


def checked(path: Path, *options: str) -> list[str]:
    output = CliRunner().invoke(main, ["check", str(path), *options], catch_exceptions=False).output
    return output.replace(str(path), "LOG").splitlines()


def test_the_verdict_comes_first_and_equal_findings_are_one(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"go" | a{A} | u | a{B} | u | a{C} | u')
    assert checked(path)[:4] == [
        "LOG  BROKEN  Anthropic Messages rejects this history.",
        "  3 tool calls have no result.",
        "  Fix     transcript-inspector fix LOG",
        "          It adds 3 placeholder results.",
    ]
    assert [line for line in checked(path) if line.startswith(("error[", "   = …"))] == [
        "error[D2]: The call to Read has no result, but the conversation continued.",
        "   = … and 2 more of this kind, lines 9–39",
    ]


def test_quiet_is_a_line_and_verbose_adds_the_rest(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"go" | a{A@Bash command="rm x"} | u')
    assert checked(path, "-q") == ["LOG  BROKEN  Anthropic Messages rejects this history."]
    plain, verbose = checked(path), checked(path, "-v")
    more = [line for line in verbose if line not in plain]
    assert [line[:9] for line in more if line.startswith("   = ")] == ["   = Also", "   = Repa"]
    assert any("Calls that have no result" in line for line in more)


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (
            "opencode-broken.json",
            "LOG  REPAIRS ITSELF  opencode repairs the history when it resumes this session. Nothing is lost.",
        ),
        (
            "qwen-code-broken.jsonl",
            "LOG  BROKEN  When Qwen Code 0.24.4 resumes this session, it will drop "
            "a record that follows an incomplete record on the same line, and everything before the incomplete record.",
        ),
    ],
)
def test_the_sentence_neither_repeats_the_verdict_nor_ends_in_what_is_dropped(sample: str, line: str) -> None:
    assert checked(SAMPLES / sample, "-q") == [line]


@pytest.mark.parametrize(("when", "colors"), [("always", True), ("never", False), ("auto", False)])
def test_colors_are_for_terminals(when: str, colors: bool, tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"go" | a{A} | u')
    command = [sys.executable, "-m", "inspector", "check", str(path), "--color", when]
    assert (b"\x1b[31m" in subprocess.run(command, capture_output=True, check=False).stdout) is colors


def test_text_of_a_log_gets_no_color_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"\\u001b[31merror[D2]  BROKEN  " | a{A} | u')
    lines = checked(path, "--color", "always")
    assert not any("\x1b[31merror[D2]  BROKEN" in line for line in lines)


@pytest.mark.parametrize(
    ("sample", "preset", "text"),
    [
        ("opencode-broken.json", "canonical", "Repair: add 1 placeholder, nothing lost"),
        ("codex-broken.jsonl", "canonical", "Repair: add 2 placeholders and keep 1 result as a note, nothing lost"),
        ("codex-broken.jsonl", "clean", "Repair: add 2 placeholders and drop 1 item (lost: 1 result)"),
        (
            "claude-code-broken.jsonl",
            "clean",
            "Repair: add 1 placeholder and fix 2 more problems (lost: 1 damaged part and 1 result)",
        ),
        ("codex-healthy.jsonl", "canonical", ""),
    ],
)
def test_the_button_of_a_repair_names_what_it_does_and_loses(sample: str, preset: str, text: str) -> None:
    with OpenLog(open_source(str(SAMPLES / sample))) as log:
        assert repair_button_text(log.plan(Choices(preset))) == text


def test_what_an_agent_drops_reads_as_a_list() -> None:
    printed = "\n".join(checked(SAMPLES / "copilot-cli-broken.jsonl"))
    losses = "the real result of bash (replaced with a placeholder) and a result without a matching call"
    assert f"it will drop {losses}." in " ".join(printed.split())


def test_a_report_does_not_say_that_an_agent_repairs_what_it_drops() -> None:
    report = "\n".join(checked(SAMPLES / "codex-broken.jsonl", "--format", "markdown"))
    assert "On resume: The agent continues the session, but drops part of the history." in report
