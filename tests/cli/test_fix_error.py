"""`fix --error` goes from a pasted error to the repaired session, or says what it needs instead."""

import io
import json
import os
import shutil
from pathlib import Path

import pytest

from inspector.core.engine.error_repair import plan_for_findings
from inspector.core.engine.log import OpenLog
from tests.cli.test_fix import Machine, machine
from tests.core.error_lookup.test_accepted_history import claude_code
from tests.core.repair.logs import written

__all__ = ["machine"]

UNANSWERED = "messages.3: `tool_use` ids were found without `tool_result` blocks"
OPAQUE = "API Error: 400 Improperly formed request."
EMPTY_IMAGE = "messages.5.content.0.image.source.base64: image cannot be empty"
NO_SESSION = "No conversation found with session ID: {}"


def new_files(machine: Machine, before: dict[str, bytes]) -> list[str]:
    return [name for name in machine.files() if name not in before and name.endswith(".jsonl")]


@pytest.mark.parametrize("text", [UNANSWERED, OPAQUE, "tool_use ids were found without tool_result blocks: {id}"])
def test_an_error_about_the_history_leads_to_the_repaired_session(text: str, machine: Machine) -> None:
    broken, _ = machine.keep("broken"), machine.keep("healthy", 2, hours=0.5)
    call = broken.read_text("utf-8", "replace").splitlines()[10].partition('"id":"toolu_')[2].partition('"')[0]
    before = machine.files()
    done = machine.fix("--yes", "--error", text.format(id=f"toolu_{call}"))
    (new,) = new_files(machine, before)
    assert done.exit_code == 0, done.output
    assert {name: machine.files()[name] for name in before} == before
    assert f"{broken}  BROKEN" in done.output
    assert done.output.splitlines()[-1] == f"cd {machine.project} && claude --resume {Path(new).stem}"


def test_a_log_that_the_text_names_comes_before_the_project(machine: Machine, tmp_path: Path) -> None:
    machine.keep("broken")
    other = machine.keep("broken", 2, hours=9)
    moved = tmp_path / "moved" / other.name
    moved.parent.mkdir()
    for text in (f"{other}: {UNANSWERED}", f"claude --resume {other.stem}\n{UNANSWERED}"):
        assert f"{other}  BROKEN" in machine.fix("--dry-run", "--error", text).output
    shutil.copy(other, moved)
    assert f"{moved}  BROKEN" in machine.fix("--dry-run", "--error", f"{moved}: {UNANSWERED}").output


def test_the_text_is_read_from_standard_input(machine: Machine) -> None:
    path = machine.keep("broken")
    assert f"{path}  BROKEN" in machine.fix("--dry-run", "--error", "-", answer=UNANSWERED).output


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("tools.0.input_schema: JSON schema is invalid", 0, "not about the history"),
        ("429 rate limit exceeded", 0, "The history is not the cause."),
        ("npm ERR! code ERESOLVE", 3, "This error is unknown."),
        ("prompt is too long: 250000 tokens > 200000 maximum", 1, "`transcript-inspector trim LOG --fit MODEL`"),
        (EMPTY_IMAGE, 1, "No sessions on this machine match the"),
        (NO_SESSION.format("0f7d3f0a-5b1c-4c52-9a51-3f6f1f2a7c11"), 1, "The text matches none of"),
        (" ", 2, "The text is empty"),
    ],
)
def test_what_no_repair_helps_with_is_said(text: str, code: int, said: str, machine: Machine) -> None:
    machine.keep("broken")
    before = machine.files()
    done = machine.fix("--yes", "--error", text)
    assert (done.exit_code, said in done.output, machine.files()) == (code, True, before), done.output


def test_of_a_log_too_long_the_advice_names_it(machine: Machine) -> None:
    path = machine.keep("healthy")
    done = machine.fix(str(path), "--error", "prompt is too long: 250000 tokens > 200000 maximum")
    assert (done.exit_code, f"transcript-inspector trim {path} --fit claude-" in done.output) == (1, True)


def test_a_log_too_long_is_found_by_the_error_that_it_ends_with(machine: Machine) -> None:
    path = machine.keep("healthy", 2, hours=9)
    machine.keep("healthy")
    *_, leaf = [row for row in map(json.loads, path.read_text("utf-8").splitlines()) if row.get("uuid")]
    content = [{"type": "text", "text": "Prompt is too long"}]
    error = {
        **{key: leaf[key] for key in ("sessionId", "cwd", "version", "timestamp", "isSidechain")},
        **{"parentUuid": leaf["uuid"], "uuid": "e1", "type": "assistant", "isApiErrorMessage": True},
        "message": {"id": "e1", "role": "assistant", "model": "<synthetic>", "content": content},
    }
    path.write_text(path.read_text("utf-8") + json.dumps(error) + "\n", "utf-8")
    os.utime(path, (1, 1))
    done = machine.fix("--error", "Prompt is too long")
    assert (done.exit_code, f"transcript-inspector trim {path} --fit claude-" in done.output) == (1, True), done.output


def test_a_log_without_a_matching_finding_is_left(machine: Machine) -> None:
    path = machine.keep("broken")
    before = machine.files()
    done = machine.fix(str(path), "--yes", "--error", EMPTY_IMAGE)
    assert (done.exit_code, machine.files()) == (1, before)
    assert f"No finding in {path} matches the error." in done.output
    assert done.output.endswith("The history in this log is broken. To repair it, run `fix PATH` without --error.\n")


def test_a_store_error_is_answered_with_the_command_of_the_doctor(machine: Machine, tmp_path: Path) -> None:
    path = machine.keep("healthy")
    elsewhere = tmp_path / ".claude" / "projects" / "-elsewhere" / path.name
    elsewhere.parent.mkdir()
    path.rename(elsewhere)
    done = machine.fix("--error", NO_SESSION.format(path.stem))
    assert done.exit_code == 0
    assert "The agent cannot find a session with this id." in done.output
    assert done.output.splitlines()[-1] == f"  Open the session: cd {machine.project} && claude --resume {elsewhere}"
    assert elsewhere.exists()


def test_a_session_that_is_only_named_is_repaired_if_it_is_broken(machine: Machine) -> None:
    path = machine.keep("broken")
    before = machine.files()
    done = machine.fix("--yes", "--error", path.stem)
    assert (done.exit_code, len(new_files(machine, before))) == (0, 1), done.output


def test_an_error_of_a_repaired_session_leads_to_its_repair(machine: Machine) -> None:
    path = machine.keep("broken")
    first = machine.fix("--yes", "--error", UNANSWERED)
    before = machine.files()
    again = machine.fix("--yes", "--error", UNANSWERED)
    assert (again.exit_code, machine.files(), f"{path} was repaired and saved as this session:" in again.output) == (
        0,
        before,
        True,
    )
    assert again.output.splitlines()[-1] == first.output.splitlines()[-1]


def test_only_what_the_error_is_about_is_repaired_if_that_is_enough(tmp_path: Path) -> None:
    """Two unanswered calls are two errors. An empty message is none that every provider refuses."""
    path = claude_code(tmp_path, "u\na {A}\nu\na\nu\na {B}\nu")
    os.utime(path, (1, 1))
    with OpenLog.at(path) as log:
        first, second = log.report.sessions[0].findings
        both = frozenset({first.id, second.id})
        assert plan_for_findings(log, both)[1]
        planned, is_enough = plan_for_findings(log, frozenset({first.id}))
        assert (planned.verified, is_enough) == (True, False)
    with OpenLog.at(written(tmp_path, "openai", 'u | a"" | u | a{A} | u')) as log:
        findings = {finding.rule: finding.id for finding in log.report.sessions[0].findings}
        assert findings.keys() == {"D2", "M7"}
        planned, is_enough = plan_for_findings(log, frozenset({findings["D2"]}))
        assert (planned.chosen[findings["D2"]], planned.verified, is_enough) == ("answer", True, True)


def test_both_inputs_cannot_be_standard_input(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    done = machine.fix("-", "--error", "-")
    assert (done.exit_code, "Standard input can be used for TEXT or PATH, but not for both." in done.output) == (
        2,
        True,
    )
