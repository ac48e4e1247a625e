"""OpenClaw: whose session it is, the leaf, what OpenClaw pairs and drops by itself, and what it does to the file."""

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.formats import detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.openclaw import OpenClaw
from inspector.core.storage.source import Source
from tests.core.formats import openclaw, pi
from tests.core.formats.pi import entry
from tests.support import product
from tests.support.notation import clock, lines, parse, show

HISTORY = 'u"one" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"two" | a{B p=2} | r(B=beta) | a"done"'
MISSING = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
Change = Callable[[list[dict[str, Any]]], None]


def file(folder: Path, history: str, change: Change | None = None, name: str = openclaw.NAME) -> Path:
    records = openclaw.records(parse(history))
    if change:
        change(records)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(records))
    return path


def sent(path: Path) -> list[str]:
    """What is predicted, in short."""
    return [_said(message) for message in product.sent(path).report["messages"]]


def _said(message: dict[str, Any]) -> str:
    calls = "".join(f"{{{call['id']}}}" for call in message.get("tool_calls") or ())
    return f"{message['role'][0]}:{message.get('tool_call_id', '')}{message.get('content') or ''}{calls}"


@pytest.mark.parametrize(
    ("place", "record", "format"),
    [
        (".openclaw/agents/main/sessions/1.jsonl", {}, "openclaw"),
        ("1.jsonl", {"type": "custom", "customType": "openclaw.runtime-context"}, "openclaw"),
        ("1.jsonl", {"type": "custom", "customType": "todo"}, "pi"),
        (".pi/agent/sessions/--w--/1.jsonl", {"type": "custom", "customType": "model-snapshot"}, "pi"),
        (".omp/agent/sessions/-w/1.jsonl", {}, "omp"),
        ("1.jsonl", {"type": "service_tier_change", "tier": "default"}, "omp"),
    ],
)
def test_a_session_is_of_the_program_in_whose_store_it_is_or_whose_entries_it_has(
    place: str, record: dict[str, Any], format: str, tmp_path: Path
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    records = pi.records(parse(HISTORY))
    own = [{**entry(90, 1, "custom"), **record}] if record else []
    path.write_bytes(lines([*records[:2], *own, *records[2:]]))
    with Source.open(str(path)) as source:
        assert detect_format(Head(source)).name == format


def test_the_session_goes_on_where_the_last_leaf_record_points(tmp_path: Path) -> None:
    leaf = {"type": "leaf", "id": "l0", "parentId": f"{10:08x}", "targetId": f"{6:08x}", "timestamp": clock(60)}
    path = file(tmp_path, HISTORY, lambda records: records.append(leaf))
    assert sent(path) == ["u:one", "a:t{A}", "t:Aalpha", "a:ok"]
    unknown = leaf | {"id": "l1", "targetId": "nobody"}
    assert sent(file(tmp_path, HISTORY, lambda records: records.extend((leaf, unknown)))) == sent(path)


def test_a_result_that_is_added_behind_the_leaf_is_the_new_leaf(tmp_path: Path) -> None:
    leaf = {"type": "leaf", "id": "l0", "parentId": f"{5:08x}", "targetId": f"{4:08x}", "timestamp": clock(60)}
    path = file(tmp_path, 'u"one" | a"t"{A p=1} | u"another"', lambda records: records.append(leaf))
    assert product.check(path).errors == {"D1:A"}
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    last = json.loads(out.read_bytes().splitlines()[-1])
    assert (last["type"], last["targetId"] == leaf["targetId"]) == ("leaf", False)
    assert product.check(out).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ('u"go" | a{A p=1}', ["u:go", "a:{A}", f"t:A{MISSING}"]),
        ('u"go" | a{A p=1} | u"well?" | r(A=x)', ["u:go", "a:{A}", "t:Ax", "u:well?"]),
        ('u"go" | a{A p=1} | a"Wait." | a{B p=2} | r(A=x, B=y)', ["u:go", "a:{A}", "t:Ax", "a:Wait.{B}", "t:By"]),
        ('u"go" | r(A=x) | a{A p=1} | u"well?"', ["u:go", "a:{A}", f"t:A{MISSING}", "u:well?"]),
        ('u"go" | a{A p=1} | r(A=x) | r(A=y) | a"ok"', ["u:go", "a:{A}", "t:Ax", "a:ok"]),
        ('u"go" | r(X=x) | a"ok" | a"then"', ["u:go", "a:okthen"]),
        ('u"a" | a{A} | r(A=x) | u"b" | a{A} | r(A=y)', ["u:a", "a:{A}", "t:Ax", "u:b", "a:{A2}", "t:A2y"]),
    ],
)
def test_openclaw_pairs_calls_and_results_itself(history: str, expected: list[str], tmp_path: Path) -> None:
    assert sent(file(tmp_path, history)) == expected


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (("call_1", "call_2"), ["call1", "call2"]),
        (("call-1", "call_1"), ["call1", "call174196fe7"]),
        (("functions.exec:1",), ["functions.exec:1"]),
        (("é",), ["sanitizedtoolid"]),
        (("a" * 50,), ["a" * 40]),
    ],
)
def test_ids_of_calls_go_out_as_letters_and_digits(own: tuple[str, ...], expected: list[str], tmp_path: Path) -> None:
    """The ids of two calls stay different: the second one gets a hash."""
    calls = [{"type": "toolCall", "id": each, "name": "exec", "arguments": {}} for each in own]
    path = file(tmp_path, 'u"go" | a"x"', lambda records: records[4]["message"].update(content=calls))
    messages = product.sent(path).report["messages"]
    assert [call["id"] for call in messages[1]["tool_calls"]] == expected


def test_a_message_without_a_role_is_removed_by_openclaw_with_all_before_it(tmp_path: Path) -> None:
    def null(records: list[dict[str, Any]]) -> None:
        records[5]["message"]["role"] = None

    path = file(tmp_path, HISTORY, null)
    answer = product.check(path)
    assert answer.errors == {"M12", "D2:A"}
    assert "everything before a message without a role" in answer.session["on_resume"]["loses"]
    assert (
        CliRunner().invoke(main, ["convert", str(path), "--to", "markdown", "-o", str(tmp_path / "a.md")]).exit_code
        == 0
    )
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert show(openclaw.load(out)).startswith('u"one" | a"t"{A p=1} | PH!(A) | a"ok"')


def test_a_result_that_is_a_text_is_not_sent_until_it_is_a_list(tmp_path: Path) -> None:
    def texted(records: list[dict[str, Any]]) -> None:
        records[5]["message"]["content"] = "alpha"

    path = file(tmp_path, HISTORY, texted)
    assert "t:A[empty content omitted]" in sent(path)
    assert product.check(path).session["on_resume"]["loses"]
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert "t:Aalpha" in sent(out)


def test_a_lost_header_costs_nothing(tmp_path: Path) -> None:
    """OpenClaw keeps a copy of the file, and writes a new header."""
    path = file(tmp_path, HISTORY, lambda records: records.remove(openclaw.HEADER))
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize("at", [None, 3])
def test_a_header_that_is_not_first_changes_nothing_of_what_is_sent(at: int | None, tmp_path: Path) -> None:
    """OpenClaw moves it to the front, or writes a new one. An entry of an unknown type is still not the leaf."""

    def move(records: list[dict[str, Any]]) -> None:
        records.remove(openclaw.HEADER)
        if at is not None:
            records.insert(at, openclaw.HEADER)
        records.append({"type": "", "id": "00000099", "parentId": None})

    assert sent(file(tmp_path, HISTORY, move)) == sent(file(tmp_path, HISTORY))


def test_damaged_lines_are_removed_by_openclaw(tmp_path: Path) -> None:
    path = file(tmp_path, HISTORY)
    path.write_bytes(path.read_bytes() + b'{"type": "mess')
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["writes"]) == ("mends", "removes the damaged lines from the log")


def test_a_new_session_lies_in_the_folder_of_its_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / ".openclaw"))
    sessions = tmp_path / ".openclaw" / "agents" / "work" / "sessions"
    path = file(sessions, 'u"one" | a{A p=1}')
    answer = product.repair(path, None, "--new-session")
    made = Path(answer.report["output"])
    assert (made.parent, json.loads(made.read_bytes().splitlines()[0])["id"]) == (sessions, made.stem)
    steps = OpenClaw().resume_steps(str(made), made.stem, new=True)
    assert steps.command == f"openclaw agent --local --agent work --session-id {made.stem} --message 'Go on.'"


@pytest.mark.parametrize("seed", range(20))
def test_random_leaves_are_where_openclaw_finds_them(seed: int, tmp_path: Path) -> None:
    """`buildIndex` of 2026.6.11: the last entry or leaf record that names a known entry."""
    choose = random.Random(seed)
    records: list[dict[str, Any]] = [openclaw.HEADER, entry(1, None, "custom", customType="model-snapshot")]
    leaf = 1
    for number in range(2, 12):
        if choose.random() < 0.3:
            leaf = choose.randrange(1, number)
            known = leaf if leaf < number and records[leaf]["type"] != "leaf" else 1
            leaf = known
            records.append({**entry(number, number - 1, "leaf"), "targetId": f"{known:08x}"})
        else:
            text = [{"type": "text", "text": f"said {number}"}]
            records.append(entry(number, leaf, "message", message={"role": "user", "content": text}))
            leaf = number
    path = tmp_path / openclaw.NAME
    path.write_bytes(lines(records))
    expected: list[str] = []
    at: int | None = leaf
    while at is not None:
        if records[at]["type"] == "message":
            expected.insert(0, f"said {at}")
        parent = records[at]["parentId"]
        at = None if parent is None else int(parent, 16)
    messages = product.sent(path).report["messages"]
    assert "\n".join(str(message["content"]) for message in messages) == "\n".join(expected)


def test_the_store_lists_sessions_and_no_trajectories() -> None:
    store, _ = OpenClaw.stores
    assert Path("agents/main/sessions/4c0e7a52.jsonl").match(store.pattern)
    assert not Path("agents/main/sessions/4c0e7a52.trajectory.jsonl").match(store.pattern)


# --- the database


def database(folder: Path, *histories: str) -> Path:
    """A database of sessions, which all have the same ids, as forks have."""
    folder.mkdir(exist_ok=True)
    path = folder / "openclaw-agent.sqlite"
    for number, history in enumerate(histories):
        openclaw.add_session(path, openclaw.records(parse(history)), f"session-{number}")
    return path


def test_each_session_of_a_database_is_judged_and_predicted(tmp_path: Path) -> None:
    path = database(tmp_path, HISTORY, 'u"go" | a{A p=1}', 'u"go" | r(X=x) | a"ok"')
    answer = product.check(path)
    assert {session["format"] for session in answer.report["sessions"]} == {"openclaw"}
    assert [session["verdict"] for session in answer.report["sessions"]] == ["healthy", "broken", "heals-itself"]
    told = product.sent(database(tmp_path / "one", 'u"go" | a{A p=1}')).report
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "tool"]
    assert told["messages"][-1]["content"] == MISSING


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (3, ["u:a", "a:{A}", "t:Ax", "u:b", "a:{A2}", f"t:A2{MISSING}"]),
        (4, ["u:a", "a:{A}", f"t:A{MISSING}", "u:b", "a:{A2}", "t:A2x"]),
    ],
)
def test_newer_versions_leave_a_result_at_the_newest_call_of_its_id(
    version: int, told: list[str], tmp_path: Path
) -> None:
    """2026.6.11 moves it to the first call that has none."""

    def newer(records: list[dict[str, Any]]) -> None:
        records[0] = records[0] | {"version": version}

    assert sent(file(tmp_path, 'u"a" | a{A} | u"b" | a{A} | r(A=x)', newer)) == told


def test_compressed_events_are_read_and_damaged_ones_are_reported(tmp_path: Path) -> None:
    events = [json.dumps(record).encode() for record in openclaw.records(parse(HISTORY))]
    path = openclaw.add_session(tmp_path / "a.sqlite", events)
    assert product.check(path).session["verdict"] == "healthy"
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE transcript_events SET event_zstd = x'28b52ffd00' WHERE seq = 5")
    rows.close()
    assert product.check(path).session["verdict"] == "broken"


def test_a_database_is_listed_by_its_newest_session(tmp_path: Path) -> None:
    path = database(tmp_path, 'u"go"', HISTORY)
    with Source.open(str(path)) as source:
        assert OpenClaw().metadata(Head(source)).title == "session-1 (and 1 more session)"


def test_a_database_is_only_read(tmp_path: Path) -> None:
    path = database(tmp_path, 'u"go" | a{A p=1}')
    before = path.read_bytes()
    answer = product.repair(path, tmp_path / "out.sqlite")
    assert (answer.code, answer.report["output"]) == (1, None)
    assert "OpenClaw's database" in answer.report["reason"]
    assert path.read_bytes() == before


def test_what_is_before_a_reset_is_not_sent(tmp_path: Path) -> None:
    records = openclaw.records(parse(HISTORY))
    at = next(at for at, record in enumerate(records) if "two" in json.dumps(record))
    records.insert(at, entry(90, at - 1, "reset"))
    records[at + 1]["parentId"] = f"{90:08x}"
    path = openclaw.add_session(tmp_path / "a.sqlite", records)
    assert sent(path) == ["u:two", "a:{B}", "t:Bbeta", "a:done"]
    records[at]["firstKeptEntryId"] = records[at - 1]["id"]
    assert sent(openclaw.add_session(tmp_path / "b.sqlite", records)) == ["a:ok", "u:two", "a:{B}", "t:Bbeta", "a:done"]


def test_a_bundle_of_a_database_is_read_again(tmp_path: Path) -> None:
    path = database(tmp_path, 'u"go" | a{A p=1}')
    out = tmp_path / "bundle.zip"
    assert CliRunner().invoke(main, ["bundle", str(path), "-o", str(out)]).exit_code == 0
    session = product.check(out).session
    assert (session["format"], session["verdict"], session["calls"]) == ("openclaw", "heals-itself", 1)
