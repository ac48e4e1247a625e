"""The requests of the window to its child processes. A new one needs a row here and one in the child's Dispatcher."""

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple, cast

from inspector.core.presentation.detail_pieces import DetailsRequest, RecordDetails
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffViewOptions
from inspector.core.presentation.engine_results import (
    Acceptance,
    Backup,
    ContentListRow,
    ContextSeries,
    ConvertPreview,
    Facets,
    FilterResult,
    FoundLogs,
    JumpTarget,
    LogComparison,
    LogProduct,
    LogVerdict,
    LookupAnswer,
    RenderedReport,
    RestoreResult,
    ResultInOtherLog,
    RulePage,
    SaveResult,
    SendBackOptions,
    SendBackPackage,
    ShareOptions,
    StoredDataRemoval,
    TextMatches,
    TrimPreview,
    WrittenLog,
)
from inspector.core.presentation.outline import ByteColumn, Numbers
from inspector.core.repair.choices import Choices
from inspector.core.translation import tr
from inspector.core.trim.options import Trimming
from inspector.gui.worker.packed_answers import OpenedLog, PackedEvidence, PackedResumeRequest, PlannedRepair
from inspector.gui.worker.syntax_colours import CodeText

A = TypeVar("A")
Q = TypeVarTuple("Q")
T = TypeVar("T")


def single_argument(argument_type: type[T]) -> type[tuple[T]]:
    """Return the type of a single argument, because mypy takes the expression `tuple[str]` for `tuple[str, ...]`."""
    return cast("type[tuple[T]]", tuple.__class_getitem__(argument_type))


@dataclass(frozen=True, eq=False)
class EngineRequest(Generic[A, *Q]):
    """A request. `argument_types` and `answer_type` are what is sent and received.

    `safe`: its answer has nothing of a log and is never hidden. `streams`: it answers in parts, and `answer_type` is
    one part. `starts_over`: it does not need earlier requests, which are cancelled. `latest_only`: of several such
    requests only the last is answered. Waiting ones are dropped, and a running one is stopped if its method looks at
    cancellations. `if_interrupted`: a sentence on the state of the files when the child dies during the request, ""
    when it writes nothing. A request with such a sentence, or one that is `always_answered`, is uninterruptible.
    """

    name: str
    argument_types: type[tuple[*Q]]
    answer_type: type[A]
    safe: bool = False
    streams: bool = False
    starts_over: bool = False
    latest_only: bool = False
    always_answered: bool = False
    if_interrupted: str = ""

    @property
    def uninterruptible(self) -> bool:
        """Whether it is always finished, and its answer is always emitted."""
        return self.always_answered or bool(self.if_interrupted)


AnyRequest: TypeAlias = EngineRequest[Any, *tuple[Any, ...]]

_SAVE_INTERRUPTED = tr("The original was not changed, unless you saved in place. In that case, a backup is next to it.")
_COPY_INTERRUPTED = tr("The log was not changed. Try to save the copy again.")
_RESTORE_INTERRUPTED = tr("The backup was not changed. Try to restore it again.")
_SHARE_INTERRUPTED = tr("The log was not changed. Try again to save the file that you want to share.")
_FORGET_INTERRUPTED = tr("Some of the stored data may not have been removed. Try again.")

# The open log: write its repair and its copies.
SAVE_REPAIR = EngineRequest("save", tuple[Choices, str, str], SaveResult, if_interrupted=_SAVE_INTERRUPTED)
SAVE_TRIMMED = EngineRequest("save_trimmed", tuple[Trimming, str], SaveResult, if_interrupted=_COPY_INTERRUPTED)
SAVE_CONVERTED = EngineRequest(
    "save_converted", tuple[str, str, Choices | None, str], SaveResult, if_interrupted=_COPY_INTERRUPTED
)
# Backups.
BACKUP_INFO = EngineRequest("backup_info", single_argument(str), Backup, always_answered=True)
RESTORE = EngineRequest("restore", single_argument(str), RestoreResult, if_interrupted=_RESTORE_INTERRUPTED)
# Write files to share, and remove what is stored about logs.
SAVE_RESUME_REQUEST = EngineRequest(
    "save_resume_request", tuple[Choices | None, str, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
SAVE_REPORT = EngineRequest(
    "save_share_report", tuple[ShareOptions, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
SAVE_LOGS_REPORT = EngineRequest(
    "save_logs_report",
    tuple[list[tuple[str, str, str]], ShareOptions, str],
    str,
    safe=True,
    if_interrupted=_SHARE_INTERRUPTED,
)
SAVE_BUNDLE = EngineRequest("save_bundle", tuple[str, str], int, if_interrupted=_SHARE_INTERRUPTED)
SAVE_SEND_BACK_REPAIR = EngineRequest(
    "save_send_back", tuple[Choices, SendBackOptions, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
FORGET_STORED_DATA = EngineRequest(
    "forget", single_argument(tuple[str, ...]), StoredDataRemoval, if_interrupted=_FORGET_INTERRUPTED
)
# The open log: read and check it, and plan what can be made of it.
OPEN_LOG = EngineRequest("open", tuple[str, str, bool, bool], OpenedLog, starts_over=True)
IS_AGENT_ACTIVE = EngineRequest("is_agent_active", tuple[()], bool, latest_only=True)
PREVIEW_REPAIR = EngineRequest("preview", single_argument(Choices), PlannedRepair, latest_only=True)
DIFF_CHANGES = EngineRequest(
    "diff_changes",
    tuple[Choices, tuple[DiffRequest, ...], DiffViewOptions],
    tuple[tuple[DiffRun, ...], ...],
    latest_only=True,
)
EXPLAIN_ERROR = EngineRequest("explain", single_argument(str), LookupAnswer)
CHECK_ACCEPTANCE = EngineRequest("check_acceptance", tuple[()], list[dict[str, Acceptance]])
RULE_PAGE = EngineRequest("rule_page", single_argument(str), RulePage)
OPEN_CALL_EVIDENCE = EngineRequest("open_calls", tuple[()], PackedEvidence)
PREVIEW_TRIM = EngineRequest("trim", single_argument(Trimming), TrimPreview, latest_only=True)
PREVIEW_CONVERSION = EngineRequest("convert", tuple[str, str, Choices | None], ConvertPreview, latest_only=True)
RESULT_OFFERS = EngineRequest("result_offers", single_argument(tuple[str, ...]), tuple[ResultInOtherLog, ...])
COMPARE_LOGS = EngineRequest("compare_logs", single_argument(str), LogComparison, latest_only=True)
RESUME_REQUEST_JSON = EngineRequest("resume_request_json", tuple[Choices | None, str], ByteColumn)
REPORT = EngineRequest("share_report", single_argument(ShareOptions), RenderedReport, latest_only=True)
RECORD_DETAILS = EngineRequest(
    "details", single_argument(list[DetailsRequest]), dict[int, RecordDetails], latest_only=True
)
SYNTAX_COLOURS = EngineRequest(
    "syntax_colours", tuple[int, list[CodeText]], tuple[int, list[Numbers]], latest_only=True
)
RESUME_REQUEST = EngineRequest("resume_request", tuple[Choices | None, str], PackedResumeRequest, latest_only=True)
PREVIEW_SEND_BACK_REPAIR = EngineRequest(
    "send_back", tuple[Choices, SendBackOptions], SendBackPackage, latest_only=True
)
# The open log: search in it.
FIND_TEXT = EngineRequest("find", tuple[str, bool], TextMatches, streams=True, latest_only=True)
FILTER_ROWS = EngineRequest("filter", single_argument(str), FilterResult, latest_only=True)
CONTENT_LIST = EngineRequest("content_list", single_argument(str), list[ContentListRow], latest_only=True)
COMPUTE_FACETS = EngineRequest("facets", tuple[()], Facets, latest_only=True)
CONTEXT_SERIES = EngineRequest("context_series", single_argument(int), ContextSeries, latest_only=True)
GO_TO = EngineRequest("go_to", single_argument(str), JumpTarget, latest_only=True)
# This machine.
LIST_LOGS = EngineRequest("list_logs", single_argument(tuple[str, ...]), FoundLogs, streams=True, starts_over=True)
CHECK_LOGS = EngineRequest("check_logs", single_argument(list[tuple[str, str]]), tuple[int, LogVerdict], streams=True)
FIND_DUPLICATES = EngineRequest(
    "find_duplicates", single_argument(list[str]), dict[str, str], safe=True
)  # paths that the window gave
LOGS_REPORT = EngineRequest(
    "logs_report", tuple[list[tuple[str, str, str]], ShareOptions], RenderedReport, latest_only=True
)
WRITE_LOGS = EngineRequest(
    "write_logs",
    tuple[list[tuple[str, str]], str, LogProduct, str],
    list[WrittenLog],
    if_interrupted=_SHARE_INTERRUPTED,
)
LOOK_UP_ERROR_IN_SESSIONS = EngineRequest("search", single_argument(str), LookupAnswer, starts_over=True)

SAVING_REQUESTS: tuple[AnyRequest, ...] = (SAVE_REPAIR, SAVE_TRIMMED, SAVE_CONVERTED)
# The requests by name. When a child dies with several requests waiting, the first one here is reported.
REQUESTS_BY_NAME: dict[str, AnyRequest] = {
    request.name: request for request in list(globals().values()) if isinstance(request, EngineRequest)
}
