"""OpenAI Chat messages: a list, a request body, a message a line, a conversation a line, and benchmark runs.

`traj` is how tau-bench keeps its conversations, `simulations[].messages` how tau2 does; each is a session.
Facts: the `openai` SDK's types and the public error reports named in `profiles/openai_chat.py`.
"""

from collections.abc import Callable

import msgspec
import orjson

from inspector.core import splice
from inspector.core.columns import Columns, Mark, Role
from inspector.core.formats.format import BlockEdits, Call, dumped
from inspector.core.formats.message_arrays import MessageArrays, role_of
from inspector.core.head import Head
from inspector.core.json_text import is_sound, value_of
from inspector.core.spans import locate
from inspector.core.views import BlockKind, RecordView
from inspector.core.wire import openai

_FOREIGN = frozenset({"uuid", "parentUuid", "type", "parts", "lc", "ts"})


class OpenAIChat(MessageArrays):
    """The messages of OpenAI's chat API and its many compatible servers."""

    name = "openai-chat"
    label = "OpenAI Chat JSON"
    detection = "messages with tool_calls, role tool, or plain text content"
    read = "a list, a request body, a message or a conversation a line, benchmark runs"
    write_back = "yes: a copy, in place"
    resume = "results in the run of tool messages right behind their call"
    unsupported = "legacy `function_call` pairs are shown and not judged"
    source = "openai SDK types/chat"
    profile = "openai-chat"
    together = False

    def score(self, head: Head) -> float:
        if head.is_lines and head.lines[0].get("role"):
            if head.odd_lines:
                return 0.0
            messages = head.lines
        else:
            messages = head.messages or []
            if head.messages is None:
                return 0.0
        if any(role_of(message) not in openai.ROLES or not _FOREIGN.isdisjoint(message) for message in messages):
            return 0.0
        telling = any("tool_calls" in m or m.get("role") in ("tool", "developer", "function") for m in messages)
        if telling:
            # Some gateways write a call into the content as well: it is one call, counted once.
            return 0.9
        if any(_has_foreign_blocks(message) for message in messages):
            return 0.0
        if any(message.get("role") == "system" for message in messages):
            return 0.6
        return 0.5 if messages else 0.4

    def message_a_line(self, first: bytes) -> bool:
        value = orjson.loads(first)
        return isinstance(value, dict) and isinstance(value.get("role"), str)

    def add(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        if not is_sound(raw):
            columns.add_record(start, end, Role.OPAQUE, Mark.BAD)
            return False
        try:
            message = _DECODE(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            message = openai.tolerant_message(value_of(raw))
        openai.add_message(columns, start, end, message)
        return True

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return openai.pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        message = value_of(raw)
        if not isinstance(message, dict):
            return RecordView("", "no message")
        return RecordView(str(message.get("role", "")), "", openai.views(message))

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.rows(record)
        calls = [ordinal for ordinal, row in enumerate(rows) if columns.block_kinds[row] == BlockKind.CALL]
        if columns.roles[record] == Role.TOOL:
            return self._rewrite_result(raw, edits)
        if len(edits.drop) == len(rows) and rows:
            return None
        for index in reversed(range(len(calls))):
            ordinal = calls[index]
            if ordinal in edits.drop:
                raw = splice.remove_element(raw, "/tool_calls", index)
                continue
            if ordinal in edits.rename:
                raw = splice.set_member(raw, f"/tool_calls/{index}", "id", dumped(edits.rename[ordinal]))
            if ordinal in edits.inputs:
                raw = splice.set_member(raw, f"/tool_calls/{index}/function", "arguments", edits.inputs[ordinal])
        if edits.no_empty_calls or (calls and all(ordinal in edits.drop for ordinal in calls)):
            raw = splice.remove_member(raw, "", "tool_calls")
        for ordinal in edits.drop.difference(calls):
            raw = splice.replace(raw, self.pointer(columns, record, ordinal), b'""')
        return raw

    def _rewrite_result(self, raw: bytes, edits: BlockEdits) -> bytes | None:
        if edits.drop:
            return None
        if edits.replace:
            return edits.replace[0]
        if edits.rename:
            key = "tool_call_id" if b'"tool_call_id"' in raw or b'"requestor"' not in raw else "id"
            return splice.set_member(raw, "", key, dumped(edits.rename[0]))
        return raw

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        if columns.roles[record] == Role.TOOL:
            return raw
        start, end = locate(raw, self.pointer(columns, record, ordinal))
        return raw[start:end]

    def placeholder(self, call: Call, text: str) -> bytes:
        message = value_of(call.raw)
        flat = value_of(call.raw[slice(*locate(call.raw, call.pointer))])
        if isinstance(flat, dict) and "requestor" in flat and isinstance(message, dict):
            tau2 = {"id": call.id, "role": "tool", "content": text, "requestor": flat["requestor"]}
            return dumped(tau2)
        return dumped(openai.result_message(call.id, text))

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return blocks[0]

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return dumped(openai.user_message(text))

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return dumped(openai.user_message(text))


def _has_foreign_blocks(message: dict[str, object]) -> bool:
    content = message.get("content")
    if not isinstance(content, list):
        return False
    kinds = {str(block.get("type")) for block in content if isinstance(block, dict)}
    return not kinds.isdisjoint(
        {"tool_use", "tool_result", "thinking", "redacted_thinking", "tool-result", "tool-call"}
    )


_DECODE: Callable[[bytes], openai.Message] = msgspec.json.Decoder(openai.Message).decode
