"""The wordings of OpenAI's chat API and of the many servers that speak it.

Sources: the reports that `profiles/openai_chat.py` names; QwenLM/qwen-code #869 and #135, spring-ai-alibaba#4533 and
HKUDS/nanobot#2469 (DashScope), langgenius/dify#32222, dnakov/anon-kode#87, edison7009/EchoBird#125 and
earendil-works/pi#3636 (DeepSeek), CherryHQ/cherry-studio#1313, langbot-app/LangBot#1040 and continuedev/continue#11600
(Moonshot), MiniMax-AI/MiniMax-M2#76 and Kilo-Org/kilocode#3967 (MiniMax), MetaGLM/zhipuai-sdk-python-v4#14 (Zhipu),
ggml-org/llama.cpp #19851 and #25510, BerriAI/litellm#29560 and camel-ai/owl#532 (LiteLLM), hackclub/ai#22 (Groq),
FoundationAgents/OpenManus#580 (Perplexity), HemulGM/DelphiOpenAI#54 and langchain-ai/langchain-azure#35 (Azure),
mcp-use/mcp-use#90, mark3labs/mcphost#117; ggml-org/llama.cpp common/chat.cpp.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import CALLS, EITHER, Said, Wording

_NAMELESS = "A result does not say which call it answers."
_MISSHAPEN = "A call lacks its type, or its function."

WORDINGS = (
    Wording(
        r"must be followed by tool messages responding to each",
        (*CALLS, "R3", "R4", "K2", "C1", "C3", "G5"),
        Said.UNANSWERED,
    ),
    Wording(r"insufficient tool messages following", (*CALLS, "R3", "R4", "C1", "C3"), Said.UNANSWERED),
    Wording(
        r"messages with role tool must be a response to a prece+ding",
        ("R1", "R2", "R3", "R8", "R11", "R12", "C2", "K5"),
        Said.ORPHAN,
    ),
    Wording(r"not found in tool_calls of previous message", ("R1", "R3", "R4", "R8"), Said.ORPHAN),
    Wording(r"Missing corresponding tool call for tool response", ("R1", "R3", "R4"), Said.ORPHAN),
    Wording(r"tool_call_id is not found|tool id\S* not found", ("R1", "R2", "R3", "R4", "K3"), Said.ORPHAN),
    Wording(r"messages with role tool must have a tool_call_id|tool_call_id is missing", ("R1", "K3"), _NAMELESS),
    Wording(r"missing field tool_call_id", ("R1", "K3"), _NAMELESS),
    Wording(r"tool call result does not follow tool call", ("D1", "D2", "D3", "R3", "K1"), Said.UNANSWERED),
    Wording(r"tool call and result not match", EITHER, "A call and its result do not match."),
    Wording(r"tool call id is invalid", ("K3", "K4"), Said.ILLEGAL_ID),
    Wording(r"Duplicate value for tool_call_id", ("R5", "R6", "R7"), Said.SEVERAL),
    Wording(r"unknown variant tool, expected", ("R11",), "A result stands in a message of a role that is not known."),
    Wording(r"roles (must|should be) alternat|more assistant messages at the end", ("M2", "M3"), Said.ROLES),
    Wording(r"Last message must have role", ("M5",), Said.LAST),
    Wording(
        r"tool_calls\[\d+\]\.id: (string too long|empty string|string does not match)", ("K4", "K3"), Said.ILLEGAL_ID
    ),
    Wording(
        r"tool_calls\[\d+\]\.function\.name|messages\[\d+\]\.name: (string does not match|empty string)",
        ("K7",),
        Said.ILLEGAL_NAME,
    ),
    Wording(r"messages\[\d+\]\.content: empty array", ("M7", "M6"), Said.EMPTY),
    Wording(
        r"tool_calls: empty array|empty_array|tool_calls is too short", ("M9",), "A message has an empty list of calls."
    ),
    Wording(r"Invalid value for content: expected a string, got null", ("M7", "M6"), Said.EMPTY),
    Wording(r"the message at position \d+ with role \w+ must not be empty", ("M6", "M7"), Said.EMPTY),
    Wording(r"Invalid request: (text content|agent message content) is empty", ("M6", "M7"), Said.EMPTY),
    Wording(r"must have either content or tool_calls|content or tool_calls must be set", ("M7", "M6"), Said.EMPTY),
    Wording(r"messages\[\d+\]: missing field content", ("M7", "M6"), Said.EMPTY),
    Wording(r"function\.arguments: expected a string", ("K6",), Said.NO_TEXT),
    Wording(r"Missing required parameter: \S+\.function\.arguments", ("K6",), Said.NO_TEXT),
    Wording(
        r"tool_calls\[\d+\]\.(type|function)(?!\.?\w)|Missing tool call (type|function)|"
        r"validation errors? for ToolCall:? function",
        ("K9",),
        _MISSHAPEN,
    ),
    Wording(
        r"function\.arguments parameter .*must be in JSON format|invalid function arguments json", ("K6",), Said.NO_TEXT
    ),
    Wording(r"Failed to parse tool call arguments as JSON", ("K6",), Said.NO_TEXT),
    Wording(r"reasoning_content is missing in assistant tool call message", ("T5",), Said.REASONING_LOST),
    Wording(r"Missing reasoning_content field in the assistant message", ("T5",), Said.REASONING_LOST),
    Wording(r"in the thinking mode must be passed back", ("T5",), Said.REASONING_LOST),
    Wording(r"support tool calling without tools= param", ("K8",), Said.NO_TOOLS),
    Wording(r"support image input|image_url is only supported by certain models", ("V1",), Said.MEDIA),
    Wording(
        r"messages 参数非法|messages parameter is illegal",
        (*EITHER, "M4", "M6"),
        "Zhipu says no more than that something in the messages is illegal.",
    ),
    Wording(
        r"Invalid type for messages\.?\[\d+\]\.content: expected one of a string|"
        r"Invalid value for messages\[\d+\]\.role",
        ("M12",),
        Said.SHAPE,
    ),
)
