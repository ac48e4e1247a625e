"""What the Responses API requires of the items of a request, see `message_misfits`.

Source: the types that the `openai` SDK publishes (`types/responses/response_input_item_param.py` and its imports).
"""

from msgspec.structs import replace

from inspector.core.providers.block_schema import encode_string, typed_text_encoder
from inspector.core.providers.message_misfits import (
    LIST,
    NULL,
    OPTIONAL_TEXT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    list_field,
    message_schema_by_role,
    object_field,
    object_schema_by_type,
    object_schema_of_fields,
    parse_member_schemas,
    parts_list_field,
    system_message_schema,
    text_or_parts_field,
)

_STATUS = enum_field("in_progress", "completed", "incomplete", needed=False)
_TOOLS = list_field(ObjectSchema())
_CALLER = object_field(
    object_schema_by_type({"program": ObjectSchema(parse_member_schemas("caller_id! text"))}), needed=False
)
_CALLED = {"status": _STATUS, "caller": _CALLER}
_DETAIL = enum_field("low", "high", "auto", "original", needed=False)
_CACHE_BREAKPOINT = object_field(
    ObjectSchema({"mode": enum_field("explicit"), "ttl": enum_field("30m", "12h", needed=False)}), needed=False
)
ANNOTATIONS = list_field(
    object_schema_by_type(
        {
            "file_citation": ObjectSchema(parse_member_schemas("file_id! text, filename! text, index! number")),
            "url_citation": ObjectSchema(
                parse_member_schemas("title! text, url! text, start_index! number, end_index! number")
            ),
            "container_file_citation": ObjectSchema(
                parse_member_schemas(
                    "container_id! text, file_id! text, filename! text, start_index! number, end_index! number"
                )
            ),
            "file_path": ObjectSchema(parse_member_schemas("file_id! text, index! number")),
        }
    ),
    needed=False,
)
LOGPROBS = list_field(
    ObjectSchema(parse_member_schemas("token! text, logprob! number, top_logprobs list")), needed=False
)


def _part(words: str = "", **others: FieldSchema) -> ObjectSchema:
    return ObjectSchema(parse_member_schemas(words, prompt_cache_breakpoint=_CACHE_BREAKPOINT, **others))


_PARTS = {
    "input_text": _part(text=REQUIRED_TEXT),
    # The types require a list of annotations. OpenAI takes a text without one, as older versions of Codex send it;
    # Azure does not (zendev-sh/goai#152, aaif-goose/goose#11263).
    "output_text": _part(text=REQUIRED_TEXT, annotations=replace(ANNOTATIONS, nullable=False), logprobs=LOGPROBS),
    "summary_text": _part(text=REQUIRED_TEXT),
    "refusal": _part("refusal! text"),
    "input_image": _part("file_id text, image_url text", detail=_DETAIL),
    "input_file": _part(
        "file_id text, file_url text, file_data text, filename text",
        detail=enum_field("low", "high", "auto", needed=False),
    ),
}
# What the API names as supported, in every message (MervinPraison/PraisonAI#3934).
_KNOWN_PARTS = frozenset({"input_audio", "computer_screenshot", "encrypted_content"}) | _PARTS.keys()
_ITEM_PARTS = replace(object_schema_by_type(_PARTS), known_types=_KNOWN_PARTS)
_REASONING_TYPES = ("reasoning_text", "text")
_SUMMARY_PARTS = replace(
    object_schema_by_type({"summary_text": object_schema_of_fields(text=REQUIRED_TEXT)}),
    known_types=frozenset({"summary_text"}),
)
_HEARD, _SAID = (text_or_parts_field(_ITEM_PARTS, typed_text_encoder(kind)) for kind in ("input_text", "output_text"))
_BESIDE_CONTENT = {"status": _STATUS, "phase": enum_field("commentary", "final_answer", needed=False)}


def _with_status(message: ObjectSchema) -> ObjectSchema:
    return replace(message, fields=message.fields | _BESIDE_CONTENT)


_ITEM_MESSAGE = message_schema_by_role(
    {
        "user": _with_status(object_schema_of_fields(content=_HEARD)),
        "assistant": _with_status(object_schema_of_fields(content=_SAID)),
        "system": _with_status(system_message_schema(_HEARD)),
        "developer": _with_status(system_message_schema(_HEARD)),
    }
)
_OUTPUT_FIELD = text_or_parts_field(_ITEM_PARTS, typed_text_encoder("input_text"), needed=True)
_POINT = "x! number, y! number"
_COMPUTER_ACTION = object_schema_by_type(
    {
        "click": ObjectSchema(
            parse_member_schemas(
                f"{_POINT}, keys texts", button=enum_field("left", "right", "wheel", "back", "forward")
            )
        ),
        "double_click": ObjectSchema(parse_member_schemas(_POINT, keys=FieldSchema((LIST, NULL), needed=True))),
        "drag": ObjectSchema(
            parse_member_schemas("keys texts", path=list_field(ObjectSchema(parse_member_schemas(_POINT))))
        ),
        "keypress": ObjectSchema(parse_member_schemas("keys! texts")),
        "move": ObjectSchema(parse_member_schemas(f"{_POINT}, keys texts")),
        "scroll": ObjectSchema(parse_member_schemas(f"{_POINT}, scroll_x! number, scroll_y! number, keys texts")),
        "type": ObjectSchema(parse_member_schemas("text! text")),
    }
)
_SAFETY_CHECKS = ObjectSchema(parse_member_schemas("id! text, code text, message text"))
_SEARCH_ACTION = object_schema_by_type(
    {
        "search": ObjectSchema(
            parse_member_schemas(
                "query text, queries texts",
                sources=list_field(ObjectSchema(parse_member_schemas("url! text")), needed=False),
            )
        ),
        "open_page": ObjectSchema(parse_member_schemas("url text")),
        "find_in_page": ObjectSchema(parse_member_schemas("pattern! text, url! text")),
    }
)
_PATCH = {
    **dict.fromkeys(("create_file", "update_file"), ObjectSchema(parse_member_schemas("path! text, diff! text"))),
    "delete_file": ObjectSchema(parse_member_schemas("path! text")),
}
_RUN = ObjectSchema(
    parse_member_schemas(
        "stdout! text, stderr! text",
        outcome=object_field(object_schema_by_type({"exit": ObjectSchema(parse_member_schemas("exit_code! number"))})),
    )
)
_TOOL_SEARCH = {"status": _STATUS, "execution": enum_field("server", "client", needed=False)}
_SERVED_STATUS = enum_field(
    "in_progress", "completed", "incomplete", "interpreting", "failed", "searching", "generating"
)
_CODE_OUTPUT = object_schema_by_type(
    {"logs": ObjectSchema(parse_member_schemas("logs! text")), "image": ObjectSchema(parse_member_schemas("url! text"))}
)
# Ids that are missing in calls, and what a call holds as text, are left to rules of their own. The ids of reasoning and
# of a search are not required: older versions of Codex send none.
_ITEM_FIELDS: dict[str, dict[str, FieldSchema]] = {
    "function_call": parse_member_schemas("namespace text, async flag", **_CALLED),
    "function_call_output": parse_member_schemas("name text, namespace text", output=_OUTPUT_FIELD, **_CALLED),
    "custom_tool_call": parse_member_schemas("namespace text, async flag", caller=_CALLER),
    "custom_tool_call_output": {"output": _OUTPUT_FIELD, "caller": _CALLER},
    "local_shell_call": parse_member_schemas(
        "",
        action=object_field(ObjectSchema(parse_member_schemas("command! texts, timeout_ms number, user text"))),
        status=_STATUS,
    ),
    "local_shell_call_output": {
        "output": FieldSchema((TEXT,), needed=True, text_encoder=encode_string),
        "status": _STATUS,
    },
    "shell_call": parse_member_schemas(
        "environment object",
        action=object_field(
            ObjectSchema(parse_member_schemas("commands! texts, max_output_length number, timeout_ms number"))
        ),
        **_CALLED,
    ),
    "shell_call_output": parse_member_schemas("max_output_length number", output=list_field(_RUN), **_CALLED),
    "apply_patch_call": {
        "operation": object_field(object_schema_by_type(_PATCH)),
        "status": enum_field("in_progress", "completed"),
        "caller": _CALLER,
    },
    "apply_patch_call_output": parse_member_schemas(
        "output text", status=enum_field("completed", "failed"), caller=_CALLER
    ),
    "computer_call": parse_member_schemas(
        "id! text",
        pending_safety_checks=list_field(_SAFETY_CHECKS),
        status=enum_field("in_progress", "completed", "incomplete"),
        action=object_field(_COMPUTER_ACTION, needed=False),
        actions=list_field(_COMPUTER_ACTION, needed=False),
    ),
    "computer_call_output": {
        "output": object_field(
            ObjectSchema(parse_member_schemas("file_id text, image_url text", type=enum_field("computer_screenshot")))
        ),
        "acknowledged_safety_checks": list_field(_SAFETY_CHECKS, needed=False),
        "status": _STATUS,
    },
    "tool_search_call": {
        **parse_member_schemas("arguments! any"),
        **_TOOL_SEARCH,
    },
    "tool_search_output": {"tools": _TOOLS, **_TOOL_SEARCH},
    "mcp_approval_request": parse_member_schemas("arguments! text, name! text, server_label! text"),
    "mcp_approval_response": parse_member_schemas("approve! flag, reason text"),
    "mcp_call": parse_member_schemas(
        "id! text, arguments! text, name! text, server_label! text, approval_request_id text, output text",
        error=object_field(
            object_schema_by_type(
                {
                    **dict.fromkeys(
                        ("mcp_protocol_error", "http_error"),
                        ObjectSchema(parse_member_schemas("code! number, message! text")),
                    ),
                    "mcp_tool_execution_error": ObjectSchema(parse_member_schemas("content! any")),
                }
            ),
            needed=False,
        ),
        status=enum_field("in_progress", "completed", "incomplete", "calling", "failed", needed=False),
    ),
    "mcp_list_tools": parse_member_schemas(
        "id! text, server_label! text, error text",
        tools=list_field(ObjectSchema(parse_member_schemas("name! text, description text, input_schema! any"))),
    ),
    "web_search_call": parse_member_schemas(
        "", action=object_field(_SEARCH_ACTION, needed=False), status=replace(_SERVED_STATUS, needed=False)
    ),
    "file_search_call": parse_member_schemas(
        "id! text, queries! texts",
        status=_SERVED_STATUS,
        results=list_field(
            ObjectSchema(
                parse_member_schemas("attributes object, file_id text, filename text, score number, text text")
            ),
            needed=False,
        ),
    ),
    "code_interpreter_call": parse_member_schemas(
        "id! text, container_id! text",
        status=_SERVED_STATUS,
        code=FieldSchema((TEXT, NULL), needed=True),
        outputs=FieldSchema((LIST, NULL), needed=True, of=_CODE_OUTPUT),
    ),
    "image_generation_call": parse_member_schemas(
        "id! text, revised_prompt text, size text, error object, svg_usage object",
        status=_SERVED_STATUS,
        result=FieldSchema((TEXT, NULL), needed=True),
    ),
    "program": parse_member_schemas("id! text, call_id! text, code! text, fingerprint! text"),
    "program_output": parse_member_schemas(
        "id! text, call_id! text, result! text", status=enum_field("completed", "incomplete")
    ),
    "item_reference": parse_member_schemas("id! text"),
    "compaction": parse_member_schemas("encrypted_content! text"),
    "additional_tools": {"tools": _TOOLS, "role": enum_field("developer")},
    "configuration_update": parse_member_schemas(
        "reasoning object",
        text=object_field(
            ObjectSchema(
                {
                    "format": object_field(
                        object_schema_by_type(
                            {"json_schema": ObjectSchema(parse_member_schemas("name! text, schema! object"))}
                        )
                    )
                }
            ),
            needed=False,
        ),
    ),
    "reasoning": {
        "summary": parts_list_field(_SUMMARY_PARTS, typed_text_encoder("summary_text"), needed=True),
        "content": list_field(
            replace(
                object_schema_by_type(
                    dict.fromkeys(_REASONING_TYPES, ObjectSchema(parse_member_schemas("text! text")))
                ),
                known_types=frozenset(_REASONING_TYPES),
            ),
            needed=False,
        ),
        "encrypted_content": OPTIONAL_TEXT,
        "status": _STATUS,
    },
}
MESSAGE_SCHEMA = object_schema_by_type(
    {"message": _ITEM_MESSAGE, **{kind: ObjectSchema(fields) for kind, fields in _ITEM_FIELDS.items()}},
    unsaid="message",
)
