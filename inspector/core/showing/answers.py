"""What the engine answers: values that a front shows, light enough to import before anything is read."""

from __future__ import annotations

from array import array

from msgspec import Struct

from inspector.core.bytes.source import FileStamp
from inspector.core.index.place import RecordLocation
from inspector.core.index.session import AgentMemory
from inspector.core.scene.finding import Finding
from inspector.core.showing.outline import Outline


class SessionSummary(Struct, frozen=True, kw_only=True):
    """The head of one session, as the verdict line and the lists show it.

    `verdict` is one of broken, unexplained, not-judged, heals-itself, waiting, healthy, unreadable; `sentence` says it
    in words. `error_is_past`: what the recorded error is about was mended since.
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
    error_is_past: bool = False
    memory: AgentMemory | None = None


class AttachedLog(Struct, frozen=True):
    """Another log whose records are shown with those of the log: from record `record` on, and there from `offset` on.

    A record's offset in the other log is its span's less `offset`.
    """

    path: str
    record: int
    offset: int


class LogOverview(Struct, kw_only=True):
    """What `Engine.open` found, all but the findings and the tree.

    `bytes_at` is the file that holds the records at their offsets: the log itself, unless it had to be put together.
    `has_lines`: lines are places in it. `copy_name` is the name that a repaired copy gets. `models_resume`: what the
    agent sends on resume is known. `faults` are sentences on formats that failed to look at it, or to show it. `folder`
    is the one that the agent worked in as the log begins, "" where it does not tell. `followed` is what else on disk it
    was read from, as it was then.
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
    attached: tuple[AttachedLog, ...] = ()
    bytes_at: str = ""
    has_lines: bool = True
    copy_name: str = ""
    models_resume: bool = False
    faults: tuple[str, ...] = ()
    folder: str = ""
    followed: dict[str, FileStamp | None] = {}


class OpenedLogView(Struct):
    """Everything a front needs to show a log; `starts`/`ends` are the byte spans of the records."""

    overview: LogOverview
    findings: tuple[Finding, ...]
    nodes_of_findings: tuple[int, ...]
    outline: Outline
    starts: array[int]
    ends: array[int]


class PreviewRow(Struct, frozen=True, kw_only=True):
    """One row of the preview. `mark`: added, removed, moved, changed, kept; rejected; or skipped (`count` kept ones).

    `count` of changed ones, where it is not 0: so many records change alike, of which this is the first.

    `record` is the record's number in the log as read, of several that of the first, None for an added one, which has
    only a `slot` in the plan. `summary` is a line for the list. `finding_ids` name what it mends.
    """

    mark: str
    record: int | None
    line: int | None
    role: str
    summary: str
    slot: int = -1
    count: int = 0
    session: int = 0
    finding_ids: tuple[str, ...] = ()
    reason: str = ""


class RepairPreview(Struct, frozen=True, kw_only=True):
    """A planned repair. `accepted` maps a profile to None (accepted) or the sentence it would refuse with.

    `effects` are sentences on what it entails for the prompt cache and for reasoning, `caveat` is what is to be known
    of the presets that were asked for. `not_run` are checks that the rules of those who accept it need, `unmet`
    sentences on strategies that were named and did nothing, `faults` on what the format failed to show.
    """

    changes: tuple[PreviewRow, ...]
    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    on_resume: str
    verified: bool
    reason: str
    chosen: dict[str, str]
    edits: int
    effects: tuple[str, ...] = ()
    caveat: str = ""
    not_run: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class SaveResult(Struct, frozen=True, kw_only=True):
    """What a save did, and what the person does next: numbered `steps`, `command` to copy ("" when there is none).

    `made` is what was written: a repaired or trimmed log, or a converted history; `is_log` tells whether it can be
    opened again. `warnings` are what could not be kept of the original, or went wrong after it had been replaced.
    """

    path: str
    steps: tuple[str, ...]
    verdict: str
    backup: str = ""
    quarantine: str = ""
    command: str = ""
    made: str = "repaired"
    is_log: bool = True
    warnings: tuple[str, ...] = ()


class OfferedResult(Struct, frozen=True, kw_only=True):
    """A result that the log at `path` holds, `at` a place there, for the open call at `place` in this one.

    `sentence` says where it is, and how it is known to be this call's; `text` is the beginning of what it says.
    """

    place: RecordLocation
    call_id: str
    tool: str
    path: str
    at: RecordLocation
    sentence: str
    text: str


class Acceptance(Struct):
    """One provider's answer. `accepts` is None where some check that its rules need has not run (`not_run`).

    `rule`, `error` (in the provider's words), `message` (in ours) and `place` are those of the first refusal;
    `refusals` counts all.
    """

    accepts: bool | None
    rule: str = ""
    error: str = ""
    message: str = ""
    place: RecordLocation | None = None
    refusals: int = 0
    not_run: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if self.accepts:
            return "accepted"
        if self.accepts is None:
            return f"nothing found that it would refuse, but not all was judged ({', '.join(self.not_run)})"
        more = f" ({self.refusals - 1} more)" if self.refusals > 1 else ""
        return f"refused, {self.rule}: {self.message}{more} It would answer: {self.error}"


class RulePage(Struct, frozen=True, kw_only=True):
    """All that is to be said of a class of anomaly.

    `answers` are (profile, what it would answer), `repairs` (strategy, what it does, what it costs), cheapest first.
    """

    code: str
    slug: str
    text: str
    default: str
    answers: tuple[tuple[str, str], ...]
    repairs: tuple[tuple[str, str, str], ...]
