"""What the engine answers: values that a front shows, light enough to import before anything is read."""

from __future__ import annotations

from array import array

from msgspec import Struct

from inspector.core.finding import Finding
from inspector.core.outline import Outline


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


class Overview(Struct, kw_only=True):
    """What `Engine.open` found, all but the findings and the tree. `spans` are the records' byte offsets."""

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
