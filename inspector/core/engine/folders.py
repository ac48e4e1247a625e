"""What a path stands for: one log, or the files of a folder."""

import os

from inspector.core.opening.folder import names_in
from inspector.core.opening.opening import gatherer_of

__all__ = ["holds_logs", "names_in"]


def holds_logs(path: str) -> bool:
    """Whether `path` is a folder of logs, and not a folder that is one log; told by names alone."""
    return os.path.isdir(path) and gatherer_of(path) is None
