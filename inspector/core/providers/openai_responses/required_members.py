"""What the Responses API requires of the items of a request, see `message_misfits`.

Source: the types that the `openai` SDK publishes (`types/responses/response_input_item_param.py` and its imports).
"""

from msgspec.structs import replace

from inspector.core.providers.block_schema import encode_string, typed_text_encoder
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    OPTIONAL_TEXT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    list_field,
    members,
    message_schema_by_role,
    object_field,
    object_schema_by_type,
    object_schema_with,
    one_of,
    parts_list_schema,
    system_message_schema,
    text_or_parts_field,
)

_STATUS = one_of("in_progress", "completed", "incomplete", needed=False)
_CALLER = object_field(object_schema_by_type({"program": ObjectSchema(members("caller_id! text"))}), needed=False)
_CALLED = {"status": _STATUS, "caller": _CALLER}
_DETAIL = one_of("low", "high", "auto", "original", needed=False)
_CACHE_BREAKPOINT = object_field(
    ObjectSchema({"mode": one_of("explicit"), "ttl": one_of("30m", "12h", needed=False)}), needed=False
)
_ANNOTATIONS = list_field(
    object_schema_by_type(
        {
            "file_citation": ObjectSchema(members("file_id! text, filename! text, index! number")),
            "url_citation": ObjectSchema(members("title! text, url! text, start_index! number, end_index! number")),
            "container_file_citation": ObjectSchema(
                members("container_id! text, file_id! text, filename! text, start_index! number, end_index! number")
            ),
            "file_path": ObjectSchema(members("file_id! text, index! number")),
        }
    ),
    needed=False,
)
_LOGPROBS = list_field(ObjectSchema(members("token! text, logprob! number, top_logprobs list")), needed=False)


def _part(words: str = "", **others: FieldSchema) -> ObjectSchema:
    return ObjectSchema(members(words, prompt_cache_breakpoint=_CACHE_BREAKPOINT, **others))


_PARTS = {
    "input_text": _part(text=REQUIRED_TEXT),
    "output_text": _part(text=REQUIRED_TEXT, annotations=_ANNOTATIONS, logprobs=_LOGPROBS),
    "summary_text": _part(text=REQUIRED_TEXT),
    "refusal": _part("refusal! text"),
    "input_image": _part("file_id text, image_url text", detail=_DETAIL),
    "input_file": _part(
        "file_id text, file_url text, file_data text, filename text", detail=one_of("low", "high", "auto", needed=False)
    ),
}
# What the API names as supported, in every message (MervinPraison/PraisonAI#3934).
_KNOWN_PARTS = frozenset({"input_audio", "computer_screenshot", "encrypted_content"}) | _PARTS.keys()
_ITEM_PARTS = replace(object_schema_by_type(_PARTS), known_types=_KNOWN_PARTS)
_SUMMARY_PARTS = object_schema_by_type(dict.fromkeys(("summary_text", "text"), object_schema_with(text=REQUIRED_TEXT)))
_HEARD, _SAID = (text_or_parts_field(_ITEM_PARTS, typed_text_encoder(kind)) for kind in ("input_text", "output_text"))
_BESIDE_CONTENT = {"status": _STATUS, "phase": one_of("commentary", "final_answer", needed=False)}


def _with_status(message: ObjectSchema) -> ObjectSchema:
    return replace(message, fields=message.fields | _BESIDE_CONTENT)


_ITEM_MESSAGE = message_schema_by_role(
    {
        "user": _with_status(object_schema_with(content=_HEARD)),
        "assistant": _with_status(object_schema_with(content=_SAID)),
        "system": _with_status(system_message_schema(_HEARD)),
        "developer": _with_status(system_message_schema(_HEARD)),
    }
)
_OUTPUT_FIELD = text_or_parts_field(_ITEM_PARTS, typed_text_encoder("input_text"), needed=True)
_POINT = "x! number, y! number"
_COMPUTER_ACTION = object_schema_by_type(
    {
        "click": ObjectSchema(
            members(f"{_POINT}, keys list", button=one_of("left", "right", "wheel", "back", "forward"))
        ),
        "double_click": ObjectSchema(members(_POINT, keys=FieldSchema((LIST, NULL), needed=True))),
        "drag": ObjectSchema(members("keys list", path=list_field(ObjectSchema(members(_POINT))))),
        "keypress": ObjectSchema(members("keys! list")),
        "move": ObjectSchema(members(f"{_POINT}, keys list")),
        "scroll": ObjectSchema(members(f"{_POINT}, scroll_x! number, scroll_y! number, keys list")),
        "type": ObjectSchema(members("text! text")),
    }
)
_SAFETY_CHECKS = ObjectSchema(members("id! text, code text, message text"))
_SEARCH_ACTION = object_schema_by_type(
    {
        "search": ObjectSchema(
            members("query text, queries list", sources=list_field(ObjectSchema(members("url! text")), needed=False))
        ),
        "open_page": ObjectSchema(members("url text")),
        "find_in_page": ObjectSchema(members("pattern! text, url! text")),
    }
)
_PATCH = {
    **dict.fromkeys(("create_file", "update_file"), ObjectSchema(members("path! text, diff! text"))),
    "delete_file": ObjectSchema(members("path! text")),
}
_RUN = ObjectSchema(
    members(
        "stdout! text, stderr! text",
        outcome=object_field(object_schema_by_type({"exit": ObjectSchema(members("exit_code! number"))})),
    )
)
_TOOL_SEARCH = {"status": _STATUS, "execution": one_of("server", "client", needed=False)}
_SERVED_STATUS = one_of("in_progress", "completed", "incomplete", "interpreting", "failed", "searching", "generating")
_CODE_OUTPUT = object_schema_by_type(
    {"logs": ObjectSchema(members("logs! text")), "image": ObjectSchema(members("url! text"))}
)
# Ids that are missing in calls, and what a call holds as text, are left to rules of their own. The ids of reasoning and
# of a search are not required: older versions of Codex send none.
_ITEM_FIELDS: dict[str, dict[str, FieldSchema]] = {
    "function_call": members("namespace text, async flag", **_CALLED),
    "function_call_output": members("name text, namespace text", output=_OUTPUT_FIELD, **_CALLED),
    "custom_tool_call": members("namespace text, async flag", caller=_CALLER),
    "custom_tool_call_output": {"output": _OUTPUT_FIELD, "caller": _CALLER},
    "local_shell_call": members(
        "", action=object_field(ObjectSchema(members("command! list, timeout_ms number, user text"))), status=_STATUS
    ),
    "local_shell_call_output": {
        "output": FieldSchema((TEXT,), needed=True, text_encoder=encode_string),
        "status": _STATUS,
    },
    "shell_call": members(
        "environment object",
        action=object_field(ObjectSchema(members("commands! list, max_output_length number, timeout_ms number"))),
        **_CALLED,
    ),
    "shell_call_output": members("max_output_length number", output=list_field(_RUN), **_CALLED),
    "apply_patch_call": {
        "operation": object_field(object_schema_by_type(_PATCH)),
        "status": one_of("in_progress", "completed"),
        "caller": _CALLER,
    },
    "apply_patch_call_output": members("output text", status=one_of("completed", "failed"), caller=_CALLER),
    "computer_call": members(
        "id! text",
        pending_safety_checks=list_field(_SAFETY_CHECKS),
        status=one_of("in_progress", "completed", "incomplete"),
        action=object_field(_COMPUTER_ACTION, needed=False),
        actions=list_field(_COMPUTER_ACTION, needed=False),
    ),
    "computer_call_output": {
        "output": object_field(
            ObjectSchema(members("file_id text, image_url text", type=one_of("computer_screenshot")))
        ),
        "acknowledged_safety_checks": list_field(_SAFETY_CHECKS, needed=False),
        "status": _STATUS,
    },
    "tool_search_call": {
        "arguments": FieldSchema((TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL), needed=True),
        **_TOOL_SEARCH,
    },
    "tool_search_output": members("tools! list", **_TOOL_SEARCH),
    "mcp_approval_request": members("arguments! text, name! text, server_label! text"),
    "mcp_approval_response": members("approve! flag, reason text"),
    "mcp_call": members(
        "id! text, arguments! text, name! text, server_label! text, approval_request_id text, output text",
        error=object_field(
            object_schema_by_type(
                {
                    **dict.fromkeys(
                        ("mcp_protocol_error", "http_error"), ObjectSchema(members("code! number, message! text"))
                    ),
                    "mcp_tool_execution_error": ObjectSchema(
                        {"content": FieldSchema((TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL), needed=True)}
                    ),
                }
            ),
            needed=False,
        ),
        status=one_of("in_progress", "completed", "incomplete", "calling", "failed", needed=False),
    ),
    "mcp_list_tools": members(
        "id! text, server_label! text, error text",
        tools=list_field(
            ObjectSchema(
                members(
                    "name! text, description text",
                    input_schema=FieldSchema((TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL), needed=True),
                )
            )
        ),
    ),
    "web_search_call": members(
        "", action=object_field(_SEARCH_ACTION, needed=False), status=replace(_SERVED_STATUS, needed=False)
    ),
    "file_search_call": members(
        "id! text, queries! list",
        status=_SERVED_STATUS,
        results=list_field(
            ObjectSchema(members("attributes object, file_id text, filename text, score number, text text")),
            needed=False,
        ),
    ),
    "code_interpreter_call": members(
        "id! text, container_id! text",
        status=_SERVED_STATUS,
        code=FieldSchema((TEXT, NULL), needed=True),
        outputs=FieldSchema((LIST, NULL), needed=True, of=_CODE_OUTPUT),
    ),
    "image_generation_call": members(
        "id! text, revised_prompt text, size text, error object, svg_usage object",
        status=_SERVED_STATUS,
        result=FieldSchema((TEXT, NULL), needed=True),
    ),
    "program": members("id! text, call_id! text, code! text, fingerprint! text"),
    "program_output": members("id! text, call_id! text, result! text", status=one_of("completed", "incomplete")),
    "item_reference": members("id! text"),
    "compaction": members("encrypted_content! text"),
    "additional_tools": members("tools! list", role=one_of("developer")),
    "configuration_update": members(
        "reasoning object",
        text=object_field(
            ObjectSchema(
                {
                    "format": object_field(
                        object_schema_by_type({"json_schema": ObjectSchema(members("name! text, schema! object"))})
                    )
                }
            ),
            needed=False,
        ),
    ),
    "reasoning": {
        "summary": parts_list_schema(_SUMMARY_PARTS, typed_text_encoder("summary_text"), needed=True),
        "content": list_field(
            object_schema_by_type(dict.fromkeys(("reasoning_text", "text"), ObjectSchema(members("text! text")))),
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
