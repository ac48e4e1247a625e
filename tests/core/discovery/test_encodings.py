"""Logs that are not lines of UTF-8 get a clear error; compressed logs are read however their frames begin."""

import gzip
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support import product
from tests.support.notation import FORMATS, parse

LOG = FORMATS["claude-code"].render(parse('u | a"t"{A} | u"next"'))
REQUEST = FORMATS["openai"].render(parse('u | a"t"{A} | u"next"'))


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (LOG.decode().encode("utf-16"), "UTF-16"),
        (REQUEST.decode().encode("utf-16-le"), "UTF-16"),
        (REQUEST.decode().encode("utf-16-be"), "UTF-16"),
        (LOG.decode().encode("utf-32"), "UTF-32"),
        (REQUEST.decode().encode("utf-32-be"), "UTF-32"),
    ],
)
def test_wide_text_is_read_and_named(data: bytes, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    answer = product.check(path)
    assert (answer.errors, answer.session["read_from"]) == ({"D2:A"}, f"{encoding} text")


def test_carriage_returns_have_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(LOG.replace(b"\n", b"\r"))
    result = product.run("check", str(path))
    assert (result.exit_code, r"tr '\r' '\n'" in result.output) == (2, True)


@pytest.mark.parametrize("size", [10, 300_000, 600_000])
def test_a_first_message_of_any_size(size: int, tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(REQUEST.replace(b'"u"', b'"%s"' % (b"x " * (size // 2))))
    assert product.check(path).errors == {"D2:A"}


def test_frames_before_the_first_one(tmp_path: Path) -> None:
    zstd = import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    path, empty = tmp_path / "log.jsonl.zst", zstd.compress(b"")
    for before in (b"\x50\x2a\x4d\x18\x04\0\0\0note", b"\x5f\x2a\x4d\x18\0\0\0\0", empty, empty * 3):
        path.write_bytes(before + zstd.compress(LOG))
        assert "D2:A" in product.check(path).errors, before
    path.write_bytes(empty * 3)
    result = product.run("check", str(path))
    assert (result.exit_code, "is empty" in result.output) == (2, True)


def test_a_compressed_log_that_is_cut_off_is_called_so_in_every_report(tmp_path: Path) -> None:
    zstd = import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    for name, compress in {"a.jsonl.zst": zstd.compress, "a.jsonl.gz": gzip.compress}.items():
        path = tmp_path / name
        packed = compress(LOG)
        path.write_bytes(packed[: len(packed) // 2])
        for arguments in (["--content-free"], ["--format", "ndjson"], ["--format", "html"]):
            assert "cut off" in product.run("check", str(path), *arguments).output
