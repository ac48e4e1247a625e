"""What Codex reads of an item in a rollout, and what its provider accepts of that.

Facts: `ResponseItem` of openai/codex, codex-rs protocol/src/models.rs, and Codex 0.169.0, resumed on a rollout with
every member of every item in turn missing, null, or of other values (`tests.interop.agents.members`). It skips a line
whose item has no type, lacks a member that its type needs, or holds a value of another kind where its types have a
member. So it does with a line without a text as its timestamp, or with metadata of another type, and with a compaction
that holds such an item.

It sends the members that its types have: `status` of messages, calls, searches and images as it stands there, but not
that of reasoning and outputs; never `caller`, `async` or `prompt_cache_breakpoint`. It sends roles that it does not
know. An action of a web search of an unknown type, and an item of an unknown type in the replacement history of a
compaction, go out as the type "other", which the API rejects (openai/codex#7073).

The id, the name and the input of a call are left to rules of their own.
"""

from typing import Any

from msgspec.structs import replace

from inspector.core.providers.block_schema import encode_string, typed_text_encoder
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    OBJECT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    Misfit,
    ObjectSchema,
    enum_field,
    find_misfits,
    list_field,
    object_field,
    object_schema_by_type,
    parse_member_schemas,
    parts_list_field,
    unknown_members,
)
from inspector.core.providers.openai_responses.required_members import ANNOTATIONS, LOGPROBS
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, object_at, parse_json

TEXT_PART_TYPES = frozenset({"input_text", "output_text"})
PHASES = ("commentary", "final_answer")
ROLES = ("assistant", "developer", "system", "user")
_STATUSES = ("completed", "in_progress", "incomplete")
_METADATA = object_field(
    ObjectSchema(parse_member_schemas("turn_id text, create_time number, content_item_kinds any")), needed=False
)


def _members(words: str, /, **others: FieldSchema) -> dict[str, FieldSchema]:
    """Return the schemas of the members of an item, with those that all items have."""
    return parse_member_schemas(
        f"id text, {words}".removesuffix(", "), internal_chat_message_metadata_passthrough=_METADATA, **others
    )


def _part_schema(parts: dict[str, ObjectSchema]) -> ObjectSchema:
    return replace(object_schema_by_type(parts), known_types=frozenset(parts))


_TEXT_PART = ObjectSchema(parse_member_schemas("text! text"))
_ENCRYPTED_PART = ObjectSchema(parse_member_schemas("encrypted_content! text"))
_MEDIA_PARTS = {
    "input_image": ObjectSchema(
        parse_member_schemas("image_url! text", detail=enum_field("auto", "low", "high", "original", needed=False))
    ),
    "input_audio": ObjectSchema(parse_member_schemas("audio_url! text")),
}


def _message(**members_of_output_text: FieldSchema) -> dict[str, ObjectSchema]:
    """Return the schemas of a message by its role. Only the text that stands in for a damaged part differs."""
    parts = _part_schema(
        {
            "input_text": _TEXT_PART,
            "output_text": ObjectSchema({**_TEXT_PART.fields, **members_of_output_text}),
            **_MEDIA_PARTS,
        }
    )
    said, heard = (
        ObjectSchema({"content": parts_list_field(parts, typed_text_encoder(kind), needed=True)})
        for kind in ("output_text", "input_text")
    )
    return {role: said if role == "assistant" else heard for role in ROLES}


_OUTPUT = FieldSchema(
    (TEXT, LIST),
    needed=True,
    of=_part_schema({"input_text": _TEXT_PART, "encrypted_content": _ENCRYPTED_PART, **_MEDIA_PARTS}),
    text_encoder=encode_string,
    element_encoder=typed_text_encoder("input_text"),
)
_SUMMARY = FieldSchema(
    (LIST,),
    needed=True,
    of=_part_schema({"summary_text": _TEXT_PART}),
    element_encoder=typed_text_encoder("summary_text"),
    made=b"[]",
)
_REASONING = list_field(_part_schema(dict.fromkeys(("reasoning_text", "text"), _TEXT_PART)), needed=False)
_SHELL_ACTION = ObjectSchema(
    parse_member_schemas(
        "command! texts, timeout_ms number, working_directory text, user text",
        env=FieldSchema((OBJECT,), elements=(TEXT,), element_encoder=encode_string, removable=True),
    )
)
_SEARCH_ACTIONS = {
    "search": ObjectSchema(parse_member_schemas("query text, queries texts")),
    "open_page": ObjectSchema(parse_member_schemas("url text")),
    "find_in_page": ObjectSchema(parse_member_schemas("url text, pattern text")),
}
_NEEDED_STATUS = FieldSchema((TEXT,), needed=True, made=b'"completed"')
_EXECUTION = FieldSchema((TEXT,), needed=True, made=b'"client"')
_READ: dict[str, dict[str, FieldSchema]] = {
    "message": _members("role! text, status text", phase=enum_field(*PHASES, needed=False)),
    "agent_message": _members(
        "author! text, recipient! text",
        content=parts_list_field(
            _part_schema({"input_text": _TEXT_PART, "encrypted_content": _ENCRYPTED_PART}),
            typed_text_encoder("input_text"),
            needed=True,
        ),
    ),
    "reasoning": _members("encrypted_content text", summary=_SUMMARY, content=_REASONING),
    "local_shell_call": _members(
        "call_id text",
        status=replace(_NEEDED_STATUS, allowed_values=frozenset(_STATUSES)),
        action=object_field(replace(object_schema_by_type({"exec": _SHELL_ACTION}), known_types=frozenset({"exec"}))),
    ),
    "function_call": _members(
        "call_id any, name any, arguments any, status text, namespace text, encrypted_function_args texts"
    ),
    "function_call_output": _members("call_id text, name text, namespace text", output=_OUTPUT),
    "custom_tool_call": _members("call_id any, name any, input any, status text, namespace text"),
    "custom_tool_call_output": _members("call_id any, name text", output=_OUTPUT),
    "tool_search_call": _members("call_id text, status text, arguments! any", execution=_EXECUTION),
    "tool_search_output": _members("call_id text, tools! list", status=_NEEDED_STATUS, execution=_EXECUTION),
    "web_search_call": _members(
        "status text", action=object_field(object_schema_by_type(_SEARCH_ACTIONS), needed=False)
    ),
    "image_generation_call": _members("revised_prompt text, result! text", status=_NEEDED_STATUS),
    "compaction": _members("encrypted_content! text"),
    "compaction_summary": _members("encrypted_content! text"),
    "context_compaction": _members("encrypted_content text"),
    "additional_tools": parse_member_schemas("id text, role! text, tools! list"),
}


_STATUS = enum_field(*_STATUSES, needed=False)
_ACCEPTED_EXECUTION = replace(_EXECUTION, allowed_values=frozenset({"client", "server"}))
_OBJECTS = list_field(ObjectSchema())
# What the API requires of the members that Codex sends as they are (the `openai` SDK's `types/responses`).
_ACCEPTED: dict[str, dict[str, FieldSchema]] = {
    "message": {"role": enum_field(*ROLES), "status": _STATUS},
    "function_call": {"status": _STATUS},
    "tool_search_call": {"status": _STATUS, "execution": _ACCEPTED_EXECUTION},
    "tool_search_output": {
        "status": replace(_NEEDED_STATUS, allowed_values=frozenset(_STATUSES)),
        "execution": _ACCEPTED_EXECUTION,
        "tools": _OBJECTS,
    },
    "web_search_call": {
        "status": enum_field(*_STATUSES, "searching", "failed", needed=False),
        "action": object_field(
            replace(
                object_schema_by_type(
                    {**_SEARCH_ACTIONS, "find_in_page": ObjectSchema(parse_member_schemas("url! text, pattern! text"))}
                ),
                known_types=frozenset(_SEARCH_ACTIONS),
            ),
            needed=False,
        ),
    },
    "image_generation_call": {
        "id": REQUIRED_TEXT,
        "status": replace(
            _NEEDED_STATUS, allowed_values=frozenset({"in_progress", "completed", "generating", "failed"})
        ),
    },
    "additional_tools": {"role": enum_field("developer"), "tools": _OBJECTS},
}


# A line without a time is skipped, whatever the time says.
_NO_TIME = b'"1970-01-01T00:00:00.000Z"'
_LINE = {
    "timestamp": FieldSchema((TEXT,), needed=True, made=_NO_TIME),
    "metadata": object_field(
        ObjectSchema(
            parse_member_schemas(
                "history_sequence number, sampled_through_sequence number",
                client_authored=FieldSchema((BOOLEAN,), nullable=False, removable=True),
            )
        ),
        needed=False,
    ),
}


def _item_schema(items: dict[str, dict[str, FieldSchema]], message: dict[str, ObjectSchema]) -> ObjectSchema:
    """Return the schema of an item. One without a type, which other programs write, can become a message."""
    kinds = {kind: ObjectSchema(fields) for kind, fields in items.items()}
    kinds["message"] = replace(kinds["message"], type_key="role", variants=message)
    type_field = FieldSchema((TEXT,), needed=True, made=b'"message"')
    return replace(object_schema_by_type(kinds, "message"), fields={"type": type_field})


def _line_schema(item: ObjectSchema) -> ObjectSchema:
    """Return the schema of a line that holds an item. Other lines are not looked at."""
    line = ObjectSchema({**_LINE, "payload": FieldSchema((OBJECT,), of=item)})
    return object_schema_by_type({"response_item": line}, "none")


_READ_ITEM = _item_schema(_READ, _message(**parse_member_schemas("annotations list, logprobs list")))
_ACCEPTED_ITEM = _item_schema(
    {kind: fields | _ACCEPTED.get(kind, {}) for kind, fields in _READ.items()},
    _message(annotations=ANNOTATIONS, logprobs=LOGPROBS),
)
# Types of items that Codex reads and does not send.
_UNSENT_TYPES = frozenset({"configuration_update", "compaction_trigger"})
_ITEM_OF_HISTORY = replace(_ACCEPTED_ITEM, known_types=_READ.keys() | _UNSENT_TYPES)
_READ_LINE = _line_schema(_READ_ITEM)
LINE_SCHEMA = _line_schema(_ACCEPTED_ITEM)


def misfits_of(message: Any) -> list[Misfit]:
    """Return what Codex does not read or its provider does not accept of a line, or of an item of a compaction."""
    return find_misfits(message, LINE_SCHEMA if "payload" in object_at(message, "") else _ITEM_OF_HISTORY)


def is_read(record: Any) -> bool:
    """Return whether Codex reads a line, or an item of a compaction. It skips others, and such a compaction."""
    return not find_misfits(record, _READ_LINE if "payload" in object_at(record, "") else _READ_ITEM)


def item_as_sent(raw: bytes) -> bytes:
    """Return an item of a rollout as Codex sends it: without the members that its types do not have.

    What Codex notes for OpenAI about an item, other servers do not get. An own id without a prefix is left out by
    0.169.0, but sent by the desktop app (openai/codex#32282), so it stays.
    """
    item = parse_json(raw)
    if not isinstance(item, dict):
        return raw
    for holder, key in unknown_members(item, _READ_ITEM):
        raw = json_edits.remove_member(raw, holder, key)
    is_summary = item.get("type") == "compaction_summary"
    return json_edits.set_member(raw, "", "type", dump_json("compaction")) if is_summary else raw
