"""Edits of the messages of a chat, and the operations that a repair adds.

Facts: results as VS Code 1.128.1 writes them, a marshalled `LanguageModelToolResult` ($mid 20) with a text part ($mid
21). The id of a result is its key in the metadata of the request.
"""

from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext
from inspector.core.formats.vscode_chat.reader import block_pointer
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import pointer_parts, raw_json_at
from inspector.core.storage.json_text import dump_json

_RESULTS = "/toolCallResults"
# A changed message begins with a blank. Without it, the message could be confused with the rest of a damaged line.
MESSAGE_MARK = b" "


def result_block(call: CallContext, text: str, failed: bool = True) -> bytes:
    return dump_json({"$mid": 20, "content": [{"$mid": 21, "value": text}]})


def prompt_json(text: str) -> bytes:
    """Return a prompt with a text."""
    return dump_json({"text": text, "parts": []})


def operation_lines(made: list[dict[str, Any]], session_id: str) -> list[bytes]:
    """Return the lines of operations that a repair adds. The one that creates the chat names the session."""
    for operation in made:
        if "k" not in operation:
            operation["v"]["sessionId"] = session_id
    return [dump_json(operation) for operation in made]


def rewrite_message(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return a message after `edits`. It is never dropped as a whole, because later operations count requests."""
    rows = columns.block_rows(record)
    pointers = [block_pointer(columns, record, ordinal) for ordinal in range(len(rows))]
    for ordinal, value in edits.replace.items():
        raw = json_edits.replace_value(raw, pointers[ordinal], value)
    for ordinal, new in edits.rename.items():
        raw = _rename(raw, pointers[ordinal], columns.block_kinds[rows[ordinal]], new)
    for key, values in (("arguments", edits.inputs), ("name", edits.names)):
        for ordinal, given in values.items():
            if columns.block_kinds[rows[ordinal]] == BlockKind.CALL:
                value = dump_json(given if isinstance(given, str) else given.decode())
                raw = json_edits.set_member(raw, pointers[ordinal], key, value)
    for ordinal, answer in edits.answers.items():
        raw = json_edits.set_member(raw, _RESULTS, columns.call_ids[rows[ordinal]] or "", answer)
    for ordinal in sorted(edits.drop, reverse=True):
        raw = _drop(raw, pointers[ordinal], columns.roles[record] == Role.ASSISTANT)
    return raw if raw.startswith(MESSAGE_MARK) else MESSAGE_MARK + raw


def _rename(raw: bytes, pointer: str, kind: int, new: str) -> bytes:
    if kind == BlockKind.CALL:
        return json_edits.set_member(raw, pointer, "id", dump_json(new))
    value = raw_json_at(raw, pointer)
    raw = json_edits.remove_member(raw, _RESULTS, pointer_parts(pointer)[-1])
    return json_edits.set_member(raw, _RESULTS, new, value)


def _drop(raw: bytes, pointer: str, is_answer: bool) -> bytes:
    holder, _, last = pointer.rpartition("/")
    if last == "response" or not is_answer:
        return json_edits.replace_value(raw, pointer, b'""')
    if last.isdecimal() and not holder.startswith(_RESULTS):
        return json_edits.remove_element(raw, holder, int(last))
    return json_edits.remove_member(raw, holder, pointer_parts(pointer)[-1])
