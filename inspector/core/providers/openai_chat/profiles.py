"""The profiles of OpenAI Chat Completions, Mistral and lax local servers, and their error wordings.

Sources: the reports named at the profile; QwenLM/qwen-code #869 and #135, spring-ai-alibaba#4533 and
HKUDS/nanobot#2469 (DashScope), langgenius/dify#32222, dnakov/anon-kode#87, edison7009/EchoBird#125 and
earendil-works/pi#3636 (DeepSeek), CherryHQ/cherry-studio#1313, langbot-app/LangBot#1040 and continuedev/continue#11600
(Moonshot), MiniMax-AI/MiniMax-M2#76 and Kilo-Org/kilocode#3967 (MiniMax), MetaGLM/zhipuai-sdk-python-v4#14 (Zhipu),
ggml-org/llama.cpp #19851 and #25510, BerriAI/litellm#29560 and camel-ai/owl#532 (LiteLLM), hackclub/ai#22 (Groq),
FoundationAgents/OpenManus#580 (Perplexity), HemulGM/DelphiOpenAI#54 and langchain-ai/langchain-azure#35 (Azure),
mcp-use/mcp-use#90, mark3labs/mcphost#117, earendil-works/pi#4602, paperclipai/paperclip#8217;
ggml-org/llama.cpp common/chat.cpp.
"""

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import (
    UNANSWERED_CALL_RULES,
    UNPAIRED_RULES,
    ErrorExplanations,
    ErrorWording,
    Profile,
)
from inspector.core.translation import tr

# The profile of OpenAI Chat Completions.
#
# Error texts as users pasted them: langchain-ai/langchain#27216, miurla/morphic#136, agno-agi/agno#5116,
# home-assistant/core#118577, decolua/9router#3167 (ids of at most 64 characters; older models and Copilot take 40,
# openclaw/openclaw#875), continuedev/continue#11645 and mcp-use/mcp-use#90 (names; newer models take dots in them,
# danishjsheikh/swagger-mcp#13); content that is null: vercel/ai#13744; calls without a type:
# langchain-ai/langchain-azure#35. Ids need to be unique within a turn only.

_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {id}"
)
_ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "
    "(param messages.[{message}].role)"
)

PROFILE = Profile(
    name="openai-chat",
    label="OpenAI Chat Completions",
    merged_roles=frozenset({Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5", "R3", "R4", "K2"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "K5", "C2"), _ORPHAN),
        **dict.fromkeys(
            ("R5", "R6", "R7"),
            "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{message}].",
        ),
        "K3": "Invalid 'messages[{message}].tool_calls[{block}].id': empty string.",
        "K4": "Invalid 'messages[{message}].tool_calls[{block}].id': string too long. Expected a string with maximum "
        "length 64.",
        "K7 empty": "Invalid 'messages[{message}].tool_calls[{block}].function.name': empty string. Expected a string "
        "with minimum length 1, but got an empty string instead.",
        "K7 long": "Invalid 'messages[{message}].tool_calls[{block}].function.name': string too long. Expected a "
        "string with maximum length 64.",
        "K7": "Invalid 'messages[{message}].tool_calls[{block}].function.name': string does not match pattern. "
        "Expected a string that matches the pattern '^[a-zA-Z0-9_\\.-]+$'.",
        "K6": "Invalid type for 'messages[{message}].tool_calls[{block}].function.arguments': expected a string.",
        "K9 type": "Missing required parameter: 'messages[{message}].tool_calls[{block}].type'.",
        "K9 function": "Missing required parameter: 'messages[{message}].tool_calls[{block}].function'.",
        "M7 null": "Invalid value for 'content': expected a string, got null. (messages.[{message}].content)",
        "M7 list": "Invalid 'messages[{message}].content': empty array. Expected an array with minimum length 1.",
        "M12": "Invalid type for 'messages[{message}].content': expected one of a string or array of objects.",
        "M12 type": "Invalid value: '…'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', "
        "and 'file'. (param messages[{message}].content)",
        "M12 role": "Invalid value for 'messages[{message}].role'. Supported values are: 'system', 'assistant', "
        "'user', 'function', 'tool', and 'developer'.",
        "M9": "Invalid 'messages[{message}].tool_calls': empty array. Expected an array with minimum length 1.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="(?s:.{1,64})",
    tool_name_pattern="[a-zA-Z0-9_.-]{1,64}",
    counts_system_message=True,
    source="openai SDK types/chat; the issues named above",
)


# The profile of servers that check nothing. It accepts what any of the known local servers accepts.
#
# llama.cpp, Ollama and LM Studio give the messages to the model's chat template as they are; most templates render
# calls without results, results without calls and any order of roles. The profile refuses only what no server can read:
# half of a surrogate pair is not JSON to llama.cpp's parser (ggml-org/llama.cpp uses nlohmann/json), nor to any other.

LAX_PROFILE = Profile(
    name="lax",
    label="a lax local server",
    merged_roles=frozenset({Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        "F7": "[json.exception.parse_error.101] parse error: syntax error while parsing value - invalid string: "
        "surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF"
    },
    source="ggml-org/llama.cpp tools/server; chat templates of the models",
)


# The profile of Mistral's chat API.
#
# Error texts: mistral-common 1.13.1 (protocol/instruct/validator.py, serving mode), which vLLM and others use as well;
# as users pasted them: mistralai/client-python#234 and client-ts#106 (counts), charmbracelet/crush#279 (a result after
# a user message), datapizza-labs/datapizza-ai#98, avante-corp/avante.nvim#2695 and NousResearch/hermes-agent#20154 (a
# user message after a result: the API and chat templates want the assistant between them, mistral-common does not),
# karthink/gptel#1203 and nearai/ironclaw#1241 (ids of nine letters and digits: the API and tokenizers before v13; later
# ones take any id but an empty one), 0xPlaygrounds/rig#1130 (the last role). Results are matched by id from tokenizer
# v11 on, before that they were only counted. Ids need to be unique within a message only; neighbours of one role are
# taken. A call in the very first message, with no system prompt before it either, is never seen to be answered (from
# v11 on: "Unexpected tool call id … in tool results").

_COUNT = "Not the same number of function calls and responses"
_UNEXPECTED = "Unexpected tool call id {id} in tool results"
_ORDER = "Unexpected role 'tool' after role 'user'"
_ID = "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9."

MISTRAL_PROFILE = Profile(
    name="mistral",
    label="Mistral",
    merged_roles=frozenset({Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5", "R4"), _COUNT),
        **dict.fromkeys(("R1", "R8", "R12", "K5", "C2"), _UNEXPECTED),
        **dict.fromkeys(("R2", "R3", "R11"), _ORDER),
        **dict.fromkeys(("R5", "R6", "R7"), "Duplicate tool call id {id} in tool results"),
        "K2": "Duplicate tool call id {id} in assistant message",
        **dict.fromkeys(("K3", "K4"), _ID),
        "K7": "Function name was empty or illegal but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a "
        "maximum length of 64.",
        "K9 function": "1 validation error for ToolCall: function Field required",
        "M4 call": _COUNT,
        "M5": "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        "M7": "Assistant message must have either content or tool_calls, but not none.",
        "M12": "Unknown content type in messages[{message}]",
        "M12 role": "Unknown message role in messages[{message}]",
        "M10": "Unexpected role 'user' after role 'tool'",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="[a-zA-Z0-9]{9}",
    tool_name_pattern="[a-zA-Z0-9_-]{1,64}",
    allows_prefill=False,
    counts_system_message=True,
    source="mistral-common 1.13.1 protocol/instruct/validator.py; the issues named above",
)


_NAMELESS = tr("A result does not contain the id of its call.")
_MISSHAPEN = tr("A call is missing its type or function.")

ERROR_WORDINGS = (
    ErrorWording(
        r"must be followed by tool messages responding to each",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "K2", "C1", "C3", "G5"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"insufficient tool messages following",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "C1", "C3"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"messages with role tool must be a response to a prece+ding",
        ("R1", "R2", "R3", "R8", "R11", "R12", "C2", "K5"),
        ErrorExplanations.ORPHAN,
    ),
    ErrorWording(r"not found in tool_calls of previous message", ("R1", "R3", "R4", "R8"), ErrorExplanations.ORPHAN),
    ErrorWording(r"Missing corresponding tool call for tool response", ("R1", "R3", "R4"), ErrorExplanations.ORPHAN),
    ErrorWording(
        r"tool_call_id is not found|tool id\S* not found", ("R1", "R2", "R3", "R4", "K3"), ErrorExplanations.ORPHAN
    ),
    ErrorWording(r"messages with role tool must have a tool_call_id|tool_call_id is missing", ("R1", "K3"), _NAMELESS),
    ErrorWording(r"missing field tool_call_id", ("R1", "K3"), _NAMELESS),
    ErrorWording(
        r"tool call result does not follow tool call", ("D1", "D2", "D3", "R3", "K1"), ErrorExplanations.UNANSWERED
    ),
    ErrorWording(r"tool call and result not match", UNPAIRED_RULES, tr("A call and its result do not match.")),
    ErrorWording(r"tool call id is invalid", ("K3", "K4"), ErrorExplanations.ILLEGAL_ID),
    ErrorWording(r"Duplicate value for tool_call_id", ("R5", "R6", "R7"), ErrorExplanations.SEVERAL_RESULTS),
    ErrorWording(r"unknown variant tool, expected", ("R11",), tr("A result is in a message with an unknown role.")),
    ErrorWording(
        r"roles (must|should be) alternat|more assistant messages at the end",
        ("M2", "M3"),
        ErrorExplanations.ROLE_ORDER,
    ),
    ErrorWording(r"Last message must have role", ("M5",), ErrorExplanations.LAST_IS_ASSISTANT),
    ErrorWording(
        r"tool_calls\[\d+\]\.id: (string too long|empty string|string does not match)",
        ("K4", "K3"),
        ErrorExplanations.ILLEGAL_ID,
    ),
    ErrorWording(
        r"tool_calls\[\d+\]\.function\.name|messages\[\d+\]\.name: (string does not match|empty string)",
        ("K7",),
        ErrorExplanations.ILLEGAL_NAME,
    ),
    ErrorWording(r"messages\[\d+\]\.content: empty array", ("M7", "M6"), ErrorExplanations.EMPTY),
    ErrorWording(
        r"tool_calls: empty array|empty_array|tool_calls is too short",
        ("M9",),
        tr("A message has an empty list of calls."),
    ),
    ErrorWording(r"Invalid value for content: expected a string, got null", ("M7", "M6"), ErrorExplanations.EMPTY),
    ErrorWording(r"the message at position \d+ with role \w+ must not be empty", ("M6", "M7"), ErrorExplanations.EMPTY),
    ErrorWording(
        r"Invalid request: (text content|agent message content) is empty", ("M6", "M7"), ErrorExplanations.EMPTY
    ),
    ErrorWording(
        r"must have either content or tool_calls|content or tool_calls must be set|"
        r"must have non-empty content or tool calls",
        ("M7", "M6"),
        ErrorExplanations.EMPTY,
    ),
    ErrorWording(r"messages\[\d+\]: missing field content", ("M7", "M6"), ErrorExplanations.EMPTY),
    ErrorWording(r"function\.arguments: expected a string", ("K6",), ErrorExplanations.ARGUMENTS_NOT_TEXT),
    ErrorWording(
        r"Missing required parameter: \S+\.function\.arguments", ("K6",), ErrorExplanations.ARGUMENTS_NOT_TEXT
    ),
    ErrorWording(
        r"tool_calls\[\d+\]\.(type|function)(?!\.?\w)|Missing tool call (type|function)|"
        r"validation errors? for ToolCall:? function",
        ("K9",),
        _MISSHAPEN,
    ),
    ErrorWording(
        r"function\.arguments parameter .*must be in JSON format|invalid function arguments json",
        ("K6",),
        ErrorExplanations.ARGUMENTS_NOT_TEXT,
    ),
    ErrorWording(r"Failed to parse tool call arguments as JSON", ("K6",), ErrorExplanations.ARGUMENTS_NOT_TEXT),
    ErrorWording(
        r"reasoning_content is missing in assistant tool call message", ("T5",), ErrorExplanations.REASONING_LOST
    ),
    ErrorWording(
        r"Missing reasoning_content field in the assistant message", ("T5",), ErrorExplanations.REASONING_LOST
    ),
    ErrorWording(r"in the thinking mode must be passed back", ("T5",), ErrorExplanations.REASONING_LOST),
    ErrorWording(r"support tool calling without tools= param", ("K8",), ErrorExplanations.NO_TOOLS),
    ErrorWording(
        r"support image input|image_url is only supported by certain models", ("V1",), ErrorExplanations.MEDIA
    ),
    ErrorWording(
        r"messages 参数非法|messages parameter is illegal",
        (*UNPAIRED_RULES, "M4", "M6"),
        tr("Zhipu reports that the messages are invalid, but does not explain why."),
    ),
    ErrorWording(
        r"Invalid type for messages\.?\[\d+\]\.content: expected one of a string|"
        r"Invalid value for messages\[\d+\]\.role|Input should be \W{0,3}ChatMessageRole\.|"
        r"Invalid value: .{1,60}Supported values are: text",
        ("M12",),
        ErrorExplanations.MALFORMED_MESSAGE,
    ),
)


# The error wordings of Mistral's API, and of the servers that use mistral-common.
#
# Sources: mistral-common 1.13.1 protocol/instruct/validator.py, and the reports named at the profile.

MISTRAL_WORDINGS = (
    ErrorWording(
        r"Not the same number of function calls and responses",
        (*UNANSWERED_CALL_RULES, "R1", "R4", "R5", "K1", "C1", "C3", "G5", "M4"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(r"More tool responses than tool calls", ("R1", "R5", "R6", "R7"), ErrorExplanations.SEVERAL_RESULTS),
    ErrorWording(
        r"Unexpected tool call id .* in tool results",
        ("R1", "R2", "R8", "R12", "C2", "K5", "M4"),
        ErrorExplanations.ORPHAN,
    ),
    ErrorWording(r"Duplicate tool call id .* in tool results", ("R5", "R6", "R7"), ErrorExplanations.SEVERAL_RESULTS),
    ErrorWording(r"Duplicate tool call id .* in assistant", ("K2",), ErrorExplanations.REUSED),
    ErrorWording(r"Unexpected role tool after role", ("R1", "R2", "R3", "R4", "R11"), ErrorExplanations.ORPHAN),
    ErrorWording(r"Unexpected role (user|system) after role tool", ("M10", "M2", "M3"), ErrorExplanations.ROLE_ORDER),
    ErrorWording(r"Unexpected role \w+ after role", ("M2", "M3"), ErrorExplanations.ROLE_ORDER),
    ErrorWording(r"Expected last role User or Tool", ("M5",), ErrorExplanations.LAST_IS_ASSISTANT),
    ErrorWording(
        r"Tool call id was .* but must be|Tool call id (has to|must) be", ("K4", "K3"), ErrorExplanations.ILLEGAL_ID
    ),
    ErrorWording(r"Function name was .* but must be", ("K7",), ErrorExplanations.ILLEGAL_NAME),
    ErrorWording(r"Assistant message must have either content or tool_calls", ("M6", "M7"), ErrorExplanations.EMPTY),
    ErrorWording(r"Unknown (content type|message role)", ("M12",), ErrorExplanations.MALFORMED_MESSAGE),
)
