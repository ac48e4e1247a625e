"""The results of the engine: values that a front end shows, light enough to import before anything is read.

All of them can be sent to another process.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Literal, TypeAlias

from msgspec import Struct, field

from inspector.core.analysis.finding import Finding
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.model.session import HistoryInMemory
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.outline import Numbers, Outline
from inspector.core.storage.source import FileStamp
from inspector.core.text import count_phrase
from inspector.core.translation import tr


class SessionSummary(Struct, frozen=True, kw_only=True):
    """The summary of one session, as the verdict line and the lists show it.

    `verdict` is one of broken, unexplained, not-judged, heals-itself, waiting, healthy, unreadable; `sentence` says it
    in words, of which `headline` is the first and `remarks` are the others. `problems` are the errors by kind.
    `cause`, `advice` and `cause_url` are those of the likely cause, "" where none is known. `command` resumes the
    session as it lies, "" where there is none. `error_is_past`: the cause of the recorded error has been repaired
    since. `context` are sentences on what fills the context window, for a session that is too long.
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
    headline: str = ""
    remarks: tuple[str, ...] = ()
    problems: str = ""
    cause: str = ""
    advice: str = ""
    cause_url: str = ""
    command: str = ""
    recorded_error: str = ""
    error_is_past: bool = False
    context: tuple[str, ...] = ()
    memory: HistoryInMemory | None = None


class AttachedLog(Struct, frozen=True):
    """Another log whose records are shown with those of the log.

    Its records are numbered from `record` on and their spans begin at `offset`. The offset of a record in the other log
    is the start of its span minus `offset`. Only its first `size` bytes are shown. `bytes_path` is the file that holds
    them: `path`, unless that is compressed.
    """

    path: str
    record: int
    offset: int
    size: int
    bytes_path: str


class OpenedLogFacts(Struct, kw_only=True):
    """What `Engine.open` found, without the findings and the tree.

    * `bytes_at` is the file that holds the records at their offsets: the log itself, unless it had to be assembled.
    * `has_lines`: lines are places in it.
    * `copy_name` is the name for a repaired copy.
    * `models_resume`: what the agent sends on resume is known.
    * `faults` are sentences about formats that failed to detect or show it.
    * `folder` is the folder that the agent worked in as the log begins, "" where the log does not say.
    * `read_from` names the wrapper that the log was read from, "" for none.
    * `followed` are the other files that it was read from, with their state at that time.
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
    read_from: str = ""
    followed: dict[str, FileStamp | None] = {}


class OpenedLogView(Struct):
    """Everything a front end needs to show a log; `starts` and `ends` are the byte spans of the records."""

    overview: OpenedLogFacts
    findings: tuple[Finding, ...]
    nodes_of_findings: tuple[int, ...]
    outline: Outline
    starts: array[int]
    ends: array[int]


class PreviewRow(Struct, frozen=True, kw_only=True):
    """One row of the preview.

    * `mark` is added, removed, moved, changed, kept, rejected, or skipped (`count` unchanged records).
    * `count` of a changed row, if not 0, is the number of records that change alike; the row is the first of them.
    * `record` is the record's number in the log as read (of several, that of the first), None for an added one, which
      has only a `slot` in the plan.
    * `summary` is a line for the list.
    * `finding_ids` names the findings that the change repairs.
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
    """A planned repair.

    `button` says what the repair does and loses, "" for a repair that is not valid or changes nothing. `accepted`
    maps a profile to None (accepted) or the sentence with which it would refuse. `effects` are sentences about
    consequences for the prompt cache and for reasoning. `caveat` is what to know about the presets in use.
    `not_run` are checks that the rules of the accepting profiles need. `unmet` are sentences about strategies that
    were named and did nothing. `recovered` are sentences about results that are recovered from outside of the
    conversation, and `unused_results` about those that are not used. `faults` are sentences about what the format
    failed to show.
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
    recovered: tuple[str, ...] = ()
    unused_results: tuple[str, ...] = ()
    button: str = ""


class SaveResult(Struct, frozen=True):
    """What a save did, and what the person does next: numbered `steps`, and a `command` to copy ("" if there is none).

    * `backup` and `quarantine` are paths, "" when none was made; `path` is "-" for standard output.
    * `verdict` is that on what was written, "" where no format reads it. `is_log`: it can be opened again.
    * `beside` says what was changed, or has to be changed, in files next to the log.
    * `undo` says how to undo the save where no backup can be restored.
    * `warnings` are about what could not be kept of the original, or failed after it had been replaced, or whether
      the output would be detected as another format.
    * `folder` is the folder that the agent worked in, "" where it is not known.
    * `made` is what was written: a repaired or trimmed log, or a converted history.
    """

    path: str
    session_id: str = ""
    backup: str = ""
    quarantine: str = ""
    verdict: str = ""
    beside: tuple[str, ...] = ()
    undo: str = ""
    warnings: tuple[str, ...] = ()
    folder: str = ""
    made: str = "repaired"
    steps: tuple[str, ...] = ()
    command: str = ""
    is_log: bool = True


class ResultInOtherLog(Struct, frozen=True, kw_only=True):
    """A result in the log at `path`, at the place `at` there, for the open call at `place` in this log.

    `sentence` says where it is, and how it is known to belong to this call; `text` is the beginning of its content.
    """

    place: RecordLocation
    call_id: str
    tool: str
    path: str
    at: RecordLocation
    sentence: str
    text: str


class Acceptance(Struct):
    """The answer of one provider; `accepts` is None where some check that its rules need has not run (`not_run`).

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
            return tr(
                "no problem found, but not everything was checked (skipped: {not_run})",
                not_run=", ".join(self.not_run),
            )
        more = tr(" ({refusals} more)", refusals=self.refusals - 1) if self.refusals > 1 else ""
        return tr(
            "rejected because of {rule}: {message}{more} The provider would return: {error}",
            rule=self.rule,
            message=self.message,
            more=more,
            error=self.error,
        )


class RulePage(Struct, frozen=True, kw_only=True):
    """The page about a class of anomaly.

    `answers` are (profile, what it would answer), `repairs` are (strategy, what it does, what it costs), cheapest
    first.
    """

    code: str
    slug: str
    text: str
    default: str
    answers: tuple[tuple[str, str], ...]
    repairs: tuple[tuple[str, str, str], ...]


class RequestPreviewBlock(Struct, frozen=True, kw_only=True):
    """A block of what an agent sends, or a block of the log that it does not send.

    `mark` is kept, recovered, added by the repair, answered by the agent, sent as text, or dropped; "" for a message
    without a block. `message` is the number of its message from 0, None for a block that is not sent. `role` is the
    speaker and `text` the beginning of the content. `place` is its place in the log; where it has none, `call` is the
    place of its call.
    """

    mark: str
    message: int | None
    role: str
    kind: str
    name: str = ""
    text: str = ""
    place: RecordLocation | None = None
    call: RecordLocation | None = None


class RequestPreview(Struct, frozen=True, kw_only=True):
    """What an agent will send of a session: `messages` messages, as `bytes` bytes of JSON in the API named by `wire`.

    `sentence` says what the agent does; `outcome` is as-is, mends, refuses or unknown. Blocks that are not sent are
    listed at their place in the log.
    """

    wire: str
    outcome: str
    sentence: str
    messages: int
    bytes: int
    blocks: tuple[RequestPreviewBlock, ...]


class TrimPreview(Struct, frozen=True, kw_only=True):
    """A planned trimming.

    Messages are those of all `sessions`; tokens are None where the log does not say. `removed` are (kind, number of
    blocks, bytes of their texts); `shrunk` counts the results that became notes. `consequences` and `losses` are
    sentences; the losses are those of the repair before the trimming. `name` is the name of the copy. `fit` are
    sentences on the context window that it was fitted into.
    """

    name: str
    sessions: int
    messages_before: int
    messages_after: int
    bytes_before: int
    bytes_after: int
    tokens_before: int | None
    tokens_after: int | None
    removed: tuple[tuple[str, int, int], ...]
    shrunk: int
    consequences: tuple[str, ...]
    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    changes_nothing: bool
    not_run: tuple[str, ...] = ()
    fit: tuple[str, ...] = ()


class ConvertNote(Struct, frozen=True):
    """A block that the target does not have as it was. `action` is skipped, adapted, kept or open."""

    action: str
    what: str
    why: str
    record: int | None = None
    text: str = ""


class ConversionSummary(Struct, frozen=True, kw_only=True):
    """A planned conversion and its size in bytes.

    `counts` says how often each adaptation was made: (action, kind of block, reason, number). `notes` are the first of
    all `noted` adaptations. `sound`: nothing is wrong with the history. `name` is the name of the file.
    """

    name: str
    bytes: int
    sound: bool
    counts: tuple[tuple[str, str, str, int], ...]
    notes: tuple[ConvertNote, ...]
    noted: int


class LogVerdict(Struct, frozen=True):
    """The result of checking a log in a list; `verdict` is the worst of all its sessions.

    `cause` is a sentence on the likely cause or, where none is known, on what is wrong. `version` is that of the agent.
    `sent` of `messages` are those that the agent of the
    worst session sends when it resumes it, 0 of 0 if it loses nothing or the number is not known. `drops` says what it
    drops if it sends a part of every message.
    """

    verdict: str
    sentence: str
    errors: int = 0
    sessions: int = 1
    cause: str = ""
    version: str = ""
    sent: int = 0
    messages: int = 0
    drops: str = ""


LogProduct: TypeAlias = Literal["copy", "bundle", "send-back"]
"""What is written of each of several logs: a repaired copy, a bundle, or a repair to send back."""


class LogWriteOutcome(Struct, frozen=True):
    """What became of a log of which something was to be written to `target`.

    `outcome` is "written", "unchanged" (there is nothing to repair), "exists" (the target is there), or another word if
    nothing could be written; `reason` says why.
    """

    path: str
    outcome: str
    target: str
    reason: str


class LookupPlace(Struct, frozen=True, kw_only=True):
    """A place that a pasted text is about, in the log at `path`.

    `how` says how it was found: by an id, an index or its class; "recorded" where the log contains the error; "request"
    where a pasted request ends; "candidate" and "before-answer" where an error without a cause may come from, and
    "accepted" where the accepted history ends. `sentence` says what is there; `finding` is the id of the finding there,
    if any.
    """

    path: str
    place: RecordLocation
    how: str
    sentence: str
    finding: str = ""


class LookupAnswer(Struct, frozen=True, kw_only=True):
    """The result of looking up a pasted text; `meaning` explains it, "" when its wording is not known.

    `fits`: the logs were found only because their anomalies fit the error. `searched` says which sessions were
    searched, "" when it was the open log alone; `looked_at` is their number. `origins` is the number of logs that the
    text may come from, whose places come first.
    """

    meaning: str
    named: tuple[str, ...]
    is_request: bool
    explains: bool
    fits: bool
    places: tuple[LookupPlace, ...]
    remarks: tuple[str, ...]
    searched: str = ""
    looked_at: int = 0
    origins: int = 0


class Backup(Struct, frozen=True):
    """A backup that can be restored, and the path of its original."""

    path: str
    original: str


class RestoreResult(Struct, frozen=True):
    """Where an original was restored, and where the file that it replaced is kept ("" where there was none)."""

    path: str
    kept: str
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        kept = (tr("The replaced file was kept as {kept}.", kept=self.kept),) if self.kept else ()
        return (tr("{path} was restored from its backup.", path=self.path), *kept)


class StoredDataRemoval(Struct, frozen=True, kw_only=True):
    """What was removed of the data stored outside of the logs, and what was not.

    * `settings` is the settings file of the window, "" where there was none or it was to be kept.
    * `cache` is the file with the results of checks, "" where there was none.
    * `dialog` is the settings file in which Qt's file dialog had remembered folders.
    * `unfinished` are left-over temporary files.
    * `in_use` are temporary files of running programs, or that cannot be removed.
    * `beside` are backups and set-aside bytes. They hold content of logs and stay until the person removes them.
    * `looked_in` are the folders that were searched for them.
    """

    settings: str
    cache: str
    dialog: str
    unfinished: tuple[str, ...]
    in_use: tuple[str, ...]
    beside: tuple[str, ...]
    looked_in: tuple[str, ...]


class ShareableReportOptions(Struct, frozen=True):
    """How a report is rendered: `format` and `language`, of REPORT_FORMATS and REPORT_LANGUAGES in `shareable.model`.

    `with_content` adds redacted excerpts, in which the words in `hidden` are replaced, too.
    """

    format: str = "markdown"
    language: str = "en"
    with_content: bool = False
    hidden: tuple[str, ...] = ()


class RenderedShareableReport(Struct, frozen=True):
    """A report as it will be passed on.

    `text` is all that is passed on; `replaced` maps the pseudonyms in it to the values that were hidden.
    """

    text: str
    replaced: dict[str, str]
    name: str
    """A suggested file name, which contains nothing of the log."""


class SendBackRecipient(Struct, frozen=True):
    """The recipient of a repair that is sent back.

    `system` is their operating system ("": that of the log), `language` the language of the page.
    """

    system: str = ""
    language: str = "en"


class RepairInstructionsPackage(Struct, frozen=True):
    """What is sent back: a page of instructions and the plan, both without content; `name` is a suggested file name."""

    page: str
    plan: str
    system: str
    name: str = "repair.zip"


def _none() -> Numbers:
    return array("i")


class TextMatches(Struct):
    """A part of the results of a text search: records that contain the text, ascending, and the progress of the search.

    `done` and `total` are bytes. `outside_matches` counts the pieces between records, so far, that contain it as well.
    """

    records: Numbers = field(default_factory=_none)
    done: int = 0
    total: int = 0
    outside_matches: int = 0


class JumpTarget(Struct, frozen=True):
    """The node that a number or an id leads to; 0 where it leads nowhere, and `sentence` says why."""

    node: int = 0
    sentence: str = ""


class FoundLogs(Struct):
    """Some of the logs at the listed paths, with other files that were found next to them, and why each is not read."""

    logs: list[LogEntry]
    others: list[UnreadFile]


class FilterResult(Struct):
    """The nodes that a filter line keeps, with all nodes above them, ascending.

    `rows` of `total` match, and `first` is the uppermost of them in the tree, 0 if there is none; `hidden` findings are
    on none of them. `fault` is the sentence about a line that cannot be
    understood, which keeps nothing. `doubt` is about a name in it that does not occur in the log.
    """

    kept: Numbers = field(default_factory=_none)
    rows: int = 0
    total: int = 0
    hidden: int = 0
    first: int = 0
    fault: str = ""
    doubt: str = ""


class Facets(Struct):
    """What can be used to navigate a log: its tools with the number of their calls, and some rows.

    `states` counts the rows that each `is:` word of a filter keeps. Of failed tools, it counts the results alone.
    """

    tools: dict[str, int] = {}
    states: dict[str, int] = {}
    failed: Numbers = field(default_factory=_none)
    compactions: Numbers = field(default_factory=_none)


class ContextSeries(Struct):
    """The tokens of the context after some answers of a session, in the order of the log.

    `records`, `turns` (from 1) and `tokens` are parallel. `compactions` and `failures` (results that are marked as
    failed) are records, and so is `broken`: the place of the first error, or of the provider's error that ended the
    session; -1 for none. `limit` is the context window in tokens, 0 where it is not known: `model` is the name in the
    table of models, and `source` is where it is documented. Without `is_recorded`, the tokens are estimates.
    `near_limit`: the last answer took a large part of the window. `summary` is a sentence for a person who does not see
    the strip, "" if there are no tokens.
    """

    records: Numbers = field(default_factory=_none)
    turns: Numbers = field(default_factory=_none)
    tokens: Numbers = field(default_factory=_none)
    compactions: Numbers = field(default_factory=_none)
    failures: Numbers = field(default_factory=_none)
    broken: int = -1
    broken_turn: int = 0
    limit: int = 0
    model: str = ""
    source: str = ""
    is_recorded: bool = True
    near_limit: bool = False
    summary: str = ""

    def position_of(self, record: int) -> int:
        """Return the position of the last answer up to a record, -1 for none."""
        return bisect_right(self.records, record) - 1


class PredefinedListRow(Struct, frozen=True, array_like=True):
    """A row of a ready list: a node, its record, a heading for it, and its first words.

    `measure` is what the list is about: bytes, milliseconds (-1 where unknown), or a number of times; `count` is a
    number of rows.
    """

    node: int
    record: int
    what: str
    text: str
    measure: int
    count: int = 0


ONLY_FIRST, ONLY_SECOND, CHANGED, MOVED = "only-first", "only-second", "changed", "moved"


class ComparedLog(Struct, frozen=True):
    """One of the two logs."""

    path: str
    format: str
    verdict: str
    records: int


class LogDifference(Struct, frozen=True):
    """A record that only one log has (no place in the other), that differs in content, or that is elsewhere."""

    kind: str
    first: RecordLocation | None
    second: RecordLocation | None
    role: str
    summary: str


class SharedIds(Struct, frozen=True):
    """What shows that two logs are of one conversation: shared session ids, and how many record and call ids."""

    sessions: tuple[str, ...]
    records: int
    calls: int


class LogComparison(Struct, frozen=True, kw_only=True):
    """Two logs side by side; `same` counts the records that both contain in the same order.

    `counts`, by kind, covers all differences, while `differences` may hold only the first ones, in the order of the
    conversation. `for_first` are results in the second log for open calls of the first, `for_second` the other way
    round.
    """

    first: ComparedLog
    second: ComparedLog
    same: int
    shared: SharedIds
    counts: dict[str, int]
    differences: tuple[LogDifference, ...]
    for_first: tuple[ResultInOtherLog, ...]
    for_second: tuple[ResultInOtherLog, ...]

    @property
    def relation_sentence(self) -> str:
        """The evidence that the logs are of one conversation, in a sentence."""
        shared = (
            (self.shared.records, "id", tr("of records")),
            (self.shared.calls, "id", tr("of calls")),
            (0 if self.shared.records else self.same, "record", tr("with the same text")),
        )
        evidence = [tr("the same session id")] if self.shared.sessions else []
        listed = ", ".join(
            [
                *evidence,
                *(
                    tr("{count} {rest}", count=count_phrase(count, noun), rest=rest)
                    for count, noun, rest in shared
                    if count
                ),
            ]
        )
        return (
            tr("Both logs have {listed}.", listed=listed)
            if listed
            else tr("Nothing in these logs shows that they belong to the same conversation.")
        )

    @property
    def is_equal(self) -> bool:
        return not any(self.counts.values())


def unknown_resume_request_sentence(label: str) -> str:
    """Return why there is no request for a log of a format."""
    return tr("Cannot determine what the agent sends on resume for a log in this format ({label}).", label=label)
