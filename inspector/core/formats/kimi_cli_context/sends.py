"""What kimi-cli sends on resume, message by message.

Facts: MoonshotAI/kimi-cli 1.49.0 with kosong 0.55.0, run on some thirty broken sessions: `soul/context.py` (`restore`:
a line that makes no message is skipped; `write_system_prompt`), kosong `message.py` (each call has an id, a name, and a
string or null for its arguments; a message without `content` ends the program), `soul/dynamic_injection.py`
(`normalize_history`: neighbouring messages of the user are one, notifications excepted). Nothing is paired.
"""

from typing import Any

from inspector.core.bytes.json_text import parse_json, value_at
from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.index.columns import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.wire.fields import message_text, result_text

_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
_NO_CONTENT = "Message.__init__() missing 1 required keyword-only argument: 'content'"
_PROMPT = "puts its system prompt before the first line of the file"
_TORN = "appends its next line to the torn one"


def request_of(session: Session, columns: Columns, raw: ReadRecord) -> Request:
    """The messages that a resume of the session sends."""
    messages: list[Message] = []
    stops = ""
    typed_before = False
    for record in session.main_thread.path:
        role = columns.roles[record]
        if role not in _SPEAKERS or _is_skipped(columns, record, raw):
            continue
        if _lacks_content(columns, record, raw):
            stops = _NO_CONTENT
        blocks = [Sent(row) for row in columns.block_rows(record)]
        typed = role == Role.USER and not _notifies(raw(record))
        if typed and typed_before:
            messages[-1].blocks += blocks
        else:
            messages.append(Message(role, blocks))
        typed_before = typed
    return Request("openai-chat", messages, _writes(columns, raw), stops)


def as_sent(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """The text of a message without its thoughts: they go beside it, as `reasoning_content`."""
    content = parse_json(block) if kind == BlockKind.TEXT else None
    return message_text([part for part in content if not is_thought(part)]) if isinstance(content, list) else None


def is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "think" and "think" in part


def _is_skipped(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Whether a call of a message is of no shape that the program reads: then it reads nothing of the message."""
    calls = [row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL]
    if any(columns.call_ids[row] is None or columns.names[row] is None for row in calls):
        return True
    odd = [number for number, row in enumerate(calls) if columns.block_flags[row] & BlockFlag.BAD_INPUT]
    found = parse_json(raw(record))["tool_calls"] if odd else []
    return any(value_at(found[number], "/function/arguments", "") is not None for number in odd)


def _lacks_content(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Whether a message lacks the member `content`; looked up only where no block shows that it has one."""
    rows = columns.block_rows(record)
    says = rows and columns.block_kinds[rows[0]] != BlockKind.CALL
    return not says and "content" not in parse_json(raw(record))


def _notifies(raw: bytes) -> bool:
    """Whether a message of the user is a notification of the program's own."""
    return result_text(parse_json(raw).get("content")).lstrip().startswith("<notification ")


def _writes(columns: Columns, raw: ReadRecord) -> str:
    """What the program puts into the file when it resumes it, "" for nothing."""
    links = (record for record, role in enumerate(columns.roles) if role == Role.LINK)
    prompt = "" if any(parse_json(raw(record)).get("role") == "_system_prompt" for record in links) else _PROMPT
    torn = _TORN if len(columns) and columns.marks[len(columns) - 1] & RecordMark.UNREADABLE else ""
    return " and ".join(filter(None, (prompt, torn)))
