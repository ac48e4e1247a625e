"""What Claude Code does on resume, by version: the facts that its code and recorded requests agree in."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support import product
from tests.support.notation import claude_code_records, parse

OLD, NEW = "2.1.112", "2.1.330"
Records = list[dict[str, Any]]


def log(folder: Path, history: str, version: str, change: Callable[[Records], object] | None = None) -> Path:
    records = [record | {"version": version} for record in claude_code_records(parse(history))]
    if change is not None:
        change(records)
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def resumed(path: Path) -> tuple[str, str, list[str], list[str]]:
    """Verdict, what is sent of calls and results, what is dropped, what the agent answers."""
    answer = product.check(path)
    sent = product.sent(path)
    return (
        answer.session["verdict"],
        " ".join(f"{block['kind']}:{block['id']}" for block in sent.blocks if block["kind"] in ("call", "result")),
        [f"{block['kind']}:{block['id']}" for block in sent.dropped],
        [block["id"] for block in sent.blocks if block["mark"] == "answered by the agent"],
    )


@pytest.mark.parametrize(
    ("history", "version", "verdict", "sent", "dropped", "answered"),
    [
        ("u | a{A}", OLD, "broken", "", ["call:A"], []),
        ("u | a{A}", NEW, "heals-itself", "call:A result:A", [], ["A"]),
        ('u | a{A} | u"go on" | a"ok"', NEW, "broken", "", ["call:A"], []),
        ("u | a{A,B} | r(A=alpha)", NEW, "heals-itself", "call:A call:B result:A result:B", [], ["B"]),
        ("u | a{A} | a{B} | r(A=alpha,B=beta)", OLD, "broken", "call:A result:A call:B result:B", ["result:A"], ["A"]),
        ('u | r(A=alpha) | a{A} | a"ok"', OLD, "broken", "call:A result:A", ["result:A"], ["A"]),
        ('u | r(A=alpha) | a{A} | a"ok"', NEW, "heals-itself", "call:A result:A", [], []),
        ('u | a{A} | r(A=alpha) | r(A=alpha) | a"ok"', OLD, "heals-itself", "call:A result:A", [], []),
        ('u | a{A} | r(A=alpha) | r(A=other) | a"ok"', OLD, "broken", "call:A result:A", ["result:A"], []),
        # An id of two messages: the second call goes, and the results stay where they are.
        ("u | a{A} | r(A=alpha) | a{A} | r(A=beta) | u", OLD, "broken", "call:A result:A", ["call:A", "result:A"], []),
        ("u | a{A} | r(A=alpha) | a{A} | r(A=beta) | u", NEW, "broken", "call:A result:A", ["call:A", "result:A"], []),
    ],
)
def test_what_is_sent(
    history: str, version: str, verdict: str, sent: str, dropped: list[str], answered: list[str], tmp_path: Path
) -> None:
    assert resumed(log(tmp_path, history, version)) == (verdict, sent, dropped, answered)


@pytest.mark.parametrize(("version", "writes"), [(OLD, ""), (NEW, "adds its own results")])
def test_what_is_written_into_the_file_is_told(version: str, writes: str, tmp_path: Path) -> None:
    resume = product.check(log(tmp_path, "u | a{A}", version)).session["on_resume"]
    assert resume["writes"].startswith(writes)
    assert bool(resume["writes"]) == bool(writes)


def test_a_version_that_pairs_nothing_sends_what_is_refused(tmp_path: Path) -> None:
    resume = product.check(log(tmp_path, 'u | r(A=alpha) | a{A} | u"go on"', "2.0.5")).session["on_resume"]
    assert resume["outcome"] == "refuses"
    assert "messages." in resume["error"]


def without_prompt(seconds: float) -> Callable[[Records], object]:
    """The second prompt's line is gone, and the next record was written `seconds` after the one before it."""

    def change(records: Records) -> None:
        at = next(n for n, each in enumerate(records) if n and each["message"]["content"] == "go on")
        del records[at]
        for record in records[:at]:
            record["timestamp"] = (
                "2026-01-01T00:00:00.000Z" if record is records[at - 1] else "2025-01-01T00:00:00.000Z"
            )
        for record in records[at:]:
            record["timestamp"] = f"2026-01-01T00:00:{seconds:06.3f}Z"

    return change


@pytest.mark.parametrize(
    ("seconds", "verdict", "sent", "loses"),
    [
        (5.0, "heals-itself", "call:A result:A", []),
        (5.1, "broken", "", ["everything before the missing parent"]),
    ],
)
def test_a_missing_parent_is_bridged_in_time(
    seconds: float, verdict: str, sent: str, loses: list[str], tmp_path: Path
) -> None:
    history = 'u | a{A} | r(A=alpha) | a"ok" | u"go on" | a"done"'
    path = log(tmp_path, history, OLD, without_prompt(seconds))
    assert resumed(path)[:2] == (verdict, sent)
    assert product.check(path).session["on_resume"]["loses"] == loses


@pytest.mark.parametrize("version", [OLD, NEW])
def test_a_beginning_without_its_call_becomes_words_of_the_program(version: str, tmp_path: Path) -> None:
    """So that the history begins with the user, and the session goes on."""
    path = log(tmp_path, 'r(A=alpha) | a"ok" | u"go on" | a"done"', version)
    sent = product.sent(path).report
    assert sent["messages"][0]["content"] == [
        {"type": "text", "text": "[Orphaned tool result removed due to conversation resume]"}
    ]
    assert sent["outcome"] == "mends"


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("change", [lambda each: each.append(each[2]), lambda each: each.insert(0, each.pop())])
def test_what_hangs_off_the_last_line_is_behind_it(
    change: Callable[[Records], object], version: str, tmp_path: Path
) -> None:
    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"done"', version, change)
    last = product.sent(path).report["messages"][-1]
    assert last == {"role": "assistant", "content": [{"type": "text", "text": "done"}]}


@pytest.mark.parametrize("content", [None, 5, {"text": "said"}, []])
@pytest.mark.parametrize("speaker", ["user", "assistant"])
@pytest.mark.parametrize("version", [OLD, NEW])
def test_content_of_another_kind(content: Any, speaker: str, version: str, tmp_path: Path) -> None:
    """The older program stops, or is refused; it fills in a list of nothing that the model said."""

    def change(records: Records) -> None:
        next(each for each in records[1:] if each["type"] == speaker)["message"]["content"] = content

    path, out = log(tmp_path, 'u | a"said" | u"more" | a"done"', version, change), tmp_path / "out.jsonl"
    goes_on = version == NEW or (speaker == "assistant" and content == [])
    assert product.check(path).session["verdict"] == ("heals-itself" if goes_on else "broken")
    assert product.repair(path, out).report["reason"] is None
    assert product.check(out).session["verdict"] == "healthy"


def test_a_circle_is_bridged_as_a_missing_parent_is(tmp_path: Path) -> None:
    def circle(records: Records) -> None:
        records[4]["parentUuid"] = records[5]["uuid"]
        for number, record in enumerate(records):
            record["timestamp"] = f"2026-01-01T00:00:{number:02}.000Z"

    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok" | u"go on" | a"done"', OLD, circle)
    assert resumed(path)[:2] == ("heals-itself", "call:A result:A")
    assert product.check(path).session["on_resume"]["loses"] == []


def test_a_result_between_the_fragments_of_its_message_is_in_its_place(tmp_path: Path) -> None:
    """Fragments are joined before anything is paired, whatever lies between them."""

    def between(records: Records) -> None:
        call = next(n for n, each in enumerate(records) if "tool_use" in str(each["message"]["content"]))
        records[call], records[call + 1] = records[call + 1], records[call]
        for before, record in pairwise(records):
            record["parentUuid"] = before["uuid"]

    path = log(tmp_path, 'u | a"let me see"{A} | r(A=alpha) | a"ok"', OLD, between)
    assert resumed(path) == ("healthy", "call:A result:A", [], [])


@pytest.mark.parametrize("version", [OLD, NEW])
def test_fragments_are_joined_across_another_message(version: str, tmp_path: Path) -> None:
    """The call behind it goes out with the first fragment, and its result is looked for there."""
    history = 'u | A[m1]{A} | r(A=alpha) | A[m2]{B} | r(B=beta) | A[m1]{C} | r(C=gamma) | a"ok"'
    path, out = log(tmp_path, history, version), tmp_path / "out.jsonl"
    assert resumed(path) == ("broken", "call:A call:C result:C result:A call:B result:B", ["result:C"], ["C"])
    assert product.repair(path, out).code == 0
    assert resumed(out) == ("healthy", "call:A call:C result:A result:C call:B result:B", [], [])


def test_the_version_that_resumes_can_be_another(tmp_path: Path) -> None:
    path = log(tmp_path, "u | a{A}", OLD)
    assert [product.sent(path, "--agent-version", each).report["outcome"] for each in (OLD, NEW)] == ["mends", "mends"]
    assert [bool(product.sent(path, "--agent-version", each).dropped) for each in (OLD, NEW)] == [True, False]


def answer_of(text: Any, beside: bool) -> Callable[[Records], object]:
    """The first answer begins with a text, in the record of its call or in one of its own."""

    def change(records: Records) -> None:
        said, call = records[1]["message"], records[2]["message"]
        said["content"] = text if isinstance(text, str) else [{"type": "text", "text": each} for each in text]
        if beside:
            call["content"] = said["content"] + call["content"]
            records[2]["parentUuid"] = records[0]["uuid"]
            del records[1]

    return change


@pytest.mark.parametrize(
    ("text", "beside", "version", "verdict", "sent"),
    [
        ([""], False, OLD, "broken", [""]),  # "messages: text content blocks must be non-empty"
        ([""], False, NEW, "heals-itself", []),
        ([""], True, OLD, "broken", [""]),
        ([""], True, NEW, "heals-itself", []),
        ([" "], False, OLD, "healthy", []),
        ([" "], False, NEW, "healthy", []),
        ([" "], True, OLD, "broken", [" "]),
        ([" "], True, NEW, "broken", [" "]),
        ("said", False, OLD, "broken", None),  # "_.message.content.find is not a function"
        ("said", False, NEW, "healthy", ["said"]),
    ],
)
def test_blank_texts_and_answers_that_are_texts(
    text: Any, beside: bool, version: str, verdict: str, sent: list[str] | None, tmp_path: Path
) -> None:
    """As both programs were seen to send them, or to stop."""
    path = log(tmp_path, 'u | A[m1]"t" | A[m1]{A} | r(A=alpha) | a"ok"', version, answer_of(text, beside))
    assert product.check(path).session["verdict"] == verdict
    messages = product.sent(path).report["messages"]
    blocks = messages[1]["content"] if messages else None
    assert (blocks and [block["text"] for block in blocks if block["type"] == "text"]) == sent
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).report["reason"] is None
    assert product.check(out).session["verdict"] == "healthy"


def test_what_the_provider_s_own_tools_said_goes_out_as_it_stands(tmp_path: Path) -> None:
    path = log(tmp_path, 'u | a s{S}sr(S)"found" | u', NEW)
    (answer,) = (each for each in product.sent(path).report["messages"] if each["role"] == "assistant")
    assert [block["type"] for block in answer["content"]] == ["server_tool_use", "web_search_tool_result", "text"]


def damaged(path: Path, word: str, by: bytes) -> Path:
    """The only place of a word holds these bytes instead."""
    before, found, after = path.read_bytes().partition(json.dumps(word).encode())
    assert found
    path.write_bytes(before + b'"' + by + b'"' + after)
    return path


@pytest.mark.parametrize(
    ("history", "verdict", "loses"),
    [('u | a"ok" | u', "heals-itself", []), ("u | a{A,A} | r(A=alpha) | u", "broken", ["the call to Read"])],
)
def test_a_line_with_invalid_bytes_is_read(history: str, verdict: str, loses: list[str], tmp_path: Path) -> None:
    """By the program, and so is whatever else is wrong in that line."""
    path = log(tmp_path, history, NEW)
    before, key, after = path.read_bytes().rpartition(b'"cwd"')
    path.write_bytes(before + key + after.replace(b"/", b"/\xff", 1))
    answer = product.check(path).session
    assert (answer["verdict"], answer["on_resume"]["loses"]) == (verdict, loses)


DAMAGED = 'u"prompt" | a"said"{A@Bash command=call} | r(A=result) | a"ok"'
HALF, BYTES = rb"x\ud83d", b"x\xf0\x9f\x8e"


@pytest.mark.parametrize("word", ["prompt", "said", "call", "result"])
@pytest.mark.parametrize(
    ("damage", "version", "verdict", "sent"),
    [
        (HALF, OLD, "broken", "x\ud83d"),  # "The request body is not valid JSON: no low surrogate in string"
        (HALF, NEW, "heals-itself", "x\ufffd"),
        (BYTES, OLD, "heals-itself", "x\ufffd"),
        (BYTES, NEW, "heals-itself", "x\ufffd"),
    ],
)
def test_damaged_characters_are_read_and_sent(
    word: str, damage: bytes, version: str, verdict: str, sent: str, tmp_path: Path
) -> None:
    """As both programs were seen to send them: the record that holds them is read, and nothing of it is missing."""
    path, out = damaged(log(tmp_path, DAMAGED, version), word, damage), tmp_path / "out.jsonl"
    assert resumed(path) == (verdict, "call:A result:A", [], [])
    assert json.dumps(sent)[1:-1] in json.dumps(product.sent(path).report["messages"])
    repair = product.repair(path, out)
    assert [loss["kind"] for loss in repair.losses] == ["text"]
    assert resumed(out) == ("healthy", "call:A result:A", [], [])


def test_half_of_a_pair_beside_the_message_is_not_sent(tmp_path: Path) -> None:
    def beside(records: Records) -> None:
        records[-1]["slug"] = "beside"

    path = damaged(log(tmp_path, DAMAGED, OLD, beside), "beside", HALF)
    assert resumed(path) == ("heals-itself", "call:A result:A", [], [])


def test_an_error_of_the_api_is_a_fragment_of_its_message(tmp_path: Path) -> None:
    """What forks off a message stands behind the last record of its id (`DtY`), which may be one that is not sent."""

    def change(records: Records) -> None:
        records[3]["parentUuid"], records[4]["parentUuid"] = records[1]["uuid"], records[2]["uuid"]
        records[5]["message"]["id"], records[5]["isApiErrorMessage"] = records[1]["message"]["id"], True

    history = 'u | A[m1]{A} | A[m2]{B} | r(A=alpha) | r(B=beta) | a"API Error: 500" | u'
    sent = product.sent(log(tmp_path, history, OLD, change))
    assert [block["id"] for block in sent.blocks if block["mark"] == "answered by the agent"] == ["A"]
    assert "result:A" in [f"{block['kind']}:{block['id']}" for block in sent.dropped]


def call_of(name: str, input: dict[str, Any]) -> Callable[[Records], object]:
    def change(records: Records) -> None:
        records[1]["message"]["content"][0] |= {"name": name, "input": input}

    return change


PLAN = {"plan": "P", "planFilePath": "F", "x": 1}
EDITS = {"edits": [], "old_string": "a", "new_string": "b", "replace_all": False, "x": 1}


@pytest.mark.parametrize(
    ("name", "input", "version", "sent"),
    [
        ("Task", {"x": 1}, "2.1.62", ("Task", {"x": 1})),
        ("Task", {"x": 1}, OLD, ("Agent", {"x": 1})),
        ("Task", {"x": 1}, NEW, ("Agent", {"x": 1})),
        ("KillShell", {"x": 1}, OLD, ("TaskStop", {"x": 1})),
        ("KillShell", {"x": 1}, NEW, ("KillShell", {"x": 1})),
        ("BashOutputTool", {"x": 1}, OLD, ("TaskOutput", {"x": 1})),
        ("ListPeers", {"x": 1}, OLD, ("ListPeers", {"x": 1})),
        ("ListPeers", {"x": 1}, NEW, ("ListAgents", {"x": 1})),
        ("RunWorkflow", {"x": 1}, NEW, ("Workflow", {"x": 1})),
        ("ExitPlanMode", PLAN, OLD, ("ExitPlanMode", {"x": 1})),
        ("ExitPlanMode", PLAN, NEW, ("ExitPlanMode", PLAN)),
        ("Edit", EDITS, OLD, ("Edit", {"edits": [], "x": 1})),
        ("Edit", EDITS, NEW, ("Edit", {"edits": [], "x": 1})),
        ("Edit", {"old_string": "a"}, NEW, ("Edit", {"old_string": "a"})),
    ],
)
def test_calls_of_old_tools_and_inputs_for_display(
    name: str, input: dict[str, Any], version: str, sent: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    """As both programs were seen to send a call to each tool; 2.1.63 renamed Task."""
    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"', version, call_of(name, input))
    call = product.sent(path).report["messages"][1]["content"][0]
    assert (call["name"], call["input"]) == sent
    assert product.check(path).session["verdict"] == "healthy"


PARALLEL = 'u | A[m1]{A} | A[m1]{B} | A[m1]{C} | r(C=gamma) | r(B=beta) | r(A=alpha) | a"ok"'


@pytest.mark.parametrize(
    ("version", "seconds", "sent"),
    [
        (OLD, "456", "result:B result:A result:C"),
        (OLD, "465", "result:A result:B result:C"),
        (NEW, "465", "result:C result:B result:A"),
    ],
)
def test_results_that_fork_off_are_put_in_their_order(version: str, seconds: str, sent: str, tmp_path: Path) -> None:
    """The older program puts them before the result on the path, by time, the newer one in the order of the file."""

    def fork(records: Records) -> None:
        for result, call, second in zip((4, 5, 6), (3, 2, 1), seconds, strict=True):
            records[result] |= {"parentUuid": records[call]["uuid"], "timestamp": f"2026-01-01T00:00:0{second}.000Z"}
        records[7]["parentUuid"] = records[4]["uuid"]

    blocks = resumed(log(tmp_path, PARALLEL, version, fork))[1]
    assert blocks.removeprefix("call:A call:B call:C ") == sent


COMPACTED = 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | u"boundary" | u"summary" | a"ok" | u"more" | a"done"'


def compaction(metadata: Callable[[list[str]], dict[str, Any]]) -> Callable[[Records], object]:
    """The sixth record is a boundary, the seventh its summary; `metadata` takes the ids of all records."""

    def change(records: Records) -> None:
        del records[5]["message"]
        kept = metadata([record["uuid"] for record in records])
        records[5] |= {"type": "system", "subtype": "compact_boundary", "parentUuid": None, "compactMetadata": kept}

    return change


def segment(head: int, tail: int) -> Callable[[list[str]], dict[str, Any]]:
    return lambda ids: {
        "preservedSegment": {
            "headUuid": ids[head] if head >= 0 else "nowhere",
            "anchorUuid": ids[6],
            "tailUuid": ids[tail],
        }
    }


def listed(*kept: int) -> Callable[[list[str]], dict[str, Any]]:
    return lambda ids: {
        "preservedMessages": {"anchorUuid": ids[6], "uuids": [ids[n] if n >= 0 else "nowhere" for n in kept]}
    }


@pytest.mark.parametrize(
    ("kept", "old", "new"),
    [
        (lambda _: {}, "", ""),
        (segment(3, 4), "call:B result:B", "call:B result:B"),
        (segment(-1, 4), "", ""),
        (segment(4, 2), "", ""),  # the head is not above the tail
        (listed(3, 4), "", "call:B result:B"),
        (listed(1, 2), "", "call:A result:A"),
        (listed(3, -1), "", ""),
        (lambda ids: segment(1, 4)(ids) | listed(3, 4)(ids), "call:A result:A call:B result:B", "call:B result:B"),
    ],
)
def test_what_a_compaction_kept(
    kept: Callable[[list[str]], dict[str, Any]], old: str, new: str, tmp_path: Path
) -> None:
    """As both programs were seen to send it; only the newer one knows the list."""
    for version, sent in ((OLD, old), (NEW, new)):
        path = log(tmp_path, COMPACTED, version, compaction(kept))
        assert resumed(path)[:2] == ("healthy", sent)


ONE_LINE = 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"'
Lines = list[bytes]


def fused(lines: Lines) -> Lines:
    return [*lines[:2], lines[2] + lines[3], *lines[4:]]


def behind_torn(lines: Lines) -> Lines:
    return [*lines[:2], lines[2][:60] + lines[3], *lines[4:]]


def before_torn(lines: Lines) -> Lines:
    return [*lines[:2], lines[2] + lines[3][:60], *lines[4:]]


def before_nul(lines: Lines) -> Lines:
    return [*lines[:2], lines[2] + b"\0" * 8, *lines[3:]]


def behind_nul(lines: Lines) -> Lines:
    return [*lines[:2], b"\0" * 8 + lines[2], *lines[3:]]


def behind_mark(lines: Lines) -> Lines:
    return [*lines[:2], b"\xef\xbb\xbf" + lines[2], *lines[3:]]


def cut_between_values(lines: Lines) -> Lines:
    return [*lines[:2], *lines[2].replace(b', "', b',\n"').split(b"\n"), *lines[3:]]


def cut_in_a_text(lines: Lines) -> Lines:
    return [*lines[:2], *lines[2].replace(b"alpha", b"al\npha").split(b"\n"), *lines[3:]]


BOTH, ONLY_B, NONE = "call:A result:A call:B result:B", "call:B result:B", ""
REST, ORPHAN = "everything after the first record on the line", "a result without a matching call"


@pytest.mark.parametrize(
    ("change", "version", "sent", "loses"),
    [
        (fused, OLD, NONE, ["the line with several records", "the call to Read", ORPHAN]),
        (fused, NEW, "call:A result:A", [REST, ORPHAN]),
        (behind_torn, OLD, NONE, ["the line with several records", "the call to Read", ORPHAN]),
        (behind_torn, NEW, NONE, ["the line with several records", "the call to Read", ORPHAN]),
        (before_torn, OLD, NONE, ["the unreadable line", "the call to Read", ORPHAN]),
        (before_torn, NEW, "call:A result:A", [REST, ORPHAN]),
        (before_nul, OLD, ONLY_B, ["the line of NUL bytes", "the call to Read"]),
        (before_nul, NEW, BOTH, []),
        (behind_nul, OLD, ONLY_B, ["the line of NUL bytes", "the call to Read"]),
        (behind_nul, NEW, ONLY_B, ["the line of NUL bytes", "the call to Read"]),
        (behind_mark, OLD, BOTH, []),
        (behind_mark, NEW, ONLY_B, ["the line with a byte order mark", "the call to Read"]),
        (cut_between_values, OLD, ONLY_B, ["the record that is split across several lines", "the call to Read"]),
        (cut_between_values, NEW, BOTH, []),
        (cut_in_a_text, OLD, ONLY_B, ["the record that is split across several lines", "the call to Read"]),
        (cut_in_a_text, NEW, ONLY_B, ["the record that is split across several lines", "the call to Read"]),
    ],
)
def test_what_is_read_of_a_damaged_line(
    change: Callable[[Lines], Lines], version: str, sent: str, loses: list[str], tmp_path: Path
) -> None:
    """As both programs were seen to read it: the newer one goes by values, the older one by lines."""

    def timed(records: Records) -> None:
        for number, record in enumerate(records):
            record["timestamp"] = f"2026-01-01T00:00:{number:02}.000Z"

    path = log(tmp_path, ONE_LINE, version, timed)
    path.write_bytes(b"\n".join(change(path.read_bytes().splitlines())) + b"\n")
    verdict, blocks, *_ = resumed(path)
    assert blocks == sent
    assert product.check(path).session["on_resume"]["loses"] == loses
    assert verdict == ("broken" if loses else "heals-itself")
    other = product.sent(path, "--agent-version", NEW if version == OLD else OLD).report
    assert product.sent(path, "--agent-version", version).report["messages"] == product.sent(path).report["messages"]
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).report["reason"] is None
    assert resumed(out)[0] == "healthy"
    assert other["outcome"] == "mends"


BRANCHES = 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"left" | a{C} | r(C=gamma) | a"right"'


@pytest.mark.parametrize(
    ("pointed", "old", "new"),
    [
        (5, "call:A result:A call:C result:C", "call:A result:A call:B result:B"),
        (8, "call:A result:A call:C result:C", "call:A result:A call:C result:C"),
        (2, "call:A result:A call:C result:C", "call:A result:A call:C result:C"),  # the last record follows it
        (-1, "call:A result:A call:C result:C", "call:A result:A call:C result:C"),
    ],
)
def test_the_branch_that_is_pointed_at(pointed: int, old: str, new: str, tmp_path: Path) -> None:
    """As 2.1.330 was seen to go on from the record that its last `last-prompt` names, in a file of two branches."""

    def branch(records: Records) -> None:
        records[6]["parentUuid"] = records[2]["uuid"]
        named = records[pointed]["uuid"] if pointed >= 0 else "nowhere"
        records.append({"type": "last-prompt", "lastPrompt": "go on", "leafUuid": named})

    for version, sent in ((OLD, old), (NEW, new)):
        assert resumed(log(tmp_path, BRANCHES, version, branch))[1] == sent


def test_results_of_one_id_belong_to_the_calls_that_they_hang_off(tmp_path: Path) -> None:
    """Side by side, the second call was the first to be done."""

    def hang(records: Records) -> None:
        records[4]["parentUuid"], records[3]["parentUuid"] = records[1]["uuid"], records[2]["uuid"]
        records[1]["message"]["id"] = records[2]["message"]["id"]

    history = 'u | A[m1]{A@Bash command=alpha} | A[m1]{A@Bash command=beta} | r(A=beta) | r(A=alpha) | a"ok"'
    path, out = log(tmp_path, history, NEW, hang), tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    blocks = [block for block in product.sent(out).blocks if block["kind"] in ("call", "result")]
    said = {block["id"]: block["text"] for block in blocks if block["kind"] == "result"}
    assert [(json.loads(each["text"])["command"], said[each["id"]]) for each in blocks if each["kind"] == "call"] == [
        ("alpha", "alpha"),
        ("beta", "beta"),
    ]
