"""What the window asks of its children: a row a request. Adding one takes a row here and a method of the engine."""

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVarTuple

from inspector.core.repair.choices import Choices
from inspector.core.showing.answers import Acceptance, OfferedResult, RulePage, Saved
from inspector.core.showing.between import Between
from inspector.core.showing.comparison import Manner, Run, Wanted
from inspector.core.showing.copies import ConvertPreview, TrimPreview
from inspector.core.showing.details.pieces import RecordParts, WantedParts
from inspector.core.showing.machine_answers import Backup, Forgotten, LogVerdict, PastedAnswer, Restored
from inspector.core.showing.outline import Numbers, Octets
from inspector.core.showing.outward import OutwardReport, OutwardWish, SendBack, SendBackWish
from inspector.core.showing.seeking import Filtered, FoundText, Landmarks, ListedRow, Target
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
    question: type[tuple[*Q]]
    answer: Any
    tells: bool = False
    stops: bool = False
    in_parts: bool = False
    anew: bool = False
    newest: bool = False
    unbroken: bool = False
    left: str = ""


AnyRequest: TypeAlias = Request[*tuple[Any, ...]]

_SAVING = "The original is unchanged unless you saved in place; a backup exists in that case."
_RESTORING = "The backup is unchanged: restore it again."
_PASSING_ON = "The log is unchanged: save what is to be passed on again."
_FORGETTING = "What is kept of logs may be there in part: forget it again."

# the open log: its repair and its copies are written
SAVE = Request("save", tuple[Choices, str, str], Saved, unbroken=True, left=_SAVING)
SAVE_TRIMMED = Request("save_trimmed", tuple[Trimming, str], Saved, unbroken=True, left=_SAVING)
SAVE_CONVERTED = Request("save_converted", tuple[str, str, Choices | None, str], Saved, unbroken=True, left=_SAVING)
# backups
BACKUP = Request("backup_at", tuple[str], Backup, unbroken=True)
RESTORE = Request("restore", tuple[str], Restored, unbroken=True, left=_RESTORING)
# what is made of logs to pass on is written, and what is kept of them removed
SAVE_SENT = Request("save_sent", tuple[Choices | None, str, str], str, unbroken=True, left=_PASSING_ON)
SAVE_OUTWARD = Request("save_outward", tuple[OutwardWish, str], str, unbroken=True, left=_PASSING_ON)
SAVE_OUTWARD_OF = Request(
    "save_outward_of", tuple[list[tuple[str, str]], OutwardWish, str], str, unbroken=True, left=_PASSING_ON
)
SAVE_BUNDLE = Request("save_bundle", tuple[str, str], int, unbroken=True, left=_PASSING_ON)
SAVE_SEND_BACK = Request("save_send_back", tuple[Choices, SendBackWish, str], str, unbroken=True, left=_PASSING_ON)
FORGET = Request("forget", tuple[tuple[str, ...]], Forgotten, unbroken=True, left=_FORGETTING)
# the open log: it is read, judged, and what can be made of it is planned
OPEN = Request("open", tuple[str, str, bool, bool], OpenedLog, tells=True, stops=True, anew=True)
AT_WORK = Request("at_work", tuple[()], bool, newest=True)
PREVIEW = Request("preview", tuple[Choices], PlannedRepair, newest=True)
COMPARE = Request("compare", tuple[Choices, tuple[Wanted, ...], Manner], tuple[tuple[Run, ...], ...], newest=True)
EXPLAIN = Request("explain", tuple[str], PastedAnswer)
ACCEPTED = Request("accepted", tuple[()], list[dict[str, Acceptance]])
RULE_PAGE = Request("rule_page", tuple[str], RulePage)
OPEN_CALLS = Request("open_calls", tuple[()], EvidenceBook)
TRIM = Request("trim", tuple[Trimming], TrimPreview, newest=True)
CONVERT = Request("convert", tuple[str, str, Choices | None], ConvertPreview, newest=True)
OFFERS = Request("offers", tuple[tuple[str, ...]], tuple[OfferedResult, ...])
BETWEEN = Request("between", tuple[str], Between, newest=True)
SENT_AS_JSON = Request("sent_as_json", tuple[Choices | None, str], Octets)
OUTWARD = Request("outward", tuple[OutwardWish], OutwardReport, newest=True)
DETAILS = Request("details", tuple[list[WantedParts]], dict[int, RecordParts], newest=True)
COLOURS = Request("colours", tuple[int, list[ColouredText]], tuple[int, list[Numbers]], newest=True)
SENT = Request("sent", tuple[Choices | None, str], SentBook, newest=True)
SEND_BACK = Request("send_back", tuple[Choices, SendBackWish], SendBack, newest=True)
# the open log: seeking in it
FIND = Request("find", tuple[str, bool], FoundText, stops=True, in_parts=True, newest=True)
FILTER = Request("filter", tuple[str], Filtered, stops=True, newest=True)
LISTED = Request("listed", tuple[str], list[ListedRow], stops=True, newest=True)
LANDMARKS = Request("landmarks", tuple[()], Landmarks, newest=True)
GO_TO = Request("go_to", tuple[str], Target, newest=True)
# this machine
LOGS = Request("logs", tuple[tuple[str, ...]], tuple[list[LogEntry], list[str]], stops=True, in_parts=True, anew=True)
JUDGE = Request("judge", tuple[list[tuple[str, str]]], tuple[int, LogVerdict], stops=True, in_parts=True)
SAME = Request("same", tuple[list[str]], set[str])
OUTWARD_OF = Request("outward_of", tuple[list[tuple[str, str]], OutwardWish], OutwardReport, stops=True, newest=True)
SEARCH = Request("search", tuple[str], PastedAnswer, tells=True, stops=True, anew=True)

SAVES: tuple[AnyRequest, ...] = (SAVE, SAVE_TRIMMED, SAVE_CONVERTED)
# By their names. Of several that wait for a child that dies, the first here is the one that is told of.
REQUESTS: dict[str, AnyRequest] = {
    request.name: request for request in list(globals().values()) if isinstance(request, Request)
}
