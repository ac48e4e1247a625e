"""The reader of Qwen Code's chats: its records, the path that it would load, and the evidence for calls.

Facts: @qwen-code/qwen-code 0.24.4, `utils/transcript-records.ts` (`validateTranscriptRecord`,
`isTranscriptConversationRecord`) and `services/session-api-history.ts` (`SessionApiHistoryAccumulator.add`). A record
without an identity (uuid, parentUuid, sessionId) or of an unknown type is skipped, and one of
`_UNLINKED_SUBTYPES` is neither a leaf nor a parent: both are read as records without an id.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Thread
from inspector.core.providers.gemini import schema
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder
from inspector.core.providers.message_misfits import TEXT, FieldSchema, ObjectSchema
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, array_elements, pointer_span
from inspector.core.storage.json_text import is_valid_json, object_at, parse_json, text_at, unescape_keys
from inspector.core.text import utf16_length
from inspector.core.translation import tr

MESSAGE_TYPES = frozenset({"user", "assistant", "tool_result"})
RECORD_TYPES = MESSAGE_TYPES | {"system"}
COMPRESSED_HISTORY_POINTER = "/systemPayload/compressedHistory"
_UNLINKED_SUBTYPES = frozenset(
    "session_artifact_event session_artifact_snapshot session_sources_snapshot managed_session_header_v1 "
    "managed_session_event_v1 managed_session_commit_v1".split()
)
_API_ERROR = b'"qwen-code.api_error"'
_SPEAKERS = frozenset({"user", "model"})
# A message of another role, or a text that is no string, stops the load or every request.
_ROLE = FieldSchema((TEXT,), needed=True, allowed_values=_SPEAKERS)
LINE_SCHEMA = block_list_formats.record_schema_with_message(
    "message", ObjectSchema({"role": _ROLE, "parts": schema.MESSAGE_SCHEMA.fields["parts"]})
)


class _ChatLine(Struct, gc=False):
    """The fields of a line that the index needs; `role` and `parts` are those of a content without an envelope."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | UnsetType | None = UNSET
    sessionId: str | None = None
    subtype: str | None = None
    message: schema.GeminiContent | None = None
    systemPayload: Raw = EMPTY_RAW
    role: str | None = None
    parts: list[schema.GeminiPart] | None = None


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one record. A content of a compression is NO_ENVELOPE, the compression that holds it a COMPACTION."""
    decoded = _DECODE.decode_strict(raw)
    row = decoded or _DECODE(raw)
    if decoded is None:
        row.role = schema.raw_role(parse_json(raw))
    if row.parts is not None and row.uuid is None and row.type is None:
        schema.add_content_record(
            columns, start, end, schema.GeminiContent(row.role, row.parts), RecordMark.NO_ENVELOPE
        )
    elif not _is_linked(row):
        columns.add_record(start, end, Role.OPAQUE)
    elif row.message is None or row.type == "system" or row.subtype == "realtime_message":
        columns.add_record(start, end, Role.LINK, _mark_of(row, raw), row.uuid, row.parentUuid or None)
    else:
        content = row.message
        odd = content.role not in _SPEAKERS or schema.may_be_malformed(content)
        if content.role not in _SPEAKERS:
            content.role = "model" if row.type == "assistant" else "user"
        schema.add_content_record(
            columns, start, end, content, RecordMark.MAYBE_MALFORMED if odd else 0, row.uuid, row.parentUuid or None
        )


def _is_linked(row: _ChatLine) -> bool:
    """Return whether the loader takes a record for one of the conversation, which can be a leaf or a parent."""
    named = row.uuid and row.sessionId and row.parentUuid is not UNSET and row.type in RECORD_TYPES
    return bool(named) and not (row.type == "system" and row.subtype in _UNLINKED_SUBTYPES)


def _mark_of(row: _ChatLine, raw: bytes) -> int:
    if row.subtype == "chat_compression" and compressed_history_offset(raw) >= 0:
        return RecordMark.COMPACTION
    return RecordMark.API_ERROR if row.subtype == "ui_telemetry" and _API_ERROR in bytes(row.systemPayload) else 0


def compressed_history_offset(line: bytes) -> int:
    """Return where the history that a compression leaves begins in its line, -1 where it leaves none."""
    try:
        at, _ = pointer_span(line, COMPRESSED_HISTORY_POINTER)
    except (TruncatedJson, PointerNotFound):
        return -1
    return at if line[at : at + 1] == b"[" else -1


def nested_contents(line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
    """Return the contents of a compression; see `JsonLines.nested`."""
    if b'"chat_compression"' not in unescape_keys(line) or not is_valid_json(line):
        return -1, "", []
    at = compressed_history_offset(line) if text_at(parse_json(line), "/subtype") == "chat_compression" else -1
    spans = list(array_elements(line, at)) if at >= 0 else []
    return (at, COMPRESSED_HISTORY_POINTER, spans) if spans else (-1, "", [])


_DECODE = LenientDecoder(_ChatLine)


# What Qwen Code would load: the walk from the last record up the parents, from the newest compression on.
#
# Facts: @qwen-code/qwen-code 0.24.4, `utils/transcript-records.ts` (`selectTranscriptLeaf`, `walkTranscriptUuidChain`,
# `aggregateTranscriptRecordFragments`). Several records with one id are one record: the first tells its parent and what
# it is (behind one of the program's own nothing is sent), and the parts of all stand in its place. A parent that is
# missing, or that leads back, ends the walk, and nothing bridges the gap.


def active_thread(columns: Columns, tree: RecordTree) -> Thread:
    """Return the records of a resume in their order. The `tree` must use the first of several records with one id."""
    tree.intern_ids()
    first, leaf = (next(filter(None, ids), None) for ids in (columns.uuids, reversed(columns.uuids)))
    if first is None or leaf is None:
        return Thread(array("I"))
    walked, damaged = tree.path_to(columns.uuids.index(leaf), first=columns.uuids.index(first))
    path = _with_fragments(columns, tree, walked)
    boundary = next((at for at in range(len(path) - 1, -1, -1) if columns.marks[path[at]] & RecordMark.COMPACTION), -1)
    if boundary >= 0:
        # Nothing older is sent, whether the chain holds it or not.
        return Thread(_from_compression(columns, path, boundary))
    return Thread(path, damaged_links=damaged)


def _with_fragments(columns: Columns, tree: RecordTree, walked: array[int]) -> array[int]:
    """Return the path with all records of an id after the first one. That first one decides what they are."""
    if not tree.duplicate_ids:
        return walked
    further: dict[str | None, list[int]] = {}
    for _, record in tree.duplicate_ids:
        further.setdefault(columns.uuids[record], []).append(record)
    path = array("I")
    for first in walked:
        path.append(first)
        if columns.roles[first] != Role.LINK:
            path.extend(further.get(columns.uuids[first], ()))
    return path


def _from_compression(columns: Columns, path: array[int], boundary: int) -> array[int]:
    """Return the compression on the path, the contents that it holds, and the records after it."""
    after = path[boundary] + 1
    while after < len(columns) and columns.marks[after] & RecordMark.NO_ENVELOPE:
        after += 1
    return array("I", [*range(path[boundary], after), *path[boundary + 1 :]])


# The evidence in a chat for a call without a result.
#
# Facts: @qwen-code/qwen-code 0.24.4, run: the `tool_call` event of a `ui_telemetry` record names its call by `call_id`.
# It comes before the results of its turn, which are recorded together when all calls are done.

_TOOL_CALL_EVENT = "qwen-code.tool_call"
_FAILED = "error"  # a status
_CUT = tr("the length of the text differs from the recorded length of the result")
LOST_RESULT_PLACES = tr(
    "for a failed call, in the `error` field of its `tool_call` event (`ui_telemetry`). The event of a "
    "successful call contains no output"
)


def evidence_in_record(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in a record; see `CallEvidenceSource.evidence_in`."""
    event = {} if own else object_at(row, "/systemPayload/uiEvent")
    if event.get("event.name") != _TOOL_CALL_EVENT or event.get("call_id") != call.id:
        return None
    status = event.get("status")
    return EvidenceItem(
        EvidenceStrength.RAN,
        tr("Statistics in the log show that the call ended: {status}.", status=status)
        if isinstance(status, str)
        else tr("Statistics in the log show that the call ended."),
    )


def lost_results_in_record(row: Any, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the result of a failed call in the event that counts it; see `LostResultSource.lost_results_in`.

    Seen in 0.24.4: `error` is the text of the result, and `content_length` its length.
    """
    event = object_at(row, "/systemPayload/uiEvent")
    call_id, text = event.get("call_id"), event.get("error")
    if event.get("event.name") != _TOOL_CALL_EVENT or event.get("status") != _FAILED or not isinstance(call_id, str):
        return
    if isinstance(text, str) and text.strip():
        doubt = "" if event.get("content_length") == utf16_length(text) else _CUT
        yield LostResult(call_id, text, "ui_telemetry event tool_call", failed=True, doubt=doubt)
