"""The two kinds of chat file: told apart, and what stands in them around the messages."""

import re
from typing import Any

from inspector.core.bytes.json_text import is_valid_json, parse_json, unescape_keys, value_at
from inspector.core.bytes.spans import array_elements, pointer_span
from inspector.core.formats.gemini_cli import rows
from inspector.core.index.columns import Columns
from inspector.core.index.session import Log

_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]*)"')


def is_metadata(line: dict[str, Any]) -> bool:
    return isinstance(line.get("sessionId"), str) and isinstance(line.get("projectHash"), str) and "type" not in line


def is_message(line: dict[str, Any]) -> bool:
    return str(line.get("type")) in rows.TYPES and "timestamp" in line and "content" in line and "uuid" not in line


def is_document(log: Log) -> bool:
    return any(sequence.enclosing_object is not None for sequence in log.sequences)


def first_array(log: Log) -> int:
    return next(sequence.array_start for sequence in log.sequences if sequence.array_start is not None)


def nested(line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
    """Where the array of messages in a line begins (-1 when there is none), its pointer, and its elements' spans."""
    if b'"messages"' not in unescape_keys(line) or not is_valid_json(line):
        return -1, "", []
    value = parse_json(line)
    pointer = "/$set/messages" if isinstance(value_at(value, "/$set"), dict) else "/messages"
    if isinstance(value_at(value, "/id"), str) or not isinstance(value_at(value, pointer), list):
        return -1, "", []
    at, _ = pointer_span(line, pointer)
    return at, pointer, list(array_elements(line, at))


def session_id(log: Log, columns: Columns) -> str:
    """What the chat says last of its id; its file's name where it says nothing."""
    told = next((uuid for uuid in reversed(columns.uuids) if uuid is not None), None)
    if told is None and is_document(log):
        match = _SESSION_ID.search(log.source.read(0, first_array(log))) or _SESSION_ID.search(
            log.source.read(log.columns.ends[-1] if log.columns.ends else 0, log.source.size)
        )
        told = match[1].decode("utf-8", "replace") if match else None
    return told or re.sub(r"\.jsonl?$", "", re.split(r"[\\/]", log.source.path)[-1])
