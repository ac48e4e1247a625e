"""Archives in archives, and the names of members in old encodings."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from inspector.core.storage import archive
from inspector.core.storage.archive import read_archive_members
from tests.support import product
from tests.support.archives import PACKERS, Pack, locked, zip_of, zip_with_names, zipped
from tests.support.notation import FORMATS, parse

LOG = FORMATS["claude-code"].render(parse('u | a"t"{A} | u"next"'))


def told(path: Path, wanted: frozenset[str] | None = None) -> list[str]:
    """The members that are read, and the others with the reason."""
    return [
        entry.name if entry.data is not None else f"{entry.name}: {entry.reason}"
        for entry in read_archive_members(str(path), wanted)
    ]


def nested(tmp_path: Path, levels: int) -> Path:
    data = LOG
    for level in range(levels):
        data = zip_of({f"{level}.zip" if level else "log.jsonl": data})
    # The names count from the inside: the innermost archive is 1.zip.
    path = tmp_path / "ticket.zip"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (1, ["log.jsonl"]),
        (2, ["1.zip/log.jsonl"]),
        (3, ["2.zip/1.zip/log.jsonl"]),
        (4, ["3.zip/2.zip/1.zip: the file is nested in too many archives"]),
    ],
)
def test_two_levels_of_archives_in_an_archive_are_read(levels: int, expected: list[str], tmp_path: Path) -> None:
    assert told(nested(tmp_path, levels)) == expected


@pytest.mark.parametrize("pack", PACKERS)
def test_a_log_in_an_archive_in_an_archive_is_repaired_by_its_path(pack: Pack, tmp_path: Path) -> None:
    path = pack(tmp_path, {"sub/inner.zip": zip_of({"a/log.jsonl": LOG, "b.txt": b"b"})})
    before = path.read_bytes()
    (session,) = product.check(path).report["sessions"]
    assert (session["path"], session["verdict"]) == (f"{path}/sub/inner.zip/a/log.jsonl", "broken")
    out = tmp_path / "out.jsonl"
    assert product.repair(Path(session["path"]), out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert path.read_bytes() == before


@pytest.mark.parametrize("pack", PACKERS)
def test_every_kind_of_archive_is_read_in_an_archive(pack: Pack, tmp_path: Path) -> None:
    inner = pack(tmp_path, {"log.jsonl": LOG})
    path = zipped(tmp_path, {inner.name: inner.read_bytes()}, "outer.zip")
    assert told(path) == [f"{inner.name}/log.jsonl"]


def test_the_name_of_a_member_leads_to_no_file_beside_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped(tmp_path, {"secret.jsonl": LOG}, "inner.zip")
    monkeypatch.chdir(tmp_path)
    path = zipped(tmp_path, {"inner.zip": gzip.compress(LOG)}, "outer.zip")
    assert told(path) == ["inner.zip"]


def test_an_archive_in_an_archive_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    inner = zip_of({"log.jsonl": LOG})
    secret = locked(zipped(tmp_path, {"x.jsonl": LOG}, "secret.zip")).read_bytes()
    path = tmp_path / "ticket.zip"
    path.write_bytes(
        zip_of({"cut.zip": inner[:200], "secret.zip": secret, "whole.zip": inner, "empty.zip": zip_of({})})
    )
    assert told(path) == [
        "cut.zip: the file is cut off",
        "secret.zip/x.jsonl: it is encrypted",
        "whole.zip/log.jsonl",
        "empty.zip",
    ]


def test_the_limits_hold_for_all_archives_in_an_archive_together(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zip_of({f"{n}.zip": zip_of({"a": bytes(100_000), "b": LOG}) for n in range(4)})
    monkeypatch.setattr(archive, "MAX_EXPANSION_RATIO", 1000)
    monkeypatch.setattr(archive, "MAX_HELD_BYTES", 150_000)
    entries = list(archive._ArchiveReader(None, 250).entries(io.BytesIO(data)))
    assert [entry.name for entry in entries if entry.data is not None] == ["0.zip/a", "0.zip/b", "1.zip/a", "1.zip/b"]
    assert len(entries) == 8
    monkeypatch.setattr(archive, "MAX_MEMBERS", 5)
    entries = list(archive._ArchiveReader(None, 10_000).entries(io.BytesIO(data)))
    assert [entry.name for entry in entries] == ["0.zip/a", "0.zip/b", "1.zip/a", "… and 1 more", "… and 2 more"]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("日志/会话记录.jsonl", "cp936"),
        ("错误.jsonl", "cp936"),
        ("ログ/セッション.jsonl", "cp932"),
        ("会話の記録.jsonl", "cp932"),
        ("日志/会话.jsonl", "utf-8"),
        ("café.jsonl", "cp437"),
        ("log.jsonl", "ascii"),
    ],
)
def test_names_of_members_are_decoded(name: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "ticket.zip"
    path.write_bytes(zip_with_names({name: LOG}, encoding))
    if encoding != "ascii":
        assert zipfile.ZipFile(path).infolist()[0].flag_bits & 0x800 == 0
    assert told(path) == [name]
    assert told(path, frozenset({name})) == [name]
    assert product.check(path / name).session["verdict"] == "broken"
