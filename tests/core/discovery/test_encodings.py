"""Logs that are not lines of UTF-8 get a clear error; compressed logs are read however their frames begin."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support import product
from tests.support.notation import FORMATS, parse

LOG = FORMATS["claude-code"].render(parse('u | a"t"{A} | u"next"'))
REQUEST = FORMATS["openai"].render(parse('u | a"t"{A} | u"next"'))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (LOG.decode().encode("utf-16"), "iconv -f UTF-16"),
        (REQUEST.decode().encode("utf-16-le"), "iconv -f UTF-16"),
        (REQUEST.decode().encode("utf-16-be"), "iconv -f UTF-16"),
        (LOG.replace(b"\n", b"\r"), r"tr '\r' '\n'"),
    ],
)
def test_what_is_no_utf_8_lines_has_a_sentence(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    result = product.run("check", str(path))
    assert result.exit_code == 2
    assert said in result.output


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
