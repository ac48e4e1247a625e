"""A format that fails to detect or show a log stops nothing: other formats get the log, and the fault is reported."""

import json
from pathlib import Path

import pytest

from inspector.cli.report_without_display import print_text_report
from inspector.core.discovery.stores import CandidateFile
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.error_lookup.lookup import look_up_in_logs
from inspector.core.formats import FORMATS
from inspector.core.presentation.opened_log_facts import view_record
from inspector.core.repair.choices import Choices
from tests.support import product
from tests.support.notation import claude_code, openai_messages, parse

BROKEN = 'u"what is there to read?" | a{call_ab12cd34} | u"well?" | a"ok"'
SCORER = (
    "The langchain format module could not determine whether it can read this log (KeyError in test_isolation.py, line "
)
TITLE = "The claude-code format module could not read the title of this log (KeyError in test_isolation.py, line "
VIEW = "The claude-code format module could not show a record of this log (KeyError in test_isolation.py, line "


def fail(*_: object) -> None:
    raise KeyError("words of the log")


def broken(monkeypatch: pytest.MonkeyPatch, name: str, method: str) -> None:
    monkeypatch.setattr(type(FORMATS[name]), method, fail)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(openai_messages(parse(BROKEN))))
    return path


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(claude_code(parse(BROKEN)))
    return path


def test_the_other_formats_get_a_log_that_one_cannot_score(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = product.run("check", str(chat))
    broken(monkeypatch, "langchain", "score")
    told = product.run("check", str(chat), str(chat))
    assert (told.exit_code, told.stdout) == (sound.exit_code, f"{sound.stdout}\n{sound.stdout}")
    (fault,) = told.stderr.splitlines()
    assert fault.startswith(SCORER)
    answer = json.loads(product.run("check", str(chat), "--format", "json").stdout)
    assert answer["faults"] == [fault]
    assert "words of the log" not in json.dumps(answer)


def test_a_file_that_only_the_failing_format_may_know_is_named(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat.write_text('{"some": "thing"}')
    assert "which is not a supported log" in product.run("check", str(chat.parent)).stdout
    broken(monkeypatch, "langchain", "score")
    assert product.run("check", str(chat.parent)).stderr.startswith(SCORER)


def test_a_log_is_judged_and_repaired_whose_records_cannot_be_shown(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = product.repair(session, session.with_name("sound"))
    broken(monkeypatch, "claude-code", "view")
    told = product.run("check", str(session), "--format", "json")
    assert told.stderr.startswith(VIEW)
    assert [each["rule"] for each in json.loads(told.stdout)["sessions"][0]["findings"]] == ["D2"]
    assert product.repair(session, session.with_name("out")).code == sound.code == 0
    assert session.with_name("out").read_bytes() == session.with_name("sound").read_bytes()


def test_the_window_is_told(session: Path, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = WindowEngine()
    assert engine.open(str(session)).overview.faults == ()
    assert engine.preview(Choices()).faults == ()
    broken(monkeypatch, "claude-code", "view")
    preview = engine.preview(Choices(profile="openai-chat"))
    assert {change.summary for change in preview.changes} == {"unreadable record"}
    assert [fault[: len(VIEW)] for fault in preview.faults] == [VIEW]
    broken(monkeypatch, "langchain", "score")
    assert [fault[: len(SCORER)] for fault in engine.open(str(chat)).overview.faults] == [SCORER]
    engine.close()


def test_the_record_that_is_looked_at_says_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "claude-code", "view")
    assert view_record("claude-code", b"{}").summary.startswith(VIEW)
    assert view_record("claude-code", b"{").summary == "unreadable record"


def test_a_list_keeps_the_log_whose_title_cannot_be_read(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "claude-code", "metadata")
    (entry,) = WindowEngine().list_logs([str(session.parent)])
    assert (entry.format, entry.title.startswith(TITLE)) == ("claude-code", True)


def test_a_search_goes_on_behind_a_log_that_the_program_fails_over(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "home" / ".claude" / "projects" / "-w"
    store.mkdir(parents=True)
    for number in range(2):
        (store / f"88dd9faf-80e2-49f8-a338-f6d759acbce{number}.jsonl").write_bytes(session.read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    real = type(FORMATS["claude-code"]).describe

    def fail_once(self: object, log: object, described: object) -> None:
        monkeypatch.setattr(type(FORMATS["claude-code"]), "describe", real)
        raise KeyError("words of the log")

    monkeypatch.setattr(type(FORMATS["claude-code"]), "describe", fail_once)
    told = product.run("explain", "--error", "No tool output found for function call call_ab12cd34.")
    assert told.exit_code == 0
    (fault,) = told.stderr.splitlines()
    assert "could not be checked (KeyError in test_isolation.py, line " in fault


def test_what_failed_over_a_pasted_request_is_told(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "langchain", "score")
    request = json.dumps({"model": "m", "messages": openai_messages(parse(BROKEN))})
    told = product.run("explain", str(session), "--error", request)
    assert [line[: len(SCORER)] for line in told.stderr.splitlines()] == [SCORER]
    engine = WindowEngine()
    engine.open(str(session))
    assert engine.explain(request).remarks[-1].startswith(SCORER)
    engine.close()


def test_what_failed_over_the_log_that_explains_an_error_is_told(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "langchain", "score")
    text = "`tool_use` ids were found without `tool_result` blocks immediately after: call_ab12cd34."
    answer = look_up_in_logs(text, [CandidateFile(str(chat), (), 0.0, chat.stat().st_size)])
    assert [log.path for log in answer.logs] == [str(chat)]
    (fault,) = answer.faults
    assert fault.startswith(f"{chat}: {SCORER}")


def test_it_is_told_in_the_windows_place_too(
    chat: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(monkeypatch, "langchain", "score")
    assert print_text_report([str(chat)]) == 0
    assert capsys.readouterr().err.startswith(SCORER)


def test_a_format_that_fails_to_gather_a_log_leaves_it_to_the_others(
    chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = product.run("check", str(chat))
    monkeypatch.setattr(FORMATS, "faults", [])
    monkeypatch.setattr(type(FORMATS["opencode"]), "claims", fail)
    told = product.run("check", str(chat))
    assert told.stdout == sound.stdout
    assert told.stderr.startswith(
        "The opencode format module could not check whether it can read a log that consists of several files (KeyError"
    )
