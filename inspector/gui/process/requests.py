"""What the window asks of its children: a row a request. Adding one takes a row here and a method of the engine."""

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVarTuple

from inspector.core.repair.choices import Choices
from inspector.core.showing.answers import Acceptance, OfferedResult, RulePage, SaveResult
from inspector.core.showing.between import LogComparison
from inspector.core.showing.comparison import DiffOptions, DiffRequest, DiffRun
from inspector.core.showing.copies import ConvertPreview, TrimPreview
from inspector.core.showing.details.pieces import DetailsRequest, RecordDetails
from inspector.core.showing.machine_answers import Backup, CleanupResult, LogVerdict, LookupAnswer, RestoreResult
from inspector.core.showing.outline import ByteColumn, Numbers
from inspector.core.showing.outward import RenderedReport, SendBackOptions, SendBackPackage, ShareOptions
from inspector.core.showing.seeking import Facets, FilterResult, JumpTarget, ListRow, TextMatches
from inspector.core.stores.log_entry import LogEntry
from inspector.core.trim.wish import Trimming
from inspector.gui.answers.evidence_book import EvidenceBook
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.answers.planned_repair import PlannedRepair
from inspector.gui.answers.sent_book import SentBook
from inspector.gui.process.colours import ColouredText

Q = TypeVarTuple("Q")


@dataclass(frozen=True, eq=False)
class Request(Generic[*Q]):
    """`name` is the method of the engine, `question` the types of its arguments, `answer` what the window gets of it.

    `tells`: the method tells how far it is; `stops`: it is told when to stop. `in_parts`: it answers piece by piece,
    and `answer` is a piece. `anew`: it needs nothing of what was asked before. `newest`: of several only the last is
    worked out: those that wait are dropped, and one under way that `stops` is stopped. `unbroken`: it is let finish and
    its answer is heard, whatever else is asked. `left` is what is said of the files when the child dies over it, ""
    where it writes nothing.
    """

    name: str
    argument_types: type[tuple[*Q]]
    answer_type: Any
    reports_progress: bool = False
    cancellable: bool = False
    streams: bool = False
    starts_over: bool = False
    latest_only: bool = False
    uninterruptible: bool = False
    if_interrupted: str = ""


AnyRequest: TypeAlias = Request[*tuple[Any, ...]]

_SAVING = "The original is unchanged unless you saved in place; a backup exists in that case."
_RESTORING = "The backup is unchanged: restore it again."
_PASSING_ON = "The log is unchanged: save what is to be passed on again."
_FORGETTING = "What is kept of logs may be there in part: forget it again."

# the open log: its repair and its copies are written
SAVE = Request("save", tuple[Choices, str, str], SaveResult, uninterruptible=True, if_interrupted=_SAVING)
SAVE_TRIMMED = Request("save_trimmed", tuple[Trimming, str], SaveResult, uninterruptible=True, if_interrupted=_SAVING)
SAVE_CONVERTED = Request(
    "save_converted", tuple[str, str, Choices | None, str], SaveResult, uninterruptible=True, if_interrupted=_SAVING
)
# backups
BACKUP = Request("backup_at", tuple[str], Backup, uninterruptible=True)
RESTORE = Request("restore", tuple[str], RestoreResult, uninterruptible=True, if_interrupted=_RESTORING)
# what is made of logs to pass on is written, and what is kept of them removed
SAVE_SENT = Request("save_sent", tuple[Choices | None, str, str], str, uninterruptible=True, if_interrupted=_PASSING_ON)
SAVE_OUTWARD = Request("save_outward", tuple[ShareOptions, str], str, uninterruptible=True, if_interrupted=_PASSING_ON)
SAVE_OUTWARD_OF = Request(
    "save_outward_of",
    tuple[list[tuple[str, str]], ShareOptions, str],
    str,
    uninterruptible=True,
    if_interrupted=_PASSING_ON,
)
SAVE_BUNDLE = Request("save_bundle", tuple[str, str], int, uninterruptible=True, if_interrupted=_PASSING_ON)
SAVE_SEND_BACK = Request(
    "save_send_back", tuple[Choices, SendBackOptions, str], str, uninterruptible=True, if_interrupted=_PASSING_ON
)
FORGET = Request("forget", tuple[tuple[str, ...]], CleanupResult, uninterruptible=True, if_interrupted=_FORGETTING)
# the open log: it is read, judged, and what can be made of it is planned
OPEN = Request(
    "open", tuple[str, str, bool, bool], OpenedLog, reports_progress=True, cancellable=True, starts_over=True
)
AT_WORK = Request("at_work", tuple[()], bool, latest_only=True)
PREVIEW = Request("preview", tuple[Choices], PlannedRepair, latest_only=True)
COMPARE = Request(
    "compare", tuple[Choices, tuple[DiffRequest, ...], DiffOptions], tuple[tuple[DiffRun, ...], ...], latest_only=True
)
EXPLAIN = Request("explain", tuple[str], LookupAnswer)
ACCEPTED = Request("accepted", tuple[()], list[dict[str, Acceptance]])
RULE_PAGE = Request("rule_page", tuple[str], RulePage)
OPEN_CALLS = Request("open_calls", tuple[()], EvidenceBook)
TRIM = Request("trim", tuple[Trimming], TrimPreview, latest_only=True)
CONVERT = Request("convert", tuple[str, str, Choices | None], ConvertPreview, latest_only=True)
OFFERS = Request("offers", tuple[tuple[str, ...]], tuple[OfferedResult, ...])
BETWEEN = Request("between", tuple[str], LogComparison, latest_only=True)
SENT_AS_JSON = Request("sent_as_json", tuple[Choices | None, str], ByteColumn)
OUTWARD = Request("outward", tuple[ShareOptions], RenderedReport, latest_only=True)
DETAILS = Request("details", tuple[list[DetailsRequest]], dict[int, RecordDetails], latest_only=True)
COLOURS = Request("colours", tuple[int, list[ColouredText]], tuple[int, list[Numbers]], latest_only=True)
SENT = Request("sent", tuple[Choices | None, str], SentBook, latest_only=True)
SEND_BACK = Request("send_back", tuple[Choices, SendBackOptions], SendBackPackage, latest_only=True)
# the open log: seeking in it
FIND = Request("find", tuple[str, bool], TextMatches, cancellable=True, streams=True, latest_only=True)
FILTER = Request("filter", tuple[str], FilterResult, cancellable=True, latest_only=True)
LISTED = Request("listed", tuple[str], list[ListRow], cancellable=True, latest_only=True)
LANDMARKS = Request("landmarks", tuple[()], Facets, latest_only=True)
GO_TO = Request("go_to", tuple[str], JumpTarget, latest_only=True)
# this machine
LOGS = Request(
    "logs", tuple[tuple[str, ...]], tuple[list[LogEntry], list[str]], cancellable=True, streams=True, starts_over=True
)
JUDGE = Request("judge", tuple[list[tuple[str, str]]], tuple[int, LogVerdict], cancellable=True, streams=True)
SAME = Request("same", tuple[list[str]], set[str])
OUTWARD_OF = Request(
    "outward_of", tuple[list[tuple[str, str]], ShareOptions], RenderedReport, cancellable=True, latest_only=True
)
SEARCH = Request("search", tuple[str], LookupAnswer, reports_progress=True, cancellable=True, starts_over=True)

SAVES: tuple[AnyRequest, ...] = (SAVE, SAVE_TRIMMED, SAVE_CONVERTED)
# By their names. Of several that wait for a child that dies, the first here is the one that is told of.
REQUESTS: dict[str, AnyRequest] = {
    request.name: request for request in list(globals().values()) if isinstance(request, Request)
}
