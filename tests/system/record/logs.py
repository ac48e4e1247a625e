"""The logs that are recorded: all are copied to one folder, so that their paths and times are always the same."""

from __future__ import annotations

import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.paths import SAMPLES

LIST = "logs.txt"  # names the logs of a folder, a line each, where not every file is one
_LONG_AGO, _YEAR = 1_700_000_000, 31_536_000
_STARTED = 2  # samples that are put to processes of their own, 18 each
_TENTH = 10  # a quick record takes one of so many, but for the samples


@dataclass(frozen=True)
class Subject:
    """What is asked about together: a log, or whatever `kind` says."""

    kind: str
    path: str
    other: str = ""

    @property
    def name(self) -> str:
        """As it is known in a record."""
        return f"{self.kind} {self.path}".strip()


def copied(folders: list[Path], into: Path) -> None:
    """Copy folders of logs, each under its own name. What is packed in them is unpacked."""
    for folder in [SAMPLES, *folders]:
        goal = into / folder.resolve().name
        if goal.exists():
            raise ValueError(f"Two folders are called {goal.name}.")
        shutil.copytree(folder, goal, symlinks=True)
        for archive in sorted(goal.rglob("*.tar.xz")):
            with tarfile.open(archive) as packed:
                packed.extractall(archive.parent, filter="data")
            archive.unlink()
    for path in into.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    for path in sorted(into.rglob("*"), reverse=True):
        when = _LONG_AGO + zlib.crc32(os.fsencode(path.relative_to(into))) % _YEAR
        os.utime(path, (when, when))


def subjects(root: Path, is_quick: bool) -> Iterator[Subject]:
    """All that is recorded of the folders in `root`."""
    yield Subject("program", "")
    for folder in sorted(root.iterdir()):
        own = [*_of(folder, root)]
        is_sample = folder.name == SAMPLES.name
        yield from own if is_sample or not is_quick else own[::_TENTH]
        if is_sample:
            yield from (Subject("started", each.path) for each in own[:_STARTED])
            for path in sorted(folder.glob("*-broken.*")):
                healthy = path.with_name(path.name.replace("-broken", "-healthy"))
                yield Subject("pair", str(path.relative_to(root)), str(healthy.relative_to(root)))
        if is_sample or not is_quick:
            yield Subject("folder", folder.name)


def _of(folder: Path, root: Path) -> Iterator[Subject]:
    listed = folder / LIST
    if listed.is_file():
        names = listed.read_text().splitlines()
        yield from (Subject("log", f"{folder.name}/{name}") for name in names)
        return
    for path in sorted(folder.rglob("*")):
        if path.is_dir() and path.name == "home":
            yield Subject("home", str(path.relative_to(root)))
        elif path.is_file() or _is_store_of_files(path):
            yield Subject("log", str(path.relative_to(root)))


def _is_store_of_files(path: Path) -> bool:
    """Whether a folder is one log: opencode's older store has these two beside each other."""
    return (path / "message").is_dir() and (path / "part").is_dir()
