"""The requests of the window to its child processes. A new one needs a row here and one in the child's Dispatcher."""

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple, cast

from inspector.core.presentation.detail_pieces import DetailsRequest, RecordDetails
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffViewOptions
from inspector.core.presentation.engine_results import (
    Acceptance,
    Backup,
    ContextSeries,
    ConversionSummary,
    Facets,
    FilterResult,
    FoundLogs,
    JumpTarget,
    LogComparison,
    LogProduct,
    LogVerdict,
    LogWriteOutcome,
    LookupAnswer,
    PredefinedListRow,
    RenderedShareableReport,
    RepairInstructionsPackage,
    RestoreResult,
    ResultInOtherLog,
    RulePage,
    SaveResult,
    SendBackRecipient,
    ShareableReportOptions,
    StoredDataRemoval,
    TextMatches,
    TrimPreview,
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


def single_argument_type(argument_type: type[T]) -> type[tuple[T]]:
    """Return the type of a single argument, because mypy takes the expression `tuple[str]` for `tuple[str, ...]`."""
    return cast("type[tuple[T]]", tuple.__class_getitem__(argument_type))


@dataclass(frozen=True, eq=False)
class RequestSpec(Generic[A, *Q]):
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


AnyRequest: TypeAlias = RequestSpec[Any, *tuple[Any, ...]]

_SAVE_INTERRUPTED = tr(
    "The original was not changed unless you saved in place. In that case, a backup is next to the original."
)
_COPY_INTERRUPTED = tr("The log was not changed. Try saving the copy again.")
_RESTORE_INTERRUPTED = tr("The backup was not changed. Try restoring it again.")
_SHARE_INTERRUPTED = tr("The log was not changed. Try saving the file again.")
_FORGET_INTERRUPTED = tr("Some of the stored data may not have been removed. Try again.")

# The open log: write its repair and its copies.
SAVE_REPAIR = RequestSpec("save", tuple[Choices, str, str], SaveResult, if_interrupted=_SAVE_INTERRUPTED)
SAVE_TRIMMED = RequestSpec("save_trimmed", tuple[Trimming, str], SaveResult, if_interrupted=_COPY_INTERRUPTED)
SAVE_CONVERTED = RequestSpec(
    "save_converted", tuple[str, str, Choices | None, str], SaveResult, if_interrupted=_COPY_INTERRUPTED
)
# Backups.
BACKUP_INFO = RequestSpec("backup_info", single_argument_type(str), Backup, always_answered=True)
RESTORE = RequestSpec("restore", single_argument_type(str), RestoreResult, if_interrupted=_RESTORE_INTERRUPTED)
# Write files to share, and remove what is stored about logs.
SAVE_RESUME_REQUEST = RequestSpec(
    "save_resume_request", tuple[Choices | None, str, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
SAVE_REPORT = RequestSpec(
    "save_share_report", tuple[ShareableReportOptions, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
SAVE_LOGS_REPORT = RequestSpec(
    "save_logs_report",
    tuple[list[tuple[str, str, str]], ShareableReportOptions, str],
    str,
    safe=True,
    if_interrupted=_SHARE_INTERRUPTED,
)
SAVE_BUNDLE = RequestSpec("save_bundle", tuple[str, str], int, if_interrupted=_SHARE_INTERRUPTED)
SAVE_SEND_BACK_REPAIR = RequestSpec(
    "save_send_back", tuple[Choices, SendBackRecipient, str], str, safe=True, if_interrupted=_SHARE_INTERRUPTED
)
FORGET_STORED_DATA = RequestSpec(
    "forget", single_argument_type(tuple[str, ...]), StoredDataRemoval, if_interrupted=_FORGET_INTERRUPTED
)
# The open log: read and check it, and plan what can be made of it.
OPEN_LOG = RequestSpec("open", tuple[str, str, bool, bool], OpenedLog, starts_over=True)
IS_AGENT_ACTIVE = RequestSpec("is_agent_active", tuple[()], bool, latest_only=True)
PREVIEW_REPAIR = RequestSpec("preview", single_argument_type(Choices), PlannedRepair, latest_only=True)
DIFF_CHANGES = RequestSpec(
    "diff_changes",
    tuple[Choices, tuple[DiffRequest, ...], DiffViewOptions],
    tuple[tuple[DiffRun, ...], ...],
    latest_only=True,
)
EXPLAIN_ERROR = RequestSpec("explain", single_argument_type(str), LookupAnswer)
CHECK_ACCEPTANCE = RequestSpec("check_acceptance", tuple[()], list[dict[str, Acceptance]])
RULE_PAGE = RequestSpec("rule_page", single_argument_type(str), RulePage)
OPEN_CALL_EVIDENCE = RequestSpec("open_calls", tuple[()], PackedEvidence)
PREVIEW_TRIM = RequestSpec("trim", single_argument_type(Trimming), TrimPreview, latest_only=True)
PREVIEW_CONVERSION = RequestSpec("convert", tuple[str, str, Choices | None], ConversionSummary, latest_only=True)
RESULT_OFFERS = RequestSpec("result_offers", single_argument_type(tuple[str, ...]), tuple[ResultInOtherLog, ...])
COMPARE_LOGS = RequestSpec("compare_logs", single_argument_type(str), LogComparison, latest_only=True)
RESUME_REQUEST_JSON = RequestSpec("resume_request_json", tuple[Choices | None, str], ByteColumn)
REPORT = RequestSpec(
    "share_report", single_argument_type(ShareableReportOptions), RenderedShareableReport, latest_only=True
)
RECORD_DETAILS = RequestSpec(
    "details", single_argument_type(list[DetailsRequest]), dict[int, RecordDetails], latest_only=True
)
SYNTAX_COLOURS = RequestSpec("syntax_colours", tuple[int, list[CodeText]], tuple[int, list[Numbers]], latest_only=True)
RESUME_REQUEST = RequestSpec("resume_request", tuple[Choices | None, str], PackedResumeRequest, latest_only=True)
PREVIEW_SEND_BACK_REPAIR = RequestSpec(
    "send_back", tuple[Choices, SendBackRecipient], RepairInstructionsPackage, latest_only=True
)
# The open log: search in it.
FIND_TEXT = RequestSpec("find", tuple[str, bool], TextMatches, streams=True, latest_only=True)
FILTER_ROWS = RequestSpec("filter", single_argument_type(str), FilterResult, latest_only=True)
CONTENT_LIST = RequestSpec("content_list", single_argument_type(str), list[PredefinedListRow], latest_only=True)
COMPUTE_FACETS = RequestSpec("facets", tuple[()], Facets, latest_only=True)
CONTEXT_SERIES = RequestSpec("context_series", single_argument_type(int), ContextSeries, latest_only=True)
GO_TO = RequestSpec("go_to", single_argument_type(str), JumpTarget, latest_only=True)
# This machine.
LIST_LOGS = RequestSpec("list_logs", single_argument_type(tuple[str, ...]), FoundLogs, streams=True, starts_over=True)
CHECK_LOGS = RequestSpec(
    "check_logs", single_argument_type(list[tuple[str, str]]), tuple[int, LogVerdict], streams=True
)
FIND_DUPLICATES = RequestSpec(
    "find_duplicates", single_argument_type(list[str]), dict[str, str], safe=True
)  # paths that the window gave
LOGS_REPORT = RequestSpec(
    "logs_report", tuple[list[tuple[str, str, str]], ShareableReportOptions], RenderedShareableReport, latest_only=True
)
WRITE_LOGS = RequestSpec(
    "write_logs",
    tuple[list[tuple[str, str]], str, LogProduct, str],
    list[LogWriteOutcome],
    if_interrupted=_SHARE_INTERRUPTED,
)
LOOK_UP_ERROR_IN_SESSIONS = RequestSpec("search", single_argument_type(str), LookupAnswer, starts_over=True)

SAVING_REQUESTS: tuple[AnyRequest, ...] = (SAVE_REPAIR, SAVE_TRIMMED, SAVE_CONVERTED)
# The requests by name. When a child dies with several requests waiting, the first one here is reported.
REQUESTS_BY_NAME: dict[str, AnyRequest] = {
    request.name: request for request in list(globals().values()) if isinstance(request, RequestSpec)
}
