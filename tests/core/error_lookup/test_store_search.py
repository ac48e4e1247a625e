"""Without a log the stores of the machine are searched: by ids, by the recorded error, by findings, by a request."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli.app import main
from inspector.core.discovery.stores import find_logs_at, find_logs_in_stores
from inspector.core.error_lookup import store_search
from inspector.core.error_lookup.lookup import look_up_in_logs
from inspector.core.error_lookup.report import lookup_answer
from inspector.core.formats import FORMATS as PRODUCT
from inspector.core.formats.base.stores import HostEnvironment, host_environment
from tests.core.error_lookup.lookup import refusal
from tests.core.formats import FORMATS, WRITABLE
from tests.support import product
from tests.support.notation import parse
from tests.support.packing import packed

NEWEST = 1_790_000_000
SESSION = "88dd9faf-80e2-49f8-a338-f6d759acbce4"
HISTORY = (
    'u"what is in the reading list?" | a"t"{call_ab12cd34} | r(call_ab12cd34=x) | a{call_ef56gh78} | u"stop" | a"ok"'
)
UNANSWERED = "No tool output found for function call call_ef56gh78."
KEEPERS = ["claude-code", "codex", "gemini-cli", "kimi-code", "kimi-cli", "neovate", "cline-task", "cline-sdk"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def put(home: Path, name: str, history: str = HISTORY, hours: int = 0, session: str = SESSION) -> Path:
    """A session in the store of its agent, so many hours older than the newest."""
    machine = HostEnvironment(os.environ, str(home))
    store = next(store for store in PRODUCT[name].stores if store.folder_on(machine))
    parts = [part.replace("????????-????-????-????-????????????", session) for part in store.pattern.split("/")]
    path = Path(store.folder_on(machine), *(part.replace("*", session) for part in parts))
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = home / "scratch"
    scratch.mkdir(exist_ok=True)
    shutil.copy(FORMATS[name].write(parse(history), scratch), path)
    os.utime(path, (NEWEST - 3600 * hours,) * 2)
    return path


def explain(text: str, *more: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["explain", "--error", text, *more], input=stdin, catch_exceptions=False)


def told(text: str, *more: str, code: int = 0) -> dict[str, Any]:
    result = explain(text, *more, "--format", "json")
    assert result.exit_code == code, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def paths(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(log["path"], log["why"]) for log in answer["logs"]]


@pytest.mark.parametrize("name", KEEPERS)
def test_a_session_is_found_by_an_id(home: Path, name: str) -> None:
    other = HISTORY.replace("ab12cd34", "other111").replace("ef56gh78", "other222")
    path = put(home, name)
    put(home, "claude-code" if name != "claude-code" else "codex", other)
    answer = told(UNANSWERED)
    assert paths(answer) == [(str(path), "id")]
    (log,) = answer["logs"]
    assert {each["call_id"] for each in log["found"]} == {"call_ef56gh78"}
    assert str(path) not in told("No tool output found for function call call_of_nobody1.")["logs"]


def test_a_log_that_only_speaks_of_the_id_is_passed_over(home: Path) -> None:
    put(home, "claude-code", f'u"{UNANSWERED} What does it mean?" | a"ok"', session=SESSION.replace("8", "9"))
    path = put(home, "codex", hours=5)
    assert paths(told(UNANSWERED)) == [(str(path), "id")]


def test_the_newest_of_several_is_the_one(home: Path) -> None:
    put(home, "claude-code", hours=9, session=SESSION.replace("8", "9"))
    newest = put(home, "claude-code", hours=2)
    assert paths(told(UNANSWERED)) == [(str(newest), "id")]


def test_a_session_with_the_cause_comes_before_its_repair(home: Path) -> None:
    repaired = put(home, "claude-code", HISTORY.replace(' | u"stop"', ' | r(call_ef56gh78=y) | u"stop"'))
    broken = put(home, "claude-code", hours=5, session=SESSION.replace("8", "9"))
    answer = told(UNANSWERED)
    assert paths(answer) == [(str(broken), "id"), (str(repaired), "id")]
    output = explain(UNANSWERED).stdout
    assert 0 < output.index(broken.name) < output.index(repaired.name)
    assert lookup_answer(look_up_in_logs(UNANSWERED, find_logs_in_stores(host_environment()))).origins == 1


def test_a_session_is_found_by_the_error_that_it_keeps(home: Path, samples: Path) -> None:
    path = put(home, "claude-code")
    shutil.copy(samples / "claude-code-broken.jsonl", path)
    put(home, "claude-code", session=SESSION.replace("8", "7"))
    text = "API Error: 400 messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: "
    answer = told(text + "toolu_01b3RrdRFZ7BvZ9SEvC7CFqA. Each")
    assert paths(answer)[0] == (str(path), "id")
    assert answer["logs"][0]["recorded"]


def test_without_ids_a_session_that_fits_is_offered_as_such(home: Path) -> None:
    put(home, "codex")
    path = put(home, "claude-code", hours=4)
    put(home, "claude-code", 'u | a"ok"', session=SESSION.replace("8", "9"))
    assert paths(told("API Error: 400 due to tool use concurrency issues.")) == [(str(path), "fits")]
    assert paths(told(refusal("anthropic", "R5", 99))) == []
    assert "it may belong to another session" in explain("400 due to tool use concurrency issues").stdout


def test_a_known_error_of_no_session_is_understood_all_the_same(home: Path) -> None:
    result = explain(UNANSWERED)
    assert result.exit_code == 0
    assert "Profile: openai-responses" in result.stdout
    assert "No sessions on this machine match the" in result.stdout


def test_what_nobody_knows_leaves_with_1(home: Path) -> None:
    assert explain("my cat sat on the keyboard").exit_code == 1


def test_damaged_stores_are_no_trouble(home: Path) -> None:
    path = put(home, "claude-code")
    for number, data in enumerate((b"", b"\0" * 500, b"call_ef56gh78", b'{"call_ef56gh78":', b"\xff\xfe" * 50)):
        path.with_name(f"{SESSION[:-2]}{number}0.jsonl").write_bytes(data)
    path.with_name(f"{SESSION[:-1]}9.jsonl").symlink_to(home / "nowhere")
    assert paths(told(UNANSWERED)) == [(str(path), "id")]


def test_the_first_log_is_shown_before_the_older_ones_are_searched(home: Path) -> None:
    newest = put(home, "claude-code")
    put(home, "claude-code", hours=1, session=SESSION.replace("8", "9"))
    events: list[object] = []
    answer = look_up_in_logs(
        "call_ab12cd34",
        find_logs_in_stores(host_environment()),
        progress=lambda done, total: events.append(done),
        show=lambda answer: events.append([Path(log.path).name for log in answer.logs]),
    )
    assert events[:3] == [0, [newest.name], 1]
    assert len(answer.logs) == 2
    lines = explain("call_ab12cd34", "--format", "text").stdout.splitlines()
    assert lines[-1].startswith("Searched 2 of 2 logs")
    assert sum("contains an id from the error" in line for line in lines) == 2
    assert sum(line.startswith("The error names") for line in lines) == 1


def test_an_error_is_found_where_it_is_recorded_although_no_call_has_its_id(home: Path, samples: Path) -> None:
    path = put(home, "claude-code", hours=1)
    error = "API Error: 400 The flux capacitor of call_of_nobody1 must be a number."
    sample = (samples / "claude-code-broken.jsonl").read_bytes()
    path.write_bytes(sample.replace(b"API Error: 400 ", f"{error} ".encode()))
    put(home, "claude-code", f'u"{error} What does it mean?" | a"ok"', session=SESSION.replace("8", "9"))
    assert paths(told(error)) == [(str(path), "recorded")]


def test_a_text_is_found_across_the_borders_of_pieces_and_only_in_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_search, "_PIECE", 300)
    contents = {
        "border": b"." * 296 + b"call_one" + b"." * 99,
        "both": b"call_two" + b"." * 700 + b"call_one",
        "short": b"." * 4,  # shorter than what the buffer still holds
        "packed": packed(b"call_one"),
        "zip": b"PK\x03\x04 call_one",
        "tar": b"\0" * 257 + b"ustar call_one",
        "none": b"call_on" + b"." * 300 + b"e",
    }
    for age, (name, content) in enumerate(contents.items()):
        (tmp_path / f"{name}.jsonl").write_bytes(content)
        os.utime(tmp_path / f"{name}.jsonl", (NEWEST - age,) * 2)
    search = store_search.StoreSearchProgress()
    hits = store_search.logs_containing(find_logs_at([str(tmp_path)]), ["call_one", "call_two"], search)
    found = [(Path(log.path).stem, sorted(texts)) for log, texts in hits]
    assert found == [("border", ["call_one"]), ("both", ["call_one", "call_two"]), ("packed", ["call_one"])]
    assert (search.logs, search.unread) == (7, 2)


# with a log


def test_in_a_log_that_is_named(home: Path) -> None:
    path = put(home, "codex")
    result = explain("-", str(path), stdin=f"\x1b[31m{UNANSWERED}\x1b[0m")
    assert result.exit_code == 0
    assert "The call to Read has no result, but the conversation continued. [D2 unanswered-call]" in result.stdout
    assert explain("No tool output found for function call call_nobody11.", str(path)).exit_code == 0
    assert explain("each tool_use must have a single result", str(path)).exit_code == 1
    assert explain(UNANSWERED, str(home / "nothing")).exit_code == 2
    (home / "notes.txt").write_text("notes\n")
    assert explain(UNANSWERED, str(home / "notes.txt")).exit_code == 3
    assert explain(" ", str(path)).exit_code == 2
    assert explain("-", "-").exit_code == 2


def test_control_characters_of_a_log_are_spelled_out(home: Path) -> None:
    path = put(home, "claude-code", HISTORY.replace("call_ef56gh78", '"call_ef\\u001b[31m\\u202e56"'))
    result = explain("400 due to tool use concurrency issues", str(path), "--format", "text")
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


# a request body


def body(name: str, folder: Path, history: str = HISTORY) -> str:
    return FORMATS[name].write(parse(history), folder).read_text()


BEGINNING = " | ".join(HISTORY.split(" | ")[:4])


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("anthropic-messages", "claude-code"),
        ("openai-chat", "kimi-code"),
        ("openai-responses", "codex"),
        ("bedrock-converse", "claude-code"),
        ("gemini-contents", "gemini-cli"),
    ],
)
def test_a_request_finds_the_session_that_it_begins(home: Path, name: str, agent: str) -> None:
    path = put(home, agent)
    put(home, "neovate", HISTORY.replace("call_", "xxxx_").replace("reading", "shopping"))
    request = told(body(name, home, BEGINNING))["request"]
    (match,) = request["sessions"]
    assert (match["path"], request["verdict"]) == (str(path), "broken")
    assert match["message"] < match["messages"]
    assert [each["rule"] for each in request["findings"] if each["severity"] == "error"] == ["D1"]


def test_a_request_without_calls_is_known_by_what_the_person_said(home: Path) -> None:
    path = put(home, "claude-code")
    request = told(body("openai-chat", home, 'u"what is in the reading list?" | a"t"'))["request"]
    assert [match["path"] for match in request["sessions"]] == [str(path)]
    unknown = told(body("openai-chat", home, 'u"a question that nobody asked" | a"t"'))["request"]
    assert unknown["sessions"] == []


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_request_in_a_curl_call_in_a_log_line_or_cut_off(home: Path, agent: str) -> None:
    path = put(home, agent)
    whole = body("anthropic-messages", home, BEGINNING)
    compact = json.dumps(json.loads(whole))
    shapes = (
        f"curl https://api.anthropic.com/v1/messages -H 'x: y' -d '{compact}' | jq .",
        f"2026-01-01 DEBUG request body={json.dumps(compact)} status=400",
        compact[: len(compact) * 9 // 10],
        f"POST /v1/messages\n\n{whole}",
    )
    for shape in shapes:
        request = told(shape)["request"]
        assert request is not None, shape[:60]
        assert [match["path"] for match in request["sessions"]] == [str(path)], shape[:60]


def test_a_request_against_a_log_that_is_named(home: Path) -> None:
    path = put(home, "claude-code")
    text = body("anthropic-messages", home, BEGINNING)
    assert told(text, str(path))["request"]["sessions"][0]["ids"] == [2, 2]
    other = put(home, "codex", 'u"hello" | a"ok"')
    assert told(text, str(other), code=1)["request"]["sessions"] == []


def test_an_error_is_no_request(home: Path) -> None:
    assert told(json.dumps({"error": {"message": UNANSWERED, "input": [1, {"messages": []}]}}))["request"] is None


def test_an_argument_that_is_no_text_is_no_trouble(home: Path) -> None:
    put(home, "claude-code")
    assert explain("call_ef56gh78 \udcff \ud800 messages.3").exit_code == 0
    assert "\\udcff" in explain("immediately after: call_\udcff9 x", "--format", "text").stdout


def test_an_error_of_another_kind_is_not_mended_by_a_placeholder(home: Path) -> None:
    """An image that the provider does not take goes on stopping a session in which a call was answered by a repair."""
    path = put(home, "claude-code", 'u | a{A} | PH!(A) | u"go on"')
    last = json.loads(path.read_bytes().splitlines()[-1])
    error = {"type": "text", "text": "API Error: 400 Could not process image"}
    message = {"id": "m9", "role": "assistant", "model": "<synthetic>", "content": [error]}
    record = last | {"uuid": "9" * 8 + last["uuid"][8:], "parentUuid": last["uuid"], "type": "assistant"}
    record |= {"isApiErrorMessage": True, "message": message}
    path.write_bytes(path.read_bytes() + json.dumps(record).encode() + b"\n")
    assert "E1" in product.check(path).rules
    text = error["text"]
    assert paths(told(text)) == [(str(path), "recorded")]


def test_a_session_in_a_database_or_a_folder_of_files_is_found(home: Path) -> None:
    """A store that is one log of many rows or files is put together before it is searched."""
    scratch = home / "scratch"
    scratch.mkdir()
    written = WRITABLE["opencode-database"].write(parse(HISTORY), scratch)
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    shutil.copy(written, path)
    assert paths(told(UNANSWERED)) == [(str(path), "id")]


def test_a_compressed_session_is_found(home: Path) -> None:
    path = put(home, "codex")
    small = path.with_suffix(".jsonl.zst")
    small.write_bytes(packed(path.read_bytes()))
    path.unlink()
    assert paths(told(UNANSWERED)) == [(str(small), "id")]
