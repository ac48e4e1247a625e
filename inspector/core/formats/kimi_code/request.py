"""The messages that Kimi Code sends on resume.

Facts: Kimi Code 2.1.0, run on some thirty broken sessions, and MoonshotAI/kimi-code d723cc4 for engine v1: how records
become messages, `loader`; agent-core-v2 `agent/contextProjector/projection.ts` (`project`, and `projectStrict`, which
is sent once a provider refuses the first for its structure); `persistence/backends/node-fs/appendLogStore.ts` and
`wire/repair.ts` (a line that is not JSON ends the log; 2.1.0 cuts the file there and keeps a whole copy, d723cc4
refuses); `wire/wireService.ts` (a missing header is written); `agent/contextMemory/toolResultRender.ts`;
`human/llm/requester/bases/tool-call-id.ts`. Arguments that are no object are passed on.
"""

import re
from collections.abc import Container, Iterable
from itertools import chain
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.base.writer import UsedIds
from inspector.core.formats.kimi_code.loader import ENGINE_V1_RULES, HistoryFold, ReplayRules
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Thread
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.providers.registry import api_name_of_provider
from inspector.core.storage.json_text import javascript_can_parse, object_at, parse_json, value_at
from inspector.core.translation import tr

_CALL = BlockKind.CALL
_FAILED_OUTPUT, _EMPTY_OUTPUT = (
    "<system>ERROR: Tool execution failed.</system>",
    "<system>Tool output is empty.</system>",
)
_FAILED_EMPTY_OUTPUT = "<system>ERROR: Tool execution failed. Tool output is empty.</system>"
_INTERRUPTED_OUTPUT = (
    f"{_FAILED_OUTPUT}\n{PLACEHOLDER_WORDINGS['kimi-resume'].text}"  # by the fold: an error like any other
)
_MISSING_OUTPUT = PLACEHOLDER_WORDINGS["kimi"].text  # by the projection
_TIMED_TOOLS = frozenset("Agent AgentSwarm Bash FetchURL Glob Grep WebSearch".split())
_MALFORMED_STOPS = tr("Kimi Code stops at a message without content or without a list of calls")
_APPENDED_RESULTS = tr("adds its own results for the last calls at the end of the file")
_FILE_TRUNCATED = tr("truncates the file before the damaged line and keeps the old file as wire.jsonl.bak")
_HEADER_ADDED = tr("adds a metadata line at the start of the log")
_ILLEGAL_ID_CHARACTERS, _LONGEST_ID = re.compile("[^a-zA-Z0-9_-]"), 64
_SEARCHED_RECORDS = 500  # how far back the newest request can lie: a step writes one


def requested_protocol_and_model(columns: Columns, raw: ReadRecord) -> tuple[str, str]:
    """Return the protocol and the model of the newest recorded request, "" if there is none."""
    for record in range(len(columns) - 1, max(len(columns) - _SEARCHED_RECORDS, 0) - 1, -1):
        line = (
            raw(record)
            if columns.roles[record] == Role.OPAQUE and not columns.marks[record] & RecordMark.UNREADABLE
            else b""
        )
        value = parse_json(line) if b'"llm.request"' in line else None
        if isinstance(value, dict) and value.get("type") == "llm.request":
            return str(value.get("provider") or ""), str(value.get("model") or "")
    return "", ""


def build_request(columns: Columns, thread: Thread, raw: ReadRecord, reader: ReplayRules) -> ResumeRequest:
    """Return the messages that a program with this reader sends when it resumes the thread."""
    path: Iterable[int] = thread.path
    unheard: Container[int] = set(thread.ignored_results)
    cut = {each.row for each in thread.cut_exchanges if each.call_kept}
    damaged = _first_damaged(columns, raw)
    if damaged >= 0:
        fold = HistoryFold(columns.with_changes([(damaged, len(columns), Columns())]), raw, reader).run().finish()
        path, unheard, cut = fold.path(), set(fold.unheard), set()
    api = api_name_of_provider(*requested_protocol_and_model(columns, raw)) or "openai-chat"
    odd = (each for each in path if columns.marks[each] & RecordMark.MAYBE_MALFORMED and each not in unheard)
    if columns.has_mark(RecordMark.MAYBE_MALFORMED) and any(_is_malformed(columns, each, raw(each)) for each in odd):
        return ResumeRequest(api, [], stop_reason=_MALFORMED_STOPS)
    messages = _messages(columns, path, unheard)
    if reader is not ENGINE_V1_RULES:
        # A step that a compaction left open is never sealed, and what is not sealed is not sent.
        messages = [each for each in messages if cut.isdisjoint(sent.row for sent in each.blocks)]
    sent = _merge_typed(columns, _results_after_calls(columns, messages, cut), raw)
    writes = _changes_by_v1(sent) if reader is ENGINE_V1_RULES else _changes_by_v2(columns, raw, damaged)
    again = ResumeRequest(api, _under_legal_ids(columns, _retry_messages(columns, sent)), writes, as_stored=False)
    return ResumeRequest(api, _under_legal_ids(columns, sent), writes, as_stored=False, retry=again)


def sent_result_text(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """Return a result as the model reads it: how it ended, how long it took, and the tool's note."""
    value = parse_json(block) if kind == BlockKind.RESULT else {}
    event, message = value.get("event"), value.get("message")
    result = event.get("result") if isinstance(event, dict) else message
    if not isinstance(result, dict):
        return None
    text = result_text(result.get("output", result.get("content")))
    if result.get("isError") is True:
        text = f"{_FAILED_OUTPUT}\n{text}" if text else _FAILED_EMPTY_OUTPUT
    elif text.strip() in ("", "Tool output is empty."):
        text = _EMPTY_OUTPUT
    took, note = result.get("durationMs"), result.get("note")
    if isinstance(took, int | float) and isinstance(event, dict) and (tool in _TIMED_TOOLS or tool.startswith("mcp__")):
        text = f"Wall time: {took / 1000:.3f} seconds\n{text}"
    return f"{text}\n{note}" if isinstance(note, str) and note else text


def _first_damaged(columns: Columns, raw: ReadRecord) -> int:
    """Return the first line that the program cannot read, -1 if it reads all. Lone surrogates do not stop it."""
    for record, mark in enumerate(columns.marks) if columns.has_mark(RecordMark.UNREADABLE) else ():
        if mark & RecordMark.UNREADABLE and not javascript_can_parse(raw(record)):
            return record
    return -1


def _messages(columns: Columns, path: Iterable[int], unheard: Container[int]) -> list[RequestMessage]:
    """Return the messages that the records fold into, without the ignored results."""
    messages: list[RequestMessage] = []
    for record in path:
        role, rows = columns.roles[record], map(RequestBlock, columns.block_rows(record))
        if columns.marks[record] & RecordMark.GROUP_START:
            messages.append(RequestMessage(Role.ASSISTANT, []))
        elif role == Role.ASSISTANT and columns.groups[record] is not None:
            messages[-1].blocks += rows
        elif role not in (Role.OPAQUE, Role.LINK) and record not in unheard:
            messages.append(RequestMessage(role, list(rows)))
    return messages


def _results_after_calls(columns: Columns, messages: list[RequestMessage], cut: Container[int]) -> list[RequestMessage]:
    """Put the results of each message right after it, in the order of the calls."""
    kinds, ids, flags = columns.block_kinds, columns.call_ids, columns.block_flags
    sent: list[RequestMessage] = []
    waiting: dict[str | None, tuple[RequestMessage, int]] = {}
    for message in messages:
        if message.role == Role.TOOL:
            place = waiting.pop(ids[message.blocks[0].row], None)
            if place is not None:
                place[0].blocks[place[1]] = message.blocks[0]
            continue
        calls = [block.row for block in message.blocks if kinds[block.row] == _CALL]
        if not calls and all(flags[block.row] & BlockFlag.BLANK for block in message.blocks):
            continue
        texts = [block.row for block in message.blocks if kinds[block.row] == BlockKind.TEXT]
        blank = {row for row in texts if flags[row] & BlockFlag.BLANK}
        sent.append(RequestMessage(message.role, [block for block in message.blocks if block.row not in blank]))
        if calls:
            results = RequestMessage(
                Role.TOOL, [RequestBlock(row, _placeholder_for(columns, row, cut)) for row in calls]
            )
            sent.append(results)
            for at, row in enumerate(calls):
                if ids[row] in waiting and waiting[ids[row]][0] is results:
                    earlier = waiting[ids[row]][1]
                    results.blocks[earlier] = RequestBlock(calls[earlier], _MISSING_OUTPUT)
                waiting[ids[row]] = results, at
    return sent


def _is_malformed(columns: Columns, record: int, raw: bytes) -> bool:
    """Return whether an empty message also lacks a list, so that 2.1.0 stops instead of leaving it out."""
    if not all(columns.block_flags[row] & BlockFlag.BLANK for row in columns.block_rows(record)):
        return False
    message = object_at(parse_json(raw), "/message")
    return not all(isinstance(message.get(key), list) for key in ("content", "toolCalls"))


def _placeholder_for(columns: Columns, row: int, cut: Container[int]) -> str:
    """Return what is sent for a call without a result: by the fold if it closes the step, else by the projection."""
    in_step = columns.groups[columns.record_of_block(row)] is not None
    return _INTERRUPTED_OUTPUT if in_step and row not in cut else _MISSING_OUTPUT


def _merge_typed(columns: Columns, messages: list[RequestMessage], raw: ReadRecord) -> list[RequestMessage]:
    """Join consecutive messages typed by the user; reminders and summaries stay separate."""
    merged: list[RequestMessage] = []
    typed_before = False
    for message in messages:
        typed = message.role == Role.USER and _is_typed(parse_json(raw(columns.record_of_block(message.blocks[0].row))))
        if typed and typed_before:
            merged[-1].blocks += message.blocks
            merged[-1].separator = "\n\n"
        else:
            merged.append(message)
        typed_before = typed
    return merged


def _is_typed(row: Any) -> bool:
    return bool(value_at(row, "/message/origin/kind") == "user")


def _changes_by_v2(columns: Columns, raw: ReadRecord, damaged: int) -> str:
    """Return the changes that engine v2 makes to the file, "" if there are none."""
    first = parse_json(raw(0)) if len(columns) and damaged != 0 else None
    headless = isinstance(first, dict) and first.get("type") != "metadata"
    return " and ".join(([_FILE_TRUNCATED] if damaged >= 0 else []) + ([_HEADER_ADDED] if headless else []))


def _changes_by_v1(sent: list[RequestMessage]) -> str:
    """Return the change that engine v1 makes to the file: it records its own results of the last calls."""
    last = next((each for each in reversed(sent) if each.role != Role.TOOL), None)
    open_at_end = sent[-1].blocks if sent and last is not None and last.role == Role.ASSISTANT else []
    return _APPENDED_RESULTS if any(block.answer == _INTERRUPTED_OUTPUT for block in open_at_end) else ""


def _under_legal_ids(columns: Columns, messages: list[RequestMessage]) -> list[RequestMessage]:
    """Change ids to the characters that every provider accepts, 64 at most, and keep them distinct."""
    ids = dict.fromkeys(columns.call_ids[block.row] or "" for each in messages for block in each.blocks)
    legal = {each: _ILLEGAL_ID_CHARACTERS.sub("_", each)[:_LONGEST_ID] for each in ids}
    used = UsedIds(each for each, own in legal.items() if each == own and own)
    for call_id, own in legal.items():
        if call_id != own:
            numbered = (f"{own[: _LONGEST_ID - len(str(n)) - 1]}_{n}" for n in used.numbers(own))
            legal[call_id] = used.take(chain((own,), numbered))
    changed = {call_id: own for call_id, own in legal.items() if call_id != own}
    for message in messages if changed else ():
        message.blocks = [
            replace(each, id=changed.get(columns.call_ids[each.row] or "", "")) for each in message.blocks
        ]
    return messages


def _retry_messages(columns: Columns, messages: list[RequestMessage]) -> list[RequestMessage]:
    """Return what is sent after a refusal: each call once, no assistant messages in a row, a user message first."""
    kinds, ids, flags = columns.block_kinds, columns.call_ids, columns.block_flags
    called: set[str | None] = set()
    answered: dict[str | None, tuple[RequestMessage, int]] = {}
    strict: list[RequestMessage] = []
    for message in messages:
        kept: list[RequestBlock] = []
        own = RequestMessage(message.role, kept)
        for block in message.blocks:
            call_id = ids[block.row]
            if message.role == Role.TOOL:
                results, at = answered.get(call_id, (own, -1))
                if at >= 0:
                    if results.blocks[at].answer == _MISSING_OUTPUT and block.answer != _MISSING_OUTPUT:
                        results.blocks[at] = block
                    continue
                answered[call_id] = own, len(kept)
            elif kinds[block.row] == _CALL:
                if call_id in called:
                    continue
                called.add(call_id)
            kept.append(block)
        if not kept or (len(kept) < len(message.blocks) and all(flags[block.row] & BlockFlag.BLANK for block in kept)):
            continue
        if strict and strict[-1].role == message.role == Role.ASSISTANT:
            strict[-1].blocks += kept
        elif strict or message.role == Role.USER:
            strict.append(own)
    return strict
