"""The messages that Crush sends when it resumes a session, before the new prompt.

Facts: charmbracelet/crush, internal/agent/agent.go (`preparePrompt`) and internal/message/content.go (`ToAIMessage`)
@37f36e9, and charmbracelet/fantasy, providers/anthropic/anthropic.go @0245305, read and not run. A reminder in a
message of the user comes before the history. Of the texts and the reasoning of a message the first is sent. A call
without a result in the session is answered behind its message, and a result without a call in it is dropped. Whether a
result follows its call is not looked at. For Anthropic, neighbors of one role are joined, and a message with nothing
but reasoning is dropped.
"""

from collections.abc import Iterator

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, merge_same_role
from inspector.core.formats.crush.reader import MESSAGE_SCHEMA, SHELL
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.storage.json_text import dump_json, parse_json, text_at, value_at
from inspector.core.translation import tr

NOT_LOADED = tr("Crush does not load a session that contains a message that it cannot read")
INTERRUPTED = (
    "tool call was interrupted and did not produce a result, you may retry this call if the result is still needed"
)
_WIRES = frozenset({"anthropic", "bedrock-converse", "gemini", "openai-chat", "openai-responses"})
_WITH_REASONING = frozenset({"anthropic", "bedrock-converse"})


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return what is sent before the new prompt."""
    wire = session.profile if session.profile in _WIRES else "openai-chat"
    marks = columns.marks
    for record in session.records:
        is_odd = marks[record] & RecordMark.MAYBE_MALFORMED
        if marks[record] & RecordMark.UNREADABLE or (is_odd and find_misfits(parse_json(raw(record)), MESSAGE_SCHEMA)):
            return ResumeRequest(wire, [], stop_reason=NOT_LOADED)
    messages = list(_messages(session, columns, wire))
    if wire in _WITH_REASONING:
        messages = [each for each in messages if not _is_only_reasoning(each, columns)]
        messages = merge_same_role(messages)
    return ResumeRequest(
        wire,
        messages,
        begins_with_user=True,
        as_stored=False,
        sends_reasoning=wire in _WITH_REASONING,
        corrected=frozenset({"K6"} if wire in _WITH_REASONING else ()),
    )


def _messages(session: Session, columns: Columns, wire: str) -> Iterator[RequestMessage]:
    """Yield the messages after `preparePrompt`."""
    kinds, ids, roles = columns.block_kinds, columns.call_ids, columns.roles
    path = session.main_thread.path
    calls, results = (
        {ids[row] for record in path if roles[record] == role for row in columns.block_rows(record) if kinds[row] in of}
        for role, of in (
            (Role.ASSISTANT, (BlockKind.CALL, BlockKind.SERVER_CALL)),
            (Role.TOOL, (BlockKind.RESULT,)),
        )
    )
    for record in path:
        role, rows = roles[record], columns.block_rows(record)
        if role == Role.TOOL:
            sent = [row for row in rows if kinds[row] == BlockKind.RESULT and ids[row] in calls]
        elif role == Role.ASSISTANT:
            sent = [*_texts(columns, rows)[:1], *_reasoning(columns, rows, wire)]
            sent += [row for row in rows if kinds[row] in (BlockKind.CALL, BlockKind.SERVER_CALL)]
        elif role == Role.USER:
            texts = _texts(columns, rows)
            sent = texts[:1] + [row for row in rows if columns.names[row] == SHELL]
            sent += [row for row in rows if kinds[row] == BlockKind.MEDIA]
        else:
            continue
        if sent:
            yield RequestMessage(role, [RequestBlock(row) for row in sent])
        if role == Role.ASSISTANT:
            opened = [
                row for row in rows if kinds[row] in (BlockKind.CALL, BlockKind.SERVER_CALL) and ids[row] not in results
            ]
            if opened:
                yield RequestMessage(Role.TOOL, [RequestBlock(row, answer=INTERRUPTED) for row in opened])


def _texts(columns: Columns, rows: range) -> list[int]:
    """Return the first text of a message, unless it says nothing."""
    texts = (r for r in rows if columns.block_kinds[r] == BlockKind.TEXT and columns.names[r] != SHELL)
    return [row for row in list(texts)[:1] if not columns.block_flags[row] & BlockFlag.BLANK]


def _reasoning(columns: Columns, rows: range, wire: str) -> list[int]:
    """Return the first reasoning of a message, if this API gets it."""
    found = [row for row in rows if columns.block_kinds[row] == BlockKind.THINKING][:1]
    return [row for row in found if wire in _WITH_REASONING and columns.block_flags[row] & BlockFlag.SIGNED]


def _is_only_reasoning(message: RequestMessage, columns: Columns) -> bool:
    return all(columns.block_kinds[block.row] == BlockKind.THINKING for block in message.blocks)


def thinking_block(block: bytes) -> bytes:
    """Return reasoning as a block of Anthropic's API."""
    value = parse_json(block)
    thinking, signature = text_at(value, "/data/thinking"), text_at(value, "/data/signature")
    return dump_json({"type": "thinking", "thinking": thinking, "signature": signature})


def sent_text(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """Return a command that the person ran as Crush sends it, None for any other block."""
    value = parse_json(block)
    if kind != BlockKind.TEXT or value_at(value, "/type") != SHELL:
        return None
    code = value_at(value, "/data/exit_code") or 0
    return f"$ {text_at(value, '/data/command')}\n{text_at(value, '/data/output')}\n(exit code {code})"
