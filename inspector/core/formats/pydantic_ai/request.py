"""The request that Pydantic AI sends when a run goes on with a history and a new prompt.

Facts: pydantic-ai-slim 2.68.0, 2.20.0 and 1.107.10, run on broken histories. `_clean_message_history` drops results
whose call is nowhere before them, answers calls without a result, and joins neighbouring requests with their results
first. It does so since 2.10.0 (pydantic/pydantic-ai#6319); earlier releases only join. The results of every request are
first since 2.68.0. A second result of a call is sent, and so is a result that is too far from its call. An empty id
gets another value in each part.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, merge_same_role
from inspector.core.formats.pydantic_ai.reader import MESSAGE_SCHEMA, PARTS, SYSTEM_TEXT
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import (
    dump_json,
    has_lone_surrogate,
    is_valid_json,
    list_at,
    parse_json,
    parse_json_cached,
    value_at,
)
from inspector.core.translation import tr

PLACEHOLDER = "The tool call was interrupted before a result was produced."
INVALID_STOPS = tr(
    "Pydantic AI does not load a history that contains invalid JSON or a message that it does not recognize"
)
_OPEN_CALLS = "Cannot provide a new user prompt when the message history contains unprocessed tool calls."
_FIRST_WITH_REPAIR, _FIRST_WITH_RESULTS_FIRST = (2, 10), (2, 67)
_WIRES = {name: name for name in ("anthropic", "bedrock-converse", "gemini", "openai-responses")}
_WIRES_OF_SINGLE_PARTS = frozenset({"openai-chat", "openai-responses"})
_CALL, _RESULT, _TEXT = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.TEXT)


class Envelope(Struct, gc=False):
    """What a message says beside its parts."""

    kind: str | None = None
    state: str | None = None
    instructions: str | None = None
    provider_response_id: str | None = None
    provider_name: str | None = None
    model_name: str | None = None

    @property
    def is_synthetic(self) -> bool:
        """Whether a response did not come from an API."""
        return not (self.provider_response_id or self.provider_name or self.model_name)


decode_envelope = LenientDecoder(Envelope)


class _Message(Struct):
    envelope: Envelope
    blocks: list[RequestBlock]
    is_joined: bool = False

    @property
    def is_request(self) -> bool:
        return self.envelope.kind == "request"


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return what is sent before the new prompt, or the error with which a run does not start."""
    wire = _WIRES.get(session.profile, "openai-chat")
    if not all(_is_loaded(columns, record, raw(record)) for record in session.main_thread.path):
        return ResumeRequest(wire, [], stop_reason=INVALID_STOPS)
    repairs = _is_since(session.version, _FIRST_WITH_REPAIR)
    history = _History(columns)
    messages = history.cleaned([_read(columns, record, raw(record)) for record in session.main_thread.path], repairs)
    last = messages[-1] if messages else None
    if last is not None and not last.is_request:
        has_calls = any(columns.block_kinds[block.row] == _CALL for block in last.blocks)
        if has_calls and not (repairs and last.envelope.state == "interrupted"):
            return ResumeRequest(wire, [], stop_reason=_OPEN_CALLS)
    prompt = _Message(Envelope("request"), [])
    sent = history.cleaned([*messages, prompt], repairs, is_last_repaired=True)
    if _is_since(session.version, _FIRST_WITH_RESULTS_FIRST):
        history.put_results_first(sent)
    made = list(_wire_messages(columns, raw, wire, sent))
    joined = made if wire in _WIRES_OF_SINGLE_PARTS else merge_same_role(made)
    return ResumeRequest(wire, joined, as_stored=False, sends_reasoning=wire == "openai-responses")


def _is_since(version: str, first: tuple[int, int]) -> bool:
    """Return whether a version is not before another. A log does not name the version of its program."""
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return not numbers or numbers >= first


def _is_loaded(columns: Columns, record: int, text: bytes) -> bool:
    """Return whether the adapter loads a message. An id may be left out, but is a text."""
    marks = columns.marks[record]
    if marks & RecordMark.UNREADABLE or has_lone_surrogate(text):
        return False
    if marks & RecordMark.MAYBE_MALFORMED and find_misfits(parse_json_cached(text), MESSAGE_SCHEMA):
        return False
    tools = [row for row in columns.block_rows(record) if columns.block_kinds[row] in (_CALL, _RESULT)]
    if all(columns.call_ids[row] is not None and columns.names[row] is not None for row in tools):
        return True
    parts = list_at(parse_json_cached(text), PARTS)
    return all(isinstance(value_at(part, "/tool_call_id", ""), str) for part in parts) and all(
        columns.names[row] is not None for row in tools
    )


def _read(columns: Columns, record: int, text: bytes) -> _Message:
    """Return the message in a record. A call or result without an id gets one of its own."""
    rows = (row for row in columns.block_rows(record) if columns.block_kinds[row] != BlockKind.OTHER)
    return _Message(decode_envelope(text), [_block_of(columns, row) for row in rows])


def _block_of(columns: Columns, row: int) -> RequestBlock:
    lacks_id = columns.call_ids[row] is None and columns.block_kinds[row] in (_CALL, _RESULT)
    return RequestBlock(row, id=_new_id(row) if lacks_id else "")


def _new_id(row: int) -> str:
    return f"pyd_ai_{row}"


class _History(Struct):
    """The passes over a history before it is sent."""

    columns: Columns

    def cleaned(self, messages: list[_Message], repairs: bool, is_last_repaired: bool = False) -> list[_Message]:
        if repairs:
            messages = self._without_orphans(messages)
            messages = list(self._with_answers(messages, self._open_calls(messages, is_last_repaired)))
        return self._joined(messages)

    def _id(self, block: RequestBlock) -> str:
        return block.id or self.columns.call_ids[block.row] or ""

    def _is_call(self, block: RequestBlock) -> bool:
        return self.columns.block_kinds[block.row] == _CALL and not block.answer

    def _is_result(self, block: RequestBlock) -> bool:
        return bool(block.answer) or self.columns.block_kinds[block.row] == _RESULT

    def _without_orphans(self, messages: list[_Message]) -> list[_Message]:
        called: set[str] = set()
        kept: list[_Message] = []
        for message in messages:
            called.update(self._id(block) for block in message.blocks if self._is_call(block))
            blocks = [block for block in message.blocks if not self._is_result(block) or self._id(block) in called]
            if len(blocks) == len(message.blocks):
                kept.append(message)
            elif blocks or (message.is_request and message is messages[-1]):
                kept.append(replace(message, blocks=blocks))
        return kept

    def _open_calls(self, messages: list[_Message], is_last_repaired: bool) -> dict[int, list[RequestBlock]]:
        """Return the calls without a result, by the number of their message. The oldest call gets the first result."""
        waiting: dict[str, list[tuple[int, RequestBlock]]] = {}
        found: list[tuple[int, RequestBlock]] = []
        for number, message in enumerate(messages):
            for block in message.blocks:
                if message.is_request and self._is_result(block):
                    waiting.get(self._id(block), [])[:1] = []
                elif not message.is_request and self._is_call(block):
                    peers = waiting.setdefault(self._id(block), [])
                    if peers and peers[-1][0] != number:
                        found += peers
                        peers.clear()
                    peers.append((number, block))
        found += (each for peers in waiting.values() for each in peers)
        last = max((number for number, message in enumerate(messages) if not message.is_request), default=-1)
        by_message: dict[int, list[RequestBlock]] = {}
        for number, call in found:
            if is_last_repaired or number != last:
                by_message.setdefault(number, []).append(RequestBlock(call.row, PLACEHOLDER, id=call.id))
        return by_message

    def _with_answers(self, messages: list[_Message], answers: dict[int, list[RequestBlock]]) -> Iterator[_Message]:
        waiting: list[RequestBlock] = []
        for number, message in enumerate(messages):
            if not message.is_request:
                if waiting:
                    yield _Message(Envelope("request"), waiting)
                waiting = answers.get(number, [])
            elif waiting:
                results = [place for place, block in enumerate(message.blocks) if self._is_result(block)]
                at = results[-1] + 1 if results else 0
                message = replace(message, blocks=[*message.blocks[:at], *waiting, *message.blocks[at:]])
                waiting = []
            yield message
        if waiting:
            yield _Message(Envelope("request"), waiting)

    def _joined(self, messages: Iterable[_Message]) -> list[_Message]:
        joined: list[_Message] = []
        for message in messages:
            last = joined[-1] if joined else None
            if last is None or not _may_join(last.envelope, message.envelope):
                joined.append(_Message(message.envelope, [*message.blocks]))
                continue
            instructions = last.envelope.instructions or message.envelope.instructions
            last.envelope = replace(last.envelope, instructions=instructions)
            last.blocks += message.blocks
            last.is_joined = True
        for message in joined:
            if message.is_request and message.is_joined:
                message.blocks.sort(key=lambda block: not self._is_result(block))
        return joined

    def put_results_first(self, messages: list[_Message]) -> None:
        """Put the results of each request after a response first, in the order of the calls of that response."""
        for before, message in pairwise(messages):
            if message.is_request and not before.is_request:
                calls = [self._id(block) for block in before.blocks if self._is_call(block)]
                places = {call_id: place for place, call_id in reversed([*enumerate(calls)])}
                results = [block for block in message.blocks if self._is_result(block)]
                others = [block for block in message.blocks if not self._is_result(block)]
                results.sort(key=lambda block: places.get(self._id(block), len(places)))
                message.blocks = [*results, *others]


def _may_join(one: Envelope, other: Envelope) -> bool:
    """Return whether neighbouring messages are joined: requests with the same instructions, and synthetic responses."""
    if one.kind != other.kind:
        return False
    if one.kind != "request":
        return one.is_synthetic and other.is_synthetic
    return not one.instructions or not other.instructions or one.instructions == other.instructions


# The messages of each API


def _wire_messages(
    columns: Columns, raw: ReadRecord, wire: str, messages: Iterable[_Message]
) -> Iterator[RequestMessage]:
    for message in messages:
        blocks = list(filter(None, (_sent(columns, raw, wire, block) for block in message.blocks)))
        if not message.is_request:
            carried = [block for block in blocks if wire == "anthropic" and block.stored_form]
            said = [block for block in blocks if block not in carried]
            yield from [RequestMessage(Role.USER, carried)] if carried else []
            yield from [RequestMessage(Role.ASSISTANT, said, separator="\n\n")] if said else []
        elif wire in _WIRES_OF_SINGLE_PARTS:
            yield from (RequestMessage(_role_of(columns, block), [block]) for block in blocks)
        else:
            system = [block for block in blocks if _role_of(columns, block) == Role.SYSTEM]
            said = [block for block in blocks if block not in system]
            yield from (RequestMessage(role, part) for role, part in ((Role.SYSTEM, system), (Role.USER, said)) if part)


def _role_of(columns: Columns, block: RequestBlock) -> Role:
    if block.answer or columns.block_kinds[block.row] == _RESULT:
        return Role.TOOL
    return Role.SYSTEM if columns.block_flags[block.row] & SYSTEM_TEXT else Role.USER


def _sent(columns: Columns, raw: ReadRecord, wire: str, block: RequestBlock) -> RequestBlock | None:
    """Return a block as the API gets it, None where it is left out."""
    kind, record = columns.block_kinds[block.row], columns.record_of_block(block.row)
    if kind in (_CALL, _RESULT) or block.answer:
        has_id = block.id or columns.call_ids[block.row]
        return block if has_id else replace(block, id=_new_id(block.row) + "_answer" * bool(block.answer))
    is_blank = kind == _TEXT and columns.block_flags[block.row] & BlockFlag.BLANK
    if kind != BlockKind.THINKING and not (is_blank and wire not in _WIRES_OF_SINGLE_PARTS):
        return block
    part = parse_json_cached(raw(record))["parts"][block.row - columns.first_block[record]]
    if is_blank:
        return block if part["content"] else None
    if part.get("signature") and wire in ("anthropic", "openai-responses"):
        return block if wire == "anthropic" else None
    # Other reasoning goes out in tags, to Anthropic as a message of the user.
    tag = "assistant_thinking" if wire == "anthropic" else "think"
    return replace(block, stored_form=f"<{tag}>\n{part['content']}\n</{tag}>") if part["content"] else None


def sent_result(part: Any) -> str:
    """Return a result as the model reads it."""
    content = part.get("content")
    return content if isinstance(content, str) else "" if content is None else dump_json(content).decode()


def with_object_as_input(block: bytes) -> bytes:
    """Return a call with its input as an object, under a key of its own where it is none."""
    given = parse_json(block).get("args")
    if not isinstance(given, str) or not given:
        return block
    value = parse_json(given.encode()) if is_valid_json(given.encode()) else None
    made = value if isinstance(value, dict) else {"INVALID_JSON": given}
    return json_edits.set_member(block, "", "args", dump_json(made))
