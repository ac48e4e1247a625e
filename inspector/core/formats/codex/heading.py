"""What a rollout says of itself: its first `session_meta`, its name, its first question."""

import os
import re
from itertools import islice
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import text_at, value_of
from inspector.core.formats.bases.store import first_line
from inspector.core.formats.codex.history import CONTEXT_OF_USER, payload_of, starts_with, texts_of
from inspector.core.index.columns import Columns, Mark, RawOf, Role
from inspector.core.wire import responses

_NAME = re.compile(r"rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-(.+?)\.jsonl")
_LOOK = 20


class Meta(Struct, frozen=True):
    """What a rollout says of itself, and whether its lines have no envelopes."""

    fields: dict[str, Any]
    is_bare: bool = False

    def text(self, key: str) -> str:
        return text_at(self.fields, f"/{key}")


def meta_of(columns: Columns, raw: RawOf) -> Meta:
    """The first `session_meta`, which is the one that counts, or the first line of the bare era."""
    for record in range(min(len(columns), _LOOK)):
        if columns.roles[record] == Role.OPAQUE and not columns.marks[record] & Mark.BAD:
            line = value_of(raw(record))
            if isinstance(line, dict) and line.get("type") == "session_meta":
                return Meta(payload_of(raw(record)))
            if isinstance(line, dict) and is_bare_start(line):
                return Meta(line, is_bare=True)
    return Meta({})


def server_of(columns: Columns, raw: RawOf) -> tuple[str, str]:
    """The provider and the model of a rollout, as its first line and its newest turn name them."""
    provider = meta_of(columns, raw).text("model_provider")
    turns = (record for record in range(len(columns) - 1, -1, -1) if columns.marks[record] & Mark.TURN)
    for record in islice(turns, _LOOK):
        if not columns.roles[record] and value_of(raw(record)).get("type") == "turn_context":
            return provider, text_at(payload_of(raw(record)), "/model")
    return provider, ""


def is_bare_start(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of the bare era."""
    told = isinstance(line.get("id"), str) and isinstance(line.get("timestamp"), str)
    return told and "type" not in line and ("instructions" in line or "git" in line)


def is_bare_line(line: dict[str, Any]) -> bool:
    """Whether this can be any line of the bare era."""
    return "record_type" in line or str(line.get("type")) in responses.TYPES or is_bare_start(line)


def begun(path: str, meta: Meta) -> str:
    """When a rollout was begun, as its name tells it, or its first line; "" when neither does."""
    named = _NAME.search(os.path.basename(path))
    if named:
        return named.group(1)
    told = re.match(r"(\d{4}-\d{2}-\d{2}T\d{2}):(\d{2}):(\d{2})", meta.text("timestamp"))
    return "-".join(told.groups()) if told else ""


def title_of(item: dict[str, Any]) -> str:
    """The first line of what the user said, "" for what Codex itself puts there."""
    if starts_with(item, CONTEXT_OF_USER):
        return ""
    return next(filter(None, map(first_line, texts_of(item))), "")


def thread_in_name(path: str) -> str:
    """The thread id that the name of a rollout holds, "" when it has another name."""
    named = _NAME.search(os.path.basename(path))
    return named.group(2) if named else ""
