"""What the engine answers: values that a front shows, light enough to import before anything is read.

Merged; to be rewritten:
`copies`: What can be made of a log besides its repair: what an agent sends of it, a trimmed copy, a converted history.
`machine_answers`: What the engine answers about the machine: logs in a list, the places that a pasted text leads to,
backups.
`outward`: A report to pass on, as a person wishes for it, and as it is shown before it leaves.
`seeking`: What seeking in a log answers, as values that another process can be sent and a window shows.
`between`: Two logs of one conversation, as a front tells what is different.
"""

from __future__ import annotations

from array import array

from msgspec import Struct, field

from inspector.core.analysis.finding import Finding
from inspector.core.model.session import AgentMemory
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.outline import Numbers, Outline
from inspector.core.storage.source import FileStamp
from inspector.core.text import count_phrase


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


# What can be made of a log besides its repair: what an agent sends of it, a trimmed copy, a converted history.


class RequestPreviewBlock(Struct, frozen=True, kw_only=True):
    """A block of what an agent sends, or one of the log that it does not send.

    `mark`: kept, added by the repair, answered by the agent, sent as text, dropped; "" for a message without a block.
    `message` is the number of its message from 0, None for what is not sent; `role` is who speaks, `text` the beginning
    of what it says. `place` is where it stands in the log, and where it does not, `call` is where its call does.
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
    """What an agent will send of a session: `messages` of them, in `bytes` of JSON in the API that is called `wire`.

    `sentence` says what the agent does; `outcome` is as-is, mends, refuses or unknown. What is not sent stands among
    the blocks where it stands in the log.
    """

    wire: str
    outcome: str
    sentence: str
    messages: int
    bytes: int
    blocks: tuple[RequestPreviewBlock, ...]


class TrimPreview(Struct, frozen=True, kw_only=True):
    """A planned trimming. Messages are those of all `sessions`; tokens are None where the log does not tell.

    `removed` are (kind, number of blocks, bytes of their texts); `shrunk` counts the results that became notes.
    `consequences` and `losses` are sentences, the latter on what the repair before the trimming loses. `name` is that
    which the copy gets.
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


class ConvertNote(Struct, frozen=True):
    """A block that the target does not have as it was. `record` is None where it stands in none."""

    action: str
    what: str
    record: int | None
    text: str


class ConvertPreview(Struct, frozen=True, kw_only=True):
    """A planned conversion: its size in bytes, how often each thing was done (action, kind of block, reason, number),
    and the first `notes` one by one, of all `noted`. `sound`: nothing is wrong with the history. `name` is that which
    the file gets.
    """

    name: str
    bytes: int
    sound: bool
    counts: tuple[tuple[str, str, str, int], ...]
    notes: tuple[ConvertNote, ...]
    noted: int


# What the engine answers about the machine: logs in a list, the places that a pasted text leads to, backups.


class LogVerdict(Struct, frozen=True):
    """What judging a log of a list came to. `verdict` is one of those of a session, the worst of all in the log.

    `cause` is what has likely happened in that, a sentence; where none is known, what is wrong. `version` is that of
    the agent, `lost` counts the calls and results that miss each other.
    """

    verdict: str
    sentence: str
    errors: int = 0
    sessions: int = 1
    cause: str = ""
    version: str = ""
    lost: int = 0


class LookupPlace(Struct, frozen=True, kw_only=True):
    """A place that a pasted text is about, in the log at `path`.

    `how` it was found: by an id, an index or its class; "recorded" where the log keeps the error; "request" where a
    pasted request ends. `sentence` says what is there, `finding` is the id of the finding there, if there is one.
    """

    path: str
    place: RecordLocation
    how: str
    sentence: str
    finding: str = ""


class LookupAnswer(Struct, frozen=True, kw_only=True):
    """What a pasted text comes to. `meaning` says it in words, "" when its wording is not known.

    `fits`: the logs were found only because what is wrong in them fits. `searched` says which sessions were looked
    through, `looked_at` how many; "" when it was the open log alone.
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


class Backup(Struct, frozen=True):
    """A backup that can be restored, and the path of what it is of."""

    path: str
    original: str


class RestoreResult(Struct, frozen=True):
    """Where an original lies again, and where that which lay there is kept ("" where nothing did)."""

    path: str
    kept: str
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        kept = (f"What lay there is kept as {self.kept}.",) if self.kept else ()
        return (f"{self.path} is what it was.", *kept)


class CleanupResult(Struct, frozen=True, kw_only=True):
    """What was removed of all that is kept outside of the logs, and what was not.

    `settings` is the file of the window's settings, "" where there was none or it was not asked for; `dialog` that in
    which Qt's file dialog had folders; `unfinished` are temporary files that were left over, `in_use` those of programs
    that run, or that cannot be removed. `beside` are backups and set-aside bytes, which hold what logs say and stay
    until the person removes them, in the folders that were `looked_in`.
    """

    settings: str
    dialog: str
    unfinished: tuple[str, ...]
    in_use: tuple[str, ...]
    beside: tuple[str, ...]
    looked_in: tuple[str, ...]


# A report to pass on, as a person wishes for it, and as it is shown before it leaves.


class ShareOptions(Struct, frozen=True):
    """`form` is how it is written, `language` of which words (`reports.outward.names`). `with_content`: with redacted
    excerpts, in which the words `hidden` are replaced, too.
    """

    format: str = "markdown"
    language: str = "en"
    with_content: bool = False
    hidden: tuple[str, ...] = ()


class RenderedReport(Struct, frozen=True):
    """`text` is all that leaves; `replaced` are the values in it that were hidden, by their pseudonyms."""

    text: str
    replaced: dict[str, str]
    name: str
    """What a file of it may be called: nothing of the log."""


class SendBackOptions(Struct, frozen=True):
    """For whom a repair is sent back: their `system` ("": that which the log tells), and the `language` of the page."""

    system: str = ""
    language: str = "en"


class SendBackPackage(Struct, frozen=True):
    """What is sent back: a page of instructions and the plan, both without content. `name` is what it may be called."""

    page: str
    plan: str
    system: str
    name: str = "repair.zip"


# What seeking in a log answers, as values that another process can be sent and a window shows.


def _none() -> Numbers:
    return array("i")


class TextMatches(Struct):
    """A part of what a search for a text has found: records that hold it, ascending, and how far the search is.

    `done` and `total` are bytes. `outside` counts the pieces between records, so far, that hold it, too.
    """

    records: Numbers = field(default_factory=_none)
    done: int = 0
    total: int = 0
    outside_matches: int = 0


class JumpTarget(Struct, frozen=True):
    """Where a number or an id leads: a node of the tree, 0 where nowhere, and `sentence` says why."""

    node: int = 0
    sentence: str = ""


class FilterResult(Struct):
    """What a filter line leaves: the nodes that it keeps with all above them, ascending.

    `rows` of `total` fit; `hidden` findings stand on none of them. `fault` is the sentence on a line that cannot be
    understood, which leaves nothing; `doubt` on what it names that is nowhere.
    """

    kept: Numbers = field(default_factory=_none)
    rows: int = 0
    total: int = 0
    hidden: int = 0
    fault: str = ""
    doubt: str = ""


class Facets(Struct):
    """What there is to steer by in a log: its tools with how often each is called, and some rows.

    `states` counts the rows that a word of a filter (`is:`) leaves.
    """

    tools: dict[str, int] = {}
    states: dict[str, int] = {}
    failed: Numbers = field(default_factory=_none)
    compactions: Numbers = field(default_factory=_none)


class ListRow(Struct, frozen=True, array_like=True):
    """A row of a ready list: the node and the record that it tells of, what that is, and its first words.

    `measure` is what the list is about: bytes, milliseconds (-1 where it is not told), or how often; `count` the rows.
    """

    node: int
    record: int
    what: str
    text: str
    measure: int
    count: int = 0


# Two logs of one conversation, as a front tells what is different.

ONLY_FIRST, ONLY_SECOND, CHANGED, MOVED = "only-first", "only-second", "changed", "moved"


class ComparedLog(Struct, frozen=True):
    """One of the two logs."""

    path: str
    format: str
    verdict: str
    records: int


class LogDifference(Struct, frozen=True):
    """A record that only one log has (no place in the other), that says something else there, or stands elsewhere."""

    kind: str
    first: RecordLocation | None
    second: RecordLocation | None
    role: str
    summary: str


class LogComparison(Struct, frozen=True, kw_only=True):
    """Two logs beside each other. `same` counts the records that both hold in one order.

    `sessions`, `shared_records` and `shared_calls` (ids) tell that they are of one conversation. `counts` of the
    differences by kind may be more than the `differences` that are given, in the order of the conversation.
    `for_first` are results that the second holds for open calls of the first, `for_second` the other way round.
    """

    first: ComparedLog
    second: ComparedLog
    same: int
    sessions: tuple[str, ...]
    shared_records: int
    shared_calls: int
    counts: dict[str, int]
    differences: tuple[LogDifference, ...]
    for_first: tuple[OfferedResult, ...]
    for_second: tuple[OfferedResult, ...]

    @property
    def relation_sentence(self) -> str:
        """What tells that the logs are of one conversation, in a sentence."""
        found = (
            (self.shared_records, "id", "of records"),
            (self.shared_calls, "id", "of calls"),
            (0 if self.shared_records else self.same, "record", "with the same words"),
        )
        told = ["the same session id"] if self.sessions else []
        held = ", ".join([*told, *(f"{count_phrase(count, what)} {more}" for count, what, more in found if count)])
        return f"In both: {held}." if held else "Nothing tells that these are logs of one conversation."

    @property
    def is_equal(self) -> bool:
        return not any(self.counts.values())
