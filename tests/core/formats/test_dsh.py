"""DeepSeek Harness: what its own reader was seen to load and refuse, what it sends, and what a repair writes.

A history is written in a line: `t` and `/t` begin and end a turn, `/s` ends a step, `u` is a prompt, `a` an answer with
its calls, `!` the start of a call, `r` a result, `seed` the end of a seed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats.dsh.reader import record_view
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from tests.core.formats.dsh import FORMAT, HEADER, NAME, SESSION, answer, load, numbered, prompt, result, scan, surface
from tests.core.formats.test_broken_samples import BROKEN as BROKEN_HISTORIES
from tests.support import product
from tests.support.notation import Call, parse

zstd = import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
PROGRAM = Path(os.environ.get("TRANSCRIPT_DSH", "/nonexistent"))
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
SHORT = {PLACEHOLDER_WORDINGS["dsh"].text: "(not started)", PLACEHOLDER_WORDINGS["dsh-started"].text: "(unknown)"}
PLAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "t": ("turn/start", {"turn": 1}),
    "/t": ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}),
    "/s": ("step/end", {"turn": 1, "step": 1}),
    "seed": ("session/end-seed", {}),
    "chunks": ("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["a", "b", "c"]}),
}


def rows(history: str) -> list[dict[str, Any]]:
    """The rows of `t | u:hello | a:text,c1,c2 | !c1 | r:c1=real | /s | /t`."""
    made = list[tuple[str, dict[str, Any]]]()
    for number, word in enumerate(map(str.strip, history.split("|"))):
        kind, _, rest = word.partition(":")
        call, _, text = rest.partition("=")
        if word in PLAIN:
            made.append(PLAIN[word])
        elif kind == "u":
            made.append(prompt(number, rest))
        elif kind == "a":
            said, *calls = rest.split(",")
            blocks = [{"type": "tool-call", "id": each, "name": "bash", "arguments": "{}"} for each in calls]
            made.append(answer(number, [{"type": "text", "text": said}, *blocks]))
        elif kind == "r":
            made.append(result(number, call, text))
        else:
            made.append(("tool/call", {"turn": 1, "step": 1, "callId": word[1:], "name": "bash", "arguments": "{}"}))
    return [HEADER, *numbered(made)]


def text_of(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records)


def file(folder: Path, records: list[dict[str, Any]], name: str = NAME) -> Path:
    return file_of(folder, text_of(records), name)


def file_of(folder: Path, data: bytes, name: str = NAME) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def sent(path: Path) -> str:
    return product.sent(path).chat_in_short(SHORT)


def repaired(path: Path, *options: str) -> Path:
    out = path.with_name(f"out{path.name.removeprefix('session')}")
    done = product.repair(path, out, *options)
    assert done.code == 0, done.report.get("reason")
    return out


SENT = {
    "t | u:one | a:A,c1 | !c1 | r:c1=real | /s | /t": "u:one | a:A,c1 | r:c1=real",
    # an open turn is closed: its calls are answered by whether they had started
    "t | u:one | a:A,c1,c2 | !c1": "u:one | a:A,c1,c2 | r:c1=(unknown) | r:c2=(not started)",
    "t | u:one | a:A,c1,c2 | !c1 | !c2 | r:c2=real": "u:one | a:A,c1,c2 | r:c2=real | r:c1=(unknown)",
    "t | u:one | a:A,c1 | !c1 | r:c1= | /s | /t": "u:one | a:A,c1 | r:c1=(no output)",
    "t | u:one | a:A | chunks": "u:one | a:A",
}


@pytest.mark.parametrize("history", SENT)
def test_what_is_sent(history: str, tmp_path: Path) -> None:
    assert sent(file(tmp_path, rows(history))) == SENT[history]


def test_a_turn_that_is_open_is_closed_in_the_log(tmp_path: Path) -> None:
    session = product.check(file(tmp_path, rows("t | u:one | a:A,c1 | !c1"))).session
    assert session["verdict"] == "heals-itself"
    assert "closes the interrupted turn" in str(session["on_resume"])


# A damage of the rows of HISTORY by number: what is found, what a resume does, and how many rows are left.
HISTORY = "t | u:one | a:A | /s | /t | seed | t | u:two | a:B | /s | /t"
DAMAGED: dict[str, tuple[Callable[[Any], object], set[str], str, int]] = {
    "a row is lost": (lambda made: made.pop(4), {"G8"}, "refuses", 11),
    "two writers ended the seed": (lambda made: made.insert(7, made[6] | {"time": 1}), {"G8"}, "refuses", 12),
    "a row was written twice": (lambda made: made.insert(8, made[7]), {"G8"}, "refuses", 12),
    "a row is lost in the last turn": (lambda made: [made.pop(), made.pop(8)], {"G8"}, "mends", 10),
    "a message has no id": (lambda made: made[2]["data"].pop("id"), {"M12"}, "refuses", 12),
    "a message has no place": (lambda made: made[2].pop("surfaceOp"), {"M12"}, "refuses", 12),
    "the header is lost": (lambda made: made.pop(0), {"G1"}, "refuses", 12),
    "the header is not first": (lambda made: made.insert(3, made.pop(0)), {"G1", "G8"}, "refuses", 12),
    "one more header": (lambda made: made.insert(3, made[0]), {"G8"}, "refuses", 12),
    "a row has no type": (lambda made: made[11].pop("type"), {"F6"}, "mends", 11),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_rows(name: str, tmp_path: Path) -> None:
    damage, found, outcome, left = DAMAGED[name]
    records = json.loads(json.dumps(rows(HISTORY)))
    damage(records)
    path = file(tmp_path, records)
    session = product.check(path).session
    assert product.check(path).errors == found
    assert session["on_resume"]["outcome"] == outcome
    out = repaired(path)
    assert product.check(out).session["verdict"] == "healthy"
    assert len(out.read_bytes().splitlines()) == left
    assert surface(scan(out.read_bytes()))


def test_a_made_header_has_the_id_of_its_folder(tmp_path: Path) -> None:
    """The Harness refuses a log whose header has another id than its folder: "stored session identity mismatch"."""
    path = file(tmp_path, rows(HISTORY)[1:])
    assert json.loads(repaired(path).read_bytes().splitlines()[0])["id"] == SESSION


CHUNKS = {
    "no list": {"dt": 1},
    "a text for each pause": {"dt": [1, 1, 1]},
    "no texts": {"dt": [], "texts": []},
    "one more member": {"more": 1},
    "a text that is none": {"texts": ["a", None, "c"]},
}


@pytest.mark.parametrize("name", CHUNKS)
def test_a_row_of_chunks_that_cannot_be_read_ends_the_log(name: str, tmp_path: Path) -> None:
    records = json.loads(json.dumps(rows("t | u:one | a:A | chunks | /s")))
    records[4]["data"] |= CHUNKS[name]
    path = file(tmp_path, records)
    session = product.check(path).session
    assert (product.check(path).errors, session["on_resume"]["outcome"]) == ({"F6"}, "mends")
    out = repaired(path)
    assert product.check(out).session["verdict"] == "healthy"
    assert [row["seq"] for row in map(json.loads, out.read_bytes().splitlines()[1:])] == [0, 1, 2, 3]


def test_a_row_written_twice_is_dropped_and_nothing_else_changes(tmp_path: Path) -> None:
    sound = rows(HISTORY)
    twins = [*sound[:7], sound[6] | {"time": 1}, *sound[7:]]
    assert repaired(file(tmp_path, twins)).read_bytes() == text_of(sound)


def test_a_torn_row_at_the_end_is_removed_on_resume(tmp_path: Path) -> None:
    path = file_of(tmp_path, text_of(rows("t | u:one | a:A"))[:-20])
    session = product.check(path).session
    assert product.check(path).errors == {"F1"}
    assert (session["verdict"], session["on_resume"]["outcome"]) == ("broken", "mends")


def test_a_last_row_without_a_line_end_is_removed_on_resume(tmp_path: Path) -> None:
    whole = text_of(rows("t | u:one | a:A,c1 | !c1 | r:c1=real"))
    path = file_of(tmp_path, whole[:-1])
    session = product.check(path).session
    assert (product.check(path).errors, session["on_resume"]["outcome"]) == ({"G1", "D1:c1"}, "mends")
    assert sent(path) == "u:one | a:A,c1 | r:c1=(unknown)"
    assert repaired(path).read_bytes() == whole


def test_a_last_row_without_a_line_end_after_another_repair(tmp_path: Path) -> None:
    whole = text_of(rows("t | u:one | a:A | /s | /t | t | u:two"))
    path = file_of(tmp_path, whole[:-1].replace(b'"data": {', b'"data":\n{', 2))
    assert product.check(path).errors >= {"F4", "G1"}
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_a_row_that_takes_the_place_of_a_last_one_without_a_line_end_has_one(tmp_path: Path) -> None:
    whole = text_of(rows("t | u:one | a:A | /s | /t | t | u:two | a:B,c1 | !c1"))
    # The last row repeats one, so it is dropped, and the result of the call before it is put there.
    out = repaired(file_of(tmp_path, whole.replace(b'"B"', b'"B""') + whole[:-1]))
    assert out.read_bytes().endswith(b"}\n")
    assert product.check(out).session["verdict"] == "healthy"


def test_a_row_that_is_no_json_before_the_end_of_a_turn_stops_the_load(tmp_path: Path) -> None:
    data = text_of(rows("t | u:one | a:A | /s | /t")).splitlines(keepends=True)
    path = file_of(tmp_path, b"".join([*data[:2], data[2][:30] + b"\n", *data[3:]]))
    assert "unparsable committed event" in str(product.check(path).session["on_resume"])
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_a_number_that_is_true_or_false_is_none(tmp_path: Path) -> None:
    records = rows("t | u:one | a:A | /s | /t")
    records[1]["seq"] = False  # equals 0 in Python, but is no number of a row
    path = file(tmp_path, records)
    assert product.check(path).errors == {"G8"}
    assert json.loads(repaired(path).read_bytes().splitlines()[1])["seq"] == 0
    assert product.check(repaired(path)).session["verdict"] == "healthy"


def test_numbers_and_references_follow_an_added_row(tmp_path: Path) -> None:
    records = rows("t | u:one | a:A,c1 | !c1 | /s | /t | chunks | t | u:two | a:B | u:new | /s | /t")
    records[0] = HEADER | {"seedLength": 6}
    records[11] |= {"surfaceOp": {"op": "replace", "start": 10, "end": 11}, "sourceEventSeqs": [3, 10, 11]}
    path = file(tmp_path, records)
    assert sent(path) == "u:one | a:A,c1 | u:new"
    out = [json.loads(line) for line in repaired(path).read_bytes().splitlines()]
    assert out[0]["seedLength"] == 7
    assert [row.get("seq", row.get("seq0")) for row in out[1:]] == [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]
    assert out[5]["type"] == "tool/result"
    assert (out[12]["surfaceOp"], out[12]["sourceEventSeqs"]) == (
        {"op": "replace", "start": 11, "end": 12},
        [3, 11, 12],
    )
    assert sent(path.with_name("out.jsonl")).startswith("u:one | a:A,c1 | r:c1=[No result was recorded")


def test_a_call_without_an_id_gets_one(tmp_path: Path) -> None:
    path = file(tmp_path, rows("t | u:one | a:A, | r:=real | /s | /t | t | u:two | a:B | /s | /t"))
    history = load(repaired(path))
    assert all(call.id for turn in history for call in turn.of(Call))


def test_the_log_shows_that_a_call_started(tmp_path: Path) -> None:
    assert (
        "written when the tool starts"
        not in product.run("check", str(file(tmp_path, rows("t | u:one | a:A,c1"))), "-v").output
    )
    path = file(tmp_path, rows("t | u:one | a:A,c1 | !c1"))
    assert "written when the tool starts" in product.run("repair", str(path), "--dry-run").output


def test_a_later_version_is_shown_and_not_written(tmp_path: Path) -> None:
    records = rows("t | u:one | a:A,c1 | /s | /t | t | u:two | a:B | /s | /t")
    path = file(tmp_path, [HEADER | {"version": 3}, *records[2:]])
    answer = product.check(path)
    assert answer.errors == {"D2:c1"}
    assert "version 3" in product.run("check", str(path)).output
    assert product.repair(path, path.with_name("out.jsonl")).code == 1


def test_the_newest_generation_counts(tmp_path: Path) -> None:
    path = file(tmp_path, rows("t | u:one | a:A | /s | /t"))
    file(tmp_path, [HEADER | {"version": 3}], f"{SESSION}/session.v3.jsonl")
    assert "the program opens session.v3.jsonl" in product.run("check", str(path)).output


# compressed logs


def frames(records: list[dict[str, Any]], batch: int = 3) -> list[bytes]:
    """The header in a frame of its own, and then some rows in each."""
    batches = [records[:1], *(records[at : at + batch] for at in range(1, len(records), batch))]
    return [zstd.compress(text_of(each)) for each in batches]


def contents(path: Path) -> list[bytes]:
    """What is in each frame."""
    found, data = [], path.read_bytes()
    while data:
        frame = zstd.ZstdDecompressor()
        found.append(frame.decompress(data))
        data = frame.unused_data
    return found


BROKEN = "t | u:one | a:A,c1 | /s | /t | t | u:two | a:B | /s | /t"


@pytest.mark.parametrize("mode", ["--in-place", "--new-session"])
def test_a_compressed_log_stays_compressed(mode: str, tmp_path: Path) -> None:
    before = b"".join(frames(rows(BROKEN)))
    path = file_of(tmp_path, before, f"sessions/--w--/{NAME}.zstd")
    report = product.repair(path, None, mode).report
    out = Path(report["output"])
    header, *batches = contents(out)
    assert out.name == "session.jsonl.zstd"
    assert header.count(b"\n") == 1
    assert json.loads(header)["id"] == out.parent.name
    assert surface(scan(header + b"".join(batches)))
    assert product.check(out).session["verdict"] == "healthy"
    backup = path.with_name("session.jsonl.zstd.backup")
    assert (backup if mode == "--in-place" else path).read_bytes() == before


def test_a_new_session_is_compressed_as_the_logs_around_it(tmp_path: Path) -> None:
    path = file(tmp_path, rows(BROKEN), f"sessions/--w--/{NAME}")
    done = product.repair(path, None, "--new-session")
    assert Path(done.report["output"]).name == "session.jsonl"
    file_of(tmp_path, b"", "sessions/--v--/other/session.jsonl.zstd")
    done = product.repair(path, None, "--new-session")
    assert Path(done.report["output"]).name == "session.jsonl.zstd"


def test_a_log_that_was_compressed_as_a_whole_gets_its_frames(tmp_path: Path) -> None:
    text = text_of(rows("t | u:one | a:A | /s | /t"))
    path = file_of(tmp_path, zstd.compress(text), f"{NAME}.zstd")
    session = product.check(path).session
    assert product.check(path).errors == {"G1"}
    assert "first frame is not exactly one header line" in str(session["on_resume"])
    out = repaired(path)
    assert b"".join(contents(out)) == text
    assert contents(out)[0].count(b"\n") == 1
    assert product.check(out).session["verdict"] == "healthy"


def test_a_torn_last_frame_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    torn = b"".join(frames(rows("t | u:one | a:A | /s | /t")))[:-8]
    path = file_of(tmp_path, torn, f"{NAME}.zstd")
    assert "last batch of the compressed log is incomplete" in product.run("check", str(path)).output
    assert sent(path) == "u:one | a:A"


# --- the program's own reader


@pytest.mark.skipif(
    not (PROGRAM / "@deepseek-ai").is_dir(), reason="TRANSCRIPT_DSH names no node_modules of the reader"
)
@pytest.mark.parametrize("code", ["", *BROKEN_HISTORIES])
def test_the_reader_restores_what_a_repair_writes(code: str, tmp_path: Path) -> None:
    history = BROKEN_HISTORIES.get(code, BROKEN_HISTORIES["F1"])
    data = FORMAT.write(parse(history), tmp_path).read_bytes()
    path = tmp_path / "whole.jsonl.zstd"
    path.write_bytes(zstd.compress(data[:-30] if code == "F1" else data))
    out = repaired(path)
    node = PROGRAM / "node" / "bin" / "node"
    command = [str(node), str(Path(__file__).with_name("dsh_load.mjs")), str(PROGRAM), str(out)]
    restored = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    events = scan(b"".join(contents(out)))
    assert [each["seq"] for each in restored["events"]] == [each["seq"] for each in events]
    messages = [each["data"] if "content" in each["data"] else each["data"]["message"] for each in surface(events)]
    assert restored["messages"] == messages
    assert "tool/result" not in restored["closers"]


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "tool-result", "toolCallId": "Z", "content": [{"type": "text", "text": "seen"}, IMAGE]}],
        [IMAGE, {"type": "text", "text": "seen"}],
    ],
    ids=["its own blocks", "the blocks of another program"],
)
def test_an_image_that_a_note_cannot_hold_is_lost_and_reported(content: list[Any], tmp_path: Path) -> None:
    history = rows("t | u:go | r:Z=seen | a:done | /s | /t")
    history[3]["data"]["message"]["content"] = content
    path, out = tmp_path / NAME, tmp_path / "out.jsonl"
    path.parent.mkdir()
    path.write_bytes(text_of(history))
    answer = product.repair(path, out)
    assert [(loss["kind"], loss["text"]) for loss in answer.losses] == [("media", "image/png, 9 bytes")]
    assert "seen" in json.loads(out.read_bytes().splitlines()[3])["data"]["content"][0]["text"]


def test_an_empty_result_without_an_id_is_a_result() -> None:
    history = rows("t | u:go | a:look,A | !A | r:A=x | a:done | /s | /t")
    history[5]["data"]["message"]["content"] = [{"type": "tool-result", "content": [], "isError": True}]
    (block,) = record_view(json.dumps(history[5]).encode()).blocks
    assert (block.text, block.is_error) == ("", True)
