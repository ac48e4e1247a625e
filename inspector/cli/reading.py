"""Opening the log, or the logs of the folder, that an argument names."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.core.bytes.source import Source
from inspector.core.engine.faults import faults_told
from inspector.core.errors import NotJudged, UnreadableLog
from inspector.core.opening.folder import files_in
from inspector.core.opening.opening import gatherer_of, open_source


def source_of(path: str) -> Source:
    """The log at `path`, or standard input for "-". Raises UnreadableLog."""
    if path == "-":
        return Source.of_bytes(standard_input())
    return open_source(path)


@contextmanager
def log_at(path: str) -> Iterator[Source]:
    """The log at `path` while it is worked on; what nobody foresaw about it is raised as a ProgramFault."""
    with faults_told(), source_of(path) as source:
        yield source


def standard_input() -> bytes:
    """All of it. Raises UnreadableLog when a program started this one without any."""
    if sys.stdin is None:
        raise UnreadableLog("Standard input is closed: there is nothing to read.")
    return sys.stdin.buffer.read()


def logs_of(path: str, others: dict[str, int]) -> Iterator[str]:
    """The logs that `path` stands for, each as soon as it is found: of a folder every log below it.

    A folder that is one log stands for itself. How many files of a folder are no logs is noted in `others` when all
    have been seen. Raises NotJudged then for one in which there is no log.
    """
    if not os.path.isdir(path) or gatherer_of(path) is not None:
        yield path
        return
    files = logs = 0
    for name, is_log in files_in(path):
        files += 1
        if is_log:
            logs += 1
            yield name
    if not logs:
        raise NotJudged(f"{path} holds {files} files, none of which is a log of a known format.")
    if files > logs:
        others[path] = files - logs
