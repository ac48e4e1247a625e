"""What a rule reports: one instance of one class of anomaly."""

from enum import IntEnum

from msgspec import Struct


class Severity(IntEnum):
    """How much a finding matters to the session's own provider and agent."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class Place(Struct, frozen=True):
    """Where something stands in the log: record from 0, line from 1, bytes as (start, end) offsets.

    `line` and `bytes` are None where the container has none, `member` names the file or row where it has many.
    `pointer` is an RFC 6901 JSON pointer into the record ("" is the record itself).
    """

    record: int
    line: int | None = None
    bytes: tuple[int, int] | None = None
    pointer: str = ""
    member: str | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """One anomaly. `id` stays the same while the log does: choices and undo are keyed by it."""

    id: str
    rule: str
    slug: str
    severity: Severity
    message: str
    place: Place
    call_id: str | None = None
    tool: str | None = None
    refused_by: dict[str, str] = {}
    strategies: tuple[str, ...] = ("leave",)
    default: str = "leave"
