"""The wordings of OpenAI's chat API and of the many servers that speak it.

Sources: the reports that `profiles/openai_chat.py` names; QwenLM/qwen-code #869 and #135, spring-ai-alibaba#4533 and
HKUDS/nanobot#2469 (DashScope), langgenius/dify#32222, dnakov/anon-kode#87, edison7009/EchoBird#125 and
earendil-works/pi#3636 (DeepSeek), CherryHQ/cherry-studio#1313, langbot-app/LangBot#1040 and continuedev/continue#11600
(Moonshot), MiniMax-AI/MiniMax-M2#76 and Kilo-Org/kilocode#3967 (MiniMax), MetaGLM/zhipuai-sdk-python-v4#14 (Zhipu),
ggml-org/llama.cpp #19851 and #25510, BerriAI/litellm#29560 and camel-ai/owl#532 (LiteLLM), hackclub/ai#22 (Groq),
FoundationAgents/OpenManus#580 (Perplexity), HemulGM/DelphiOpenAI#54 and langchain-ai/langchain-azure#35 (Azure),
mcp-use/mcp-use#90, mark3labs/mcphost#117; ggml-org/llama.cpp common/chat.cpp.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    UNPAIRED_RULES,
    ErrorSentence,
    ErrorWording,
)

_NAMELESS = "A result does not say which call it answers."
_MISSHAPEN = "A call lacks its type, or its function."

WORDINGS = (
    ErrorWording(
        r"must be followed by tool messages responding to each",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "K2", "C1", "C3", "G5"),
        ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"insufficient tool messages following",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "C1", "C3"),
        ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"messages with role tool must be a response to a prece+ding",
        ("R1", "R2", "R3", "R8", "R11", "R12", "C2", "K5"),
        ErrorSentence.ORPHAN,
    ),
    ErrorWording(r"not found in tool_calls of previous message", ("R1", "R3", "R4", "R8"), ErrorSentence.ORPHAN),
    ErrorWording(r"Missing corresponding tool call for tool response", ("R1", "R3", "R4"), ErrorSentence.ORPHAN),
    ErrorWording(
        r"tool_call_id is not found|tool id\S* not found", ("R1", "R2", "R3", "R4", "K3"), ErrorSentence.ORPHAN
    ),
    ErrorWording(r"messages with role tool must have a tool_call_id|tool_call_id is missing", ("R1", "K3"), _NAMELESS),
    ErrorWording(r"missing field tool_call_id", ("R1", "K3"), _NAMELESS),
    ErrorWording(
        r"tool call result does not follow tool call", ("D1", "D2", "D3", "R3", "K1"), ErrorSentence.UNANSWERED
    ),
    ErrorWording(r"tool call and result not match", UNPAIRED_RULES, "A call and its result do not match."),
    ErrorWording(r"tool call id is invalid", ("K3", "K4"), ErrorSentence.ILLEGAL_ID),
    ErrorWording(r"Duplicate value for tool_call_id", ("R5", "R6", "R7"), ErrorSentence.SEVERAL_RESULTS),
    ErrorWording(
        r"unknown variant tool, expected", ("R11",), "A result stands in a message of a role that is not known."
    ),
    ErrorWording(
        r"roles (must|should be) alternat|more assistant messages at the end", ("M2", "M3"), ErrorSentence.ROLE_ORDER
    ),
    ErrorWording(r"Last message must have role", ("M5",), ErrorSentence.LAST_IS_ASSISTANT),
    ErrorWording(
        r"tool_calls\[\d+\]\.id: (string too long|empty string|string does not match)",
        ("K4", "K3"),
        ErrorSentence.ILLEGAL_ID,
    ),
    ErrorWording(
        r"tool_calls\[\d+\]\.function\.name|messages\[\d+\]\.name: (string does not match|empty string)",
        ("K7",),
        ErrorSentence.ILLEGAL_NAME,
    ),
    ErrorWording(r"messages\[\d+\]\.content: empty array", ("M7", "M6"), ErrorSentence.EMPTY),
    ErrorWording(
        r"tool_calls: empty array|empty_array|tool_calls is too short", ("M9",), "A message has an empty list of calls."
    ),
    ErrorWording(r"Invalid value for content: expected a string, got null", ("M7", "M6"), ErrorSentence.EMPTY),
    ErrorWording(r"the message at position \d+ with role \w+ must not be empty", ("M6", "M7"), ErrorSentence.EMPTY),
    ErrorWording(r"Invalid request: (text content|agent message content) is empty", ("M6", "M7"), ErrorSentence.EMPTY),
    ErrorWording(
        r"must have either content or tool_calls|content or tool_calls must be set", ("M7", "M6"), ErrorSentence.EMPTY
    ),
    ErrorWording(r"messages\[\d+\]: missing field content", ("M7", "M6"), ErrorSentence.EMPTY),
    ErrorWording(r"function\.arguments: expected a string", ("K6",), ErrorSentence.ARGUMENTS_NOT_TEXT),
    ErrorWording(r"Missing required parameter: \S+\.function\.arguments", ("K6",), ErrorSentence.ARGUMENTS_NOT_TEXT),
    ErrorWording(
        r"tool_calls\[\d+\]\.(type|function)(?!\.?\w)|Missing tool call (type|function)|"
        r"validation errors? for ToolCall:? function",
        ("K9",),
        _MISSHAPEN,
    ),
    ErrorWording(
        r"function\.arguments parameter .*must be in JSON format|invalid function arguments json",
        ("K6",),
        ErrorSentence.ARGUMENTS_NOT_TEXT,
    ),
    ErrorWording(r"Failed to parse tool call arguments as JSON", ("K6",), ErrorSentence.ARGUMENTS_NOT_TEXT),
    ErrorWording(r"reasoning_content is missing in assistant tool call message", ("T5",), ErrorSentence.REASONING_LOST),
    ErrorWording(r"Missing reasoning_content field in the assistant message", ("T5",), ErrorSentence.REASONING_LOST),
    ErrorWording(r"in the thinking mode must be passed back", ("T5",), ErrorSentence.REASONING_LOST),
    ErrorWording(r"support tool calling without tools= param", ("K8",), ErrorSentence.NO_TOOLS),
    ErrorWording(r"support image input|image_url is only supported by certain models", ("V1",), ErrorSentence.MEDIA),
    ErrorWording(
        r"messages 参数非法|messages parameter is illegal",
        (*UNPAIRED_RULES, "M4", "M6"),
        "Zhipu says no more than that something in the messages is illegal.",
    ),
    ErrorWording(
        r"Invalid type for messages\.?\[\d+\]\.content: expected one of a string|"
        r"Invalid value for messages\[\d+\]\.role",
        ("M12",),
        ErrorSentence.MALFORMED_MESSAGE,
    ),
)
