"""An archive is read member by member; what is dangerous in it is named and not read, and nothing is unpacked."""

import gzip
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine.log_list import judge_logs
from inspector.core.errors import UnreadableLog
from inspector.core.presentation.opened_log_facts import preview_log_start
from inspector.core.storage import archive as reading
from inspector.core.storage import archive_paths as kinds
from tests.support import product
from tests.support.archives import (
    CENTRAL,
    LOCAL,
    PACKERS,
    Pack,
    gzipped,
    locked,
    patched,
    tarred,
    with_linked_member,
    with_odd_members,
    zipped,
)

if sys.version_info < (3, 14):
    from backports.zstd import zipfile as zstd
else:
    import zipfile as zstd

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture
def logs(samples: Path) -> dict[str, bytes]:
    """Two logs, one of them twice, and a file that is none."""
    broken = (samples / "claude-code-broken.jsonl").read_bytes()
    return {
        "a/broken.jsonl": broken,
        "sound.jsonl": (samples / "codex-healthy.jsonl").read_bytes(),
        "b/copy.jsonl": broken,
        "notes.txt": b"see the log",
    }


def verdicts(path: Path) -> dict[str, str]:
    """The verdicts by the name of the member."""
    sessions = product.check(path).report["sessions"]
    return {each["path"].removeprefix(f"{path}").removeprefix("/"): each["verdict"] for each in sessions}


@pytest.mark.parametrize("pack", PACKERS)
def test_each_log_gets_its_verdict(pack: Pack, logs: dict[str, bytes], tmp_path: Path) -> None:
    path = pack(tmp_path, logs)
    before = path.read_bytes()
    assert verdicts(path) == {"a/broken.jsonl": "broken", "sound.jsonl": "healthy"}
    report = product.check(path).report
    assert report["not_logs"] == [{"path": str(path), "files": 1, "names": ["notes.txt"]}]
    assert report["same_bytes"] == [{"path": str(path), "name": "b/copy.jsonl", "as": "a/broken.jsonl"}]
    assert (sorted(tmp_path.iterdir()), path.read_bytes()) == ([path], before), "nothing is unpacked"


def test_text_tells_what_else_is_in_it(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path, logs | {"../out.jsonl": b"{}"})
    assert product.run("check", str(path)).output.splitlines()[-3:] == [
        f"{path}: 1 other file in unsupported formats: notes.txt",
        f"{path}: ../out.jsonl was not read: the path points outside the archive",
        f"{path}: b/copy.jsonl is identical to a/broken.jsonl",
    ]


NAMES = ("../x", "a/../../x", "/etc/x", "\\x", "C:\\x", "c:x", "a\\..\\x", "..")


@pytest.mark.parametrize("pack", PACKERS)
def test_names_that_lead_out_are_not_read(pack: Pack, logs: dict[str, bytes], tmp_path: Path) -> None:
    report = product.check(pack(tmp_path, dict.fromkeys(NAMES, b"{}") | logs)).report
    assert {each["name"] for each in report["not_read"]} == set(NAMES)
    assert {each["why"] for each in report["not_read"]} == {"the path points outside the archive"}
    assert len(report["sessions"]) == 2


@pytest.mark.parametrize("name", ["a..b", "..a", "a/b:c", "x/.../y", "ein Name/mit é"])
def test_other_names_are_read(name: str, logs: dict[str, bytes], tmp_path: Path) -> None:
    assert verdicts(zipped(tmp_path, {name: logs["sound.jsonl"]})) == {name: "healthy"}


def test_links_and_devices_are_not_read(logs: dict[str, bytes], tmp_path: Path) -> None:
    kinds_of_members = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
    report = product.check(with_odd_members(tmp_path, kinds_of_members, logs["sound.jsonl"])).report
    assert [each["why"] for each in report["not_read"]] == ["the file is a link or a device"] * 5
    assert len(report["sessions"]) == 1
    assert product.check(with_linked_member(tmp_path)).report["not_read"][0]["why"] == "the file is a link or a device"


def test_an_encrypted_member_is_not_read(logs: dict[str, bytes], tmp_path: Path) -> None:
    answer = product.check(locked(zipped(tmp_path, {"log.jsonl": logs["sound.jsonl"]})))
    assert [each["why"] for each in answer.report["not_read"]] == ["it is encrypted"]
    assert answer.code == 3


@pytest.mark.parametrize("pack", PACKERS)
def test_a_large_member_is_not_read(
    pack: Pack, logs: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_MEMBER_SIZE", len(logs["a/broken.jsonl"]) - 1)
    report = product.check(pack(tmp_path, {name: logs[name] for name in ("sound.jsonl", "a/broken.jsonl")})).report
    assert [each["path"].rpartition("/")[2] for each in report["sessions"]] == ["sound.jsonl"]
    assert report["not_read"][0]["why"].startswith("the file is larger than")


def test_what_grows_too_much_is_not_read(logs: dict[str, bytes], tmp_path: Path) -> None:
    zeros = bytes(8_000_000)
    report = product.check(zipped(tmp_path, {"bomb.jsonl": zeros, "sound.jsonl": logs["sound.jsonl"]})).report
    assert report["not_read"] == [
        {
            "path": str(tmp_path / "ticket.zip"),
            "name": "bomb.jsonl",
            "why": "the file would be more than 200 times as large when unpacked",
        }
    ]
    path = gzipped(tmp_path, {"sound.jsonl": logs["sound.jsonl"], "bomb": zeros})
    told = product.run("check", str(path))
    assert f"{path}/sound.jsonl  HEALTHY" in told.output
    assert "was not read completely" in told.output
    assert told.exit_code == 2


def test_a_zip_that_lies_about_a_size_is_not_believed(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = patched(zipped(tmp_path, {"log.jsonl": logs["sound.jsonl"]}), CENTRAL, 24, (100).to_bytes(4, "little"))
    (unread,) = product.check(path).report["not_read"]
    assert unread["name"] == "log.jsonl"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_is_unpacked_without_a_limit_is_not_read(method: int, logs: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "ticket.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bomb.jsonl", bytes(100_000), method)
        archive.writestr("sound.jsonl", logs["sound.jsonl"])
    report = product.check(patched(path, CENTRAL, 24, (100).to_bytes(4, "little"))).report
    assert "compression method is not supported" in report["not_read"][0]["why"]


def zstd_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zstd.ZipFile(path, "w", zstd.ZIP_ZSTANDARD) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_members_that_are_compressed_with_zstandard_are_read(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = zstd_zip(tmp_path / "log.eval", logs)
    assert verdicts(path) == verdicts(zipped(tmp_path, logs))
    assert verdicts(tmp_path)[f"{path}/sound.jsonl".removeprefix(f"{tmp_path}/")] == "healthy"


def test_a_damaged_member_or_a_false_size_is_named_with_zstandard_too(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = zstd_zip(tmp_path / "log.zip", {"a.jsonl": logs["sound.jsonl"]})
    whole = path.read_bytes()
    for at, new, why in (
        (CENTRAL, (24, (100).to_bytes(4, "little")), "checksum is wrong"),
        (CENTRAL, (16, b"\0\0\0\0"), "checksum is wrong"),
        (LOCAL, (30 + len("a.jsonl"), b"\0\0\0\0"), "damaged or compressed in an unsupported way"),
    ):
        path.write_bytes(whole)
        (unread,) = product.check(patched(path, at, *new)).report["not_read"]
        assert why in unread["why"], unread
    path.write_bytes(whole)
    (unread,) = product.check(patched(path, CENTRAL, 42, b"\xff\xff\0\0")).report["not_read"]
    assert "damaged" in unread["why"]


def test_a_name_may_be_empty(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = patched(patched(zipped(tmp_path, {"Q": b"{}", "sound.jsonl": b""}), LOCAL, 30, b"\0"), CENTRAL, 46, b"\0")
    assert product.check(path).report["not_logs"][0]["files"] == 2


def test_a_negative_size_hides_nothing_that_follows(tmp_path: Path) -> None:
    path = tmp_path / "ticket.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"size": "-5"}
        archive.addfile(info)
    told = product.run("check", str(path))
    assert "is a damaged archive: the size of a is negative." in told.output
    assert told.exit_code == 2


def test_a_compressed_file_that_is_no_tar_is_a_log(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(logs["sound.jsonl"]))
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize("pack", PACKERS)
def test_a_damaged_archive_is_a_sentence(pack: Pack, logs: dict[str, bytes], tmp_path: Path) -> None:
    path = pack(tmp_path, logs)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    told = product.run("check", str(path))
    assert told.exit_code in (1, 2)
    assert "is cut off at the end" in told.output or "broken" in told.output
    assert "Traceback" not in told.output


def test_an_archive_without_a_log_is_not_judged(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"a.txt": b"a", "inner.zip": zipped(tmp_path, {}, "inner.zip").read_bytes()})
    (tmp_path / "inner.zip").unlink()
    answer = product.check(path)
    assert (answer.code, answer.session["verdict"]) == (3, "not-judged")
    assert answer.report["not_logs"][0]["names"] == ["a.txt", "inner.zip"]


def test_very_many_members_are_not_gone_through(
    logs: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_MEMBERS", 2)
    for pack in (zipped, tarred):
        (unread,) = product.check(pack(tmp_path, logs)).report["not_read"]
        assert unread["why"] == "only the first 2 members of an archive are read"


@pytest.mark.parametrize("pack", PACKERS)
def test_one_log_of_an_archive_is_repaired_beside_it(
    pack: Pack, logs: dict[str, bytes], tmp_path: Path, samples: Path
) -> None:
    name = "claude-code-broken.jsonl"  # ids of what is inserted come of it, too
    path = pack(tmp_path, {f"a/{name}": logs["a/broken.jsonl"]})
    before = path.read_bytes()
    out, direct = tmp_path / "out.jsonl", tmp_path / "direct.jsonl"
    assert product.repair(path / "a" / name, out).code == 0
    product.repair(samples / name, direct)
    assert out.read_bytes() == direct.read_bytes()
    refused = product.run("repair", str(path / "a" / name), "--in-place")
    assert (refused.exit_code, "is in an archive" in refused.output) == (1, True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("command", ["repair", "trim --keep 4 --repair", "convert --to markdown"])
def test_without_a_name_a_copy_goes_beside_the_archive(
    command: str, logs: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, here = tmp_path / "desk", tmp_path / "here"
    desk.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    path = zipped(desk, {"../desk/a/broken.jsonl": b"", "a/broken.jsonl": logs["a/broken.jsonl"]})
    before = path.read_bytes()
    verb, *options = command.split()
    told = product.run(verb, f"../desk/{path.name}/a/broken.jsonl", *options)
    assert told.exit_code == 0, told.output
    assert not list(here.iterdir())
    made = {each.name for each in desk.iterdir()} - {path.name}
    assert made & {"broken.repaired.jsonl", "broken.trimmed.jsonl", "broken.markdown.md"}
    assert path.read_bytes() == before


@pytest.mark.parametrize("pack", PACKERS)
def test_of_many_members_the_archive_is_gone_through_once(
    pack: Pack, logs: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack(tmp_path, {f"{number}.jsonl": logs["a/broken.jsonl"] for number in range(40)} | {"x.txt": b"none"})
    passes: list[str] = []
    whole = reading.read_archive_members

    def counted(*asked: Any) -> Iterator[reading.ArchiveMemberBytes]:
        passes.append(asked[0])
        return whole(*asked)

    monkeypatch.setattr(reading, "read_archive_members", counted)
    asked = [f"{path}/{number}.jsonl" for number in (*range(40), 3, 99)]
    told = list(judge_logs((name, "") for name in asked))
    assert [each.verdict for each in told] == [*["broken"] * 41, "unreadable"]
    assert "the archive does not contain it" in told[-1].sentence
    assert len(passes) == 2, "one that is asked for again is looked for again"
    monkeypatch.setattr(reading, "MAX_HELD_BYTES", 10)
    passes.clear()
    assert [each.verdict for each in judge_logs((name, "") for name in (asked[39], asked[0], asked[38]))] == [
        "broken"
    ] * 3
    assert len(passes) == 3, "what comes early and is too much to be held is looked for by itself"


def test_of_a_damaged_archive_every_member_behind_the_damage_is_told_so(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = gzipped(tmp_path, {f"{number}.jsonl": logs["a/broken.jsonl"] for number in range(9)})
    path.write_bytes(path.read_bytes()[:500])
    told = list(judge_logs((f"{path}/{number}.jsonl", "") for number in range(9)))
    assert {each.sentence for each in told} == {f"The archive {path} is cut off at the end. Get a new copy."}


def test_what_is_not_there_is_told(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path, logs | {"../x": b""})
    assert "because the archive does not contain it" in product.run("check", str(path / "nope.jsonl")).output
    assert "its name leads out" in product.run("check", f"{path}/../x").output or not (path / "../x").exists()
    assert "is an archive" in product.run("repair", str(path), "--dry-run").output


@pytest.mark.parametrize("pack", PACKERS)
def test_its_packed_bytes_are_never_shown_as_a_log(pack: Pack, logs: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(UnreadableLog):
        preview_log_start(str(pack(tmp_path, logs)))


def test_archives_in_a_folder_are_gone_through(logs: dict[str, bytes], tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        zipped(tmp_path, logs, name)
    zipped(tmp_path, logs, "library.jar")
    report = product.check(tmp_path).report
    assert [Path(each["path"]).name for each in report["sessions"]] == ["broken.jsonl", "sound.jsonl"] * 2
    assert [len(group["logs"]) for group in report["causes"]] == [2]
    assert [each["files"] for each in report["not_logs"]] == [1, 1, 1]


def test_a_compressed_log_is_no_archive(samples: Path, tmp_path: Path) -> None:
    assert not any(kinds.is_archive(str(path)) for path in samples.iterdir())
    assert kinds.split_archive_path(str(tmp_path / "nothing" / "here")) is None


def test_a_name_forges_no_line(tmp_path: Path, samples: Path) -> None:
    data = (samples / "codex-broken.jsonl").read_bytes()
    path = zipped(tmp_path, {"a\nother.jsonl: healthy": data})
    (tmp_path / "b\nother.jsonl: healthy").write_bytes(data)
    for given in (path, tmp_path / "b\nother.jsonl: healthy"):
        lines = CliRunner().invoke(main, ["check", str(given)]).output.splitlines()
        assert not [line for line in lines if line.startswith("other.jsonl")]
