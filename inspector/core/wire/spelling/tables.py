"""How each wire spells its blocks. A format whose agent differs replaces the rows in which it does.

Sources: those of the wires' own modules, which read and write such blocks.
"""

import re
from functools import partial
from operator import eq

from msgspec.structs import replace

from inspector.core.bytes.json_text import pretty
from inspector.core.index.views import BlockKind
from inspector.core.wire.result_parts import members_text, response_text
from inspector.core.wire.spelling.rows import CallRow, MediaRow, ResultRow, Spelling
from inspector.core.wire.spelling.shown import arguments_text, plain_text
from inspector.core.wire.told import output, typed, untyped, untyped_list


def _says_error_alone(response: object) -> bool:
    return isinstance(response, dict) and response.keys() == {"error"}


def _given(args: object) -> str:
    return pretty({} if args is None else args)


def _kinds(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Media, by who spells them so. Histories go from one provider to another, and parts as they are with them.

_SOURCE = MediaRow(
    _kinds("image document"),
    data=("/source/data",),
    url=("/source/url",),
    media_type=("/source/media_type",),
    unless=_kinds("text content"),
)
_OPENAI = (
    MediaRow(_kinds("image_url input_image"), url=("/image_url/url", "/image_url"), form="image"),
    MediaRow(
        _kinds("file input_file"),
        url=tuple(f"{holder}/{key}" for holder in ("/file", "") for key in ("file_data", "url", "file_url")),
        media_type=("/mime",),
        name=("/file/filename", "/filename"),
        form="application/pdf",
    ),
)
# The Model Context Protocol's, which agents keep of tools, and LangChain's.
_DATA = tuple(
    MediaRow(_kinds("image audio file"), has, data=(has,), media_type=("/mimeType", "/mime_type"))
    for has in ("/data", "/base64")
)
_PARTS = (
    *(
        MediaRow(data=(f"/{key}/data",), media_type=(f"/{key}/mime_type", f"/{key}/mimeType"), form="media")
        for key in ("inlineData", "inline_data")
    ),
    *(
        MediaRow(
            data=(f"/{key}/data",),
            url=(f"/{key}/fileUri", f"/{key}/file_uri"),
            media_type=(f"/{key}/mimeType", f"/{key}/mime_type"),
            form="media",
        )
        for key in ("fileData", "file_data")
    ),
)
_FORMATS = tuple(
    MediaRow(
        data=(f"/{key}/source/bytes",),
        media_type=(f"/{key}/format",),
        name=(f"/{key}/name",),
        form="unknown",
        family=family,
    )
    for key, family in (("image", "image/"), ("document", "application/"))
)
ANY_MEDIA = (_SOURCE, *_OPENAI, *_DATA, *_PARTS, *_FORMATS)

# Anthropic Messages

ANTHROPIC = Spelling(
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
    calls=(CallRow(),),
    results=(ResultRow(id="/tool_use_id", status="/is_error"),),
    media=ANY_MEDIA,
    text=typed("text"),
    media_in=("content",),
)

# As Cline keeps them: with the id of the item that a call came as, and what a tool did one after the other.
ANTHROPIC_OF_CLINE = replace(ANTHROPIC, calls=(CallRow(others=("/call_id",)),), kept_in=("result",))

# OpenAI Chat Completions. What programs keep of a Responses item in a call of theirs: NousResearch/hermes-agent#58168.

_CHAT_CALL = CallRow(as_text=True, shown=arguments_text, others=("/call_id", "/response_item_id", "/item_id"))
OPENAI_CHAT = Spelling(
    texts=("/text", "/refusal"),
    reasoning=("/think", "/thinking", "/reasoning"),  # of programs that keep it among the parts
    calls=(
        replace(_CHAT_CALL, name="/function/name", input=("/function/arguments",)),
        replace(_CHAT_CALL, name="/custom/name", input=("/custom/input",)),
        replace(_CHAT_CALL, input=("/arguments", "/input"), as_text=False),  # of tau2
    ),
    results=(
        ResultRow(has="/tool_call_id", id="/tool_call_id", name="/name", wants_name=False),
        ResultRow(has="/requestor", name="/name", wants_name=False),  # of tau2
        ResultRow(id="/tool_call_id", name="/name", wants_name=False),
    ),
    media=ANY_MEDIA,
    media_in=("content",),
)

# OpenAI Responses

_NAMED = CallRow(id="/call_id", as_text=True, shown=arguments_text, others=("/id", "/item_id"))
_NO_NAME = replace(_NAMED, name="", as_text=False)
_OUTPUT = ResultRow(id="/call_id", content="/output", status="/status", failed=partial(eq, "failed"))
OPENAI_RESPONSES = Spelling(
    kinds={
        **dict.fromkeys(("input_text", "output_text", "text", "refusal", "summary_text"), BlockKind.TEXT),
        **dict.fromkeys(("input_image", "input_file", "input_audio"), BlockKind.MEDIA),
    },
    texts=("/text", "/refusal"),
    calls=(
        replace(_NAMED, types=_kinds("custom_tool_call"), input=("/input", "/arguments"), shown=plain_text),
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
    media_in=("content",),
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
SNAKE = {key: re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key) for key in _GEMINI_KINDS if key != "text"}
GEMINI = Spelling(
    kinds={spelled: kind for key, kind in _GEMINI_KINDS.items() for spelled in (key, SNAKE.get(key, key))},
    typed=False,
    thought="/thought",
    labels=tuple(place for row in _PARTS for place in row.media_type),
    calls=tuple(
        CallRow(id=f"/{key}/id", name=f"/{key}/name", input=(f"/{key}/args",), shown=_given)
        for key in ("functionCall", "function_call")
    ),
    results=tuple(
        ResultRow(
            id=f"/{key}/id",
            name=f"/{key}/name",
            content=f"/{key}/response",
            told=output,
            shown=response_text,
            status=f"/{key}/response",
            failed=_says_error_alone,
        )
        for key in ("functionResponse", "function_response")
    ),
    media=ANY_MEDIA,
    model="model",
    in_order=True,
    text=untyped,
    media_in=("functionResponse", "parts"),
    kept_in=("function_response",),
)

# Bedrock Converse

CONVERSE = Spelling(
    kinds={
        "text": BlockKind.TEXT,
        "reasoningContent": BlockKind.THINKING,
        "toolUse": BlockKind.CALL,
        "toolResult": BlockKind.RESULT,
        **dict.fromkeys(("image", "document", "video", "audio"), BlockKind.MEDIA),
    },
    typed=False,
    reasoning=("/reasoningContent/reasoningText/text",),
    unsaid="[redacted reasoning]",
    calls=(CallRow(id="/toolUse/toolUseId", name="/toolUse/name", input=("/toolUse/input",)),),
    results=(
        ResultRow(
            id="/toolResult/toolUseId",
            content="/toolResult/content",
            told=untyped_list,
            shown=members_text,
            status="/toolResult/status",
            failed=partial(eq, "error"),
        ),
    ),
    media=ANY_MEDIA,
    text=untyped,
    media_in=("content", "toolResult"),
)

# LangChain: a call in a list of its own, or as the provider wrote it; a result is a message, in one of three forms.

LANGCHAIN = Spelling(
    calls=(
        CallRow(_kinds("tool_use")),
        CallRow(_kinds("function_call"), id="/call_id", input=("/arguments",), others=("/id",)),
        CallRow(_kinds("tool_call invalid_tool_call"), input=("/args",), others=("/call_id",)),
        CallRow(name="/function/name", input=("/function/arguments",), others=("/call_id",)),
        CallRow(input=("/args", "/input"), others=("/call_id",)),
    ),
    results=tuple(
        ResultRow(id=f"{form}/tool_call_id", name=f"{form}/name", content=f"{form}/content", wants_name=False)
        for form in ("/data", "/kwargs", "")
    ),
    media=ANY_MEDIA,
    media_in=("content",),
    kept_in=("data", "kwargs"),
)
