"""A case in every format: written as the agent writes it, repaired, and loaded again by the agent's own reader."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tests.core.formats.written import WrittenFormat
from tests.support import product
from tests.support.judges import merged
from tests.support.notation import PLACEHOLDER_START, History, Note, Part, Result, Text, Turn, parse, show
from tests.support.product import Answer
from tests.support.projection import notes_in, texts, with_notes


@dataclass(frozen=True)
class Repair:
    """What a repair made of a log: where it lies, what the agent loads of it, and what the product said."""

    out: Path
    history: History
    answer: Answer


def write(written: WrittenFormat, history: History, folder: Path) -> Path:
    folder.mkdir(parents=True)
    return written.write(history, folder)


def contents(path: Path) -> dict[str, bytes | list[str]]:
    """What lies at a path, by name: bytes, and for a database its rows, for its pages have no order."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return {str(file.relative_to(path)): _content(file) for file in files if file.is_file()}


def _content(file: Path) -> bytes | list[str]:
    data = file.read_bytes()
    if not data.startswith(b"SQLite format 3"):
        return data
    with closing(sqlite3.connect(file)) as database:
        return list(database.iterdump())


def repaired(
    written: WrittenFormat, path: Path, *, strategies: str = "", preset: str = "", profile: str = ""
) -> Repair:
    """Repair next to the log: the input is untouched, the agent's provider accepts, a second repair changes nothing.

    That is not asked again where the first one did not: the same bytes give the same repair.
    """
    original = contents(path)
    out = beside(path, "repaired")
    answer = product.repair(path, out, strategies=strategies, preset=preset, profile=profile)
    assert contents(path) == original
    assert answer.code == 0, answer.report.get("reason")
    history = written.load(out)
    assert written.judge(history) is None, show(history)
    if contents(out) != original:
        again = product.repair(out, None, "--dry-run", strategies=strategies, preset=preset, profile=profile)
        assert (again.code, again.edits) == (0, [])
    return Repair(out, history, answer)


def refused(path: Path, *, strategies: str = "", preset: str = "") -> Answer:
    """The same for a plan that cannot be verified: nothing is written, and the report says why."""
    original, out = contents(path), beside(path, "repaired")
    answer = product.repair(path, out, strategies=strategies, preset=preset)
    assert contents(path) == original
    assert (answer.code, answer.report["output"]) == (1, None)
    assert answer.report["reason"]
    assert not out.exists()
    return answer


def beside(path: Path, name: str) -> Path:
    """Where to write a log of the same name: a program knows some of its logs by it."""
    folder = path.parent / name
    folder.mkdir(exist_ok=True)
    return folder / path.name


def shown(history: History, notes: list[Note] | None = None) -> str:
    """A history in the notation, with neighbouring turns of one role as one, however a format divides them."""
    return show(merged(with_notes(history, notes or [])))


def as_loaded(written: WrittenFormat, text: str, folder: Path) -> str:
    """The notation as the format's own writer and reader tell it: flags that it cannot hold are left out."""
    notes = notes_in(text)
    history = [replace(turn, parts=tuple(map(_as_text, turn.parts))) for turn in parse(text)]
    return shown(written.load(write(written, history, folder)), notes)


def _as_text(part: Part) -> Part:
    return Text(f"note: {part.id} {part.text}") if isinstance(part, Note) else part


def without_flags(history: History) -> History:
    def plain(turn: Turn) -> Turn:
        return replace(turn, parts=tuple(replace(p, error=False) if isinstance(p, Result) else p for p in turn.parts))

    return [plain(turn) for turn in history]


def lost_silently(before: History, repair: Repair) -> list[str]:
    """The texts and real results that are neither in the output nor in the loss report."""
    kept = " ".join(texts(repair.history))
    return [text for text in texts(before) if text not in kept and text not in repair.answer.lost_text]


def lost_falsely(repair: Repair) -> list[str]:
    """What the report calls lost, though it stands in the output."""
    kept = [text for text in texts(repair.history) if not text.startswith(PLACEHOLDER_START)]
    told = [loss["text"] for loss in repair.answer.losses if loss["kind"] in ("text", "result")]
    return [text for text in told if text in kept]
