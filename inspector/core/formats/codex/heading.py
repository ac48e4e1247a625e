"""What a rollout says of itself: its first `session_meta`, its name, its first question."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import dump_json, object_at, parse_json, text_at
from inspector.core.formats.bases.new_ids import uuid_for
from inspector.core.formats.bases.store import first_line
from inspector.core.formats.codex.history import CONTEXT_OF_USER, payload_of, starts_with, texts_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import DamagedLink, LinkDamage
from inspector.core.wire import responses

_NAME = re.compile(r"rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-(.+?)\.jsonl")
_LOOK = 20
_LONG_AGO = "1970-01-01T00:00:00.000Z"
_HEADLESS = "The first line is not the session's metadata, without which Codex does not load the rollout."


class Meta(Struct, frozen=True):
    """What a rollout says of itself, and whether its lines have no envelopes."""

    fields: dict[str, Any]
    is_bare: bool = False

    def text(self, key: str) -> str:
        return text_at(self.fields, f"/{key}")


def meta_of(columns: Columns, raw: ReadRecord) -> Meta:
    """The first `session_meta`, which is the one that counts, or the first line of the bare era."""
    for record in range(min(len(columns), _LOOK)):
        if columns.roles[record] == Role.OPAQUE and not columns.marks[record] & RecordMark.UNREADABLE:
            line = parse_json(raw(record))
            if isinstance(line, dict) and line.get("type") == "session_meta":
                return Meta(payload_of(raw(record)))
            if isinstance(line, dict) and is_bare_start(line):
                return Meta(line, is_bare=True)
    return Meta({})


def starts_with_meta(columns: Columns, raw: ReadRecord) -> bool:
    """Whether the first line is a `session_meta`, without which Codex does not load a rollout of lines."""
    return not len(columns) or (not columns.marks[0] & RecordMark.UNREADABLE and _is_meta(columns, 0, raw))


def headless(columns: Columns, raw: ReadRecord) -> list[DamagedLink]:
    """The break at the first line that can be read, where that is no `session_meta`; none where it is one."""
    first = next(_readable(columns), -1)
    if first < 0 or _is_meta(columns, first, raw):
        return []
    return [DamagedLink(first, LinkDamage.MISSING_PARENT, text=_HEADLESS)]


def _is_meta(columns: Columns, record: int, raw: ReadRecord) -> bool:
    return columns.roles[record] == Role.OPAQUE and text_at(parse_json(raw(record)), "/type") == "session_meta"


def meta_before(columns: Columns, record: int, raw: ReadRecord) -> bytes:
    """A `session_meta` for a rollout that begins with `record`: what later lines tell of it, and empty texts.

    Codex 0.169.0 wants these five texts and a time on the line, and takes empty ones. It has the ordinal that is lost.
    """
    like = object_at(parse_json(raw(record)), "")
    when = text_at(like, "/timestamp") or _LONG_AGO
    told = (object_at(parse_json(raw(each)), "/payload") for each in _readable(columns))
    known = list(islice(told, _LOOK))
    thread = next(filter(None, (text_at(each, "/thread_id") for each in known)), "") or uuid_for(f"meta:{when}")
    folder = next(filter(None, (text_at(each, "/cwd") for each in known)), "")
    texts = {"id": thread, "timestamp": when, "cwd": folder, "originator": "", "cli_version": ""}
    count = like.get("ordinal")
    ordinal = {"ordinal": max(count - 1, 0)} if isinstance(count, int) else {}
    line = {"timestamp": when, **ordinal, "type": "session_meta", "payload": texts | meta_of(columns, raw).fields}
    return dump_json(line)


def _readable(columns: Columns) -> Iterator[int]:
    return (record for record, mark in enumerate(columns.marks) if not mark & RecordMark.UNREADABLE)


def server_of(columns: Columns, raw: ReadRecord) -> tuple[str, str]:
    """The provider and the model of a rollout, as its first line and its newest turn name them."""
    provider = meta_of(columns, raw).text("model_provider")
    turns = (record for record in range(len(columns) - 1, -1, -1) if columns.marks[record] & RecordMark.TURN_EVENT)
    for record in islice(turns, _LOOK):
        if not columns.roles[record] and parse_json(raw(record)).get("type") == "turn_context":
            return provider, text_at(payload_of(raw(record)), "/model")
    return provider, ""


def is_bare_start(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of the bare era."""
    told = isinstance(line.get("id"), str) and isinstance(line.get("timestamp"), str)
    return told and "type" not in line and ("instructions" in line or "git" in line)


def is_bare_line(line: dict[str, Any]) -> bool:
    """Whether this can be any line of the bare era."""
    return "record_type" in line or str(line.get("type")) in responses.ITEM_TYPES or is_bare_start(line)


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
