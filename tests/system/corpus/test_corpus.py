"""Real logs: each is recognised and counted, the healthy come back as they are, the broken come back healthy."""

from collections import Counter
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from inspector.core.formats import FORMATS as PRODUCT
from inspector.core.formats.base.writer import Writer
from tests.support import product
from tests.support.judges import refusals
from tests.support.projection import read
from tests.support.thorough import every
from tests.system.corpus.expected import BROKEN, COUNTED, FORMATS, OTHERWISE
from tests.system.corpus.index import CORPUS, index, needs_corpus

pytestmark = needs_corpus
COUNTS = {"calls": "calls", "results": "results", "dangling": "dangling", "orphan": "orphans"}
MENDED = {"broken", "heals-itself"}  # what a repair changes
# Logs that hold something outside the classes judged so far, so that the strict judge goes on refusing them.
STRANGE = ("daaain--claude-code-log__test.test_data.edge_cases",)  # a plain string where a content block belongs


def expected_format(path: str) -> str | None:
    for other in OTHERWISE:
        if fnmatch(path, other.path):
            return other.format
    return FORMATS.get(index()[path]["format"])


def recognised() -> list[str]:
    return [path for path in index() if path != "absent" and expected_format(path)] or ["absent"]


@cache
def checked(path: str) -> product.Answer:
    return product.check(CORPUS / path)


@pytest.mark.parametrize("path", index())
def test_every_file_is_what_it_is_and_nothing_else(path: str) -> None:
    answer, expected = checked(path), expected_format(path)
    assert {session["format"] for session in answer.report["sessions"]} == {expected}
    verdicts = {session["verdict"] for session in answer.report["sessions"]}
    if expected is None:
        assert verdicts <= {"not-judged", "unreadable"}
        assert answer.code in (2, 3)
    else:
        assert verdicts <= {*MENDED, "healthy", "waiting", "unexplained"}


@pytest.mark.parametrize("path", recognised())
def test_counts_agree_with_the_index(path: str) -> None:
    row, sessions = index()[path], checked(path).report["sessions"]
    expected = {key: int(row[key]) for key in COUNTS if row[key]}
    found = {key: sum(session[COUNTS[key]] for session in sessions) for key in expected}
    for (known, key), (ours, theirs, _) in COUNTED.items():
        if fnmatch(path, known):
            assert (found.pop(key), expected.pop(key)) == (ours, theirs), "the explanation no longer holds"
    assert found == expected


@pytest.mark.parametrize("path", [path for path in recognised() if not path.startswith("claude-code/")])
def test_only_the_broken_are_broken(path: str) -> None:
    """The real sessions of Claude Code are left to the strict judge below."""
    known = next((codes for pattern, codes in BROKEN.items() if fnmatch(path, pattern)), "")
    assert {code.partition(":")[0] for code in checked(path).errors} == set(known.split())


@pytest.mark.parametrize("path", every(2, recognised()))
def test_every_log_comes_back(path: str, tmp_path: Path) -> None:
    log = CORPUS / path
    out = tmp_path / log.name
    before = log.read_bytes()
    broken = not MENDED.isdisjoint(session["verdict"] for session in checked(path).report["sessions"])
    answer = product.repair(log, out)
    assert log.read_bytes() == before
    if not isinstance(PRODUCT[expected_format(path) or ""], Writer):
        is_archive = log.suffix == ".eval"  # of which one log has to be named
        assert (answer.code, out.exists()) == (2 if is_archive else 1, False)
        return
    assert answer.code == 0, answer.report.get("reason")
    after = out.read_bytes()
    if path.startswith("claude-code/") and not any(part in path for part in STRANGE):
        assert refusals(read(after, "claude-code"), "claude-code") == []
    if not broken:
        assert after == before
        return
    assert MENDED.isdisjoint(session["verdict"] for session in product.check(out).report["sessions"])
    if path.endswith(".jsonl"):
        assert_untouched_lines_stay(before, after, answer)


def assert_untouched_lines_stay(before: bytes, after: bytes, answer: product.Answer) -> None:
    """No more lines differ than there are edits, and those that stay are in their order unless some were moved."""
    old, new = Counter(before.splitlines(keepends=True)), Counter(after.splitlines(keepends=True))
    assert (new - old).total() <= len(answer.edits)
    assert (old - new).total() <= len(answer.edits)
    kept = [line for line in after.splitlines(keepends=True) if line in old]
    assert kept == sorted(kept, key=positions(before).__getitem__) or any(e["action"] == "move" for e in answer.edits)


def positions(data: bytes) -> dict[bytes, int]:
    return {line: number for number, line in enumerate(data.splitlines(keepends=True))}


@pytest.mark.parametrize("path", [path for path in index() if path == "absent" or expected_format(path) is None])
def test_what_is_not_judged_is_not_written(path: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert product.repair(CORPUS / path, out).code in (2, 3)
    assert not out.exists()
