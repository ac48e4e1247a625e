"""A log is broken as if the agent had never written what is gone: what is left is linked and counted anew."""

import json
from pathlib import Path

import pytest

from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.drivers.breaking import BYTES, CHARACTERS, COPY_ID, DAMAGES, EDITS, Layout

LINKED = Layout(
    call=lambda record: record["kind"] == "call",
    result=lambda record: record["kind"] == "result",
    message=lambda record: record["kind"] != "note",
    together=lambda record: record.get("message"),
    id="id",
    parent="parent",
    ordinal="n",
)
SESSION = (
    {"id": "1", "parent": None, "kind": "prompt"},
    {"id": "2", "parent": "1", "kind": "text", "message": "m"},
    {"id": "3", "parent": "2", "kind": "call", "message": "m"},
    {"id": "4", "parent": "3", "kind": "result"},
    {"id": "5", "parent": "4", "kind": "text"},
    {"id": "6", "parent": "5", "kind": "note"},
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record | {"n": 9}) + "\n" for record in SESSION))
    return path


@pytest.mark.parametrize(
    ("how", "left"),
    [
        ("result lost", "1 2<1 3<2 5<3 6<5"),
        ("last result lost", "1 2<1 3<2 5<3 6<5"),
        ("result late", "1 2<1 3<2 5<3 4<5 6<4"),
        ("result early", "1 4<1 2<4 3<2 5<3 6<5"),
        ("result twice", f"1 2<1 3<2 4<3 {COPY_ID}<4 5<{COPY_ID} 6<5"),
        ("call lost", "1 2<1 4<2 5<4 6<5"),
    ],
)
def test_edits_link_anew(log: Path, how: str, left: str) -> None:
    assert LINKED.breaks(log, how)
    records = LINKED.read(log)
    assert " ".join(f"{r['id']}<{r['parent']}" if r["parent"] else r["id"] for r in records) == left
    assert [record["n"] for record in records] == [*range(len(records))]


@pytest.mark.parametrize(("how", "whole", "last_is_whole"), [("torn last line", 4, False), ("damaged middle", 5, True)])
def test_damages_tear_a_line(log: Path, how: str, whole: int, last_is_whole: bool) -> None:
    before = log.read_bytes()
    assert LINKED.breaks(log, how)
    assert len(LINKED.read(log)) == whole
    assert log.read_bytes().endswith(b"\n") == last_is_whole
    assert len(log.read_bytes()) < len(before)


@pytest.mark.parametrize(
    ("how", "lines"), [("fused lines", 5), ("zero bytes behind a record", 6), ("text behind a record", 6)]
)
def test_a_line_holds_more_than_a_record(log: Path, how: str, lines: int) -> None:
    assert LINKED.breaks(log, how)
    assert len(log.read_bytes().splitlines()) == lines
    assert len(LINKED.read(log)) == lines - 1


@pytest.mark.parametrize(("how", "spoilt"), CHARACTERS.items())
def test_characters_are_broken_in_every_copy_of_the_text(log: Path, how: str, spoilt: bytes) -> None:
    log.write_bytes(log.read_bytes() + b'{"a":"Now alpha."}\n{"b":"Now alpha."}\n')
    assert LINKED.breaks(log, how)
    assert (log.read_bytes().count(spoilt), b"Now alpha." in log.read_bytes()) == (2, False)


def test_every_way_is_tested_and_every_agent_has_some() -> None:
    assert EDITS.keys() | DAMAGES.keys() | BYTES.keys() | CHARACTERS.keys() == {
        *("result lost", "last result lost", "result late", "result early", "result twice", "call lost"),
        *("torn last line", "damaged middle", "broken characters", "half a character"),
        *("fused lines", "zero bytes behind a record", "text behind a record"),
    }
    assert all(agent.breaking and agent.saves for agent in AGENTS.values())
