"""Keys that a log writes with escapes are the keys that they read as, to whoever looks at its bytes, too."""

import re
from pathlib import Path

import pytest

from tests.core.formats import WRITABLE
from tests.core.repair.every_format import contents, repaired, write
from tests.support import product
from tests.support.notation import parse

OPEN = 'u | a"t"{A} | u"next"'
_KEY = re.compile(rb'"(\w)(\w*)"(?=\s*:)')
TEXTS = [name for name in WRITABLE if not name.endswith("-database")]  # its keys are columns


def escape(path: Path) -> None:
    """Write the first letter of every key of a log as an escape."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            file.write_bytes(_KEY.sub(lambda key: rb'"\u%04x%s"' % (ord(key[1]), key[2]), file.read_bytes()))


@pytest.mark.parametrize("name", TEXTS)
def test_an_escape_hides_nothing(name: str, tmp_path: Path) -> None:
    plain = write(WRITABLE[name], parse(OPEN), tmp_path / "plain")
    path = write(WRITABLE[name], parse(OPEN), tmp_path / "escaped")
    escape(path)
    assert contents(path) != contents(plain)
    expected, answer = product.check(plain), product.check(path)
    if answer.session["verdict"] != "not-judged":
        assert (answer.session["verdict"], answer.errors) == (expected.session["verdict"], expected.errors)
        assert repaired(WRITABLE[name], path).history == repaired(WRITABLE[name], plain).history


def test_most_formats_are_told_by_escaped_keys(tmp_path: Path) -> None:
    unknown = set()
    for name in TEXTS:
        path = write(WRITABLE[name], parse(OPEN), tmp_path / name)
        escape(path)
        if product.check(path).session["verdict"] == "not-judged":
            unknown.add(name)
    assert unknown == set()
