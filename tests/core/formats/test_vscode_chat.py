"""VS Code Copilot chats: what its own code opens and refuses, what Copilot sends, and what a repair writes."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.vscode_chat import (
    FORMAT,
    NAME,
    SESSION,
    a_round,
    answered,
    document,
    fold,
    initial,
    lines,
    operations,
    request,
    result_of,
    told,
)
from tests.support import product
from tests.support.notation import Call, History, Turn, parse

PROGRAM = Path(os.environ.get("TRANSCRIPT_VSCODE", "/nonexistent"))
TALK = 'u"one" | a"A"{c1} | r(c1=real) | a"B" | u"two" | a"C"'
Operations = list[dict[str, Any]]


def chat(folder: Path, data: bytes, name: str = NAME) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def requests(*made: tuple[str, dict[str, Any] | None]) -> Operations:
    """The operations of a chat with these prompts, and the metadata that each of them got."""
    found: Operations = [initial()]
    for number, (text, metadata) in enumerate(made):
        found.append({"kind": 2, "k": ["requests"], "v": [request(number, text)]})
        found += answered(number, [{"value": "shown"}], metadata)
    return found


def rounds(*made: dict[str, Any], results: dict[str, str] | None = None, **members: Any) -> dict[str, Any]:
    found = {name: result_of(text) for name, text in (results or {}).items()}
    return {"toolCallRounds": list(made), "toolCallResults": found, **members}


def sent(folder: Path, made: Operations) -> str:
    return product.sent(chat(folder, lines(made))).chat_in_short({})


C1, C2 = Call("c1", "read_file", {"p": 1}), Call("c2", "run", {})
SENT: dict[str, tuple[Operations, str]] = {
    "a call without a result is left out": (
        requests(("one", rounds(a_round(0, "A", C1, C2), results={"c2": "real"}))),
        "u:one | a:A,c2 | r:c2=real",
    ),
    "a round without any result is left out": (
        requests(("one", rounds(a_round(0, "A", C1), a_round(1, "B")))),
        "u:one | a:B",
    ),
    "a result without a call is left out": (
        requests(("one", rounds(a_round(0, "A"), results={"z": "x"}))),
        "u:one | a:A",
    ),
    "the text that was shown goes out where there are no rounds": (requests(("one", None)), "u:one | a:shown"),
    "results behind the limit of calls are with the next request": (
        requests(
            ("one", rounds(a_round(0, "A", C1), maxToolCallsExceeded=True)),
            ("two", rounds(a_round(1, "B"), results={"c1": "real"})),
        ),
        "u:one | a:A,c1 | r:c1=real | u:two | a:B",
    ),
    "a summary replaces what is before it": (
        requests(
            ("one", rounds(a_round(0, "A"), a_round(1, "B", C1) | {"summary": "in short"}, a_round(2, "D"))),
            ("two", rounds(a_round(3, "E"))),
        ),
        "u:<conversation-summary>\nin short\n</conversation-summary> | a:D | u:two | a:E",
    ),
    "a summary may be stored with a later request": (
        requests(
            ("one", rounds(a_round(0, "A"), a_round(1, "B"))),
            ("two", rounds(a_round(3, "E"), summary={"toolCallRoundId": "round_0", "text": "in short"})),
        ),
        "u:<conversation-summary>\nin short\n</conversation-summary> | a:B | u:two | a:E",
    ),
    "only the parts that were kept count": (
        [
            *requests(("one", None)),
            {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "more"}], "i": 0},
            {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": " text"}]},
        ],
        "u:one | a:more text",
    ),
    "a request that was taken back is gone": (
        [*requests(("one", None), ("two", None)), {"kind": 2, "k": ["requests"], "i": 1}],
        "u:one | a:shown",
    ),
    "a chat that is written anew replaces the old one": (
        [*requests(("one", None)), initial(requests=[request(0, "new")])],
        "u:new",
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_sent(name: str, tmp_path: Path) -> None:
    made, expected = SENT[name]
    assert sent(tmp_path, made) == expected


def test_a_call_without_a_result_is_told_and_is_no_error(tmp_path: Path) -> None:
    answer = product.check(chat(tmp_path, lines(requests(("one", rounds(a_round(0, "A", C1)))))))
    assert (answer.session["verdict"], answer.session["calls"], answer.session["findings"]) == ("healthy", 1, [])


# A damage of the lines of TALK: what is found, and how the prompts of the repaired chat read.
Lines = list[bytes]
DAMAGED: dict[str, tuple[Callable[[Lines], Any], set[str], list[str]]] = {
    "the first line is lost": (lambda made: made.pop(0), {"G1"}, ["one", "two"]),
    "the first lines are lost": (lambda made: made.__delitem__(slice(3)), {"G1"}, ["", "two"]),
    "a request is lost": (lambda made: made.pop(2), {"G1"}, ["", "two"]),
    "the last request is lost": (lambda made: made.pop(7), {"G1"}, ["one", ""]),
    "the end is torn": (lambda made: made.append(made.pop()[:20]), {"F1"}, ["one", "two"]),
    "two lines are one": (lambda made: fuse(made, 1), {"F2"}, ["one", "two"]),
    "the first two lines are one": (lambda made: fuse(made, 0), {"F2"}, ["one", "two"]),
    "a torn line goes on with the next": (lambda made: fuse(made, 3, 40), {"F2"}, ["one", "two"]),
    "a byte order mark": (lambda made: made.insert(0, b"\xef\xbb\xbf" + made.pop(0)), {"F8"}, ["one", "two"]),
    "zeros at the end": (lambda made: made.append(b"\0" * 40), {"F3"}, ["one", "two"]),
    "an operation of no kind": (lambda made: made.insert(2, b'{"kind":7,"k":["a"],"v":[]}\n'), {"F6"}, ["one", "two"]),
    "a part of the state is lost": (
        lambda made: made.insert(1, b'{"kind":1,"k":["repoData","diffs",0,"uri"],"v":"a"}\n'),
        {"G1"},
        ["one", "two"],
    ),
}


def fuse(made: Lines, number: int, length: int = -1) -> None:
    """Put the line after a line, or after the beginning of it, on the same line."""
    made[number : number + 2] = [made[number][:length] + made[number + 1]]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_chat(name: str, tmp_path: Path) -> None:
    change, rules, prompts = DAMAGED[name]
    made = lines(list(operations(parse(TALK)))).splitlines(keepends=True)
    change(made)
    path, out = chat(tmp_path, b"".join(made)), tmp_path / "out" / NAME
    with pytest.raises((ValueError, KeyError, IndexError, TypeError)):
        fold(path.read_bytes())
    answer = product.check(path)
    assert {code.partition(":")[0] for code in answer.errors} == rules
    assert answer.session["on_resume"]["outcome"] == "refuses"
    out.parent.mkdir()
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert product.repair(out, tmp_path / "again.jsonl").edits == []
    repaired = fold(out.read_bytes())
    assert (repaired["sessionId"], [_prompt(each) for each in repaired["requests"]]) == (SESSION, prompts)


def _prompt(made: dict[str, Any]) -> str:
    message = made["message"]
    return str(message if isinstance(message, str) else message["text"])


def test_a_request_keeps_its_answer_where_its_prompt_is_lost(tmp_path: Path) -> None:
    made = list(operations(parse(TALK)))
    path, out = chat(tmp_path, lines(made[3:])), tmp_path / "out.jsonl"
    product.repair(path, out)
    history: History = parse(TALK)
    assert told(fold(out.read_bytes()))[1:] == history[1:]
    assert history[0] != Turn("user", ())


def test_a_line_cut_off_before_a_round_of_calls_is_set_aside(tmp_path: Path) -> None:
    whole = lines(list(operations(parse(TALK)))).splitlines(keepends=True)
    torn = next(number for number, line in enumerate(whole) if b'"toolCallRounds":[{' in line)
    whole[torn] = b"{" + whole[torn].partition(b'"toolCallRounds":[{')[2]
    path = chat(tmp_path, b"".join(whole))
    out = tmp_path / "out" / NAME
    out.parent.mkdir()
    repaired = product.repair(path, out)
    assert (repaired.code, repaired.report["reason"]) == (0, None)
    assert product.check(out).session["verdict"] == "healthy"


def test_a_request_that_is_whole_in_a_damaged_line_is_no_operation(tmp_path: Path) -> None:
    """A document of an older version consists of requests, a log of operations does not."""
    whole = lines(list(operations(parse(TALK)))).splitlines(keepends=True)
    torn = next(number for number, line in enumerate(whole) if b'"k":["requests"],"v":[{' in line)
    whole[torn] = b"{" + whole[torn].partition(b'"v":[{')[2]
    path, out = chat(tmp_path, b"".join(whole)), tmp_path / "out.jsonl"
    repaired = product.repair(path, out)
    assert (repaired.code, repaired.report["reason"]) == (0, None)
    assert product.check(out).session["verdict"] == "healthy"
    assert "one" in Path(f"{out}.quarantine").read_text("utf-8")


def test_what_is_wrong_in_the_messages_of_a_damaged_line_is_repaired_with_it(tmp_path: Path) -> None:
    """Mistral takes ids of nine letters and digits alone: here several in one line, of which each gets longer."""
    answer = rounds(a_round(0, "A", C1, C2), results={"c1": "first", "c2": "second"})
    made = [request(number, "go") | {"result": {"metadata": answer}} for number in range(2)]
    whole = lines([initial(requests=made), {"kind": 1, "k": ["customTitle"], "v": "A title"}])
    path, out = chat(tmp_path, whole.replace(b"\n", b"", 1)), tmp_path / "out.jsonl"
    assert product.repair(path, out, profile="mistral").losses == []
    said = [fold(out.read_bytes())["requests"][number]["result"]["metadata"] for number in range(2)]
    ids = [call["id"] for metadata in said for call in metadata["toolCallRounds"][0]["toolCalls"]]
    assert [each for metadata in said for each in metadata["toolCallResults"]] == ids
    assert (len({*ids}), {*map(len, ids)}) == (4, {9})
    assert product.repair(out, tmp_path / "again.jsonl", profile="mistral").edits == []


def test_what_fits_no_chat_is_not_repaired(tmp_path: Path) -> None:
    made = [initial(), {"kind": 1, "k": ["version", "part"], "v": 1}, {"kind": 2, "k": ["requests"], "i": 10**9}]
    answer = product.repair(chat(tmp_path, lines(made)), tmp_path / "out.jsonl")
    assert (answer.code, (tmp_path / "out.jsonl").exists()) == (1, False)


def test_a_document_of_an_older_version(tmp_path: Path) -> None:
    asked = [request(number, text) | {"response": [{"value": "shown"}]} for number, text in enumerate(("one", "two"))]
    data = json.dumps(document(requests=asked), indent=2).encode()
    path = chat(tmp_path, data, f"{SESSION}.json")
    assert product.sent(path).chat_in_short({}) == "u:one | a:shown | u:two | a:shown"
    torn, out = chat(tmp_path, data[:-400], "torn.json"), tmp_path / "out.json"
    assert product.check(torn).errors == {"F1"}
    assert product.repair(torn, out).code == 0
    assert [_prompt(each) for each in json.loads(out.read_text())["requests"]][:1] == ["one"]


# by the code of VS Code


def opened(*paths: Path) -> list[dict[str, Any]]:
    """What VS Code opens. The folder is made by `npm i` of the packages that the script names."""
    script = Path(__file__).with_name("vscode_chat_load.mjs")
    done = subprocess.run(["node", script, PROGRAM, *paths], capture_output=True, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(
    not (PROGRAM / "node_modules" / "@codingame").is_dir() or not shutil.which("node"),
    reason="TRANSCRIPT_VSCODE names no folder with the code of VS Code",
)
@pytest.mark.parametrize("name", ["", *DAMAGED])
def test_the_code_of_vs_code_agrees(name: str, tmp_path: Path) -> None:
    made = lines(list(operations(parse(TALK)))).splitlines(keepends=True)
    if name:
        DAMAGED[name][0](made)
    path, out = chat(tmp_path, b"".join(made)), tmp_path / "out.jsonl"
    product.repair(path, out)
    before, after = opened(path, out)
    assert before["opens"] == (not name)
    assert (after["opens"], after["errors"]) == (True, [])
    assert [each["text"] for each in after["requests"]] == (DAMAGED[name][2] if name else ["one", "two"])
    if not name:
        assert told(fold(out.read_bytes())) == FORMAT.load(path) == parse(TALK)
