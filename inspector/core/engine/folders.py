"""The logs that a path stands for: itself, or those of a folder."""

import os
from collections.abc import Iterator

from inspector.core.errors import NotJudged
from inspector.core.opening.folder import files_in
from inspector.core.opening.opening import gatherer_of


def holds_logs(path: str) -> bool:
    """Whether `path` is a folder of logs, and not a folder that is one log; told by names alone."""
    return os.path.isdir(path) and gatherer_of(path) is None


def logs_of(path: str, others: dict[str, int]) -> Iterator[str]:
    """The logs that `path` stands for, each as soon as it is found: of a folder every log below it.

    A folder that is one log stands for itself. How many files of a folder are no logs is noted in `others` when all
    have been seen. Raises NotJudged then for one in which there is no log.
    """
    if not holds_logs(path):
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
