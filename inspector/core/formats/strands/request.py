"""The messages that Strands sends when an agent continues a session, before the new prompt.

Facts: strands-agents 1.62.0, run on broken sessions. `initialize` of session/repository_session_manager.py loads the
messages that the conversation manager did not remove, behind its summary, and `_fix_broken_tool_use` repairs them in
memory: results behind a message without calls are dropped; if the ids of the next message's results are not those of
the calls, the results become one for each call, with "Tool was interrupted." for a missing one. It compares sets of
ids, so that a second result with the same id is sent. Calls in the last message are answered when a prompt comes, and
that answer is stored. `_normalize_messages` of event_loop/streaming.py replaces blank texts of the assistant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.strands.reader import (
    BLOCK_KEYS,
    MESSAGE,
    decode_file,
    is_agent_file,
    is_for_anthropic,
    sent_member,
)
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, value_at
from inspector.core.translation import tr

PLACEHOLDER = PLACEHOLDER_WORDINGS["strands"].text
INVALID_JSON = tr("Strands does not load a session that contains a file that is not valid JSON")
_INVALID_MESSAGE = tr("Strands stops at a file whose message it cannot read")
_NO_CALL_ID, _NO_NUMBER = "KeyError: 'toolUseId'", "TypeError: message_id"
_ALL_REMOVED = tr("every message, because all of them count as removed")
_OVERWRITES = tr("overwrites the old messages")
_LOST_INPUT = tr("the input of a call, which is not an object")
_BLANK = "[blank text]"
_STORES_ANSWER = tr("adds a message with its own result for each open call")
_TOOL_NAME, _INVALID_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}"), "INVALID_TOOL_NAME"
_BEDROCK = "bedrock-converse"
_WIRES = {name: name for name in ("anthropic", "gemini", "openai-chat", "openai-responses")}
_WIRES_WITH_RESULT_MESSAGES = frozenset({"openai-chat", "openai-responses"})
_CALL, _RESULT, _TEXT = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.TEXT)


class _Message(Struct):
    role: int
    blocks: list[RequestBlock]


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return what is sent before the new prompt."""
    wire = _WIRES.get(session.profile, _BEDROCK)
    path = session.main_thread.path
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in path):
        return ResumeRequest(wire, [], stop_reason=INVALID_JSON)
    odd = (record for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    if not all(_is_loaded(parse_json(raw(record))) for record in odd):
        return ResumeRequest(wire, [], stop_reason=_INVALID_MESSAGE)
    if not path and any(columns.groups[record] for record in session.records if not is_agent_file(columns, record)):
        return ResumeRequest(wire, [], file_changes=_OVERWRITES, lost=(_ALL_REMOVED,))
    if any(columns.groups[record] is None for record in path[-1:]):
        return ResumeRequest(wire, [], stop_reason=_NO_NUMBER)
    messages = [_Message(columns.roles[record] or Role.USER, _blocks_of(columns, record)) for record in path]
    kept = _without_orphans(columns, messages)
    if any(columns.call_ids[block.row] is None for block in _compared(columns, kept)):
        return ResumeRequest(wire, [], stop_reason=_NO_CALL_ID)
    sent = _rebuilt(columns, kept)
    last = _calls(columns, sent[-1]) if sent else []
    if last:
        sent.append(_Message(Role.USER, [_answer(block) for block in last]))
    if missing := _missing_member(columns, raw, wire, sent):
        return ResumeRequest(wire, [], stop_reason=f"KeyError: {missing!r}")
    summary = summary_text(session, columns, raw)
    on_wire = (each for message in sent for each in _on_wire(columns, wire, _normalized(columns, message)))
    loses_inputs = wire == _BEDROCK and any(
        columns.block_flags[block.row] & BlockFlag.BAD_INPUT for message in sent for block in _calls(columns, message)
    )
    return ResumeRequest(
        wire,
        [*([RequestMessage(Role.USER, [], own_text=summary)] if summary else []), *on_wire],
        file_changes=_STORES_ANSWER if last else "",
        lost=(_LOST_INPUT,) if loses_inputs else (),
        begins_with_user=bool(summary),
        as_stored=False,
        sends_reasoning=wire == _BEDROCK,
        corrected=frozenset({"K6", "K7"} if wire == _BEDROCK else {"K7"}),
    )


def _is_loaded(file: Any) -> bool:
    """Return whether a file has what Strands reads without looking whether it is there."""
    if not isinstance(file, dict) or not {MESSAGE, "message_id"} <= file.keys():
        return False
    message = file[sent_member(file)]
    content = message.get("content") if isinstance(message, dict) and "role" in message else None
    return isinstance(content, list) and all(
        isinstance(block, dict) and not BLOCK_KEYS.isdisjoint(block) for block in content
    )


def _missing_member(columns: Columns, raw: ReadRecord, wire: str, messages: list[_Message]) -> str:
    """Return the member of a call or result that the model of an API reads without looking, "" if all are there."""
    if wire == _BEDROCK:
        return ""
    for block in (block for message in messages for block in message.blocks if not block.answer):
        kind, flags = columns.block_kinds[block.row], columns.block_flags[block.row]
        if not (flags & BlockFlag.BAD_INPUT if kind == _CALL else wire == "anthropic" and kind == _RESULT):
            continue
        record = columns.record_of_block(block.row)
        file, ordinal = parse_json_cached(raw(record)), block.row - columns.first_block[record]
        inner = file[sent_member(file)]["content"][ordinal]
        if kind == _CALL and "input" not in inner["toolUse"]:
            return "input"
        if kind == _RESULT and "status" not in inner["toolResult"]:
            return "status"
    return ""


def summary_text(session: Session, columns: Columns, raw: ReadRecord) -> str:
    """Return the summary that a conversation manager put in the place of the messages that it removed."""
    for record in session.records:
        if is_agent_file(columns, record):
            state = decode_file(raw(record)).conversation_manager_state
            if state is None or state.summary_message is None:
                return ""
            texts = (bytes(block.text) for block in state.summary_message.content or ())
            return "\n".join(str(parse_json(text)) for text in texts if text)
    return ""


def _blocks_of(columns: Columns, record: int) -> list[RequestBlock]:
    return [RequestBlock(row) for row in columns.block_rows(record)]


def _of_kind(columns: Columns, message: _Message, kind: int) -> list[RequestBlock]:
    return [block for block in message.blocks if not block.answer and columns.block_kinds[block.row] == kind]


def _without_results(columns: Columns, message: _Message) -> list[RequestBlock]:
    return [block for block in message.blocks if columns.block_kinds[block.row] != _RESULT]


def _calls(columns: Columns, message: _Message) -> list[RequestBlock]:
    return _of_kind(columns, message, _CALL)


def _compared(columns: Columns, messages: list[_Message]) -> Iterator[RequestBlock]:
    """Yield the calls, and the results right behind them: Strands looks at their ids."""
    for number, message in enumerate(messages):
        if calls := _calls(columns, message):
            yield from calls
            yield from _of_kind(columns, messages[number + 1], _RESULT) if number + 1 < len(messages) else ()


def _answer(call: RequestBlock) -> RequestBlock:
    return RequestBlock(call.row, PLACEHOLDER)


def _without_orphans(columns: Columns, messages: list[_Message]) -> list[_Message]:
    """Drop the results of the user that follow a message without calls. A message of nothing else is dropped too.

    The messages are looked at from the last to the first, so that the message before one is as it is stored.
    """
    kept: list[_Message] = []
    for number in reversed(range(len(messages))):
        message = messages[number]
        results = _of_kind(columns, message, _RESULT) if message.role == Role.USER else []
        if not results or (number and _calls(columns, messages[number - 1])):
            kept.append(message)
            continue
        blocks = _without_results(columns, message)
        if blocks:
            kept.append(_Message(message.role, blocks))
    return kept[::-1]


def _rebuilt(columns: Columns, messages: list[_Message]) -> list[_Message]:
    """Return the messages with the results of each message right behind it, if their ids are not those of its calls."""
    rebuilt: list[_Message] = []
    for number, message in enumerate(messages):
        rebuilt.append(message)
        calls = _calls(columns, message)
        if not calls or number + 1 == len(messages):
            continue
        following = messages[number + 1]
        results = _of_kind(columns, following, _RESULT)
        by_id = {columns.call_ids[block.row]: block for block in results}
        if by_id.keys() == {columns.call_ids[call.row] for call in calls}:
            continue
        others = _without_results(columns, following)
        answers = [by_id.get(columns.call_ids[call.row]) or _answer(call) for call in calls]
        if by_id or not others:
            messages[number + 1] = _Message(following.role, answers + others)
        else:
            rebuilt.append(_Message(Role.USER, answers))
    return rebuilt


def _normalized(columns: Columns, message: _Message) -> RequestMessage:
    """Return a message as it goes out. Blank texts of the assistant are dropped next to calls, and replaced if not."""
    if message.role != Role.ASSISTANT:
        return RequestMessage(message.role, message.blocks)
    if not message.blocks:
        return RequestMessage(message.role, [], own_text=_BLANK)
    has_calls = any(columns.block_kinds[block.row] == _CALL for block in message.blocks)
    blocks: list[RequestBlock] = []
    for block in message.blocks:
        if columns.block_kinds[block.row] != _TEXT or not columns.block_flags[block.row] & BlockFlag.BLANK:
            blocks.append(block)
        elif not has_calls:
            blocks.append(RequestBlock(block.row, stored_form=_BLANK))
    return RequestMessage(message.role, blocks)


def _on_wire(columns: Columns, wire: str, message: RequestMessage) -> Iterator[RequestMessage]:
    """Yield a message as an API gets it. One without content is left out, and so is reasoning that it does not take."""
    blocks = [block for block in message.blocks if _is_on_wire(columns, wire, block)]
    if wire in _WIRES_WITH_RESULT_MESSAGES:
        results = [block for block in blocks if block.answer or columns.block_kinds[block.row] == _RESULT]
        blocks = [block for block in blocks if block not in results]
        if results:
            yield RequestMessage(Role.TOOL, results)
    if blocks or message.own_text:
        yield RequestMessage(message.role, blocks, message.own_text)


def _is_on_wire(columns: Columns, wire: str, block: RequestBlock) -> bool:
    if block.answer or columns.block_kinds[block.row] != BlockKind.THINKING:
        return True
    return wire == "anthropic" and bool(columns.block_flags[block.row] & BlockFlag.SIGNED)


def thinking_block(block: bytes) -> bytes:
    """Return reasoning as the block that Anthropic gets."""
    reasoning = object_at(parse_json(block), "/reasoningContent")
    text = object_at(reasoning, "/reasoningText")
    if text.get("signature"):
        return dump_json({"type": "thinking", "thinking": text.get("text", ""), "signature": text["signature"]})
    data = value_at(reasoning, "/redactedContent/data")
    return dump_json({"type": "redacted_thinking", "data": data})


def with_object_as_input(block: bytes) -> bytes:
    """Return a call with an empty object in the place of another input."""
    if isinstance(value_at(parse_json(block), "/toolUse/input"), dict):
        return block
    return json_edits.set_member(block, "/toolUse", "input", b"{}")


def sent_name(name: str) -> str:
    """Return the name of a tool in a call. One that the API would refuse is replaced."""
    return name if _TOOL_NAME.fullmatch(name) else _INVALID_NAME


def profile_of(columns: Columns, path: Iterable[int]) -> str:
    """Return the profile of the API, which is not stored. Only Anthropic's own is known by the id of the newest call.

    Bedrock is the default of Strands, and the strictest.
    """
    for record in reversed(list(path)):
        for row in columns.block_rows(record):
            if columns.block_kinds[row] == _CALL:
                return "anthropic" if is_for_anthropic(columns.call_ids[row]) else _BEDROCK
    return _BEDROCK
