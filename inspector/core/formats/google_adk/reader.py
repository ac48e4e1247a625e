"""The events of ADK as rows of columns, and what ADK does not load.

Facts: google-adk 2.13.0, events/event.py, flows/llm_flows/context/_contents.py (`_contains_empty_content`);
google-genai 2.34.0 types.py. An event has a Gemini content, in snake_case in a database and in camelCase in the JSON
that the API returns and `adk run --save_session` writes. An event in which nothing is said is not sent: one without a
role, with thoughts alone, or with empty texts. One member of another type, or a member of a content or of the actions
that ADK does not know, keeps the whole session from being loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.gemini import schema
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder, decode_fitting_members
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    NUMBER,
    OBJECT,
    TEXT,
    FieldSchema,
    Misfit,
    ObjectSchema,
    find_misfits,
    parse_member_schemas,
)
from inspector.core.storage.json_spans import pointer_part
from inspector.core.storage.json_text import has_lone_surrogate, list_at, object_at, parse_json, value_at
from inspector.core.translation import tr

CONTENT, PARTS = "/content", "/content/parts"
# The parts of the summary of a compaction, by the spelling of the record.
SUMMARY_PARTS = {
    1 << RecordMark.VARIANT_SHIFT: "/actions/compaction/compactedContent/parts",
    2 << RecordMark.VARIANT_SHIFT: "/actions/compaction/compacted_content/parts",
}
USER = "user"
_SUMMARIES = {"compactedContent": 1, "compacted_content": 2}
# Calls by which the program asks the person. Events with these calls or their responses are not sent.
_QUESTIONS = frozenset({"adk_request_credential", "adk_request_confirmation", "adk_framework"})


# Members beside which there may be no others, in camelCase and in snake_case.
_KNOWN_ACTIONS = frozenset(
    (
        "skipSummarization skip_summarization stateDelta state_delta artifactDelta artifact_delta transferToAgent "
        "transfer_to_agent transferReason transfer_reason escalate requestedAuthConfigs requested_auth_configs "
        "requestedToolConfirmations requested_tool_confirmations compaction endOfAgent end_of_agent agentState "
        "agent_state rewindBeforeInvocationId rewind_before_invocation_id route renderUiWidgets render_ui_widgets "
        "setModelResponse set_model_response"
    ).split()
)
_KNOWN_IN_CONTENT = frozenset({"role", "parts"})
_KNOWN_IN_PART = frozenset(
    (
        "text thought thoughtSignature thought_signature functionCall function_call functionResponse "
        "function_response inlineData inline_data fileData file_data executableCode executable_code "
        "codeExecutionResult code_execution_result toolCall tool_call toolResponse tool_response mediaResolution "
        "media_resolution videoMetadata video_metadata partMetadata part_metadata audioTranscription "
        "audio_transcription mediaProcessing media_processing speechMetadata speech_metadata"
    ).split()
)
_KNOWN_IN_CALL = frozenset("id name args partialArgs partial_args willContinue will_continue".split())
_KNOWN_IN_RESPONSE = frozenset("id name response parts scheduling willContinue will_continue".split())
_KNOWN_IN_TOOL = {
    **dict.fromkeys(("functionCall", "function_call"), _KNOWN_IN_CALL),
    **dict.fromkeys(("functionResponse", "function_response"), _KNOWN_IN_RESPONSE),
}
_BASE64 = lazy_regex(r"[A-Za-z0-9+/_-]*={0,2}")
_DATA = ("/thoughtSignature", "/thought_signature", "/inlineData/data", "/inline_data/data")


class _Call(schema.GeminiFunctionCall, forbid_unknown_fields=True):
    """A call without members that ADK does not know."""


class _Response(schema.GeminiFunctionResponse, forbid_unknown_fields=True):
    """A response without members that ADK does not know."""


class _Part(schema.GeminiPart, forbid_unknown_fields=True):
    """A part without members that ADK does not know."""

    call: _Call | None = field(default=None, name="functionCall")
    call_snake: _Call | None = field(default=None, name="function_call")
    response: _Response | None = field(default=None, name="functionResponse")
    response_snake: _Response | None = field(default=None, name="function_response")


class _Content(schema.GeminiContent, forbid_unknown_fields=True):
    """A content without members that ADK does not know."""

    parts: list[_Part] | None = None  # type: ignore[assignment]  # a list of parts is only read


class Event(Struct, gc=False):
    """The fields of an event that are read, and those that must have their type."""

    author: str = ""
    content: _Content | None = None
    actions: dict[str, Raw] = {}
    partial: bool | None = None
    branch: str | None = None
    scope: str | None = field(default=None, name="isolationScope")
    scope_snake: str | None = field(default=None, name="isolation_scope")
    invocation: str = field(default="", name="invocationId")
    invocation_snake: str = field(default="", name="invocation_id")
    id: str = ""
    timestamp: float = 0.0
    long_running: list[str] | None = field(default=None, name="longRunningToolIds")
    long_running_snake: list[str] | None = field(default=None, name="long_running_tool_ids")
    model: str | None = field(default=None, name="modelVersion")
    model_snake: str | None = field(default=None, name="model_version")

    @property
    def long_running_ids(self) -> list[str]:
        return self.long_running or self.long_running_snake or []

    @property
    def invocation_id(self) -> str:
        return self.invocation or self.invocation_snake

    @property
    def isolation_scope(self) -> str | None:
        """The call whose agent an event belongs to, None for the conversation itself."""
        return self.scope if self.scope is not None else self.scope_snake

    @property
    def model_version(self) -> str:
        return self.model or self.model_snake or ""

    @property
    def rewinds_before(self) -> str:
        """The invocation from which on the history is taken back, "" for none."""
        return self._action_text("rewindBeforeInvocationId")

    @property
    def asks_person(self) -> bool:
        """Whether a tool asks for a confirmation or for credentials."""
        asked = (self._action(key) for key in ("requestedToolConfirmations", "requestedAuthConfigs"))
        return any(value and bytes(value) != b"{}" for value in asked)

    @property
    def compacted(self) -> tuple[float, float] | None:
        """The times between which a summary replaces the events, None for an event that is no compaction."""
        compaction = _compaction(self)
        start, end = (_either(compaction, key) for key in ("startTimestamp", "endTimestamp"))
        return (start, end) if isinstance(start, int | float) and isinstance(end, int | float) else None

    def _action(self, key: str) -> Raw:
        return self.actions.get(key) or self.actions.get(schema.snake_case(key)) or EMPTY_RAW

    def _action_text(self, key: str) -> str:
        value = self._action(key)
        text = parse_json(bytes(value)) if value else None
        return text if isinstance(text, str) else ""


decode = LenientDecoder(Event)


def _either(value: dict[str, Any], key: str) -> Any:
    """Return a member in camelCase or in snake_case."""
    return value.get(key, value.get(schema.snake_case(key)))


def add_event(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index an event. One in which nothing is said is a link."""
    known = decode.decode_strict(raw)
    event = known or decode(raw)
    content, mark = event.content, 0
    compaction = _compaction(event)
    for key, variant in _SUMMARIES.items():
        if isinstance(compaction.get(key), dict):
            # ADK sends it as the model's. It stands for a whole conversation, so that no message must come before it.
            content = replace(decode_fitting_members(_Content, compaction[key]), role="user")
            mark = RecordMark.COMPACTION | variant << RecordMark.VARIANT_SHIFT
    is_plain = known is not None and bool(event.author) and event.actions.keys() <= _KNOWN_ACTIONS
    if not is_plain or _may_be_malformed(content):
        mark |= RecordMark.MAYBE_MALFORMED
    if event.rewinds_before or event.isolation_scope is not None or _is_of_tool(event.branch):
        mark |= RecordMark.TURN_EVENT
    if content is None or event.partial or not _is_said(content):
        columns.add_record(start, end, Role.LINK, mark)
    else:
        schema.add_content_record(columns, start, end, content, mark)


def _compaction(event: Event) -> dict[str, Any]:
    value = event.actions.get("compaction")
    return object_at(parse_json(bytes(value)), "") if value else {}


def _is_of_tool(branch: str | None) -> bool:
    """Return whether a branch may be that of a tool, "tool@call"."""
    return branch is not None and "@" in branch


def _is_said(content: _Content) -> bool:
    parts = content.parts or []
    named = (tool.name for part in parts for tool in (_call_of(part), _response_of(part)) if tool is not None)
    return bool(content.role) and any(map(_is_visible, parts)) and _QUESTIONS.isdisjoint(named)


def _call_of(part: _Part) -> _Call | None:
    return part.call or part.call_snake


def _response_of(part: _Part) -> _Response | None:
    return part.response or part.response_snake


def _is_visible(part: _Part) -> bool:
    """Return whether an event with this part is sent. A thought is, if it has a signature."""
    if _call_of(part) is not None or _response_of(part) is not None or any(map(_has, _KEPT_ALONE(part))):
        return True
    return not part.thought and (any(map(_has, _SHOWN(part))) or (_has(part.text) and bytes(part.text) != b'""'))


_KEPT_ALONE = attrgetter(
    *("signature", "signature_snake", "served_call", "served_call_snake", "served_response", "served_response_snake")
)
_SHOWN = attrgetter("inline", "inline_snake", "file", "file_snake", "code", "code_snake", "ran", "ran_snake")


def _has(value: Raw) -> bool:
    return len(value) > 0 and bytes(memoryview(value)[:1]) != b"n"


def _may_be_malformed(content: _Content | None) -> bool:
    return content is not None and (
        schema.may_be_malformed(content) or any(part.signature or part.signature_snake for part in content.parts or ())
    )


# What ADK does not load, see `message_misfits`. A flag may be a number or a text.

_FLAG = FieldSchema((BOOLEAN, NUMBER, TEXT))
_BESIDE_CONTENT = {
    "author": FieldSchema((TEXT,), needed=True),
    **dict.fromkeys(("id", "invocationId", "invocation_id"), FieldSchema((TEXT,), nullable=False)),
    "timestamp": FieldSchema((NUMBER,), nullable=False),
    "actions": FieldSchema((OBJECT,), nullable=False),
    "partial": _FLAG,
    **parse_member_schemas(
        "branch text, isolationScope text, isolation_scope text, modelVersion text, model_version text, "
        "errorCode text, error_code text, errorMessage text, error_message text, "
        "customMetadata object, custom_metadata object, "
        "usageMetadata object, usage_metadata object, longRunningToolIds list, long_running_tool_ids list"
    ),
}


def _loaded_schema(shape: ObjectSchema) -> ObjectSchema:
    """Return what is loaded of a shape: any role and any combination of parts, whatever the provider accepts."""
    fields = {
        key: replace(each, allowed_values=frozenset(), of=_loaded_schema(each.of) if each.of else None)
        for key, each in shape.fields.items()
    }
    return replace(shape, fields=fields, exclusive_keys=frozenset())


def _event_schema(content: ObjectSchema) -> ObjectSchema:
    return ObjectSchema(_BESIDE_CONTENT | {"content": FieldSchema((OBJECT,), of=content)})


_SENT_SCHEMA = _event_schema(schema.MESSAGE_SCHEMA)
_LOADED_SCHEMA = _event_schema(_loaded_schema(schema.MESSAGE_SCHEMA))


def misfits_of(message: Any) -> list[Misfit]:
    """Return what ADK does not load of a parsed event, and what the provider refuses."""
    return [*find_misfits(message, _SENT_SCHEMA), *_unknown_members(message)]


def is_loaded(columns: Columns, record: int, raw: bytes) -> bool:
    """Return whether ADK loads an event."""
    marks, flags = columns.marks[record], columns.block_flags
    if marks & RecordMark.UNREADABLE or has_lone_surrogate(raw):
        return False
    calls = (row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL)
    if any(flags[row] & BlockFlag.BAD_INPUT for row in calls):
        return False
    if not marks & RecordMark.MAYBE_MALFORMED:
        return True
    event = parse_json(raw)
    return not find_misfits(event, _LOADED_SCHEMA) and not any(_unknown_members(event))


def _unknown_members(event: Any) -> Iterator[Misfit]:
    """Yield the members beside which ADK loads nothing, and data that is not base64."""
    yield from _others(object_at(event, "/actions"), "/actions", _KNOWN_ACTIONS)
    yield from _others(object_at(event, CONTENT), CONTENT, _KNOWN_IN_CONTENT)
    for number, part in enumerate(list_at(event, PARTS)):
        at = f"{PARTS}/{number}"
        yield from _others(object_at(part, ""), at, _KNOWN_IN_PART)
        for key, known in _KNOWN_IN_TOOL.items():
            yield from _others(object_at(part, f"/{key}"), f"{at}/{key}", known)
        for place in _DATA:
            value = value_at(part, place)
            if isinstance(value, str) and not _BASE64.fullmatch(value):
                yield Misfit(f"{at}{place}", tr("not base64"), removed_member=at + place)


def _others(value: dict[str, Any], pointer: str, known: frozenset[str]) -> Iterator[Misfit]:
    for key in value:
        if key not in known:
            place = f"{pointer}/{pointer_part(key)}"
            yield Misfit(place, tr("ADK does not know this member"), removed_member=place)
