"""What tells a log from another state of it, where its length alone does not."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.gui.state.file_watcher import FileChange, FileState

OLD, NEW = 1_790_000_000_000_000_000, 1_790_000_000_000_000_001  # nanoseconds
LINES = b"a line\n" * 100  # far more than the bytes at its end that a stamp holds
OTHER = LINES.replace(b"a", b"b", 1)
MORE = LINES + b"one more\n"


def write(path: Path, data: bytes, time: int = OLD) -> Path:
    path.write_bytes(data)
    os.utime(path, ns=(time, time))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(tmp_path / "log.jsonl", LINES)


def append(log: Path) -> None:
    write(log, MORE, NEW)


def rewrite(log: Path) -> None:
    """It is as long as before, and ends alike: only the time tells."""
    write(log, OTHER, NEW)


def exchange(log: Path) -> None:
    """Another file takes the name, as long and as old, that ends alike: only the inode tells."""
    write(log.with_name("other"), OTHER).replace(log)


def exchange_for_more(log: Path) -> None:
    """Another file takes the name. It holds what the log held and more, but a log that grows is the same file."""
    write(log.with_name("other"), MORE, NEW).replace(log)


def nothing(log: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "fate"),
    [
        (nothing, FileChange.SAME),
        (append, FileChange.APPENDED),
        (rewrite, FileChange.REWRITTEN),
        (exchange, FileChange.REWRITTEN),
        (exchange_for_more, FileChange.REWRITTEN),
        (Path.unlink, FileChange.GONE),
    ],
)
def test_a_stamp_tells_what_became_of_a_log(change: Callable[[Path], None], fate: FileChange, log: Path) -> None:
    stamp = FileState.read(log)
    assert stamp
    change(log)
    assert (stamp.change_since(log), stamp.is_untouched(log)) == (fate, fate == FileChange.SAME)
