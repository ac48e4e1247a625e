"""What OpenClaw reads otherwise than pi: messages without a role, and results that are texts.

Facts: openclaw 2026.6.11, `isStructurallyInvalidMessageEntry` in src/agents/session-file-repair.ts: a message without a
role is removed from the file, with its id, so that the entries behind it lose everything before it. A result whose
content is no list is sent without its content (`sanitizeSessionMessagesImages`).
"""

from typing import Any

from inspector.core.formats.base.pi_sessions import reader
from inspector.core.formats.base.pi_sessions.record_views import record_view
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.views import RecordView
from inspector.core.providers.message_fields import message_text
from inspector.core.storage.json_text import parse_json

ENTRY_SCHEMA = reader.entry_schema(has_listed_results=True, needs_role=True)


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one record. A message without a role counts as one of the user, which has a wrong shape."""
    reader.add_record(columns, raw, start, end)
    if columns.roles[-1] == Role.LINK and b'"message"' in raw and is_removed(parse_json(raw)):
        columns.roles[-1] = Role.USER
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def view(raw: bytes) -> RecordView:
    """Return the view of an entry, see `record_view`. What OpenClaw removes has no blocks."""
    row = parse_json(raw)
    if is_removed(row):
        text = message_text(row["message"].get("content")) if isinstance(row.get("message"), dict) else ""
        return RecordView("message", text, (), str(row.get("timestamp") or ""))
    return record_view(raw)


def is_removed(entry: Any) -> bool:
    """Return whether OpenClaw removes an entry from the file because it is a message without a role."""
    if not isinstance(entry, dict) or entry.get("type") != "message":
        return False
    message = entry.get("message")
    role = message.get("role") if isinstance(message, dict) else None
    return not isinstance(role, str) or not role.strip()
