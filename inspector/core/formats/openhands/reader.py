"""The events of OpenHands as rows of columns, and for display.

Facts: OpenHands/software-agent-sdk @611629e, sdk/event/ (`to_llm_message` of each event). An action is a call, with the
`thought` before it; an observation, a rejection and an error of the agent are its result. Older dumps name only the
action in `action_id`. Events of releases before the SDK have an `action` or an `observation`, and the call in
`tool_call_metadata`; `finish` is sent as a text, because it never has a result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, ResultSpec
from inspector.core.providers.block_views import call_view, format_arguments, result_view
from inspector.core.providers.message_fields import message_text, result_text_flags
from inspector.core.providers.message_misfits import (
    LIST,
    OBJECT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    object_field,
    parse_member_schemas,
)
from inspector.core.storage.json_text import object_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "agent": Role.ASSISTANT, "system": Role.SYSTEM}
_METADATA = "/tool_call_metadata"
# Where the text of an event can be, by its role. The bits of `RecordMark.VARIANT_MASK` hold the number.
_TEXTS = {
    Role.SYSTEM: ("/system_prompt", "/args/content", "/llm_message/content"),
    Role.USER: ("/llm_message/content", "/args/content", "/summary", "/content"),
    Role.ASSISTANT: ("/llm_message/content", "/thought", "/args/thought", "/message"),
}
BLOCK_SCHEMA = BlockSchema(
    calls=(
        CallSpec(has=_METADATA, id=f"{_METADATA}/tool_call_id", name=f"{_METADATA}/function_name", input=("/args",)),
        CallSpec(
            id="/tool_call_id", name="/tool_name", input=("/tool_call/arguments", "/action"), as_text=True,
            shown=format_arguments,
        ),
    ),
    results=(
        ResultSpec(has=_METADATA, id=f"{_METADATA}/tool_call_id", name=f"{_METADATA}/function_name"),
        *(
            ResultSpec(
                has=has, id="/tool_call_id", name="/tool_name", content=has, status="/observation/is_error",
                wants_name=False,
            )
            for has in ("/observation/content", "/observation/output", "/rejection_reason", "/error")
        ),
        ResultSpec(id="/tool_call_id", name="/tool_name", content="/observation", wants_name=False),
    ),
    media=ALL_MEDIA_SPECS,
)  # fmt: skip
_MESSAGE = ObjectSchema(
    {"role": enum_field("user", "assistant", "system", "tool"), "content": FieldSchema((TEXT, LIST))}
)
_CALL = ObjectSchema(parse_member_schemas("name text, arguments text"))
EVENT_SCHEMA = ObjectSchema(
    type_key="kind",
    variants={
        "MessageEvent": ObjectSchema({"llm_message": object_field(_MESSAGE)}),
        "ActionEvent": ObjectSchema(
            {
                "thought": FieldSchema((LIST,)),
                "tool_call": object_field(_CALL, needed=False),
                "action": FieldSchema((OBJECT,)),
            }
        ),
    },
)


_RESULT_KEYS = frozenset({"observation", "rejection_reason", "error"})


class Event(NamedTuple):
    """What an event is in the history: its role, where its text is, and the call that it makes or answers.

    `call_id` is None for a text alone. `by_action`: the id is that of the event of the action.
    """

    role: Role
    text: str = ""
    call_id: str | None = None
    name: str = ""
    by_action: bool = False


_UNUSED = Event(Role.OPAQUE)


def event_of(value: Any) -> Event:
    """Return what a parsed event is, an opaque one if it is not sent."""
    if "kind" in object_at(value, ""):
        return _BY_KIND.get(text_at(value, "/kind"), lambda value: _UNUSED)(value)
    return _older_event(value)


def _message(value: Any) -> Event:
    return Event(_ROLES.get(text_at(value, "/llm_message/role"), Role.OPAQUE), "/llm_message/content")


def _action(value: Any) -> Event:
    if not object_at(value, "/tool_call") and "tool_name" not in value:
        return _UNUSED
    own = text_at(value, "/tool_call_id") or text_at(value, "/tool_call/id")
    call_id, name = own or text_at(value, "/id"), text_at(value, "/tool_name") or text_at(value, "/tool_call/name")
    return Event(Role.ASSISTANT, "/thought", call_id, name)


def _observation(value: Any) -> Event:
    if _RESULT_KEYS.isdisjoint(value):
        return _UNUSED
    own = text_at(value, "/tool_call_id")
    return Event(Role.TOOL, "", own or text_at(value, "/action_id"), by_action=not own)


def _condensation(value: Any) -> Event:
    has_summary = text_at(value, "/summary") and value_at(value, "/summary_offset") is not None
    return Event(Role.USER, "/summary") if has_summary else _UNUSED


_BY_KIND: dict[str, Callable[[Any], Event]] = {
    "SystemPromptEvent": lambda value: Event(Role.SYSTEM, "/system_prompt"),
    "MessageEvent": _message,
    "ActionEvent": _action,
    **dict.fromkeys(("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"), _observation),
    "CondensationSummaryEvent": lambda value: Event(Role.USER, "/summary"),
    "Condensation": _condensation,
}


def _older_event(value: Any) -> Event:
    action, observation = text_at(value, "/action"), text_at(value, "/observation")
    call_id, name = text_at(value, f"{_METADATA}/tool_call_id"), text_at(value, f"{_METADATA}/function_name")
    speaker = _ROLES.get(text_at(value, "/source"), Role.OPAQUE)
    if action in ("message", "system", "finish"):
        role = Role.SYSTEM if action == "system" else speaker
        return Event(role, "/message" if role == Role.ASSISTANT else "/args/content")
    if action and call_id:
        return Event(Role.ASSISTANT, "/args/thought", call_id, name)
    if observation and call_id:
        return Event(Role.TOOL, "", call_id)
    if action in _OLDER_ACTIONS and speaker == Role.ASSISTANT:
        return Event(speaker, "/message")
    return Event(Role.USER, "/content") if observation in _OLDER_ACTIONS | {"error"} else _UNUSED


# What an agent without function calls does, and observes.
_OLDER_ACTIONS = frozenset({"run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "mcp"})


def add_event(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index an event."""
    value = parse_json(raw)
    event = event_of(value)
    variant = (
        _TEXTS[event.role].index(event.text) if event.text in _TEXTS.get(event.role, ()) else 0
    ) << RecordMark.VARIANT_SHIFT
    columns.add_record(start, end, event.role, variant | RecordMark.MAYBE_MALFORMED)
    if event.role == Role.OPAQUE:
        return
    if event.role == Role.TOOL:
        flags = result_text_flags(result_view(value, BLOCK_SCHEMA, "").text)
        columns.add_block(BlockKind.RESULT, flags | (BlockFlag.BORROWED_ID if event.by_action else 0), event.call_id)
        return
    if value.get("reasoning_content"):
        columns.add_block(BlockKind.THINKING)
    if value_at(value, event.text):
        columns.add_block(BlockKind.TEXT)
    if event.call_id is not None:
        columns.add_block(BlockKind.CALL, 0, event.call_id, event.name)


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of block `ordinal` of an event. A call or a result is the event itself."""
    kind = columns.block_kinds[columns.first_block[record] + ordinal]
    if kind == BlockKind.TEXT:
        return _TEXTS[Role(columns.roles[record])][
            (columns.marks[record] & RecordMark.VARIANT_MASK) >> RecordMark.VARIANT_SHIFT
        ]
    return "/reasoning_content" if kind == BlockKind.THINKING else ""


def view_of_event(raw: bytes) -> RecordView:
    """Return an event for display."""
    value = object_at(parse_json(raw), "")
    event, blocks, when = event_of(value), list[BlockView](), text_at(value, "/timestamp")
    kind = text_at(value, "/kind") or text_at(value, "/action") or text_at(value, "/observation")
    if event.role == Role.OPAQUE:
        return RecordView(kind or tr("no event"), kind, (), when)
    if event.role == Role.TOOL:
        blocks.append(result_view(value, BLOCK_SCHEMA, ""))
    if value.get("reasoning_content") and event.role != Role.TOOL:
        blocks.append(BlockView(BlockKind.THINKING, text_at(value, "/reasoning_content"), "/reasoning_content"))
    if event.text and (text := value_at(value, event.text)):
        blocks.append(BlockView(BlockKind.TEXT, message_text(text), event.text))
    if event.role == Role.ASSISTANT and event.call_id is not None:
        blocks.append(call_view(value, BLOCK_SCHEMA, ""))
    return RecordView(event.role.name.lower(), kind, tuple(blocks), when)
