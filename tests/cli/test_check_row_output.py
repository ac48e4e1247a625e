"""`check` of many logs: rows, tables, the summary, and which logs are chosen."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli.app import main
from tests.core.batch.folders import BROKEN, mixed_folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments: object, given: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments), "--jobs", "1"], input=given, catch_exceptions=False)


def rows(result: Result, table: str) -> list[dict[str, object]]:
    return [row for row in map(json.loads, result.stdout.splitlines()) if row["table"] == table]


def test_the_summary_counts_verdicts_causes_and_other_files(tmp_path: Path) -> None:
    folder = mixed_folder(tmp_path)
    first, second = run(folder, "--summary"), run(folder, "--summary")
    assert first.stdout == second.stdout
    assert first.stdout == (
        "16 logs were checked.\n"
        "        6  broken\n"
        "       10  healthy\n"
        "\n"
        "sessions  logs  verdict  agent                cause\n"
        "       6     6  broken   Claude Code 2.1.112  Claude Code was stopped, or lost its connection, while tools "
        "were running, and did not record their results.\n"
        "\n"
        "5 files were not checked:\n"
        "        2  It contains no log in a supported format.\n"
        "        1  The upload was cut off. Ask for the file again.\n"
        "        1  It is empty. Ask for the file again.\n"
        "        1  It is identical to another file in the archive.\n"
    )
    assert (first.exit_code, first.stderr) == (2, "")


def test_the_summary_says_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.jsonl").write_bytes(BROKEN)
    run(tmp_path / "logs", "--summary")
    (tmp_path / "logs" / "two.jsonl").write_bytes(BROKEN)
    assert "record their results. (1 more than last time)" in run(tmp_path / "logs", "--summary").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_a_pipe_and_a_folder_without_a_log_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    result = run(tmp_path / "pipe", "--summary")
    assert (result.exit_code, "1  It is a pipe, a socket or a device, not a file." in result.stdout) == (2, True)
    assert run(tmp_path / "empty", "--summary").exit_code == 3


def test_lines_of_json_have_one_row_each(tmp_path: Path) -> None:
    result = run(mixed_folder(tmp_path), "--format", "ndjson")
    assert len(rows(result, "files")) == 21
    assert len(rows(result, "sessions")) == 16
    assert {row["rule"] for row in rows(result, "findings")} == {"D1", "D2"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_no_fault(tmp_path: Path) -> None:
    (folder := tmp_path / "logs").mkdir()
    log = folder / os.fsdecode(b"caf\xe9\nlog.jsonl")
    log.write_bytes(BROKEN)
    os.utime(log, (0, 0))
    for _ in ("judged", "from the cache"):
        (file,) = rows(run(folder, "--format", "ndjson"), "files")
        assert (file["source"], file["status"]) == (f"{folder}/caf\\xe9\nlog.jsonl", "judged")


def test_sessions_are_kept_by_rule_and_verdict(tmp_path: Path) -> None:
    folder = mixed_folder(tmp_path)
    by_rule, by_verdict = (
        run(folder, "--format", "ndjson", "--rule", "D2"),
        run(folder, "--format", "ndjson", "--verdict", "unreadable"),
    )
    assert {row["verdict"] for row in rows(by_rule, "sessions")} == {"broken"}
    assert len(rows(by_rule, "files")) == 5
    assert {Path(str(row["source"])).name for row in rows(by_verdict, "files")} == {"cut.zip", "empty.jsonl"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("path", {"tickets/ticket.zip deep/three.jsonl"}),
        ("ticket", {"ticket.zip member-3"}),
        ("none", {"source-1 member-3"}),
    ],
)
def test_names_are_shown_as_asked(names: str, expected: set[str], tmp_path: Path) -> None:
    ticket = mixed_folder(tmp_path) / "ticket.zip"
    result = run(ticket, "--format", "ndjson", "--names", names)
    shown = {f"{row['source']} {row['member']}".removeprefix(f"{tmp_path}/") for row in rows(result, "files")}
    assert expected <= shown
    assert names == "path" or str(tmp_path) not in result.stdout


def test_tables_are_written_and_summarised(tmp_path: Path) -> None:
    target = tmp_path / "logs.sqlite"
    result = run(mixed_folder(tmp_path), "--to", target)
    assert result.stdout.startswith("16 logs were checked.")
    assert result.stdout.endswith(f"Written: {target}\n")
    database = sqlite3.connect(target)
    assert database.execute("select verdict, count(*) from sessions group by 1").fetchall() == [
        ("broken", 6),
        ("healthy", 10),
    ]
    database.close()


def test_paths_come_from_a_file_or_from_standard_input(tmp_path: Path) -> None:
    logs = [tmp_path / "a b.jsonl", tmp_path / "c.jsonl"]
    for log in logs:
        log.write_bytes(BROKEN)
    (tmp_path / "list").write_bytes(b"\r\n".join(map(bytes, logs)) + b"\r\n")
    from_file = run("--files-from", tmp_path / "list", "-q")
    from_input = run("--files-from", "-", "-0", "-q", given=b"\0".join(map(bytes, logs)))
    assert from_file.stdout == from_input.stdout
    assert [line.partition("  ")[0] for line in from_file.stdout.splitlines()] == [str(log) for log in logs]


def test_only_recent_files_are_checked(tmp_path: Path) -> None:
    folder = mixed_folder(tmp_path, 3)
    for name in ("00.jsonl", "01.jsonl"):
        os.utime(folder / name, (time.time() - 10 * 86400,) * 2)
    result = run(folder, "-q", "--since", "7d")
    assert "02.jsonl" in result.stdout
    assert not re.search("0[01].jsonl", result.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Specify the paths of logs, or use --store AGENT or --files-from FILE."),
        (
            ("x", "--store", "codex"),
            "--store checks an agent's sessions, so it cannot be combined with paths or --agent.",
        ),
        (("x", "--rule", "D2"), "--rule and --verdict can be used only with --summary, --to or --format ndjson."),
        (
            ("x", "--summary", "--format", "html"),
            "--summary, --to and --format ndjson cannot be combined with other formats",
        ),
        (("x", "--since", "soon"), "--since expects an age such as 12h, 7d or 2w, or a date such as 2026-11-01, not"),
        (("--files-from", "gone"), "gone cannot be read: No such file or directory."),
    ],
)
def test_options_that_contradict_are_refused(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_agent_without_sessions_is_a_sentence(tmp_path: Path) -> None:
    result = run("--store", "codex")
    assert (result.exit_code, result.stderr) == (
        3,
        "No logs match the --store, --agent, --project and --since options.\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of a terminal")
def test_ctrl_c_leaves_complete_tables_and_says_how_far_it_came(tmp_path: Path) -> None:
    folder = mixed_folder(tmp_path, 6)
    program = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell in the background ignores it
        "from inspector.cli import check_row_output\n"
        "def tables(*args):\n"
        "    for number, answer in enumerate(real(*args)):\n"
        "        if number == 4: os.kill(os.getpid(), signal.SIGINT)\n"
        "        yield answer\n"
        "real, check_row_output.judge_tasks = check_row_output.judge_tasks, tables\n"
        "from inspector.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "check", folder, "--to", tmp_path / "logs.sqlite", "--jobs", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130
    assert "Stopped after 4 of 11 files. Everything written so far is complete" in done.stderr
    database = sqlite3.connect(tmp_path / "logs.sqlite")
    assert database.execute("select count(*) from files").fetchone() == (4,)
    database.close()
    assert sorted(os.listdir(tmp_path)) == ["cache", "logs.sqlite", "tickets"]
