"""Which paths stand for many logs."""

import os

from inspector.core.opening.opening import gatherer_of


def holds_logs(path: str) -> bool:
    """Whether `path` is a folder of logs, and not a folder that is one log; told by names alone."""
    return os.path.isdir(path) and gatherer_of(path) is None
