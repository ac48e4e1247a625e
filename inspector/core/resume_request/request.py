"""Build the request that an agent sends for a judged log or its planned repair, with the origin of each block.

The request is returned as JSON in the agent's own wire format, and as a preview block by block.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.check.check import (
    Report,
    as_read_by_agent,
    check_threads,
    outcome_as_read,
    rules_reporting_errors,
    with_unsent_results_as_losses,
)
from inspector.core.check.resume import RequestDifference
from inspector.core.errors import NotJudged, NotVerified
from inspector.core.formats.base.agent_behavior import RequestBuilder, ResumeBehavior
from inspector.core.formats.base.request import RequestBlock
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.model.session import index_of_session
from inspector.core.model.views import BlockKind, RecordLocation
from inspector.core.presentation.engine_results import (
    RequestPreview,
    RequestPreviewBlock,
    unknown_resume_request_sentence,
)
from inspector.core.providers.registry import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.report.json import ReportDocument, encode
from inspector.core.resume_request.serializer import MESSAGES_KEYS, BlockReader, BlockToEncode, encode_messages
from inspector.core.translation import tr

SENT_UNCHANGED, ANSWERED_BY_AGENT, SENT_AS_TEXT, NOT_SENT = (
    "kept",
    tr("answered by the agent"),
    tr("sent as text"),
    "dropped",
)
_LONGEST = 200  # characters of a text that identifies a block

ADDED_BY_REPAIR, RECOVERED = tr("added by the repair"), "recovered"
_OTHER = BlockKind.OTHER.name.lower()
_CALL = BlockKind.CALL.name.lower()


class BlockSendStatus(Struct, frozen=True):
    """One block of a request, or one that is not in it. `record` is its record, -1 for the agent's own words.

    `row` is the block itself, or the call that the agent answers. `text` is the beginning of its text. `origin` is
    where a result was recovered from, "" for any other block.
    """

    mark: str
    record: int
    kind: str
    id: str = ""
    name: str = ""
    text: str = ""
    row: int = -1
    origin: str = ""


class EncodedRequest(Struct):
    """The request for one session. `marks` has the origin of each block, message by message.

    `dropped` are the blocks of the log that are not sent. `columns` are those that it was built from: the log's own,
    those of its planned repair, or those of what the agent reads.
    """

    session: str
    wire: str
    messages: list[bytes]
    marks: list[list[BlockSendStatus]]
    dropped: list[BlockSendStatus]
    outcome: ResumeBehavior
    columns: Columns

    @property
    def messages_key(self) -> str:
        """The name of the list of messages in the wire format."""
        return MESSAGES_KEYS[self.wire]


def encode_resume_request(
    report: Report, number: int = 0, plan: Plan | None = None, version: str = ""
) -> EncodedRequest:
    """Return what is sent when session `number` is resumed, as the log is or as it is planned.

    `version` is the version of the agent that resumes it, where that is not the one that wrote it. Raises NotJudged
    where the agent's request is not known, NotVerified for a plan that does not verify.
    """
    if plan is not None and not plan.verified:
        raise NotVerified(tr("The repair could not be verified: {reason}", reason=plan.reason))
    context, hits, errors = _judged(report, number, plan)
    if version:
        context = context.with_agent_version(version)
    read = as_read_by_agent(context, hits, errors)
    context, hits = read.context, read.matches
    format = context.format
    if not isinstance(format, RequestBuilder):
        raise NotJudged(unknown_resume_request_sentence(format.label))
    request = format.build_request(context.session, context.columns, context.raw)
    version = context.session.version
    reader = BlockReader(format, context.columns, context.raw, version, request.replaces_surrogates)
    recovered = _recovered_origins(plan, context.session.number)
    messages: list[bytes] = []
    marks: list[list[BlockSendStatus]] = []
    for message in () if request.stop_reason else encode_messages(request, reader):
        messages.append(message.json)
        marks.append([_marked(reader, block, _mark_of(block.sent), recovered) for block in message.blocks])
    unsent_rows = RequestDifference(context, hits, request).unsent_rows
    dropped = [_marked(reader, reader.read_block(RequestBlock(row)), NOT_SENT) for row in unsent_rows]
    recoverable = report.sessions[number].recoverable if plan is None else plan.unused_certain_results(number)
    outcome = with_unsent_results_as_losses(outcome_as_read(read, errors), recoverable)
    return EncodedRequest(context.session.id, request.wire, messages, marks, dropped, outcome, context.columns)


def resolve_session_number(report: Report, session: str) -> int:
    """Return the number of the session that is named by id or number, 0 where none is named. Raises UnknownName."""
    return index_of_session(session, [each.session for each in report.sessions]) if session else 0


def _judged(report: Report, number: int, plan: Plan | None) -> tuple[ThreadContext, list[RuleMatch], set[str]]:
    """Return the main thread of a session, as read or as planned: its context, its matches, and the rules in error.

    Raises NotJudged.
    """
    threads = report.sessions[number].threads
    if not threads:
        raise NotJudged(
            tr(
                "Cannot determine what the agent sends on resume, because the format of this log is uncertain. "
                "If you know the format, specify it with --log-format."
            )
        )
    judged = threads[0]
    if plan is not None and not plan.changes_nothing:
        draft, planned = plan.draft, plan.sessions[number]
        profile = profile_named(planned.profile)
        judged = check_threads(
            draft.format, draft.columns, draft.raw, planned, profile, include_side_threads=False, log=draft.log
        )[0]
    return judged.context, judged.matches, rules_reporting_errors(judged.context, judged.matches)


def _mark_of(sent: RequestBlock) -> str:
    return ANSWERED_BY_AGENT if sent.answer else SENT_AS_TEXT if sent.stored_form else SENT_UNCHANGED


def _recovered_origins(plan: Plan | None, session: int) -> dict[str, str]:
    """Return where the results of a planned repair were recovered from, by the ids of their calls."""
    recovered = {} if plan is None else plan.draft.recovered
    return {call_id: result.place for (number, call_id), result in recovered.items() if number == session}


def _marked(
    reader: BlockReader, block: BlockToEncode, mark: str, recovered: Mapping[str, str] | None = None
) -> BlockSendStatus:
    row = block.sent.row
    record = -1 if block.sent.answer else reader.columns.record_of_block(row)
    origin = recovered.get(block.id, "") if recovered and record >= 0 and block.kind == BlockKind.RESULT else ""
    mark = RECOVERED if origin else mark
    return BlockSendStatus(
        mark, record, block.kind.name.lower(), block.id, block.name, block.text[:_LONGEST], row, origin
    )


class RequestBlockEntry(Struct):
    """A block of a message: how it is sent, and its record in the log or in the repaired log.

    `record` is null for the agent's own words. Calls and results have an `id` and a `name`.
    """

    mark: str
    record: int | None
    kind: str
    id: str | UnsetType
    name: str | UnsetType
    recovered_from: str | UnsetType
    text: str


class RequestDocument(ReportDocument, kw_only=True):
    """The report of `sent`: what the agent sends in its own wire.

    The messages are in the list that the wire names: `messages`, `contents` or `input`. `marks` has a list of blocks
    for each of them, and `dropped` the blocks of the log that are not sent.
    """

    path: str
    session: str
    format: str
    agent: str
    outcome: str
    loses: tuple[str, ...]
    answers: tuple[str, ...]
    writes: str
    error: str
    wire: str
    messages: list[Any] | UnsetType = UNSET
    contents: list[Any] | UnsetType = UNSET
    input: list[Any] | UnsetType = UNSET
    marks: list[list[RequestBlockEntry]]
    dropped: list[RequestBlockEntry]


def request_json(path: str, format: str, sending: EncodedRequest) -> bytes:
    """Return the request as JSON: the messages exactly as sent, a line each, and where each of their blocks is from."""
    outcome, columns = sending.outcome, sending.columns
    document = RequestDocument(
        path=path,
        session=sending.session,
        format=format,
        agent=outcome.agent,
        outcome=outcome.outcome,
        loses=outcome.losses,
        answers=outcome.answered_calls,
        writes=outcome.file_changes,
        error=outcome.error,
        wire=sending.wire,
        marks=[[_mark_entry(mark, columns) for mark in marks] for marks in sending.marks],
        dropped=[_mark_entry(mark, columns) for mark in sending.dropped],
    )
    # The messages go before the marks. No string can be mistaken for the field, since quotes in it are escaped.
    head, _, tail = encode(document).partition(b',"marks":')
    key, messages = sending.messages_key.encode(), b",\n".join(sending.messages)
    return b'%b,\n"%b":[%b],\n"marks":%b\n' % (head, key, messages, tail)


def _mark_entry(mark: BlockSendStatus, columns: Columns) -> RequestBlockEntry:
    record = None if mark.record < 0 else columns.stable_numbers[mark.record]
    id, name = (mark.id, mark.name) if mark.kind in ("call", "result") else (UNSET, UNSET)
    return RequestBlockEntry(mark.mark, record, mark.kind, id, name, mark.origin or UNSET, mark.text)


class _MessageHeader(msgspec.Struct):
    """The role or type of a message or an item."""

    role: Any = ""
    type: Any = ""


def request_preview(report: Report, sending: EncodedRequest) -> RequestPreview:
    """Return the request as the window shows it."""
    return RequestPreview(
        wire=sending.wire,
        outcome=sending.outcome.outcome,
        sentence=sending.outcome.sentence,
        messages=len(sending.messages),
        bytes=sum(map(len, sending.messages)),
        blocks=tuple(_blocks(report, sending)),
    )


def _blocks(report: Report, sending: EncodedRequest) -> Iterator[RequestPreviewBlock]:
    columns = sending.columns
    names: dict[str, str] = {}
    calls: dict[str, RecordLocation | None] = {}
    for message, mark in _in_order(sending):
        place = _place(report, columns, mark)
        if mark.kind == _CALL:
            names[mark.id], calls[mark.id] = mark.name, place
        yield RequestPreviewBlock(
            mark=ADDED_BY_REPAIR if mark.mark == SENT_UNCHANGED and place is None else mark.mark,
            message=message,
            role=_role(columns, mark) if message is None else _role_of(sending.messages[message]),
            kind=mark.kind,
            name=mark.name or names.get(mark.id, ""),
            text=mark.text,
            place=place,
            call=None if place else calls.get(mark.id),
        )


def _in_order(sending: EncodedRequest) -> Iterator[tuple[int | None, BlockSendStatus]]:
    """Yield each block with the number of its message.

    Dropped blocks (with None) come before the block that follows them in the log.
    """
    dropped = deque(sorted(sending.dropped, key=lambda mark: mark.row))
    for number, marks in enumerate(sending.marks):
        for mark in marks or (BlockSendStatus("", -1, _OTHER),):
            while mark.record >= 0 and dropped and dropped[0].row < mark.row:
                yield None, dropped.popleft()
            yield number, mark
    yield from ((None, mark) for mark in dropped)


def _place(report: Report, columns: Columns, mark: BlockSendStatus) -> RecordLocation | None:
    """Return a block's place in the log, None for the agent's own words and for what a repair added."""
    read = report.log.columns
    slot = columns.stable_numbers[mark.record] if mark.record >= 0 else len(read)
    if slot >= len(read):
        return None
    # A repair may have changed the blocks of the record: then the record alone is the place.
    is_whole = columns is read or _outline(columns, mark.record) == _outline(read, slot)
    ordinal = mark.row - columns.first_block[mark.record]
    return RecordLocation(slot, pointer=report.format.pointer(read, slot, ordinal) if is_whole else "")


def _outline(columns: Columns, record: int) -> tuple[bytes, list[str | None]]:
    """Return the kinds of a record's blocks, and their ids."""
    rows = columns.block_rows(record)
    return bytes(columns.block_kinds[rows.start : rows.stop]), columns.call_ids[rows.start : rows.stop]


def _role(columns: Columns, mark: BlockSendStatus) -> str:
    return Role(columns.roles[mark.record]).name.lower()


def _role_of(message: bytes) -> str:
    """Return the role of a message in the words of the wire, or the type of an item without a role."""
    head = msgspec.json.decode(message, type=_MessageHeader)
    return str(head.role or head.type)
