"""The block schema of each wire. A format whose agent differs replaces the rows in which it does.

Sources: those of the modules of the wires, which read and write such blocks.
"""

import re
from functools import partial
from operator import eq

from msgspec.structs import replace

from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    BlockSchema,
    CallSpec,
    MediaSpec,
    ResultSpec,
    encode_output_object,
    encode_text_object,
    encode_text_object_list,
    typed_text_encoder,
)
from inspector.core.providers.block_views import format_arguments, text_or_json
from inspector.core.providers.message_fields import converse_parts_text, function_response_text
from inspector.core.storage.json_text import pretty_json


def _says_error_alone(response: object) -> bool:
    return isinstance(response, dict) and response.keys() == {"error"}


def _given(args: object) -> str:
    return pretty_json({} if args is None else args)


def _kinds(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Media in the form of each API. Histories move between providers with their parts unchanged, so all forms are known.

_SOURCE = MediaSpec(
    _kinds("image document"),
    data=("/source/data",),
    url=("/source/url",),
    media_type=("/source/media_type",),
    excluded_source_types=_kinds("text content"),
)
_OPENAI = (
    MediaSpec(_kinds("image_url input_image"), url=("/image_url/url", "/image_url"), default_type="image"),
    MediaSpec(
        _kinds("file input_file"),
        url=tuple(f"{holder}/{key}" for holder in ("/file", "") for key in ("file_data", "url", "file_url")),
        media_type=("/mime",),
        name=("/file/filename", "/filename"),
        default_type="application/pdf",
    ),
)
# The forms of the Model Context Protocol, which agents keep from tools, and of LangChain.
_DATA = tuple(
    MediaSpec(_kinds("image audio file"), has, data=(has,), media_type=("/mimeType", "/mime_type"))
    for has in ("/data", "/base64")
)
_PARTS = (
    *(
        MediaSpec(data=(f"/{key}/data",), media_type=(f"/{key}/mime_type", f"/{key}/mimeType"), default_type="media")
        for key in ("inlineData", "inline_data")
    ),
    *(
        MediaSpec(
            data=(f"/{key}/data",),
            url=(f"/{key}/fileUri", f"/{key}/file_uri"),
            media_type=(f"/{key}/mimeType", f"/{key}/mime_type"),
            default_type="media",
        )
        for key in ("fileData", "file_data")
    ),
)
_FORMATS = tuple(
    MediaSpec(
        data=(f"/{key}/source/bytes",),
        media_type=(f"/{key}/format",),
        name=(f"/{key}/name",),
        default_type="unknown",
        type_prefix=family,
    )
    for key, family in (("image", "image/"), ("document", "application/"))
)
ANY_MEDIA = (_SOURCE, *_OPENAI, *_DATA, *_PARTS, *_FORMATS)

# Anthropic Messages

ANTHROPIC = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "thinking": BlockKind.THINKING,
        "redacted_thinking": BlockKind.THINKING,
        "tool_use": BlockKind.CALL,
        "tool_result": BlockKind.RESULT,
        "server_tool_use": BlockKind.SERVER_CALL,
        "mcp_tool_use": BlockKind.SERVER_CALL,
        "image": BlockKind.MEDIA,
        "document": BlockKind.MEDIA,
    },
    served="_tool_result",
    calls=(CallSpec(),),
    results=(ResultSpec(id="/tool_use_id", status="/is_error"),),
    media=ANY_MEDIA,
    text=typed_text_encoder("text"),
    media_keys=("content",),
)

# As Cline keeps them: with the item id of a call, and with the steps of a tool in a list.
CLINE_ANTHROPIC = replace(ANTHROPIC, calls=(CallSpec(alternative_ids=("/call_id",)),), kept_in=("result",))

# OpenAI Chat Completions. Ids of Responses items in calls: NousResearch/hermes-agent#58168.

_CHAT_CALL = CallSpec(
    as_text=True, shown=format_arguments, alternative_ids=("/call_id", "/response_item_id", "/item_id")
)
OPENAI_CHAT = BlockSchema(
    text_pointers=("/text", "/refusal"),
    reasoning_pointers=("/think", "/thinking", "/reasoning"),  # of programs that keep it among the parts
    calls=(
        replace(_CHAT_CALL, name="/function/name", input=("/function/arguments",)),
        replace(_CHAT_CALL, name="/custom/name", input=("/custom/input",)),
        replace(_CHAT_CALL, input=("/arguments", "/input"), as_text=False),  # of tau2
    ),
    results=(
        ResultSpec(has="/tool_call_id", id="/tool_call_id", name="/name", wants_name=False),
        ResultSpec(has="/requestor", name="/name", wants_name=False),  # of tau2
        ResultSpec(id="/tool_call_id", name="/name", wants_name=False),
    ),
    media=ANY_MEDIA,
    media_keys=("content",),
)

# OpenAI Responses

_NAMED = CallSpec(id="/call_id", as_text=True, shown=format_arguments, alternative_ids=("/id", "/item_id"))
_NO_NAME = replace(_NAMED, name="", as_text=False)
_OUTPUT = ResultSpec(id="/call_id", content="/output", status="/status", failed=partial(eq, "failed"))
OPENAI_RESPONSES = BlockSchema(
    kinds={
        **dict.fromkeys(("input_text", "output_text", "text", "refusal", "summary_text"), BlockKind.TEXT),
        **dict.fromkeys(("input_image", "input_file", "input_audio"), BlockKind.MEDIA),
    },
    text_pointers=("/text", "/refusal"),
    calls=(
        replace(_NAMED, types=_kinds("custom_tool_call"), input=("/input", "/arguments"), shown=text_or_json),
        replace(_NAMED, types=_kinds("function_call"), input=("/arguments", "/input")),
        replace(_NO_NAME, types=_kinds("local_shell_call shell_call computer_call"), input=("/action",)),
        replace(_NO_NAME, types=_kinds("apply_patch_call"), input=("/operation",)),
        replace(_NO_NAME, types=_kinds("mcp_approval_request"), id="/id", input=("/arguments",)),
        replace(_NO_NAME, input=("/arguments",)),
    ),
    results=(
        # The type of a local shell's output names its call by `id`; programs write `call_id`.
        replace(_OUTPUT, types=_kinds("local_shell_call_output"), has="/call_id"),
        replace(_OUTPUT, types=_kinds("local_shell_call_output"), id="/id"),
        replace(_OUTPUT, types=_kinds("computer_call_output shell_call_output"), told=None),
        replace(_OUTPUT, types=_kinds("mcp_approval_response"), id="/approval_request_id", content="", told=None),
        _OUTPUT,
    ),
    media=ANY_MEDIA,
    media_keys=("content",),
    kept_in=("output",),
)

# Gemini: in camelCase as the API writes it, in snake_case as the Python SDK dumps it. A part has one of these.

_GEMINI_KINDS = {
    "text": BlockKind.TEXT,
    "functionCall": BlockKind.CALL,
    "functionResponse": BlockKind.RESULT,
    "inlineData": BlockKind.MEDIA,
    "fileData": BlockKind.MEDIA,
    "executableCode": BlockKind.SERVER_CALL,
    "codeExecutionResult": BlockKind.SERVER_RESULT,
    "toolCall": BlockKind.SERVER_CALL,
    "toolResponse": BlockKind.SERVER_RESULT,
}
GEMINI_SNAKE_CASE = {
    key: re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key) for key in _GEMINI_KINDS if key != "text"
}
GEMINI = BlockSchema(
    kinds={spelled: kind for key, kind in _GEMINI_KINDS.items() for spelled in (key, GEMINI_SNAKE_CASE.get(key, key))},
    has_type_key=False,
    thought_pointer="/thought",
    media_label_pointers=tuple(place for row in _PARTS for place in row.media_type),
    calls=tuple(
        CallSpec(id=f"/{key}/id", name=f"/{key}/name", input=(f"/{key}/args",), shown=_given)
        for key in ("functionCall", "function_call")
    ),
    results=tuple(
        ResultSpec(
            id=f"/{key}/id",
            name=f"/{key}/name",
            content=f"/{key}/response",
            told=encode_output_object,
            shown=function_response_text,
            status=f"/{key}/response",
            failed=_says_error_alone,
        )
        for key in ("functionResponse", "function_response")
    ),
    media=ANY_MEDIA,
    assistant_role="model",
    results_in_call_order=True,
    text=encode_text_object,
    media_keys=("functionResponse", "parts"),
    kept_in=("function_response",),
)

# Bedrock Converse

BEDROCK_CONVERSE = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "reasoningContent": BlockKind.THINKING,
        "toolUse": BlockKind.CALL,
        "toolResult": BlockKind.RESULT,
        **dict.fromkeys(("image", "document", "video", "audio"), BlockKind.MEDIA),
    },
    has_type_key=False,
    reasoning_pointers=("/reasoningContent/reasoningText/text",),
    redacted_text="[redacted reasoning]",
    calls=(CallSpec(id="/toolUse/toolUseId", name="/toolUse/name", input=("/toolUse/input",)),),
    results=(
        ResultSpec(
            id="/toolResult/toolUseId",
            content="/toolResult/content",
            told=encode_text_object_list,
            shown=converse_parts_text,
            status="/toolResult/status",
            failed=partial(eq, "error"),
        ),
    ),
    media=ANY_MEDIA,
    text=encode_text_object,
    media_keys=("content", "toolResult"),
)

# LangChain: a call in a list of its own, or as the provider wrote it; a result is a message, in one of three forms.

LANGCHAIN = BlockSchema(
    calls=(
        CallSpec(_kinds("tool_use")),
        CallSpec(_kinds("function_call"), id="/call_id", input=("/arguments",), alternative_ids=("/id",)),
        CallSpec(_kinds("tool_call invalid_tool_call"), input=("/args",), alternative_ids=("/call_id",)),
        CallSpec(name="/function/name", input=("/function/arguments",), alternative_ids=("/call_id",)),
        CallSpec(input=("/args", "/input"), alternative_ids=("/call_id",)),
    ),
    results=tuple(
        ResultSpec(id=f"{form}/tool_call_id", name=f"{form}/name", content=f"{form}/content", wants_name=False)
        for form in ("/data", "/kwargs", "")
    ),
    media=ANY_MEDIA,
    media_keys=("content",),
    kept_in=("data", "kwargs"),
)
