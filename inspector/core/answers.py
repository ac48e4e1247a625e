"""What the engine answers: values that a front shows, light enough to import before anything is read."""

from __future__ import annotations

from array import array

from msgspec import Struct

from inspector.core.finding import Finding
from inspector.core.outline import Outline
from inspector.core.session import Memory


class SessionSummary(Struct, frozen=True, kw_only=True):
    """The head of one session, as the verdict line and the lists show it.

    `verdict` is one of broken, unexplained, waiting, healthy, not-judged, unreadable; `sentence` says it in words.
    """

    number: int
    id: str
    title: str
    format: str
    verdict: str
    sentence: str
    profile: str
    agent: str
    on_resume: str
    loses: tuple[str, ...]
    records: int
    messages: int
    calls: int
    results: int
    errors: int
    warnings: int
    infos: int
    recorded_error: str = ""
    memory: Memory | None = None


class Attached(Struct, frozen=True):
    """Another log whose records are shown with those of the log: from record `record` on, and there from `offset` on.

    A record's offset in the other log is its span's less `offset`.
    """

    path: str
    record: int
    offset: int


class Overview(Struct, kw_only=True):
    """What `Engine.open` found, all but the findings and the tree.

    `bytes_at` is the file that holds the records at their offsets: the log itself, unless it had to be put together.
    `has_lines`: lines are places in it. `copy_name` is the name that a repaired copy gets.
    """

    path: str
    format: str
    format_label: str
    size: int
    writable: bool
    why_read_only: str
    formats_to_choose: tuple[tuple[str, str], ...]
    presets: tuple[tuple[str, str], ...]
    save_modes: tuple[str, ...]
    sessions: tuple[SessionSummary, ...]
    checks_skipped: tuple[tuple[str, str], ...]
    attached: tuple[Attached, ...] = ()
    bytes_at: str = ""
    has_lines: bool = True
    copy_name: str = ""


class Opened(Struct):
    """Everything a front needs to show a log; `starts`/`ends` are the byte spans of the records."""

    overview: Overview
    findings: tuple[Finding, ...]
    nodes_of_findings: tuple[int, ...]
    outline: Outline
    starts: array[int]
    ends: array[int]


class Change(Struct, frozen=True, kw_only=True):
    """One row of the preview. `mark`: added, removed, moved, changed, kept; or skipped (`count` kept messages).

    `before` and `after` are the record's texts (None when it did not or will not exist); `record` is its number in
    the log as read, None for an added one. `summary` is a line for the list. `finding_ids` name what it mends.
    """

    mark: str
    record: int | None
    line: int | None
    role: str
    summary: str
    before: bytes | None = None
    after: bytes | None = None
    count: int = 0
    session: int = 0
    finding_ids: tuple[str, ...] = ()
    reason: str = ""


class Preview(Struct, frozen=True, kw_only=True):
    """A planned repair. `accepted` maps a profile to None (accepted) or the sentence it would refuse with."""

    changes: tuple[Change, ...]
    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    on_resume: str
    verified: bool
    reason: str
    chosen: dict[str, str]
    edits: int


class Saved(Struct, frozen=True, kw_only=True):
    """What a save did, and what the person does next: numbered `steps`, `command` to copy ("" when there is none)."""

    path: str
    backup: str
    quarantine: str
    steps: tuple[str, ...]
    command: str
    verdict: str


class LogEntry(Struct, frozen=True):
    """A log in a list of many: what its name and its head tell. `modified` are seconds since 1970."""

    path: str
    format: str
    agent: str
    project: str
    title: str
    modified: float
    size: int


class LogVerdict(Struct, frozen=True):
    """What judging a log of a list came to. `verdict` is one of those of a session, the worst of all in the log; or
    "open-end": nothing but unanswered calls at the end, which an agent may still be running.
    """

    verdict: str
    sentence: str
    errors: int = 0
    sessions: int = 1
