"""A log in a list of many, as its name and its head describe it."""

from msgspec import Struct


class LogEntry(Struct, frozen=True):
    """A log in a list of many: what its name and its head tell. `modified` are seconds since 1970.

    `archive` is the path of that which it lies in, "" for a file.
    """

    path: str
    format: str
    agent: str
    project: str
    title: str
    modified: float
    size: int
    archive: str = ""
