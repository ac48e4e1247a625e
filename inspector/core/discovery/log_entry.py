"""The entry of a log in a list of logs."""

from msgspec import Struct


class LogEntry(Struct, frozen=True):
    """A log in a list of logs, as its name and its head describe it.

    `modified` is in seconds since 1970. `archive` is the path of the archive that holds the log, "" for a file.
    """

    path: str
    format: str
    agent: str
    project: str
    title: str
    modified: float
    size: int
    archive: str = ""
