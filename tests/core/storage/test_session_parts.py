"""A session that the Claude Agent SDK mirrors in parts is one log; a record that was delivered twice counts once."""

import json
import os
from pathlib import Path

import pytest

import inspector
from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.storage.session_parts import is_part_name, open_parts
from tests.support import product
from tests.support.archives import tar_of, zip_of
from tests.support.notation import claude_code_records, parse

SESSION = "0b6e2c1e-8f0e-4a3c-9d5b-7f2a1c3d4e5f"
STORE = f"mirror/-home-u-app/{SESSION}"


def records(text: str) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in claude_code_records(parse(text))]


def parts(lines: list[bytes], size: int = 2, folder: str = STORE, again: int = 1) -> dict[str, bytes]:
    """Parts of some lines each; each part repeats the last lines of the part before it."""
    return {
        f"{folder}/part-{1764000000000 + at}-{'zx90ab'[at % 3 :]}{'c' * (at % 3)}.jsonl": b"".join(
            lines[max(0, at - again) : at + size]
        )
        for at in range(0, len(lines), size)
    }


def written(folder: Path, members: dict[str, bytes]) -> Path:
    for name, data in members.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder / STORE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("part-1764000000000-a1B2c3.jsonl", True),
        ("part-176400000000-a1b2c3.jsonl", False),
        ("part-1764000000000-a1b2.jsonl", False),
        ("part-1764000000000-a1b2c3.json", False),
    ],
)
def test_a_part_is_told_by_its_name(name: str, expected: bool) -> None:
    assert is_part_name(name) == expected


def test_parts_are_joined_in_their_order_and_repeated_records_are_left_out(tmp_path: Path) -> None:
    lines = records('u | a{A} | r(A=x) | a"ok" | u')
    folder = written(tmp_path, parts(lines))
    with open_parts(str(folder)) as source:
        assert source.read(0, source.size) == b"".join(lines)
        assert source.member_containing(0, 1) == sorted(path.name for path in folder.iterdir())[0]
        assert (
            source.member_containing(source.size - 1, source.size) == sorted(path.name for path in folder.iterdir())[-1]
        )
        assert source.read_from == "a Claude Agent SDK store with 3 parts"


def test_a_record_that_was_written_anew_with_its_members_in_another_order_counts_once(tmp_path: Path) -> None:
    first, second = records('u"one" | a"two"')
    anew = json.dumps(dict(reversed(json.loads(first).items()))).encode() + b"\n"
    names = [f"{STORE}/part-176400000000{number}-aaaaaa.jsonl" for number in range(2)]
    with open_parts(str(written(tmp_path, dict(zip(names, (first, anew + second), strict=True))))) as source:
        assert source.read(0, source.size) == first + second


def test_another_record_with_the_same_id_and_a_damaged_line_are_kept(tmp_path: Path) -> None:
    first, second = records('u"one" | a"two"')
    other = first.replace(b"one", b"six")
    folder = written(
        tmp_path,
        {
            f"{STORE}/part-1764000000000-aaaaaa.jsonl": first + first,
            f"{STORE}/part-1764000000001-aaaaaa.jsonl": other + second[:50],
        },
    )
    with open_parts(str(folder)) as source:
        assert source.read(0, source.size) == first + first + other + second[:50] + b"\n"


def test_a_sound_session_is_healthy_and_its_parts_are_no_logs_of_their_own(tmp_path: Path) -> None:
    lines = records('u | a{A,B} | r(A=x,B=y) | a"ok" | u | a"done"')
    written(tmp_path, parts(lines))
    (session,) = product.check(tmp_path).report["sessions"]
    assert (session["path"], session["verdict"], session["calls"]) == (str(tmp_path / STORE), "healthy", 2)
    (entry,) = EngineWithoutOpenLog().list_logs([str(tmp_path)])
    assert (entry.path, entry.format, entry.project) == (str(tmp_path / STORE), "claude-code", "/w")
    assert [row.source for row in inspector.judge(tmp_path).files] == [str(tmp_path / STORE)]


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_the_parts_in_an_archive_are_one_log(pack: object, tmp_path: Path) -> None:
    assert callable(pack)
    path = tmp_path / "ticket"
    path.write_bytes(pack(parts(records('u | a"t"{A} | u"next"')) | {f"{STORE}/notes.txt": b"hello"}))
    answer = product.check(path)
    assert (answer.session["path"], answer.errors) == (f"{path}/{STORE}", {"D2:A"})
    assert answer.report["not_logs"] == [{"path": str(path), "files": 1, "names": [f"{STORE}/notes.txt"]}]
    (verdict,) = EngineWithoutOpenLog().check_logs([(f"{path}/{STORE}", "claude-code")])
    assert verdict.verdict == "broken"
    out = tmp_path / "out.jsonl"
    assert product.repair(path / STORE, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"


def test_a_finding_names_its_part_and_a_repair_is_a_plain_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = records('u | a"t"{A} | u"next" | a"ok"')
    folder = written(tmp_path, parts(lines))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (finding,) = [each for each in product.check(folder).findings if each["rule"] == "D2"]
    part = min(name for name, data in before.items() if b'"type": "tool_use"' in data)
    assert (finding["line"], finding["member"]) == (None, part)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert product.run("repair", str(folder), "--in-place").exit_code == 1
    assert product.repair(folder, None).code == 0
    assert product.check(tmp_path / "here" / f"{SESSION}.repaired.jsonl").session["verdict"] == "healthy"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_part_that_was_added_meanwhile_stops_a_save(tmp_path: Path) -> None:
    folder = written(tmp_path, parts(records('u | a"t"{A} | u"next"')))
    door = product.Door(folder)
    (folder / "part-1764000009999-aaaaaa.jsonl").write_bytes(b"{}\n")
    with pytest.raises(product.Refused, match="has changed since it was read"):
        door.save("copy", tmp_path / "out.jsonl")
    door.close()


def test_links_and_pipes_are_no_parts(tmp_path: Path) -> None:
    lines = records('u | a{A} | r(A=x) | a"ok"')
    folder = written(tmp_path, parts(lines))
    (tmp_path / "secret").write_bytes(b"{}\n")
    (folder / "part-1764000008888-aaaaaa.jsonl").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "part-1764000009999-aaaaaa.jsonl")
    with open_parts(str(folder)) as source:
        assert source.read(0, source.size) == b"".join(lines)


def test_a_subpath_is_a_subagent(tmp_path: Path) -> None:
    main = records('u | a{A@Task prompt="look around"} | u"next"')
    side = records('u"look around" | a{S} | r(S=x) | a"found"')
    agent = f"{STORE}/subagents/agent-a1b2c3"
    folder = written(tmp_path, parts(main) | parts(side, folder=agent))
    sessions = product.check(tmp_path).report["sessions"]
    assert [session["path"] for session in sessions] == [str(tmp_path / STORE), str(tmp_path / agent)]
    (subagent,) = product.check(folder).session["subagents"]
    assert subagent["path"] == str(tmp_path / agent)
    engine = WindowEngine()
    (attached,) = engine.open(str(folder)).overview.attached
    assert Path(attached.bytes_path).read_bytes() == b"".join(side)
    engine.close()
    assert not Path(attached.bytes_path).exists()
