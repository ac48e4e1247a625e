"""What an agent will send of a judged log, or of its planned repair: the messages, and how each block got there."""

from msgspec import Struct

from inspector.core.errors import NotJudged, NotVerified
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request import Sent
from inspector.core.index.session import session_index
from inspector.core.judging.check import Report, check_threads
from inspector.core.judging.findings import match_severity
from inspector.core.judging.resume.outcome import RequestDifference, resume_outcome
from inspector.core.profiles import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.scene import Match, ThreadContext
from inspector.core.scene.finding import Severity
from inspector.core.sent.spelling import MESSAGES_KEYS, BlockReader, ResolvedBlock, encode_messages

SENT_UNCHANGED, ANSWERED_BY_AGENT, SENT_AS_TEXT, NOT_SENT = "kept", "answered by the agent", "sent as text", "dropped"
_LONGEST = 200  # of a text that tells which block is meant


class MarkedBlock(Struct, frozen=True):
    """One block of a request, or one that is not in it. `record` is its record, -1 for the agent's own words.

    `row` is the block itself, or the call that the agent answers; `text` the beginning of what it says.
    """

    mark: str
    record: int
    kind: str
    id: str = ""
    name: str = ""
    text: str = ""
    row: int = -1


class EncodedRequest(Struct):
    """What is sent for one session. `marks` tells, message by message, where each block comes from.

    `dropped` are the blocks of the log that are not sent.
    """

    session: str
    wire: str
    messages: list[bytes]
    marks: list[list[MarkedBlock]]
    dropped: list[MarkedBlock]
    outcome: OnResume

    @property
    def messages_key(self) -> str:
        """What the wire calls its list of messages."""
        return MESSAGES_KEYS[self.wire]


def encode_resume_request(
    report: Report, number: int = 0, plan: Plan | None = None, version: str = ""
) -> EncodedRequest:
    """What is sent when session `number` is resumed, as it lies there or as it is planned.

    `version` is that of the agent that resumes it, where it is not the one that wrote it. Raises NotJudged where what
    its program sends is not known, NotVerified for a plan that does not verify.
    """
    if plan is not None and not plan.verified:
        raise NotVerified(f"No repair was verified: {plan.reason}")
    scene, hits, errors = _judged(report, number, plan)
    if version:
        scene = scene.with_agent_version(version)
    format = scene.format
    if not isinstance(format, Sender):
        raise NotJudged(f"What is sent on resume is not known for a log of this format ({format.label}).")
    request = format.build_request(scene.session, scene.columns, scene.raw)
    speaker = BlockReader(format, scene.columns, scene.raw)
    messages: list[bytes] = []
    marks: list[list[MarkedBlock]] = []
    for each in () if request.stop_reason else encode_messages(request, speaker):
        messages.append(each.json)
        marks.append([_marked(speaker, block, _mark_of(block.sent)) for block in each.blocks])
    gone = RequestDifference(scene, hits, request).unsent_rows
    dropped = [_marked(speaker, speaker.read_block(Sent(row)), NOT_SENT) for row in gone]
    return EncodedRequest(scene.session.id, request.wire, messages, marks, dropped, resume_outcome(scene, hits, errors))


def session_number(report: Report, session: str) -> int:
    """The number of the session that is meant by its id or number; the first one where none is named.

    Raises UnknownName.
    """
    return session_index(session, [each.session for each in report.sessions]) if session else 0


def _judged(report: Report, number: int, plan: Plan | None) -> tuple[ThreadContext, list[Match], set[str]]:
    """The main thread of a session, as read or as planned: its scene, its anomalies, and which of them are errors."""
    threads = report.sessions[number].threads
    if not threads:
        raise NotJudged(
            "What is sent on resume is not known: what the records of this log mean is not certain. "
            "If you know its format, name it with --log-format."
        )
    judged = threads[0]
    if plan is not None and not plan.changes_nothing:
        draft, planned = plan.draft, plan.sessions[number]
        profile = profile_named(planned.profile)
        judged = check_threads(draft.format, draft.columns, draft.raw, planned, profile, include_side_threads=False)[0]
    errors = {hit.rule for hit in judged.matches if match_severity(hit, judged.context) == Severity.ERROR}
    return judged.context, judged.matches, errors


def _mark_of(sent: Sent) -> str:
    return ANSWERED_BY_AGENT if sent.answer else SENT_AS_TEXT if sent.stored_form else SENT_UNCHANGED


def _marked(speaker: BlockReader, block: ResolvedBlock, mark: str) -> MarkedBlock:
    row = block.sent.row
    record = -1 if block.sent.answer else speaker.columns.record_of_block(row)
    return MarkedBlock(mark, record, block.kind.name.lower(), block.id, block.name, block.text[:_LONGEST], row)
