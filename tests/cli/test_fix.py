"""`fix` finds the session that is broken, saves its repair as a new session, and says how to go on."""

import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import fix as choosing
from inspector.cli import fix_log as fixing
from inspector.cli.app import main
from inspector.core.storage.json_text import dump_json
from tests.core.formats import opencode
from tests.core.repair.logs import written
from tests.support.notation import parse

SAMPLE_PROJECT = b"/home/mei/projects/tea-timer"
HOUR = 3600


class Machine:
    """A home folder with a project, in which Claude Code has kept sessions."""

    def __init__(self, home: Path, samples: Path) -> None:
        self.samples, self.project = samples, home / "tea"
        self.project.mkdir()
        self.store = home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(self.project))
        self.store.mkdir(parents=True)

    def keep(self, state: str, number: int = 1, hours: float = 1) -> Path:
        """Keep a healthy or broken session that was changed hours ago."""
        text = (self.samples / f"claude-code-{state}.jsonl").read_bytes()
        path = self.store / f"88dd9faf-80e2-49f8-a338-f6d759acbce{number}.jsonl"
        path.write_bytes(text.replace(SAMPLE_PROJECT, bytes(self.project)))
        os.utime(path, (time.time() - hours * HOUR,) * 2)
        return path

    def fix(self, *arguments: str, answer: str = "") -> Result:
        return CliRunner().invoke(main, ["fix", *arguments], input=answer, catch_exceptions=False)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.store.iterdir())}


@pytest.fixture
def machine(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path, samples)
    for name in ("CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(made.project)
    return made


def test_the_broken_session_of_the_project_is_saved_as_a_new_one(machine: Machine) -> None:
    broken, _ = machine.keep("broken"), machine.keep("healthy", 2, hours=0.5)
    before = machine.files()
    done = machine.fix("--yes")
    new = machine.files().keys() - before.keys() - {name for name in machine.files() if name.endswith(".quarantine")}
    assert (done.exit_code, len(new)) == (0, 1)
    assert {name: text for name, text in machine.files().items() if name in before} == before
    assert done.output.splitlines()[-1] == f"cd {machine.project} && claude --resume {Path(new.pop()).stem}"
    told, saved = (part.splitlines() for part in done.output.split("The repaired session was saved and checked."))
    assert len([line for line in saved if "claude --resume" in line]) == 1
    (undo,) = (line for line in saved if "To undo, " in line)
    assert undo.startswith("2. ")
    assert undo.endswith(".jsonl.quarantine. The original was not changed.")
    assert len(told) <= 6
    assert told[0].startswith(f"{broken}  BROKEN  Anthropic Messages rejects the request that Claude Code")
    assert next(at for at, line in enumerate(told) if "  Lost  " in line) < next(
        at for at, line in enumerate(told) if "  Repair  " in line
    )


def test_the_calls_that_may_have_run_are_named(machine: Machine) -> None:
    told = machine.fix(str(machine.keep("broken")), "--dry-run").output.splitlines()
    assert told[1].endswith("This call may have run: Bash (line 11).")


def test_of_many_calls_that_may_have_run_three_are_named(machine: Machine) -> None:
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for number, name in enumerate(("Bash", "Write", "Read", "Edit", "Bash"))
    ]
    path = machine.project / "messages.json"
    path.write_bytes(
        dump_json([{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": calls}])
    )
    told = machine.fix(str(path), "--dry-run").output.splitlines()
    assert told[1].endswith(
        "5 tool calls have no result. These calls may have run: Bash (line 1, message 1), Write (line 1, message 1), "
        "Edit (line 1, message 1) and 1 more."
    )


@pytest.mark.parametrize(("arguments", "reason"), [((), "Add --yes"), (("--dry-run",), "dry run")])
def test_nothing_is_written_that_nobody_asked_for(arguments: tuple[str, ...], reason: str, machine: Machine) -> None:
    machine.keep("broken")
    before = machine.files()
    done = machine.fix(*arguments)
    assert (done.exit_code, reason in done.output, machine.files()) == (1, True, before)


def test_a_session_is_found_by_the_name_that_its_agent_gives_the_project(machine: Machine, tmp_path: Path) -> None:
    name = re.sub(r"[\W_]+", "-", str(machine.project).lower()).strip("-")
    kept = tmp_path / ".neovate" / "projects" / name / "neovate-broken.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_bytes((machine.samples / kept.name).read_bytes())
    assert machine.fix().output.startswith(f"{kept}  BROKEN")


@pytest.mark.parametrize(("answer", "code", "more"), [("y\n", 0, 2), ("n\n", 1, 0)])
def test_a_person_at_a_terminal_is_asked(
    answer: str, code: int, more: int, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixing, "can_ask", lambda: True)
    machine.keep("broken")
    done = machine.fix(answer=answer)
    assert (done.exit_code, len(machine.files())) == (code, 1 + more)
    assert "Save the repaired history as a new session?" in done.output


def test_a_session_that_can_be_resumed_is_not_changed(machine: Machine) -> None:
    path = machine.keep("healthy")
    before = machine.files()
    done = machine.fix(str(path), "--yes")
    assert (done.exit_code, machine.files()) == (0, before)
    assert "No repair is needed" in done.output
    assert done.output.splitlines()[-1] == f"cd {machine.project} && claude --resume {path.stem}"


def test_the_newest_session_is_resumed_if_none_is_broken(machine: Machine) -> None:
    path, *_ = [machine.keep("healthy", number, hours=number) for number in range(1, 6)]
    done = machine.fix()
    first, *listed, more, newest, command = done.output.splitlines()
    assert (done.exit_code, "No sessions for" in first, str(path) in listed[0]) == (0, True, True)
    assert (len(listed), more) == (3, "  … and 2 older sessions.")
    assert newest.startswith("The newest session: Anthropic Messages accepts")
    assert command == f"cd {machine.project} && claude --resume {path.stem}"


def test_no_session_of_the_project_is_said(machine: Machine) -> None:
    done = machine.fix()
    assert (done.exit_code, f"No sessions for {machine.project}" in done.output) == (0, True)


def test_several_broken_sessions_are_a_choice(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = machine.keep("broken"), machine.keep("broken", 2, hours=2)
    listed = machine.fix("--yes")
    assert (listed.exit_code, [str(path) in listed.output for path in paths]) == (2, [True, True])
    assert listed.output.startswith("2 sessions are broken (newest first):\n")
    monkeypatch.setattr(choosing, "can_ask", lambda: True)
    chosen = machine.fix("--dry-run", answer="2\n")
    assert (chosen.exit_code, f"{paths[1]}  BROKEN" in chosen.output) == (1, True)


@pytest.mark.parametrize("arguments", [(), ("--yes",)])
def test_a_session_that_may_be_running_is_not_repaired_unasked(arguments: tuple[str, ...], machine: Machine) -> None:
    machine.keep("broken", hours=0)
    before = machine.files()
    done = machine.fix(*arguments)
    *_, reason, advice = done.output.splitlines()
    assert (done.exit_code, "may still be using this session" in reason, machine.files()) == (1, True, before)
    assert advice == "Nothing was written. Close the agent, wait 30 seconds, and run this command again."


def test_a_format_without_new_sessions_gets_a_copy(machine: Machine) -> None:
    path = written(machine.project, "openai", "u | a{A} | u")
    os.utime(path, (1, 1))
    done = machine.fix(str(path), "--yes")
    assert (done.exit_code, sorted(each.name for each in machine.project.iterdir())) == (
        0,
        sorted([path.name, f"{path.stem}.repaired{path.suffix}"]),
    )


@pytest.mark.parametrize(
    ("text", "code", "reason"), [("{}", 3, "format is uncertain"), ("", 2, "empty"), (None, 2, "cannot be read")]
)
def test_what_cannot_be_judged_is_said(text: str | None, code: int, reason: str, machine: Machine) -> None:
    path = machine.project / "log.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    done = machine.fix(str(path), "--yes")
    assert (done.exit_code, reason in done.output) == (code, True), done.output


@pytest.mark.parametrize("own", [True, False])
def test_a_database_counts_for_the_projects_of_its_sessions(own: bool, machine: Machine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    store = tmp_path / ".local" / "share" / "opencode"
    store.mkdir(parents=True)
    messages = opencode.messages_of(parse('u"go" | a{A} | r(A=x) | a'))
    for message in messages:
        message["info"].setdefault("path", {})["cwd"] = str(machine.project if own else other)
    opencode.write_database(messages, store / "opencode.db")
    assert ("opencode.db" in machine.fix().output) is own


def test_a_database_names_the_folder_of_a_session(machine: Machine, tmp_path: Path) -> None:
    keep_in_database(tmp_path, machine, 'u"go" | a{A} | r(A=x) | a')
    done = machine.fix()
    assert done.output.splitlines()[-1] == f"cd {machine.project} && opencode -s {opencode.SESSION}"


def test_of_an_agent_that_does_not_read_the_copy_the_last_line_repairs_its_own_log(
    machine: Machine, tmp_path: Path
) -> None:
    path = keep_in_database(tmp_path, machine, 'u"go" | a{A} | r(A=x) | a')
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("""UPDATE part SET data = '{torn' WHERE data LIKE '%"tool"%'""")
    os.utime(path, (1, 1))
    done = machine.fix("--yes")
    assert (done.exit_code, (machine.project / "opencode.repaired.db").exists()) == (0, True)
    resume = f"cd {machine.project} && opencode -s {opencode.SESSION}"
    assert done.output.splitlines()[-1] == f"transcript-inspector repair --in-place {path} && {resume}"


def keep_in_database(home: Path, machine: Machine, history: str) -> Path:
    """Keep a session of the project in opencode's database."""
    store = home / ".local" / "share" / "opencode"
    store.mkdir(parents=True)
    info = opencode.INFO | {"directory": str(machine.project)}
    return opencode.write_database(opencode.messages_of(parse(history)), store / "opencode.db", info)


def test_the_last_line_is_the_command_where_no_folder_is_known(machine: Machine) -> None:
    text = (machine.samples / "gemini-cli-broken.jsonl").read_bytes()
    path = machine.project / "session-2026-01-01T00-00-0b5e9f3a.jsonl"
    path.write_bytes(text)
    os.utime(path, (1, 1))
    done = machine.fix(str(path), "--yes")
    assert (done.exit_code, done.output.splitlines()[-1].split(" ")[:2]) == (0, ["gemini", "--resume"])


def test_a_session_that_was_repaired_is_not_offered_again(machine: Machine) -> None:
    broken = machine.keep("broken")
    first = machine.fix("--yes")
    before = machine.files()
    again = machine.fix("--yes")
    assert (again.exit_code, machine.files()) == (0, before)
    assert f"{broken} was repaired and saved as this session:" in again.output
    assert again.output.splitlines()[-1] == first.output.splitlines()[-1]


def test_another_broken_session_is_repaired_after_the_first(machine: Machine) -> None:
    machine.keep("broken")
    machine.fix("--yes")
    other = machine.keep("broken", 2, hours=2)
    other.write_bytes(other.read_bytes().replace(b"88dd9faf-80e2-49f8-a338-f6d759acbce4", other.stem.encode()))
    os.utime(other, (1, 1))
    assert machine.fix("--dry-run").output.startswith(f"{other}  BROKEN")


def test_a_session_that_has_grown_since_its_repair_is_offered_again(machine: Machine) -> None:
    broken = machine.keep("broken")
    machine.fix("--yes")
    os.utime(broken, (time.time() + 60,) * 2)
    assert machine.fix("--dry-run").output.startswith(f"{broken}  BROKEN")


def test_an_original_that_was_repaired_is_not_repaired_again(machine: Machine) -> None:
    broken = machine.keep("broken")
    first = machine.fix(str(broken), "--yes")
    before = machine.files()
    again = machine.fix(str(broken), "--yes")
    assert (again.exit_code, machine.files()) == (0, before)
    assert f"{broken} was repaired and saved as this session:" in again.output
    assert "transcript-inspector repair --new-session PATH" in again.output
    assert again.output.splitlines()[-1] == first.output.splitlines()[-1]
    os.utime(broken, (time.time() + 60,) * 2)
    assert machine.fix(str(broken), "--dry-run").output.endswith("this was a dry run.\n")


def test_a_copy_of_an_original_that_was_repaired_is_repaired(machine: Machine) -> None:
    broken = machine.keep("broken")
    machine.fix(str(broken), "--yes")
    copy = machine.project / broken.name
    copy.write_bytes(broken.read_bytes())
    os.utime(copy, (1, 1))
    assert machine.fix(str(copy), "--dry-run").output.endswith("this was a dry run.\n")
