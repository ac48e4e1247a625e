"""pi: which entries are loaded, compactions, what is never sent, files of version 1, and what a repair writes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.opening import open_log
from inspector.core.formats import FORMATS, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.model.columnar_index import Role
from inspector.core.storage.source import Source
from tests.core.formats import pi
from tests.core.formats.pi import HEADER, MODEL, NAME, entry
from tests.support import product
from tests.support.notation import Text, lines, parse, show

HISTORY = 'u"one" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"two" | a{B p=2} | r(B=beta) | a"done"'


def said(number: int, parent: int | None, role: str = "user", **more: Any) -> dict[str, Any]:
    """A message that hangs off entry `parent` and says its number."""
    own = MODEL if role == "assistant" else {}
    text = {"type": "text", "text": f"said {number}"}
    return entry(number, parent, "message", message={"role": role, "content": [text], **own, **more})


def aside(number: int, parent: int | None) -> dict[str, Any]:
    return entry(number, parent, "custom", customType="todo", data={})


def compaction(number: int, parent: int | None, kept: int) -> dict[str, Any]:
    return entry(number, parent, "compaction", summary=f"said {number}", firstKeptEntryId=f"{kept:08x}", tokensBefore=9)


def edit(number: int, parent: int | None, target: int, **replacement: str) -> dict[str, Any]:
    return entry(number, parent, "context_edit", targetId=f"{target:08x}", replacement=replacement or None)


def file(folder: Path, entries: list[Any], header: dict[str, Any] | None = HEADER) -> Path:
    path = folder / NAME
    path.write_bytes(lines([*([header] if header else []), *entries]))
    return path


def repaired(path: Path, **more: Any) -> Path:
    out = path.with_name("out.jsonl")
    done = product.repair(path, out, **more)
    assert done.code == 0, done.report.get("reason")
    return out


def test_an_empty_id_is_none_and_is_mended(tmp_path: Path) -> None:
    records = [said(1, None), said(2, 1, "assistant") | {"id": ""}, said(3, 2) | {"parentId": ""}]
    path = file(tmp_path, records)
    assert "said 1" not in sent(path)
    path = file(tmp_path, [*records[:2], said(3, 2)])
    assert product.check(path).errors == {"G1"}
    assert all(f"said {number}" in sent(repaired(path)) for number in (1, 2, 3))


def test_what_is_put_in_before_a_record_whose_type_is_no_text_is_on_its_path(tmp_path: Path) -> None:
    *before, last = pi.records(parse("u | a{A,B} | r(A=alpha) | u"))
    path = tmp_path / NAME
    path.write_bytes(lines([*before, last | {"type": 9}]))
    assert pi.FORMAT.judge(pi.load(repaired(path))) is None


def sent(path: Path) -> str:
    """What the model is told of a log, as text."""
    return json.dumps(product.sent(path).report["messages"])


def read(data: bytes) -> list[str]:
    """The texts on the path, in its order."""
    log = open_log(Source.of_bytes(data, NAME), "pi")
    path = [record for record in log.sessions[0].main_thread.path if log.columns.roles[record] != Role.LINK]
    return [block.text for record in path for block in FORMATS["pi"].view(log.raw(record)).blocks]


def told(data: bytes) -> list[str]:
    """The same as pi's own reader has it."""
    return [part.text for turn in pi.read(pi.context(data)) for part in turn.parts if isinstance(part, Text)]


# --- which entries are loaded


@pytest.mark.parametrize(
    ("entries", "numbers"),
    [
        ([said(1, None), said(2, 1, "assistant"), said(3, 1)], [1, 3]),
        ([said(1, None), said(2, 1), aside(3, 1)], [1]),
        ([said(1, None), aside(2, 1), said(3, 2)], [1, 3]),
        ([said(1, None), said(2, 9), said(3, 2)], [2, 3]),
        ([said(1, None), said(2, 1, "assistant", stopReason="aborted"), said(3, 2)], [1, 3]),
        ([said(1, None), said(2, 1, "assistant", stopReason="length"), said(3, 2)], [1, 2, 3]),
        ([said(1, None), said(2, 1, "system"), said(3, 2, "custom")], [1, 3]),
        ([said(1, None), {**said(2, 1), "type": "message_of_tomorrow"}, said(3, 2)], [1, 3]),
        ([said(1, None), said(2, 1), compaction(3, 2, 2), said(4, 3)], [3, 2, 4]),
        ([said(1, None), said(2, 1), compaction(3, 2, 9), said(4, 3)], [3, 4]),
        ([said(1, None), said(2, 1), edit(3, 2, 2), said(4, 3)], [1, 4]),
        ([said(1, None), said(2, 1), edit(3, 2, 2), edit(4, 3, 2, content="said 2")], [1, 2]),
        ([said(1, None), said(2, 1), edit(3, 1, 2), said(4, 2)], [1, 2, 4]),
        ([said(1, None), compaction(2, 1, 1), said(3, 2), compaction(4, 3, 1), said(5, 4)], [4, 1, 3, 5]),
    ],
)
def test_the_path_runs_from_the_last_entry(entries: list[Any], numbers: list[int]) -> None:
    data = lines([HEADER, *entries])
    assert read(data) == told(data) == [f"said {number}" for number in numbers]


@pytest.mark.parametrize("seed", range(150))
def test_random_sessions_load_as_pi_loads_them(seed: int) -> None:
    chance = random.Random(seed)
    entries: list[Any] = [said(1, None)]
    for number in range(2, chance.randrange(2, 20)):
        parent = chance.choice([number - 1] * 12 + [chance.randrange(number), 99]) or None
        kind = chance.choices(["user", "assistant", "aside", "stopped", "compaction", "edit"], [9, 9, 3, 2, 2, 1])[0]
        if kind == "aside":
            entries.append(aside(number, parent))
        elif kind == "edit":
            entries.append(edit(number, parent, chance.randrange(number)))
        elif kind == "compaction":
            entries.append(compaction(number, parent, chance.randrange(number)))
        elif kind == "stopped":
            entries.append(said(number, parent, "assistant", stopReason="error"))
        else:
            entries.append(said(number, parent, kind))
    data = lines([HEADER, *entries])
    assert read(data) == told(data)


def test_a_file_of_version_1_is_one_path_whatever_it_counts(tmp_path: Path) -> None:
    bare = [
        {key: value for key, value in said(number, None).items() if "id" not in key.lower()} for number in (1, 2, 3)
    ]
    summary = {"type": "compaction", "summary": "said 0", "firstKeptEntryIndex": 2, "tokensBefore": 9}
    header = {key: value for key, value in HEADER.items() if key != "version"}
    data = lines([header, *bare[:2], summary, bare[2]])
    assert read(data) == told(data) == ["said 0", "said 2", "said 3"]


@pytest.mark.parametrize(
    ("version", "is_linked"), [(None, False), (1.5, False), ("1", False), (1e2, True), (10**400, True), ("x", True)]
)
def test_versions_are_compared_as_javascript_does(version: Any, is_linked: bool, tmp_path: Path) -> None:
    path = file(tmp_path, [said(1, None), said(2, 99), said(3, 2)], HEADER | {"version": version})
    assert ("G1" in product.check(path).rules) is is_linked


def test_an_answer_in_a_file_of_version_1_gets_no_id(tmp_path: Path) -> None:
    entries = [
        {"type": "message", "message": message}
        for message in pi.messages(parse('u"one" | a{A p=1} | u"two" | a"done"'))
    ]
    path = file(tmp_path, entries, {"type": "session", "id": "old", "timestamp": "t", "cwd": "/w"})
    out = repaired(path)
    assert show(pi.load(out)) == 'u"one" | a{A p=1} | PH!(A) | u"two" | a"done"'
    assert b'"id":"A"' in out.read_bytes()
    assert b"parentId" not in out.read_bytes()


# --- what is never sent


def test_the_result_of_a_stopped_answer_is_an_orphan_because_the_answer_is_not_sent(tmp_path: Path) -> None:
    entries = pi.records(parse('u"one" | a{A p=1} | r(A=alpha) | u"two"'))[1:]
    entries[3]["message"]["stopReason"] = "aborted"
    path = file(tmp_path, entries)
    assert product.check(path).errors == {"R1:A"}
    assert "alpha" in show(pi.load(repaired(path)))


@pytest.mark.parametrize("odd", [[], {}, 7])
def test_an_answer_that_stopped_for_no_reason_that_is_a_word_is_shown(odd: Any) -> None:
    raw = json.dumps(said(1, None, "assistant", stopReason=odd)).encode()
    assert [block.kind.name for block in FORMATS["pi"].view(raw).blocks] == ["TEXT"]


def test_a_stopped_answer_without_results_breaks_nothing(tmp_path: Path) -> None:
    entries = pi.records(parse('u"one" | a{A p=1} | u"two" | a"done"'))[1:]
    entries[3]["message"]["stopReason"] = "error"
    assert product.check(file(tmp_path, entries)).session["verdict"] == "healthy"


@pytest.mark.parametrize("reason", ["aborted", "error"])
def test_the_calls_of_a_stopped_answer_are_mentioned(reason: str, tmp_path: Path) -> None:
    """Nothing refuses them, so that no finding is about them."""
    calls: list[Any] = [{"type": "toolCall", "id": name, "name": "bash", "arguments": {}} for name in ("A", "B")]
    answer = said(2, 1, "assistant", stopReason=reason)
    answer["message"]["content"] = calls
    session = product.check(file(tmp_path, [said(1, None), answer, said(3, 2)])).session
    assert session["state"] == ("2 calls are in an aborted or failed message, which pi does not send")
    answer["message"]["content"] = [{"type": "text", "text": "no call"}]
    assert product.check(file(tmp_path, [said(1, None), answer, said(3, 2)])).session["state"] is None


def test_commands_and_summaries_are_told_in_pi_s_words(tmp_path: Path) -> None:
    ran = {
        "role": "bashExecution",
        "command": "ls",
        "output": "",
        "exitCode": 2,
        "cancelled": False,
        "truncated": False,
    }
    kept = {**ran, "command": "secret", "excludeFromContext": True}
    branch = entry(3, 2, "branch_summary", fromId="root", summary="went astray")
    entries = [entry(1, None, "message", message=ran), entry(2, 1, "message", message=kept), branch]
    words = sent(file(tmp_path, entries))
    assert "Ran `ls`\\n(no output)\\n\\nCommand exited with code 2" in words
    assert "a branch that this conversation came back from:\\n\\n<summary>\\nwent astray</summary>" in words
    assert "secret" not in words


LONG = "call_Zx81|fc_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071"


@pytest.mark.parametrize(
    ("call_id", "version", "expected"),
    [("call_1|fc_2", "", "call_1_fc_2"), ("call_1|fc_2", "0.73.1", "call_1"), (LONG, "", "call_Zx81_1dnsw9u1")],
)
def test_ids_of_responses_go_out_as_chat_takes_them(call_id: str, version: str, expected: str, tmp_path: Path) -> None:
    entries = pi.records(parse(f'u"one" | a{{"{call_id}" p=1}} | u"two"'))[1:]
    messages = product.sent(file(tmp_path, entries), "--agent-version", version).report["messages"]
    assert (messages[1]["tool_calls"][0]["id"], messages[2]["tool_call_id"]) == (expected, expected)


def test_half_of_a_pair_is_left_out_of_a_result(tmp_path: Path) -> None:
    entries = pi.records(parse('u"one" | a{A p=1} | r(A="alpha beta") | u"two"'))[1:]
    path = file(tmp_path, entries)
    path.write_bytes(path.read_bytes().replace(b"alpha beta", b"alpha\\ud83d beta"))
    assert product.sent(path).report["messages"][2]["content"] == "alpha beta"


# --- what a repair writes


def test_what_was_said_before_a_missing_parent_comes_back(tmp_path: Path) -> None:
    entries = pi.records(parse(HISTORY))[1:]
    del entries[4]
    path = file(tmp_path, entries)
    answer = product.check(path).session
    assert (answer["verdict"], answer["on_resume"]["loses"]) == ("broken", ["everything before the missing parent"])
    assert show(pi.load(path)).startswith('a"ok"')
    assert show(pi.load(repaired(path))).startswith('u"one" | a"t"{A p=1} | PH!(A) | a"ok"')


@pytest.mark.parametrize(
    ("history", "kept", "strategy", "expected"),
    [
        ('u"a" | a{A p=1} | r(A=alpha) | r(Z=lost) | a"b" | u"c"', 6, "R1=drop", 'a"b" | u"c" | u"end"'),
        ('u"a" | a"b" | r(Z=lost) | u"c"', 5, "R1=keep-as-note", "lost"),
        ('u"a" | a{A p=1} | u"c"', 4, "", 'a{A p=1} | PH!(A) | u"c" | u"end"'),
        ('u"a" | a"b" | r(Z=lost) | u"c"', 5, "C2=invent-call", 'r(Z=lost) | u"c" | u"end"'),
    ],
)
def test_a_compaction_keeps_what_it_kept(history: str, kept: int, strategy: str, expected: str, tmp_path: Path) -> None:
    entries = pi.records(parse(history))[1:]
    last = len(entries)
    entries += [compaction(last + 1, last, kept)]
    entries += [entry(last + 2, last + 1, "message", message={"role": "user", "content": "end"})]
    after = show(pi.load(repaired(file(tmp_path, entries), strategies=strategy)))
    assert after.startswith(f'u"said {last + 1}" | ')
    assert expected in after
    assert 'u"a"' not in after


def test_a_compaction_keeps_an_entry_that_gets_an_id_of_its_own(tmp_path: Path) -> None:
    """Two under one id, without a header: the later entry was meant, and the earlier keeps the id."""
    later = [each | {"timestamp": "2026-01-01T00:02:00.000Z"} for each in (said(2, 1), compaction(3, 2, 2))]
    path, out = file(tmp_path, [said(2, 1), compaction(3, 2, 2), *later], None), tmp_path / "out.jsonl"
    assert product.repair(path, out, "--log-format", "pi").code == 0
    records = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert records[-1]["firstKeptEntryId"] == records[-2]["id"] != records[1]["id"]


def test_a_compaction_keeps_the_entry_before_it_and_not_the_older_one_of_its_id(tmp_path: Path) -> None:
    """Once the later has an id of its own, the older one is on the path as well, and under the name."""
    again = said(2, 3) | {"timestamp": "2026-01-01T00:02:00.000Z"}
    path = file(tmp_path, [said(1, None), said(2, 1), said(3, 2), again, compaction(5, 2, 2), said(6, 5)])
    records = [json.loads(line) for line in repaired(path).read_bytes().splitlines()]
    assert records[-2]["firstKeptEntryId"] == records[-3]["id"] != records[2]["id"]


def test_a_compaction_that_is_linked_again_keeps_what_it_names(tmp_path: Path) -> None:
    """As read it kept nothing: what it names stood behind the break."""
    entries = pi.records(parse('u"a" | a{A p=1} | r(A=alpha) | a"b"'))[1:]
    path = file(tmp_path, [*entries, compaction(7, 99, 5), said(8, 7)])
    first, *kept = told(repaired(path).read_bytes())
    assert (first, kept[1:]) == ("said 7", ["b", "said 8"])
    assert "alpha" in kept[0]


def test_names_of_dropped_entries_name_what_they_hung_off(tmp_path: Path) -> None:
    entries = pi.records(parse('u"a" | a"b" | r(Z=lost) | u"c"'))[1:]
    entries.append(entry(7, 6, "branch_summary", fromId=f"{5:08x}", summary="s"))
    entries.append(entry(8, 7, "label", targetId=f"{5:08x}", label="here"))
    out = repaired(file(tmp_path, entries), strategies="R1=drop")
    assert [json.loads(line) for line in out.read_bytes().splitlines()][-2]["fromId"] == f"{4:08x}"
    assert [json.loads(line) for line in out.read_bytes().splitlines()][-1]["targetId"] == f"{4:08x}"


def test_an_entry_that_has_another_s_id_gets_its_own(tmp_path: Path) -> None:
    entries = [said(1, None), said(2, 1, "assistant"), {**said(3, 1), "id": f"{2:08x}"}, said(4, 2)]
    path = file(tmp_path, entries)
    assert "G4" in {found["rule"] for found in product.check(path).findings}
    assert told(repaired(path).read_bytes()) == ["said 1", "said 3", "said 4"]


def test_an_entry_that_hangs_off_itself_is_a_circle_that_pi_walks_without_end(tmp_path: Path) -> None:
    path = file(tmp_path, [said(1, None), said(2, 1, "assistant"), {**said(3, 2), "id": f"{1:08x}"}])
    assert product.check(path).session["on_resume"]["outcome"] == "refuses"
    assert told(repaired(path).read_bytes()) == ["said 1", "said 2", "said 3"]


def test_a_compaction_in_a_file_of_version_1_keeps_what_stands_before_it(tmp_path: Path) -> None:
    """Whatever the entries name: the first of two with one id is kept, too."""
    orphan = said(3, 9, "toolResult", toolCallId="A", toolName="Read")
    entries = [said(1, 8), said(2, 1), orphan, said(1, 8), compaction(4, 1, 1), said(2, 4, "assistant")]
    path = file(tmp_path, entries, {key: value for key, value in HEADER.items() if key != "version"})
    assert product.check(repaired(path)).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        (None, "broken"),
        ({"role": "user", "content": 7}, "broken"),
        ({"role": "user", "content": [{"type": "text", "text": None}]}, "broken"),
        ({"role": "user", "content": [{"type": "text"}]}, "broken"),
        ("no object", "heals-itself"),
        ({"role": "user", "content": None}, "heals-itself"),
        ({"role": "user"}, "heals-itself"),
    ],
)
def test_a_record_of_another_shape_stops_pi_or_is_passed_by(message: Any, verdict: str, tmp_path: Path) -> None:
    """As 0.73.1 and 0.87.1 were seen to do; the older one stops at a message without content, too."""
    path = file(tmp_path, [said(1, None), entry(2, 1, "message", message=message), said(3, 2, "assistant")])
    assert product.check(path).session["verdict"] == verdict
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_a_lost_header_is_said_and_written_anew(tmp_path: Path) -> None:
    path = file(tmp_path, pi.records(parse(HISTORY))[1:], header=None)
    answer = product.check(path).session
    assert (answer["verdict"], [found["rule"] for found in answer["findings"]]) == ("broken", ["G1"])
    assert answer["on_resume"]["outcome"] == "refuses"
    out = repaired(path)
    assert show(pi.load(out)) == HISTORY
    assert out.read_bytes().endswith(path.read_bytes())  # no entry hangs off a header


def test_a_header_that_stands_in_a_text_is_none(tmp_path: Path) -> None:
    """A line that is no object has no members to write."""
    entries = pi.records(parse(HISTORY))[1:]
    path = file(tmp_path, [json.dumps(HEADER), *entries, compaction(len(entries) + 1, len(entries), 3)], header=None)
    assert product.check(path).errors == {"G1"}
    assert repaired(path).read_bytes().endswith(path.read_bytes())


def test_a_header_that_is_none_to_pi_stands_behind_a_new_one(tmp_path: Path) -> None:
    path, out = file(tmp_path, pi.records(parse(HISTORY))[1:], HEADER | {"id": [{}]}), tmp_path / "out.jsonl"
    assert {(each["rule"], each["line"]) for each in product.check(path).findings} >= {("G1", 1)}
    assert product.repair(path, out).code == 0
    assert [json.loads(line)["type"] for line in out.read_text().splitlines()[:2]] == ["session", "session"]
    assert "G1" not in product.check(out).rules


def test_a_torn_header_is_set_aside_and_written_anew(tmp_path: Path) -> None:
    path = file(tmp_path, pi.records(parse(HISTORY))[1:])
    path.write_bytes(path.read_bytes()[30:])
    assert "loses" in product.check(path).session["on_resume"]
    assert show(pi.load(repaired(path))) == HISTORY


def test_older_versions_write_over_a_file_without_a_header(tmp_path: Path) -> None:
    path = file(tmp_path, pi.records(parse(HISTORY))[1:], header=None)
    older = product.sent(path, "--agent-version", "0.73.1").report
    assert (older["messages"], older["writes"]) == ([], "overwrites the file with a new session")


@pytest.mark.parametrize(
    ("version", "loses"),
    [
        ("0.84.3", ["the incomplete line", "the next entry, which pi appends to the incomplete line"]),
        ("0.84.4", ["the incomplete line"]),
        ("1.5.2", ["the incomplete line"]),
    ],
)
def test_newer_versions_end_a_torn_line(version: str, loses: list[str], tmp_path: Path) -> None:
    path = file(tmp_path, pi.records(parse(HISTORY))[1:])
    path.write_bytes(path.read_bytes()[:-30])
    assert product.sent(path, "--agent-version", version).report["loses"] == loses


def test_a_new_session_has_its_own_id_in_header_and_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    path = file(tmp_path, pi.records(parse('u"one" | a{A p=1} | u"two"'))[1:])
    (tmp_path / "agent" / "sessions" / "--w--").mkdir(parents=True)
    answer = product.repair(path, None, "--new-session")
    out = Path(answer.report["output"])
    header = json.loads(out.read_bytes().splitlines()[0])
    assert out.parent == tmp_path / "agent" / "sessions" / "--w--"
    assert out.name == f"2026-01-01T00-00-00-000Z_{header['id']}.jsonl"
    assert header == HEADER | {"id": header["id"]}
    assert header["id"] != HEADER["id"]


# --- what is told of a session


def test_other_programs_envelopes_are_not_taken_for_pi_s() -> None:
    droid: list[dict[str, Any]] = [{"type": "session_start", "id": "x", "cwd": "/w"}]
    message = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}
    droid.append({"type": "message", "id": "1", "parentId": None, "message": message})
    assert detect_format(Head(Source.of_bytes(lines(droid), "log.jsonl"))).name != "pi"


def test_a_session_is_called_by_its_name_else_by_what_was_asked() -> None:
    named = entry(3, 2, "session_info", name="Mine")
    entries = [said(1, None), said(2, 1, "assistant")]

    def headline(entries: list[Any]) -> SessionMetadata:
        return FORMATS["pi"].metadata(Head(Source.of_bytes(lines([HEADER, *entries]), NAME)))

    assert headline(entries) == SessionMetadata("/w", "said 1")
    assert headline([*entries, named]) == SessionMetadata("/w", "Mine")


@pytest.mark.parametrize(
    ("api", "model", "profile"),
    [
        ("anthropic-messages", "claude-sonnet-4-5", "anthropic"),
        ("openai-completions", "anthropic/claude-sonnet-4-5", "anthropic"),
        ("openai-codex-responses", "gpt-5.2-codex", "openai-responses"),
        ("google-generative-ai", "gemini-3-pro", "gemini"),
        ("bedrock-converse-stream", "x", "bedrock-converse"),
        ("mistral-conversations", "x", "mistral"),
    ],
)
def test_the_newest_answer_tells_who_judges(api: str, model: str, profile: str) -> None:
    entries = [said(1, None), said(2, 1, "assistant", api=api, model=model)]
    log = open_log(Source.of_bytes(lines([HEADER, *entries]), NAME), "pi")
    assert log.sessions[0].profile == profile


def test_an_error_about_an_item_is_not_outdated_where_items_have_no_ids(tmp_path: Path) -> None:
    text = "400 Item 'rs_1' of type 'reasoning' was provided without its required following item."
    model = {"api": "openai-responses", "provider": "openai", "model": "gpt-5"}
    entries = [
        said(1, None),
        said(
            2, 1, "assistant", **model, content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "ok"}]
        ),
        said(3, 2),
        said(4, 3, "assistant", **model, content=[], stopReason="error", errorMessage=text),
    ]
    assert product.check(file(tmp_path, entries)).session["verdict"] == "unexplained"


def test_reasoning_that_the_provider_refused_is_sent_again_until_it_is_taken_out(tmp_path: Path) -> None:
    signed = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2lnbmVk"}
    model = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5"}
    refused = {"errorMessage": "400 messages.1.content.0: Invalid `signature` in `thinking` block"}
    entries = [
        said(1, None),
        said(2, 1, "assistant", **model, content=[signed, {"type": "text", "text": "ok"}]),
        said(3, 2),
        said(4, 3, "assistant", **model, content=[], stopReason="error", **refused),
    ]
    path = file(tmp_path, entries)
    session = product.check(path).session
    assert (session["verdict"], session["on_resume"]["outcome"]) == ("broken", "refuses")
    assert product.check(repaired(path)).session["verdict"] == "healthy"
