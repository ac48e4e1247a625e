"""Copilot CLI: what 1.0.102 was seen to send of a log, what it was seen to refuse, and what a repair writes.

A history is written in a line: `u` a prompt, `a` an answer with its calls, `r` a result, and the events between them.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.opening import open_log
from inspector.core.formats import FORMATS
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.source import Source
from tests.core.formats.copilot_cli import HEADER, NAME, SESSION, event
from tests.support import product

IN_MEMORY, ON_RESUME = (PLACEHOLDER_WORDINGS[name].text for name in ("copilot-cli", "copilot-cli-resume"))
SHORT = {IN_MEMORY: "(interrupted)", ON_RESUME: "(written)"}
SUBAGENT = {"agentId": "agent-1"}


def answer(text: str, *calls: str, **more: Any) -> dict[str, Any]:
    requests = [{"toolCallId": call, "name": "bash", "arguments": {"command": "x"}} for call in calls]
    return {"messageId": "m", "content": text, "toolRequests": requests, **more}


def result(call: str, text: str, **more: Any) -> dict[str, Any]:
    return {"toolCallId": call, "success": True, "result": {"content": text}, **more}


def failure(call: str, text: str) -> dict[str, Any]:
    return {"toolCallId": call, "success": False, "error": {"message": text}}


RESUME = {"resumeTime": "2026-01-01T00:00:00.000Z", "eventCount": 5}
SUMMARY = {"success": True, "summaryContent": "SUMMARY"}
SHORTHAND: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "resume": ("session.resume", RESUME, {}),
    "warm": ("session.resume", {**RESUME, "sessionWasActive": True}, {}),
    "abort": ("abort", {"reason": "user_initiated"}, {}),
    "abort?": ("abort", {"reason": "user initiated"}, {}),
    "start": ("session.compaction_start", {}, {}),
    "summary": ("session.compaction_complete", SUMMARY, {}),
    "no-summary": ("session.compaction_complete", {"success": False, "error": "no"}, {}),
    "end": ("assistant.turn_end", {"turnId": "0"}, {}),
    "note": ("system.notification", {"content": "NOTE"}, {}),
    "sub": ("assistant.message", answer("SUB", "s1", parentToolCallId="c1"), SUBAGENT),
    "sub-report": ("assistant.message", answer("REPORT", parentToolCallId="c1"), SUBAGENT),
    "sub-end": ("subagent.completed", {"toolCallId": "c1", "agentName": "task"}, SUBAGENT),
    "sub-abort": ("abort", {"reason": "user_initiated"}, SUBAGENT),
    "sub-summary": ("session.compaction_complete", SUMMARY, SUBAGENT),
    "gone": ("assistant.message", answer("GONE"), {"ephemeral": True}),
}


def events(history: str) -> list[dict[str, Any]]:
    """The events of `u:hello | a:text,c1,c2 | r:c1=real | resume`."""
    made = [event(0, "session.start", HEADER)]
    for number, word in enumerate(filter(None, map(str.strip, history.split("|"))), 1):
        kind, _, rest = word.partition(":")
        call, _, text = rest.partition("=")
        if kind in SHORTHAND:
            type_, data, more = SHORTHAND[kind]
        elif kind == "a":
            type_, data, more = "assistant.message", answer(*rest.split(",")), {}
        elif kind == "u":
            type_, data, more = "user.message", {"content": rest}, {}
        else:
            told = {
                "r": result(call, text),
                "f": failure(call, text),
                "shell": result(call, text, isUserRequested=True),
            }
            type_, data, more = "tool.execution_complete", told[kind], {}
        made.append(event(number, type_, data, **more))
    return made


def file(folder: Path, records: list[dict[str, Any]]) -> Path:
    return file_of(folder, b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records))


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def sent(path: Path) -> str:
    return product.sent(path).chat_in_short(SHORT)


def repaired(path: Path) -> Path:
    done = product.repair(path, path.with_name("out.jsonl"))
    assert done.code == 0, done.report.get("reason")
    return path.with_name("out.jsonl")


SENT = {
    # pairs are made by id, wherever the result stands
    "a:A,c1 | u:between | r:c1=real": "a:A,c1 | r:c1=real | u:between",
    "r:c1=early | a:A,c1 | a:B": "a:A,c1 | r:c1=early | a:B",
    "a:A,c1 | r:c1=one | r:c1=two": "a:A,c1 | r:c1=one",
    "a:A | r:c9=orphan | a:B": "a:A | a:B",
    "a:C,c1 | a:D,c2 | r:c2=two | r:c1=one": "a:C,c1 | r:c1=one | a:D,c2 | r:c2=two",
    "a:A,c1 | u:2 | a:B,c1 | r:c1=two | a:C": "a:A,c1 | r:c1=two | u:2 | a:B,c1-2 | r:c1-2=(interrupted) | a:C",
    "a:A,c1 | r:c1=1 | r:c1=1 | a:B,c1 | a:D,c1 | r:c1=3": (
        "a:A,c1 | r:c1=1 | a:B,c1-2 | r:c1-2=3 | a:D,c1-3 | r:c1-3=(written)"
    ),
    "a:A,c1 | f:c1=it broke | a:B": "a:A,c1 | r:c1=it broke | a:B",
    # a cold resume and an abort of a known reason close the open calls
    "a:A,c1 | resume | r:c1=real | a:B": "a:A,c1 | r:c1=(interrupted) | a:B",
    "a:A,c1 | warm | r:c1=real | a:B": "a:A,c1 | r:c1=real | a:B",
    "a:A,c1 | abort | r:c1=real | a:B": "a:A,c1 | r:c1=(interrupted) | a:B",
    "a:A,c1 | abort? | r:c1=real | a:B": "a:A,c1 | r:c1=real | a:B",
    "r:c1=early | resume | a:A,c1 | a:B": "a:A,c1 | r:c1=(interrupted) | a:B",
    # the open calls of the last answers are answered in the log
    "a:A,c1,c2,c3 | r:c2=real": "a:A,c1,c2,c3 | r:c1=(written) | r:c2=real | r:c3=(written)",
    "a:A,c1 | u:last": "a:A,c1 | r:c1=(written) | u:last",
    "a:A,c1 | note": "a:A,c1 | r:c1=(written) | u:NOTE",
    "a:A,c1 | end": "a:A,c1 | r:c1=(written)",
    "a:A,c1 | a:B,c2 | r:c2=real": "a:A,c1 | r:c1=(written) | a:B,c2 | r:c2=real",
    "a:A,c1 | u:2 | a:B,c2 | r:c2=real": "a:A,c1 | r:c1=(interrupted) | u:2 | a:B,c2 | r:c2=real",
    "a:A,c1 | a:B,c2 | r:c2=real | a:C,c3": (
        "a:A,c1 | r:c1=(interrupted) | a:B,c2 | r:c2=real | a:C,c3 | r:c3=(written)"
    ),
    "a:A,c1 | abort": "a:A,c1 | r:c1=(interrupted)",
    "a:A,c1 | a:B": "a:A,c1 | r:c1=(interrupted) | a:B",
    # a compaction replaces what came before its start
    "a:OLD | start | u:MID | a:MIDA | summary | a:C": "u:SUMMARY | u:MID | a:MIDA | a:C",
    "a:OLD | start | no-summary | a:C": "a:OLD | a:C",
    "a:OLD | summary | a:C": "u:SUMMARY | a:C",
    "a:OLD | a:X,c1 | start | r:c1=late | summary | a:C": "u:SUMMARY | a:X,c1 | r:c1=late | a:C",
    "a:X,c1,c2 | r:c1=one | start | r:c2=two | summary | a:C": "u:SUMMARY | a:X,c1,c2 | r:c1=one | r:c2=two | a:C",
    "a:X,c1 | start | summary | a:C": "u:SUMMARY | a:C",
    "a:OLD | start | summary | a:C | start | summary | a:E": "u:SUMMARY | a:E",
    # what is not of the main history
    "a:A,c1 | sub | r:c1=done | a:C": "a:A,c1 | r:c1=done | a:C",
    "a:A,c1 | sub-abort | sub-summary | r:c1=done | a:C": "a:A,c1 | r:c1=done | a:C",
    "a:A | gone | a:B": "a:A | a:B",
}


@pytest.mark.parametrize("history", SENT)
def test_what_is_sent(history: str, tmp_path: Path) -> None:
    told = sent(file(tmp_path, events(f"u:one | {history}")))
    told = re.sub(r"u:Some of the conversation .*?<summary>\n(.*?)\n</summary>\n", r"u:\1", told, flags=re.DOTALL)
    assert told == (SENT[history] if "SUMMARY" in told else f"u:one | {SENT[history]}")


SENT_BY_1_0_80 = {
    "a:A,c1,c2 | r:c2=two | r:c1=one | a:B": "a:A,c1,c2 | r:c2=two | r:c1=one | a:B",
    "a:A,c1,c2,c3 | r:c2=real": "a:A,c1,c2,c3 | r:c2=real | r:c1=(interrupted) | r:c3=(interrupted)",
    "a:A,c1 | r:c1=one | a:B,c1 | r:c1=two | a:C": "a:A,c1 | r:c1=one | a:B,c1 | r:c1=(interrupted) | a:C",
    "a:A,c1 | u:between | r:c1=real | a:C": "a:A,c1 | r:c1=real | u:between | a:C",
    "a:A,c1 | a:C": "a:A,c1 | r:c1=(interrupted) | a:C",
}


@pytest.mark.parametrize("history", SENT_BY_1_0_80)
def test_what_1_0_80_sends(history: str, tmp_path: Path) -> None:
    path = file(tmp_path, events(f"u:one | {history}"))
    path.write_bytes(path.read_bytes().replace(b"1.0.102", b"1.0.80"))
    assert sent(path) == f"u:one | {SENT_BY_1_0_80[history]}"


SENT_BY_1_0_48 = {
    "a:A,c1 | u:between | r:c1=real | a:C": "a:A,c1 | u:between | r:c1=real | a:C",
    "r:c1=early | a:A,c1 | a:B": "r:c1=early | a:A,c1 | a:B",
    "a:A,c1 | r:c1=one | r:c1=two | a:B": "a:A,c1 | r:c1=one | a:B",
    "a:A,c1 | r:c1=one | u:2 | a:B,c1 | r:c1=two | a:C": "a:A,c1 | r:c1=one | u:2 | a:B,c1 | a:C",
    "a:A,c1,c2 | r:c1=real | abort | u:next | a:B": "a:A,c1,c2 | r:c1=real | r:c2=(interrupted) | u:next | a:B",
    "a:A,c1 | resume | r:c1=real | a:B": "a:A,c1 | r:c1=(interrupted) | a:B",
    "a:A,c1,c2,c3 | r:c2=real": "a:A,c1,c2,c3 | r:c2=real | r:c1=(interrupted) | r:c3=(interrupted)",
    "a:A,c1 | u:last": "a:A,c1 | u:last | r:c1=(interrupted)",
    "a:A,c1 | u:2 | a:B,c2 | r:c2=real": "a:A,c1 | u:2 | a:B,c2 | r:c2=real",
    "a:A,c1 | a:B,c2": "a:A,c1 | a:B,c2 | r:c2=(interrupted) | r:c1=(interrupted)",
    "a:A,c1 | a:B": "a:A,c1 | a:B",
    "a:A,c1 | r:zz=orphan": "a:A,c1 | r:c1=(interrupted)",
}


@pytest.mark.parametrize("history", SENT_BY_1_0_48)
def test_what_1_0_48_sends(history: str, tmp_path: Path) -> None:
    path = file(tmp_path, events(f"u:one | {history}"))
    path.write_bytes(path.read_bytes().replace(b"1.0.102", b"1.0.48"))
    assert sent(path) == f"u:one | {SENT_BY_1_0_48[history]}"


def test_a_summary_quotes_what_the_user_said_before_it(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A | u:two | start | u:three | summary"))
    assert sent(path) == (
        "u:Some of the conversation history has been summarized to free up context.\n\nYou were originally given "
        "instructions from a user over one or more turns. Here were the user messages:\n<user_message>\none\n"
        "</user_message>\n<user_message>\ntwo\n</user_message>\n\nHere is a summary of the prior context:\n<summary>\n"
        "SUMMARY\n</summary>\n | u:three"
    )


REFUSED: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "no success": ("r", lambda data: data.pop("success"), "M12"),
    "no id of a message": ("a", lambda data: data.pop("messageId"), "M12"),
    "no content": ("a", lambda data: data.pop("content"), "M12"),
    "a list for a content": ("a", lambda data: data.update(content=[]), "M12"),
    "no content of a prompt": ("u", lambda data: data.pop("content"), "M12"),
    "a call without a name": ("a", lambda data: data["toolRequests"][0].pop("name"), "M12 K7:c1"),
    "a text for a result": ("r", lambda data: data.update(result="real"), "M12"),
    "an object for reasoning": ("a", lambda data: data.update(reasoningText={}), "M12"),
    "null for encrypted reasoning": ("a", lambda data: data.update(encryptedContent=None), "M12"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_event_that_lacks_what_is_required_stops_the_load(name: str, tmp_path: Path) -> None:
    kind, change, rules = REFUSED[name]
    records = events("u:one | a:A,c1 | r:c1=real | a:B")
    change(records["uar".index(kind) + 1]["data"])
    path = file(tmp_path, records)
    answer = product.check(path)
    assert answer.errors == {*rules.split()}
    assert answer.session["verdict"] == "broken"
    assert "Session file is corrupted" in str(answer.session["on_resume"])
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_a_value_of_ephemeral_that_older_versions_refuse_is_removed(tmp_path: Path) -> None:
    records = events("u:one | a:A")
    sound = file(tmp_path, records).read_bytes()
    path = file(tmp_path, [*records[:2], {**records[2], "ephemeral": False}])
    assert product.check(path).errors == {"M12"}
    assert sent(path) == "u:one | a:A"
    assert repaired(path).read_bytes() == sound


def test_a_log_without_its_header_gets_one(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A")[1:])
    answer = product.check(path)
    assert answer.errors == {"G1"}
    assert "corrupted or incompatible" in str(answer.session["on_resume"])
    header = json.loads(repaired(path).read_bytes().splitlines()[0])
    assert header["type"] == "session.start"
    assert {*header["data"]} >= {"sessionId", "version", "producer", "copilotVersion", "startTime"}


# Damage to the line of the answer: what is found, and whether its text is sent then.
DAMAGED: dict[str, tuple[Callable[[bytes], bytes], set[str], str]] = {
    "U+2028": (lambda line: line.replace(b"A", "A\u2028\u2029".encode()), set(), "healthy"),
    "a line of NUL bytes": (lambda line: b"\0" * 40 + b"\n" + line, {"F3"}, "heals-itself"),
    "CRLF": (lambda line: line + b"\r", set(), "healthy"),
    "a line break in a text": (lambda line: line.replace(b"A", b"A\nA"), {"F4"}, "broken"),
    "not JSON": (lambda line: line[:40], {"F6"}, "broken"),
    "two events": (lambda line: line + line, {"F2"}, "broken"),
    "invalid UTF-8": (lambda line: line.replace(b"A", b"A\xff"), {"F5"}, "broken"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_lines(name: str, tmp_path: Path) -> None:
    change, rules, verdict = DAMAGED[name]
    lines = file(tmp_path, events("u:one | a:A | u:two | a:B")).read_bytes().splitlines()
    path = file_of(tmp_path, b"".join(line + b"\n" for line in [*lines[:2], change(lines[2]), *lines[3:]]))
    answer = product.check(path)
    assert answer.errors == rules
    assert answer.session["verdict"] == verdict
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_the_physical_lines_of_a_text_with_a_line_break_are_joined(tmp_path: Path) -> None:
    data = file(tmp_path, events("u:one | a:first second | u:two")).read_bytes()
    path = file_of(tmp_path, data.replace(b"first second", b"first\nsecond"))
    assert "first\nsecond" in sent(repaired(path))


def test_that_damaged_lines_are_removed_is_said_beside_what_is_sent(tmp_path: Path) -> None:
    data = file(tmp_path, events("u:one | a:A | u:two | a:B")).read_bytes()
    resume = product.check(file_of(tmp_path, data + b'{"type": "ses')).session["on_resume"]
    assert resume["writes"] == "removes the damaged lines from the log"


@pytest.mark.parametrize(
    ("version", "verdict", "outcome"),
    [
        ("1.0.48", "broken", "refuses"),
        ("1.0.80", "broken", "refuses"),
        ("1.0.90", "broken", "unknown"),
        ("1.0.102", "broken", "mends"),
    ],
)
def test_versions_treat_a_line_that_is_no_json_differently(
    version: str, verdict: str, outcome: str, tmp_path: Path
) -> None:
    data = file(tmp_path, events("u:one | a:A | u:two | a:B")).read_bytes().replace(b"1.0.102", version.encode())
    lines = data.splitlines(keepends=True)
    session = product.check(file_of(tmp_path, b"".join([*lines[:2], lines[2][:40] + b"\n", *lines[3:]]))).session
    assert (session["verdict"], session["on_resume"]["outcome"]) == (verdict, outcome)


@pytest.mark.parametrize(("version", "outcome"), [("1.0.48", "refuses"), ("1.0.56", "unknown"), ("1.0.57", "as-is")])
def test_a_tail_of_nul_bytes_is_skipped_since_1_0_57(version: str, outcome: str, tmp_path: Path) -> None:
    data = file(tmp_path, events("u:one | a:A")).read_bytes().replace(b"1.0.102", version.encode())
    answer = product.check(path := file_of(tmp_path, data + b"\0" * 300))
    assert answer.errors == {"F3"}
    assert answer.session["on_resume"]["outcome"] == outcome
    assert repaired(path).read_bytes().rstrip(b"\n") == data.rstrip(b"\n")


def test_a_result_is_put_before_the_resume_that_closed_its_call(tmp_path: Path) -> None:
    """Behind it, Copilot ignores the result."""
    lost = repaired(file(tmp_path, events("u:one | a:A,c1 | resume | u:two | a:B")))
    types = [json.loads(line)["type"] for line in lost.read_bytes().splitlines()]
    assert types.index("tool.execution_complete") < types.index("session.resume")
    path = file(tmp_path, events("u:one | a:A,c1 | abort | r:c1=real | a:B"))
    assert product.check(path).errors == {"R3:c1"}
    assert sent(repaired(path)) == "u:one | a:A,c1 | r:c1=real | a:B"


def test_an_inserted_event_has_what_copilot_requires(tmp_path: Path) -> None:
    start = event(9, "tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {}})
    records = events("u:one | a:A,c1 | u:two | a:B")
    start["parentId"] = records[2]["id"]
    records.insert(3, start)
    out = repaired(file(tmp_path, records)).read_bytes().splitlines()
    added = json.loads(out[4])
    assert added["type"] == "tool.execution_complete"
    assert re.fullmatch(r"[0-9a-f-]{36}", added["id"])
    assert added["timestamp"].endswith("Z")
    assert (added["data"]["toolCallId"], added["data"]["success"]) == ("c1", False)
    ids = [json.loads(line)["id"] for line in out]
    assert all(json.loads(line)["parentId"] in (None, *ids) for line in out)


def test_a_dropped_call_leaves_its_answer(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A,c1,c2 | r:c1=real | u:two | a:B"))
    out = path.with_name("out.jsonl")
    assert product.repair(path, out, "--strategy", "D3=drop-call").code == 0
    assert sent(out) == "u:one | a:A,c1 | r:c1=real | u:two | a:B"


def test_what_the_log_shows_of_a_call_without_a_result(tmp_path: Path) -> None:
    records = events("u:one | a:A,c1")
    assert "tool was started" not in product.run("check", str(file(tmp_path, records)), "-v").output
    records.append(event(3, "tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {}}))
    path = file(tmp_path, records)
    assert "tool was started" in product.run("repair", str(path), "--dry-run").output


def test_a_shell_command_of_the_user_is_a_message_of_theirs(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A | shell:x=listing | a:B"))
    assert product.check(path).errors == set()
    assert "listing" in sent(path)


def test_a_shell_command_of_the_user_that_failed_is_passed_over(tmp_path: Path) -> None:
    records = events("u:one | a:A | u:two")
    records.insert(3, event(9, "tool.execution_complete", {**failure("x", "bad"), "isUserRequested": True}))
    assert sent(file(tmp_path, records)) == "u:one | a:A | u:two"


def test_a_subagent_is_a_thread_of_its_own(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A,c1 | sub | r:c1=done | a:B"))
    log = open_log(Source.of_bytes(path.read_bytes(), NAME), "copilot-cli")
    assert [thread.is_side for thread in log.sessions[0].threads] == [False, True]
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    ("history", "text"),
    [
        ("a:A,c1 | sub | sub-report | sub-end | u:two | a:B", "REPORT"),
        ("a:A,c1 | sub | sub-report | u:two | a:B", "No result was recorded"),
        ("a:A,c1 | sub-report | sub | sub-end | u:two | a:B", "No result was recorded"),
    ],
)
def test_the_report_of_a_subagent_that_ended_is_the_result_of_its_call(history: str, text: str, tmp_path: Path) -> None:
    """As it was seen: the result of the call was the text of the subagent's last answer."""
    assert text in sent(repaired(file(tmp_path, events(f"u:one | {history}"))))


def test_a_transcript_of_vs_code_is_saved_as_a_copy_only(tmp_path: Path) -> None:
    records = events("u:one | a:A,c1 | u:two")
    records[0]["data"] = {**HEADER, "vscodeVersion": "1.110.0"}
    path = file(tmp_path, records)
    assert product.repair(path, None, "--new-session").code == 1
    assert product.repair(path, path.with_name("out.jsonl")).code == 0


def test_a_session_has_the_id_of_its_folder(tmp_path: Path) -> None:
    """That is what finds it, whatever its first event says."""
    records = events("u:one")
    records[0]["data"] = {**HEADER, "sessionId": "11111111-2222-4333-8444-555555555555"}
    assert product.check(file(tmp_path, records)).session["id"] == SESSION


def test_a_new_session_has_a_folder_of_its_own(tmp_path: Path) -> None:
    path = file(tmp_path, events("u:one | a:A,c1 | u:two | a:B"))
    done = product.repair(path, None, "--new-session")
    out = Path(done.report["output"])
    assert (out.name, out.parent.parent) == ("events.jsonl", tmp_path)
    assert out.parent.name == json.loads(out.read_bytes().splitlines()[0])["data"]["sessionId"] != SESSION
    assert not FORMATS["copilot-cli"].read_only_reason
