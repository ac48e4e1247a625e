"""The metadata of a rollout: its first `session_meta`, its name, its first question."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.stores import title_line
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.formats.codex.loader import USER_CONTEXT_PREFIXES, any_text_starts_with, payload_of, texts_of
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.providers.openai_responses import schema
from inspector.core.storage.json_text import dump_json, object_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_REQUEST_HEADING = re.compile(r"^## My request for Codex:", re.MULTILINE)
_ROLLOUT_NAME = re.compile(r"rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-(.+?)\.jsonl")
_SEARCHED_LINES = 20
_EARLIEST_TIME = "1970-01-01T00:00:00.000Z"
_NO_METADATA_LINE = tr(
    "The first line is not the session's metadata. Codex does not load a rollout without this metadata."
)


class RolloutMetadata(Struct, frozen=True):
    """The metadata of a rollout, and whether its lines have no envelopes."""

    fields: dict[str, Any]
    is_bare: bool = False

    def text(self, key: str) -> str:
        return text_at(self.fields, f"/{key}")


def metadata_of(columns: Columns, raw: ReadRecord) -> RolloutMetadata:
    """Return the first `session_meta`, which is the one that counts, or the first line of the bare era."""
    for record in range(min(len(columns), _SEARCHED_LINES)):
        if columns.roles[record] == Role.OPAQUE and not columns.marks[record] & RecordMark.UNREADABLE:
            line = parse_json(raw(record))
            if isinstance(line, dict) and line.get("type") == "session_meta":
                return RolloutMetadata(payload_of(raw(record)))
            if isinstance(line, dict) and is_first_line_without_envelope(line):
                return RolloutMetadata(line, is_bare=True)
    return RolloutMetadata({})


def starts_with_meta(columns: Columns, raw: ReadRecord) -> bool:
    """Return whether the first line is a `session_meta`, without which Codex does not load a rollout of lines."""
    return not len(columns) or (not columns.marks[0] & RecordMark.UNREADABLE and _is_meta(columns, 0, raw))


def missing_metadata(columns: Columns, raw: ReadRecord) -> list[DamagedLink]:
    """Return a damaged link at the first readable line, if that is no `session_meta`."""
    first = next(_readable(columns), -1)
    if first < 0 or _is_meta(columns, first, raw):
        return []
    return [DamagedLink(first, LinkDamage.MISSING_PARENT, text=_NO_METADATA_LINE)]


def _is_meta(columns: Columns, record: int, raw: ReadRecord) -> bool:
    line = parse_json(raw(record)) if columns.roles[record] == Role.OPAQUE else None
    return text_at(line, "/type") == "session_meta" and isinstance(value_at(line, "/payload"), dict)


def metadata_line_for(columns: Columns, record: int, raw: ReadRecord) -> bytes:
    """Return a `session_meta` for a rollout that begins with `record`, from later lines and empty texts.

    Codex 0.169.0 requires these five texts and a time on the line, and accepts empty ones. The line has the ordinal
    that is lost.
    """
    like = object_at(parse_json(raw(record)), "")
    when = text_at(like, "/timestamp") or _EARLIEST_TIME
    told = (object_at(parse_json(raw(each)), "/payload") for each in _readable(columns))
    known = list(islice(told, _SEARCHED_LINES))
    thread = next(filter(None, (text_at(each, "/thread_id") for each in known)), "") or deterministic_uuid(
        f"meta:{when}"
    )
    folder = next(filter(None, (text_at(each, "/cwd") for each in known)), "")
    texts = {"id": thread, "timestamp": when, "cwd": folder, "originator": "", "cli_version": ""}
    count = like.get("ordinal")
    ordinal = {"ordinal": max(count - 1, 0)} if isinstance(count, int) else {}
    line = {"timestamp": when, **ordinal, "type": "session_meta", "payload": texts | metadata_of(columns, raw).fields}
    return dump_json(line)


def _readable(columns: Columns) -> Iterator[int]:
    return (record for record, mark in enumerate(columns.marks) if not mark & RecordMark.UNREADABLE)


def provider_and_model(columns: Columns, raw: ReadRecord) -> tuple[str, str]:
    """Return the provider and the model of a rollout, as its first line and its newest turn name them."""
    provider = metadata_of(columns, raw).text("model_provider")
    newest_first = range(len(columns) - 1, -1, -1)
    turns = (
        record
        for record in newest_first
        if columns.marks[record] & RecordMark.TURN_EVENT and not columns.marks[record] & RecordMark.INHERITED
    )
    for record in islice(turns, _SEARCHED_LINES):
        if not columns.roles[record] and parse_json(raw(record)).get("type") == "turn_context":
            return provider, text_at(payload_of(raw(record)), "/model")
    return provider, ""


def is_first_line_without_envelope(line: dict[str, Any]) -> bool:
    """Return whether this can be the first line of the bare era."""
    told = isinstance(line.get("id"), str) and isinstance(line.get("timestamp"), str)
    return told and "type" not in line and ("instructions" in line or "git" in line)


def is_line_without_envelope(line: dict[str, Any]) -> bool:
    """Return whether this can be any line of the bare era."""
    return "record_type" in line or str(line.get("type")) in schema.ITEM_TYPES or is_first_line_without_envelope(line)


def start_time(path: str, meta: RolloutMetadata) -> str:
    """Return when a rollout was started, from its name or its first line, "" when neither says so."""
    named = _ROLLOUT_NAME.search(os.path.basename(path))
    if named:
        return named.group(1)
    told = re.match(r"(\d{4}-\d{2}-\d{2}T\d{2}):(\d{2}):(\d{2})", meta.text("timestamp"))
    return "-".join(told.groups()) if told else ""


def title_from_item(item: dict[str, Any]) -> str:
    """Return the first line that the user typed, "" for a text that Codex itself puts there.

    Facts: the IDE extension and the desktop app put the open files and the attachments before what was typed, under
    headings of their own ("# Context from my IDE setup:", "# Files mentioned by the user:").
    """
    if any_text_starts_with(item, USER_CONTEXT_PREFIXES):
        return ""
    typed = (_REQUEST_HEADING.split(text, 1)[-1] for text in texts_of(item))
    return next(filter(None, map(title_line, typed)), "")


def thread_id_in_name(path: str) -> str:
    """Return the thread id in the name of a rollout, "" when it has another name."""
    named = _ROLLOUT_NAME.search(os.path.basename(path))
    return named.group(2) if named else ""
