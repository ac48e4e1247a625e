"""Which paths stand for many logs, and which lead into a file."""

import os

from inspector.core.containers.archive.kinds import is_archive, member_at
from inspector.core.opening.opening import gatherer_of


def holds_logs(path: str) -> bool:
    """Whether `path` is an archive, or a folder of logs and not one that is a log; told by names and first bytes."""
    return (os.path.isdir(path) and gatherer_of(path) is None) or is_archive(path)


def file_of(path: str) -> str:
    """The file on the disk that a path leads to: that of a log in an archive is the archive."""
    member = member_at(path)
    return member[0] if member else path
