"""What Cline sends on resume, message by message.

Facts: Cline CLI 3.0.65, run on some forty broken sessions, and cline/cline sdk/packages (3.0.56 is the same in this):
core `runtime/config/agent-message-codec.ts` (each result a message of its own), `session/services/message-builder.ts`
(`addMissingToolResults`: a call that no result names, wherever it stands, is answered behind its message),
`runtime/host/runtime-host-support.ts` (a file that is no JSON is an empty session, and is written over), shared
`llms/ai-sdk-format.ts`; and `ai` 7 (`convertToLanguageModelPrompt`: stops at a message of the user while a call before
it waits for its result; every part has its id and name). Its adapters for Anthropic and Bedrock join neighbours of one
role, the others send every message by itself.
"""

from functools import partial

from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.formats.bases.message_arrays import named_in
from inspector.core.formats.bases.request import Message, Request, Sent, joined
from inspector.core.formats.cline_sdk.shape import stops
from inspector.core.index.columns import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS, fill_template
from inspector.core.profiles.by_name import provider_api

_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
_WIRES = {"": "openai-chat", "mistral": "openai-chat"}
_JOINS = frozenset({"anthropic", "bedrock-converse"})
_ALL = "the whole session: a file that is no JSON counts as an empty one"
_OVERWRITES = "writes your next message over the file"
_EMPTY = 'writes "ERROR: EMPTY CONTENT" into the empty messages of the file'
_TYPED = ("<user_input", "</user_input>")
_SHAPELESS = "a message or a block without its content, or of an unknown role, stops it"
_SCHEMA = "The messages do not match the ModelMessage[] schema"


named = partial(named_in, provider="/modelInfo/provider", model="/modelInfo/id")


def request_of(session: Session, columns: Columns, raw: ReadRecord) -> Request:
    """The messages that a resume of the session sends."""
    records = list(session.main_thread.path)
    provider, model = named(columns, records, raw)
    api = provider_api(provider, model) if provider else "anthropic"
    wire = _WIRES.get(api, api)
    if any(columns.marks[record] & RecordMark.UNREADABLE and not _is_read(raw(record)) for record in records):
        return Request(wire, [], file_changes=_OVERWRITES, lost=(_ALL,))
    odd = (
        [record for record in records if columns.marks[record] & RecordMark.MAYBE_MALFORMED]
        if columns.has_mark(RecordMark.MAYBE_MALFORMED)
        else ()
    )
    if any(stops(parse_json(raw(record))) for record in odd):
        return Request(wire, [], stop_reason=_SHAPELESS)
    messages = _answered(columns, _split(columns, records))
    messages = [message for message in messages if _is_sent(columns, message)]
    why = _stop(columns, messages)
    writes = _EMPTY if any(_says_nothing(columns, message) for message in messages) else ""
    sent = joined(messages) if wire in _JOINS else messages
    return Request(wire, sent, writes, why, as_stored=wire == "anthropic")


def as_sent(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """A list of a result's goes out as JSON, what the person typed without the tag around it.

    That it shortens results of more than 8000 characters is not told.
    """
    value = parse_json(block)
    content = value.get("content") if kind == _RESULT and isinstance(value, dict) else None
    if isinstance(content, list):
        return dump_json(content).decode()
    text = value.get("text") if isinstance(value, dict) else value
    if kind == BlockKind.TEXT and role == Role.USER and isinstance(text, str):
        typed = text.strip()
        if typed.startswith(_TYPED[0]) and typed.endswith(_TYPED[1]):
            return typed[typed.find(">") + 1 : -len(_TYPED[1])].strip()
    return None


def _is_read(raw: bytes) -> bool:
    """Whether a record that no provider takes is one that the program reads: halves of characters do not stop it."""
    try:
        parse_json(raw)
    except ValueError:
        return False
    return True


def _says_nothing(columns: Columns, message: Message) -> bool:
    """Whether a message has no content, or a blank string for it. Blank blocks stay as they are in the file."""
    blank = BlockFlag.PLAIN_STRING | BlockFlag.BLANK
    return all(columns.block_flags[sent.row] & blank == blank for sent in message.blocks)


def _split(columns: Columns, records: list[int]) -> list[Message]:
    """Results apart from what else a message says; results that stand together are one message."""
    messages: list[Message] = []
    for record in records:
        role = columns.roles[record]
        if role not in (Role.USER, Role.ASSISTANT, Role.SYSTEM):
            continue
        rows = columns.block_rows(record)
        if not rows:
            messages.append(Message(role, []))
        before = -1
        for row in rows:
            speaks = Role.TOOL if columns.block_kinds[row] == _RESULT else role
            if speaks == before or (speaks == Role.TOOL and messages and messages[-1].role == Role.TOOL):
                messages[-1].blocks.append(Sent(row))
            else:
                messages.append(Message(speaks, [Sent(row)]))
            before = speaks
    return messages


def _answered(columns: Columns, messages: list[Message]) -> list[Message]:
    """Calls that no result names anywhere get one behind their message, behind the results that stand there."""
    kinds, ids = columns.block_kinds, columns.call_ids
    results = {ids[sent.row] for each in messages if each.role == Role.TOOL for sent in each.blocks}
    whole: list[Message] = []
    missing: dict[str | None, Sent] = {}
    for message in messages:
        if message.role == Role.TOOL:
            message.blocks += missing.values()
        elif missing:
            whole.append(Message(Role.TOOL, list(missing.values())))
        missing = {}
        whole.append(message)
        if message.role == Role.ASSISTANT:
            calls = [sent.row for sent in message.blocks if kinds[sent.row] == _CALL and ids[sent.row] not in results]
            missing = {ids[row]: Sent(row, _stand_in(columns, row)) for row in calls}
    return [*whole, Message(Role.TOOL, list(missing.values()))] if missing else whole


def _stand_in(columns: Columns, row: int) -> str:
    """Its own result, as the model reads it: it is a list of blocks, and goes out as JSON because it is an error."""
    name = columns.names[row] or ""
    text = (
        fill_template(PLACEHOLDER_WORDINGS["cline-named"].text, name, "")
        if name
        else PLACEHOLDER_WORDINGS["cline"].text
    )
    return dump_json([{"type": "text", "text": text}]).decode()


def _is_sent(columns: Columns, message: Message) -> bool:
    """Calls of anyone but the assistant are left out, and with them a message that holds nothing else."""
    if message.role == Role.ASSISTANT or not message.blocks:
        return True
    message.blocks = [sent for sent in message.blocks if sent.answer or columns.block_kinds[sent.row] != _CALL]
    return bool(message.blocks)


def _stop(columns: Columns, messages: list[Message]) -> str:
    """Why the program stops before it sends anything, "" when it goes on. Your next prompt comes last."""
    kinds, ids = columns.block_kinds, columns.call_ids
    waiting: dict[str | None, None] = {}
    for message in [*messages, Message(Role.USER, [])]:
        if message.role in (Role.USER, Role.SYSTEM) and waiting:
            several = len(waiting) > 1
            told = "Tool results are missing for tool calls" if several else "Tool result is missing for tool call"
            return f"{told} {', '.join(map(str, waiting))}."
        for sent in message.blocks:
            kind, call_id = kinds[sent.row], ids[sent.row]
            if kind in (_CALL, _RESULT) and (call_id is None or columns.names[sent.row] is None):
                return f"{_SCHEMA}: a {'call' if kind == _CALL else 'result'} lacks its id or the name of its tool."
            if message.role == Role.TOOL:
                waiting.pop(call_id, None)
            elif kind == _CALL:
                waiting[call_id] = None
    return ""
