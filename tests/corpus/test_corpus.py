"""Real logs: nothing crashes, the counts are known, the healthy come back as they are, the broken come back healthy.

The logs are no part of this repository: TRANSCRIPT_CORPUS names their folder (INDEX.tsv and a folder a format).
"""

import csv
import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests import product
from tests.judges import refusals
from tests.projection import read

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("TRANSCRIPT_CORPUS", ROOT.parent / "shared" / "corpus"))
FOLDERS = ("claude-code", "openai-msgs")
COUNTS = {"calls": "calls", "results": "results", "dangling": "dangling", "orphan": "orphans"}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus: set TRANSCRIPT_CORPUS to a folder of real logs"),
]

# What the index counts otherwise than the product, and why: name → count → (product, index, reason).
EXPLAINED: dict[str, dict[str, tuple[int, int, str]]] = {}
# Logs that hold something outside the classes judged so far, so that the strict judge goes on refusing them.
STRANGE = {"daaain--claude-code-log__test.test_data.edge_cases": "a plain string where a content block belongs"}


def logs(*folders: str) -> list[str]:
    if not CORPUS.is_dir():
        return ["absent"]
    return [f"{folder}/{path.name}" for folder in folders for path in sorted((CORPUS / folder).iterdir())]


@cache
def index() -> dict[str, dict[str, str]]:
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return {row["path"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


@cache
def checked(name: str) -> product.Answer:
    return product.check(CORPUS / name)


@pytest.mark.parametrize("name", logs(*FOLDERS))
def test_counts_agree_with_the_index(name: str) -> None:
    row, sessions = index()[name], checked(name).report["sessions"]
    expected = {key: int(row[key]) for key in COUNTS if row[key]}
    found = {key: sum(session[COUNTS[key]] for session in sessions) for key in expected}
    for key, (ours, theirs, _) in EXPLAINED.get(name, {}).items():
        assert (found.pop(key), expected.pop(key)) == (ours, theirs), "the explanation no longer holds"
    assert found == expected


@pytest.mark.parametrize("name", logs(*FOLDERS))
def test_every_log_is_judged_and_comes_back(name: str, tmp_path: Path) -> None:
    path = CORPUS / name
    out = tmp_path / path.name
    before = path.read_bytes()
    verdicts = {session["verdict"] for session in checked(name).report["sessions"]}
    answer = product.repair(path, out)
    assert path.read_bytes() == before
    if path.name.endswith(".meta.json"):
        assert answer.code == 3
        return
    assert verdicts <= {"broken", "healthy", "waiting", "unexplained"}
    assert answer.code == 0, answer.report.get("reason")
    after = out.read_bytes()
    if name.startswith("claude-code/") and not any(part in name for part in STRANGE):
        assert refusals(read(after, "claude-code"), "claude-code") == []
    if "broken" not in verdicts:
        assert after == before
        return
    assert "broken" not in {session["verdict"] for session in product.check(out).report["sessions"]}
    if name.endswith(".jsonl"):
        old, new = Counter(before.splitlines(keepends=True)), Counter(after.splitlines(keepends=True))
        edits = len(answer.edits)
        assert (new - old).total() <= edits
        assert (old - new).total() <= edits
        kept = [line for line in after.splitlines(keepends=True) if line in old]
        assert kept == sorted(kept, key=positions(before).__getitem__) or any(
            e["action"] == "move" for e in answer.edits
        )


def positions(data: bytes) -> dict[bytes, int]:
    return {line: number for number, line in enumerate(data.splitlines(keepends=True))}


@pytest.mark.parametrize("name", logs("not-a-session"))
def test_what_is_no_session_is_not_judged(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert checked(name).code == 3
    assert {session["verdict"] for session in checked(name).report["sessions"]} == {"not-judged"}
    assert product.repair(CORPUS / name, out).code == 3
    assert not out.exists()
