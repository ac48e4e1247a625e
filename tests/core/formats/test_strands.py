"""Session folders of Strands Agents: what is loaded and sent, and how files are changed, added and renumbered."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.stores import find_logs_in_stores, log_entry_of
from inspector.core.doctor.machine import stores_on
from inspector.core.formats.base.stores import HostEnvironment
from tests.core.formats import bedrock_converse, strands
from tests.core.formats.strands import Json, add_agent, agent_file, message_file, put, stored, write_session
from tests.support import product
from tests.support.archives import zipped


def text(said: Any) -> Json:
    return {"text": said}


def call(id_: str, value: Any = None) -> Json:
    return {"toolUse": {"toolUseId": id_, "name": "pay", "input": {} if value is None else value}}


def result(id_: str, told: str = "paid") -> Json:
    return {"toolResult": {"toolUseId": id_, "status": "success", "content": [text(told)]}}


def user(*blocks: Any) -> Json:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> Json:
    return {"role": "assistant", "content": list(blocks)}


NO_MESSAGE = "Strands stops at a file whose message it cannot read"
GO, OK = user(text("go")), model(text("Paid."))


def session(folder: Path, *messages: Json | str, agent: Json | None = None) -> Path:
    """A session with these messages; a text is the whole file."""
    files = [each if isinstance(each, str) else message_file(number, each) for number, each in enumerate(messages)]
    return write_session(folder, files, agent)


def verdict(path: Path) -> tuple[str, str]:
    answer = product.check(path).session
    return answer["verdict"], answer["on_resume"]["outcome"]


def sent(path: Path) -> list[str]:
    """The messages that are sent, as `u` or `a` with their texts and ids."""
    messages = product.sent(path).report["messages"]
    return [" ".join([each["role"][0], *map(_in_short, each["content"])]) for each in messages]


def _in_short(block: Json) -> str:
    if "toolResult" in block:
        told = "".join(part.get("text", "") for part in block["toolResult"]["content"])
        return f"{block['toolResult']['toolUseId']}={told}"
    return block["toolUse"]["toolUseId"] if "toolUse" in block else str(block.get("text"))


def repaired(path: Path, out: Path) -> dict[str, Json]:
    """The files of the messages after a repair, by their names. Each has the number in its name."""
    answer = product.repair(path, out)
    assert answer.code == 0, answer.report.get("reason")
    files = stored(out)
    assert [f"message_{file['message_id']}.json" for file in files.values()] == list(files)
    return files


# what is loaded and sent


def test_the_healer_answers_calls_and_drops_results_of_others(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A"), call("B")), user(result("X"), result("B"), text("so?")), OK)
    assert sent(path) == ["u go", "a A B", "u A=Tool was interrupted. B=paid so?", "a Paid."]
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("broken", {"D3:A", "R8:X"})
    assert answer.session["on_resume"]["loses"] == ["a result without a matching call"]


def test_a_second_result_is_sent_and_rejected(tmp_path: Path) -> None:
    """The healer compares sets of ids."""
    path = session(tmp_path, GO, model(call("A")), user(result("A"), result("A")), OK)
    assert verdict(path) == ("broken", "refuses")
    assert sent(path)[2] == "u A=paid A=paid"


def test_a_second_result_beside_another_mistake_is_left_out(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A"), call("B")), user(result("A", "one"), result("A", "two")), OK)
    assert sent(path)[2] == "u A=two B=Tool was interrupted."


def test_a_result_in_a_second_message_is_lost(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A"), call("B")), user(result("A")), user(result("B")), OK)
    assert sent(path) == ["u go", "a A B", "u A=paid B=Tool was interrupted.", "a Paid."]
    assert product.check(path).errors == {"R10:B"}
    files = repaired(path, tmp_path / "out")
    assert files["message_2.json"]["message"]["content"] == [result("A"), result("B")]
    assert list(files) == ["message_0.json", "message_1.json", "message_2.json", "message_4.json"]


def test_a_call_at_the_end_is_answered_and_stored_with_the_next_prompt(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A")))
    answer = product.check(path).session
    assert (answer["verdict"], answer["on_resume"]["writes"]) == (
        "heals-itself",
        "adds a message with its own result for each open call",
    )
    assert list(repaired(path, tmp_path / "out")) == ["message_0.json", "message_1.json", "message_2.json"]


def test_blank_texts_and_names_of_the_model_are_replaced(tmp_path: Path) -> None:
    odd = call("A")
    odd["toolUse"]["name"] = "pay now"
    path = session(tmp_path, GO, model(text(" "), odd), user(result("A")), model(text("")), user(text("so?")), model())
    assert sent(path) == ["u go", "a A", "u A=paid", "a [blank text]", "u so?", "a [blank text]"]
    assert product.sent(path).report["messages"][1]["content"][0]["toolUse"]["name"] == "INVALID_TOOL_NAME"


def test_removed_messages_are_neither_sent_nor_judged(tmp_path: Path) -> None:
    """The file of the agent counts them, and a summary takes their place."""
    path = session(tmp_path, GO, model(call("A")), user(text("stop")), OK, GO, OK, agent=agent_file(4))
    assert (sent(path), verdict(path)) == (["u go", "a Paid."], ("healthy", "as-is"))
    summary = {"role": "user", "content": [text("They paid.")]}
    shutil.rmtree(path)
    path = session(tmp_path, GO, model(call("A")), OK, GO, agent=agent_file(2, summary))
    assert sent(path) == ["u They paid.", "a Paid.", "u go"]


def test_results_at_the_start_of_the_window_are_dropped(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A")), user(result("A"), text("so?")), OK, agent=agent_file(2))
    assert sent(path) == ["u so?", "a Paid."]


@pytest.mark.parametrize("removed", [2, 9])
def test_if_all_messages_count_as_removed_new_ones_overwrite_them(removed: int, tmp_path: Path) -> None:
    answer = product.check(session(tmp_path, GO, OK, agent=agent_file(removed))).session
    assert answer["on_resume"]["writes"] == "overwrites the old messages"
    assert answer["verdict"] == "broken"


@pytest.mark.parametrize(("id_", "rules"), [("toolu_1", {"M12"}), ("toolu_bdrk_1", set()), ("tooluse_1", set())])
def test_only_the_model_of_anthropic_needs_the_status_of_a_result(id_: str, rules: set[str], tmp_path: Path) -> None:
    told = result(id_)
    del told["toolResult"]["status"]
    path = session(tmp_path, GO, model(call(id_)), user(told), OK)
    assert product.check(path).errors == rules
    files = repaired(path, tmp_path / "out")
    status = files["message_2.json"]["message"]["content"][0]["toolResult"].get("status")
    assert status == ("success" if rules else None)


def test_a_damaged_file_that_counts_as_removed_is_not_read(tmp_path: Path) -> None:
    path = session(tmp_path, "{", OK, GO, OK, agent=agent_file(2))
    assert product.check(path).session["on_resume"]["outcome"] == "as-is"
    assert list(repaired(path, tmp_path / "out")) == ["message_1.json", "message_2.json", "message_3.json"]
    agent = json.loads((tmp_path / "out/agents/agent_default/agent.json").read_text())
    assert agent["conversation_manager_state"]["removed_message_count"] == 1


def test_inputs_and_names_are_corrected_for_bedrock(tmp_path: Path) -> None:
    odd = call("tooluse_1", "x")
    odd["toolUse"]["name"] = "pay now"
    path = session(tmp_path, GO, model(odd), user(result("tooluse_1")), OK)
    answer = product.check(path)
    assert (answer.session["on_resume"]["outcome"], answer.errors) == ("mends", {"K6:tooluse_1", "K7:tooluse_1"})
    assert answer.session["on_resume"]["loses"] == ["the input of a call, which is not an object"]
    (sent_call,) = product.sent(path).report["messages"][1]["content"]
    assert (sent_call["toolUse"]["name"], sent_call["toolUse"]["input"]) == ("INVALID_TOOL_NAME", {})


def test_a_block_that_strands_does_not_know_stops_the_session(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model({"dance": {}}), GO, OK)
    assert (product.check(path).errors, verdict(path)) == ({"M12"}, ("broken", "refuses"))
    repaired(path, tmp_path / "out")
    assert verdict(tmp_path / "out") == ("healthy", "as-is")


def test_a_replaced_message_is_sent_instead(tmp_path: Path) -> None:
    secret = message_file(0, user(text("secret")), redact_message=user(text("[redacted]")))
    path = write_session(tmp_path, [secret, message_file(1, model(call("A"))), message_file(2, user(text("so?")))])
    assert sent(path) == ["u [redacted]", "a A", "u A=Tool was interrupted.", "u so?"]
    assert stored(path)["message_0.json"] == repaired(path, tmp_path / "out")["message_0.json"]


def test_an_agent_that_waits_for_the_person_is_no_damage(tmp_path: Path) -> None:
    agent = agent_file(interrupts={"v1:x": {"id": "v1:x", "name": "approval"}}, activated=True)
    path = session(tmp_path, GO, model(call("A")), agent=agent)
    assert product.check(path).session["verdict"] == "waiting"
    assert product.repair(path, None).edits == []


def test_results_in_the_file_of_the_agent_are_used(tmp_path: Path) -> None:
    """They wait there for the answer to another call."""
    pending = {"assistant_message": {}, "completed_tool_results": [result("A")["toolResult"]]}
    agent = agent_file(interrupts={"v1:before_tool_call:B:1": {}}, pending_tool_execution=pending, activated=True)
    calls = model(call("A"), call("B"))
    waiting = product.check(session(tmp_path, GO, calls, agent=agent)).session
    assert waiting["verdict"] == "waiting"
    shutil.rmtree(tmp_path / f"session_{strands.SESSION}")
    passed = session(tmp_path, GO, calls, GO, OK, agent=agent)
    assert "The result was found in agent.json (interrupt_state)." in json.dumps(product.check(passed).findings)
    assert repaired(passed, tmp_path / "out")["message_2.json"]["message"]["content"][0] == result("A")


@pytest.mark.parametrize(
    ("odd", "error"),
    [
        ('{"message": {"role": "us', "Strands does not load a session that contains a file that is not valid JSON"),
        ('{"message_id": 1}', NO_MESSAGE),
        ('{"message": {"role": "user", "content": "so?"}, "message_id": 1}', NO_MESSAGE),
        (json.dumps(message_file(1, model({"toolUse": {"name": "pay"}}))), "KeyError: 'toolUseId'"),
    ],
)
def test_a_file_without_what_is_read_stops_the_session(odd: str, error: str, tmp_path: Path) -> None:
    path = session(tmp_path, GO, odd, GO, OK)
    answer = product.check(path).session
    assert (answer["verdict"], answer["on_resume"]["error"]) == ("broken", error)
    assert product.repair(path, tmp_path / "out").code == 0
    assert product.check(tmp_path / "out").session["verdict"] in ("healthy", "heals-itself")


@pytest.mark.parametrize("name", ["session.json", "agents/agent_default/agent.json"])
@pytest.mark.parametrize("content", [None, '{"sess', "[]"])
def test_without_a_file_that_strands_needs_nothing_is_judged(name: str, content: str | None, tmp_path: Path) -> None:
    path = session(tmp_path, GO, OK)
    (path / name).unlink()
    if content is not None:
        put(path / name, content)
    answer = product.check(path)
    assert (answer.code, answer.session["verdict"]) == (2, "unreadable")


@pytest.mark.parametrize("name", ["message_1 (copy).json", "message_x.json"])
def test_a_file_without_a_number_stops_strands(name: str, tmp_path: Path) -> None:
    path = session(tmp_path, GO, OK)
    put(path / "agents" / "agent_default" / "messages" / name, message_file(1, OK))
    assert product.check(path).session["verdict"] == "unreadable"


def test_a_link_stops_strands(tmp_path: Path) -> None:
    path = session(tmp_path, GO, OK)
    messages = path / "agents" / "agent_default" / "messages"
    (messages / "message_1.json").rename(tmp_path / "aside.json")
    os.symlink(tmp_path / "aside.json", messages / "message_1.json")
    assert product.check(path).session["verdict"] == "unreadable"


def test_messages_are_sorted_by_their_numbers(tmp_path: Path) -> None:
    path = session(tmp_path, *[GO, OK] * 6)
    assert sent(path) == ["u go", "a Paid."] * 6


# what is written


def test_a_new_message_moves_the_numbers_up_to_the_next_gap(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A")), OK, GO, OK)
    messages = path / "agents" / "agent_default" / "messages"
    put(messages / "message_9.json", message_file(9, GO))
    before = {each.name: each.read_bytes() for each in messages.iterdir()}
    files = repaired(path, tmp_path / "out")
    assert list(files) == [*(f"message_{number}.json" for number in range(6)), "message_9.json"]
    assert files["message_2.json"]["message"]["content"][0]["toolResult"]["toolUseId"] == "A"
    out = {each.name: each.read_bytes() for each in (tmp_path / "out/agents/agent_default/messages").iterdir()}
    for name in ("message_0.json", "message_1.json", "message_9.json"):
        assert out[name] == before[name]
    for number in (2, 3, 4):
        new = before[f"message_{number}.json"].replace(b'_id": %d' % number, b'_id": %d' % (number + 1))
        assert out[f"message_{number + 1}.json"] == new


def test_new_files_are_as_private_as_their_neighbors_and_a_restore_removes_them(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A")), OK)
    messages = path / "agents" / "agent_default" / "messages"
    for file in messages.iterdir():
        file.chmod(0o600)
    before = {each.name: each.read_bytes() for each in messages.iterdir()}
    answer = product.run("repair", str(path), "--in-place")
    assert answer.exit_code == 0, answer.output
    assert sorted(each.name for each in messages.iterdir()) == [f"message_{number}.json" for number in range(4)]
    assert {each.stat().st_mode & 0o777 for each in messages.iterdir()} == {0o600}
    assert 'FileSessionManager(session_id="tide-tables"' in answer.output
    (backup,) = (each for each in tmp_path.iterdir() if "backup" in each.name)
    assert product.run("restore", str(backup)).exit_code == 0
    assert {each.name: each.read_bytes() for each in messages.iterdir()} == before


def test_a_number_that_is_not_that_of_the_file_overwrites_no_other(tmp_path: Path) -> None:
    files = [message_file(0, GO), message_file(1, model(call("A"))), message_file(0, OK), message_file(3, GO)]
    path = write_session(tmp_path, [*files])
    before = stored(path)
    answer = product.repair(path, tmp_path / "out")
    assert (answer.code, (tmp_path / "out").exists()) == (0, True), answer.report.get("reason")
    found = [file["message"] for file in stored(tmp_path / "out").values()]
    assert [each for each in found if each in [file["message"] for file in before.values()]] == [
        file["message"] for file in before.values()
    ]
    assert bedrock_converse.error(strands.joined(strands.load_folder(tmp_path / "out"))) is None


def test_a_trim_counts_the_messages_that_are_left(tmp_path: Path) -> None:
    """Removed messages go too, and their number in the file of the agent with them."""
    path = session(tmp_path, GO, OK, *[GO, OK] * 3, agent=agent_file(2))
    answer = product.run("trim", str(path), "--keep", "2", "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0, answer.output
    agent = json.loads((tmp_path / "out/agents/agent_default/agent.json").read_text())
    assert agent["conversation_manager_state"]["removed_message_count"] == 0
    assert sent(tmp_path / "out") == ["u go", "a Paid."]


def test_a_text_without_the_file_of_an_agent_is_repaired(tmp_path: Path) -> None:
    files = [message_file(number, each) for number, each in enumerate([GO, model(call("A")), OK])]
    path = put(tmp_path / "log.json", [{"session": strands.session_file(), "session_messages": files}])
    assert product.repair(path, tmp_path / "out.json").code == 0
    found = json.loads((tmp_path / "out.json").read_text())[0]["session_messages"]
    assert [each["message_id"] for each in found] == [0, 1, 2, 3]


def test_each_agent_is_a_session(tmp_path: Path) -> None:
    path = session(tmp_path, GO, OK)
    files = [message_file(number, each) for number, each in enumerate([GO, model(call("A")), OK])]
    add_agent(path, [*files], agent_file(agent="b"))
    sessions = product.check(path).report["sessions"]
    assert [(each["id"], each["verdict"]) for each in sessions] == [
        ("tide-tables/b", "heals-itself"),
        ("tide-tables/default", "healthy"),
    ]
    before = stored(path)
    assert product.repair(path, tmp_path / "out").code == 0
    assert stored(tmp_path / "out") == before
    assert list(stored(tmp_path / "out", "b")) == [f"message_{number}.json" for number in range(4)]


def test_a_session_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = session(tmp_path, GO, model(call("A")), OK)
    files = {f"store/{each.relative_to(tmp_path)}": each.read_bytes() for each in path.rglob("*.json")}
    archive = zipped(tmp_path, files)
    (found,) = product.check(archive).report["sessions"]
    assert (found["format"], found["verdict"]) == ("strands", "heals-itself")
    assert len(repaired(archive / "store" / path.name, tmp_path / "out")) == 4


# the store


def store_faults(home: Path) -> list[tuple[str, str]]:
    (place,) = stores_on(HostEnvironment({}, str(home)))
    found = [each for session in place.store.sessions(place.home) for each in place.store.faults(place.home, session)]
    assert all(fault.measured and fault.expected and fault.remedy for fault in found)
    return [(fault.cause, fault.effect.word) for fault in found]


AGENT_FOLDER = Path("agents/agent_default")


@pytest.mark.parametrize(
    ("breaks", "found"),
    [
        (lambda path: None, []),
        (lambda path: (path / "session.json").unlink(), [("damaged-metadata", "not-opened")]),
        (lambda path: put(path / "session.json", ""), [("damaged-metadata", "not-opened")]),
        (lambda path: (path / AGENT_FOLDER / "agent.json").unlink(), [("damaged-metadata", "destroys")]),
        (lambda path: put(path / AGENT_FOLDER / "agent.json", "{"), [("damaged-metadata", "not-opened")]),
        (lambda path: shutil.rmtree(path / AGENT_FOLDER / "messages"), [("entry-without-file", "not-opened")]),
        (lambda path: put(path / AGENT_FOLDER / "messages/message_1 (copy).json", ""), [("misnamed", "not-opened")]),
        (
            lambda path: os.symlink(path / "session.json", path / AGENT_FOLDER / "messages/message_7.json"),
            [("link", "not-opened")],
        ),
        (lambda path: put(path / AGENT_FOLDER / "agent.json", agent_file(2)), [("short-resume", "destroys")]),
    ],
)
def test_the_store_says_what_keeps_strands_from_a_session(
    breaks: Callable[[Path], Any], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    breaks(session(tmp_path / ".strands" / "sessions", GO, OK))
    assert store_faults(tmp_path) == found


def test_a_session_in_the_store_is_listed_by_its_id(tmp_path: Path) -> None:
    path = session(tmp_path / ".strands" / "sessions", GO, OK)
    (found,) = find_logs_in_stores(HostEnvironment({}, str(tmp_path)))
    assert found.path == str(path)
    entry = log_entry_of(found)
    assert entry is not None
    assert (entry.format, entry.agent, entry.title) == ("strands", "Strands Agents", "tide-tables")
