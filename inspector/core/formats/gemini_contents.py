"""Gemini `contents`: a list, a request body, a batch or tuning line, or the candidates of a response.

Facts: google-genai `types.py`, and the public error reports named in `providers/gemini/profiles.py`. Parts are
counted, never distinguished by name (TanStack/ai#894), and a response turn is kept free of other parts
(google-gemini/gemini-cli#16137). A signature is in the same part as its call (Wei-Shaw/claude-relay-service#967), so it
stays with the call.
"""

from typing import Any

from inspector.core.formats.base.block_list_formats import GeminiPartsFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import (
    MESSAGE_CONTAINER_KEYS,
    MessageArrays,
    is_empty_message,
    role_of_message,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordView
from inspector.core.providers.gemini import schema
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.storage import json_edits
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

_KNOWN_PARTS = schema.BLOCK_SCHEMA.kinds.keys()


class GeminiContents(GeminiPartsFormat, MessageArrays):
    """The contents of Gemini's API, as it is written in JSON and as the Python SDK dumps it."""

    name = "gemini-contents"
    label = "Gemini contents JSON"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr(
        "contents whose parts have no type but have a field named text, functionCall or functionResponse "
        "(or the snake_case name)"
    )
    read = tr("a list, a request body, a response, or lines of a batch or tuning file, in camelCase or snake_case")
    write_back = tr("yes, as a copy or in place, in camelCase or snake_case like the original")
    resume = tr(
        "the next content has one response for each call, in the same order as the calls, and signatures are kept"
    )
    unsupported = tr("the first call in a turn if the call has no thoughtSignature (displayed but not checked)")
    source = "google-genai types.py"
    profile = "gemini"
    shapes = MessagePaths(
        ("contents", "body/contents", "request/contents"),
        response_paths=("candidates/content", "response/candidates/content"),
    )
    content_pointer = "/parts"
    message_schema = schema.MESSAGE_SCHEMA
    can_invent_calls = True

    def score(self, head: Head) -> float:
        contents = (head.lines if _contents_a_line(head) else head.messages_in(self.shapes)) or []
        known = all(_is_content(content) or _is_empty(content) for content in contents)
        return 0.9 if known and any(map(_is_content, contents)) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return _is_content(first)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = _DECODE.decode_strict(raw)
        content, odd = known or schema.decode_content_lenient(parse_json(raw)), known is None
        if content.role == "" and is_empty_message(parse_json(raw), "parts"):
            content.role, odd = "user", False  # An empty content of any role is sent and refused.
        schema.add_content_record(
            columns,
            start,
            end,
            content,
            RecordMark.MAYBE_MALFORMED if odd or schema.may_be_malformed(content) else 0,
        )

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        sessions = super().sessions(log, columns, raw)
        for session in sessions:
            schema.pair_calls_by_name(columns, session.main_thread.path, raw)
        return sessions

    def view(self, raw: bytes) -> RecordView:
        content = parse_json(raw)
        if not isinstance(content, dict):
            return RecordView("", tr("no content"))
        return RecordView(str(content.get("role") or "user"), "", self.block_views(content))

    def without_result_data(self, raw: bytes) -> bytes:
        """Return the content as the user's: the role `function` allows only responses."""
        return (
            json_edits.set_member(raw, "", "role", b'"user"') if parse_json(raw).get("role", "user") != "user" else raw
        )


def _contents_a_line(head: Head) -> bool:
    return head.is_lines and not head.other_lines and "parts" in head.lines[0]


def _is_content(value: dict[str, Any]) -> bool:
    """Return whether an object is a content. Parts of other formats have a `type`."""
    parts, role = value.get("parts"), value.get("role", "user")
    if not isinstance(parts, list) or not isinstance(role, str) or role not in schema.ROLE_BY_NAME:
        return False
    if not parts and "role" not in value:
        return False
    return all(isinstance(part, dict) and "type" not in part and not _KNOWN_PARTS.isdisjoint(part) for part in parts)


def _is_empty(value: dict[str, Any]) -> bool:
    """Return whether an object is an empty content, as in an API answer that holds only a role."""
    return is_empty_message(value, "parts") and role_of_message(value) in {"", *schema.ROLE_BY_NAME}


_DECODE = LenientDecoder(schema.GeminiContent)
