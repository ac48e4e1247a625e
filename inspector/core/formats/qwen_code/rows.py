"""One line of a chat, or one content in a compression: what the loader takes it for.

Facts: @qwen-code/qwen-code 0.24.4, `utils/transcript-records.ts` (`validateTranscriptRecord`,
`isTranscriptConversationRecord`) and `services/session-api-history.ts` (`SessionApiHistoryAccumulator.add`). A record
without an identity (uuid, parentUuid, sessionId) or of an unknown type is passed over, and one of the subtypes
ASIDE is neither a leaf nor anybody's parent: both are read as records without an id.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

from inspector.core.bytes.json_text import is_valid_json, parse_json, text_at, unescape_keys
from inspector.core.bytes.spans import PointerNotFound, TruncatedJson, array_elements, pointer_span
from inspector.core.formats.bases import handed_on
from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.wire import gemini
from inspector.core.wire.fields import EMPTY_RAW, LenientDecoder
from inspector.core.wire.shapes import suspicion, tables
from inspector.core.wire.shapes.shape import TEXT, FieldSchema, ObjectSchema

SPOKEN = frozenset({"user", "assistant", "tool_result"})
TYPES = SPOKEN | {"system"}
HISTORY = "/systemPayload/compressedHistory"
_ASIDE = frozenset(
    "session_artifact_event session_artifact_snapshot session_sources_snapshot managed_session_header_v1 "
    "managed_session_event_v1 managed_session_commit_v1".split()
)
_API_ERROR = b'"qwen-code.api_error"'
_SPEAKERS = frozenset({"user", "model"})
# What is of another role, or of a text that is none, stops the load or every request.
_ROLE = FieldSchema((TEXT,), needed=True, allowed_values=_SPEAKERS)
SHAPE = handed_on.within(
    "message", ObjectSchema({"role": _ROLE, "parts": tables.GEMINI_CONTENT_SCHEMA.fields["parts"]})
)


class _Row(Struct, gc=False):
    """The fields of a line that the index needs; `role` and `parts` are those of a content without an envelope."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | UnsetType | None = UNSET
    sessionId: str | None = None
    subtype: str | None = None
    message: gemini.GeminiContent | None = None
    systemPayload: Raw = EMPTY_RAW
    role: str | None = None
    parts: list[gemini.GeminiPart] | None = None


def add(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one record. A content of a compression is BARE, and the compression that holds it the BOUNDARY."""
    known = _DECODE.decode_strict(raw)
    row = known or _DECODE(raw)
    if known is None:
        row.role = gemini.role_of_content(parse_json(raw))
    if row.parts is not None and row.uuid is None and row.type is None:
        gemini.add_content(columns, start, end, gemini.GeminiContent(row.role, row.parts), RecordMark.NO_ENVELOPE)
    elif not _is_linked(row):
        columns.add_record(start, end, Role.OPAQUE)
    elif row.message is None or row.type == "system" or row.subtype == "realtime_message":
        columns.add_record(start, end, Role.LINK, _mark_of(row, raw), row.uuid, row.parentUuid or None)
    else:
        content = row.message
        odd = content.role not in _SPEAKERS or suspicion.is_suspect_gemini_content(content)
        if content.role not in _SPEAKERS:
            content.role = "model" if row.type == "assistant" else "user"
        gemini.add_content(
            columns, start, end, content, RecordMark.MAYBE_MALFORMED if odd else 0, row.uuid, row.parentUuid or None
        )


def _is_linked(row: _Row) -> bool:
    """Whether the loader takes a record for one of the conversation, of which a leaf and the parents are."""
    named = row.uuid and row.sessionId and row.parentUuid is not UNSET and row.type in TYPES
    return bool(named) and not (row.type == "system" and row.subtype in _ASIDE)


def _mark_of(row: _Row, raw: bytes) -> int:
    if row.subtype == "chat_compression" and compressed(raw) >= 0:
        return RecordMark.COMPACTION
    return RecordMark.API_ERROR if row.subtype == "ui_telemetry" and _API_ERROR in bytes(row.systemPayload) else 0


def compressed(line: bytes) -> int:
    """Where the history that a compression leaves begins in its line, -1 where it leaves none."""
    try:
        at, _ = pointer_span(line, HISTORY)
    except (TruncatedJson, PointerNotFound):
        return -1
    return at if line[at : at + 1] == b"[" else -1


def nested(line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
    """See `JsonLines.nested`: the contents of a compression."""
    if b'"chat_compression"' not in unescape_keys(line) or not is_valid_json(line):
        return -1, "", []
    at = compressed(line) if text_at(parse_json(line), "/subtype") == "chat_compression" else -1
    spans = list(array_elements(line, at)) if at >= 0 else []
    return (at, HISTORY, spans) if spans else (-1, "", [])


_DECODE = LenientDecoder(_Row)
