"""What providers and agents answer when a history is broken: their wordings, and the classes of anomaly behind them.

Sources: the public reports that `profiles/` names; for compatible servers and gateways QwenLM/qwen-code#869
(DashScope), langgenius/dify#32222 (DeepSeek), langbot-app/LangBot#1040 (Moonshot), mistralai/client-ts#106 and
mistral-vibe#454 (Mistral, vLLM), ggml-org/llama.cpp #19851 and #25510, BerriAI/litellm#29560, hackclub/ai#22 (Groq),
HemulGM/DelphiOpenAI#54 (Azure), Kilo-Org/kilocode#5163 (Vertex), diegosouzapw/OmniRoute#3044 (OpenRouter).
"""

import re

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """What an error text means: the rule codes that lead to it, a sentence, and who speaks.

    `profile` is the profile whose rule it is, "" for one that belongs to a library; `through` names the servers and
    gateways that the text gives away.
    """

    rules: tuple[str, ...]
    sentence: str
    profile: str = ""
    through: tuple[str, ...] = ()


_UNANSWERED = "A call has no result right after it: a missing result, or one that stands in the wrong place."
_ORPHAN = "A result has no call right before it: its call is missing, or something stands between them."
_SEVERAL = "A call has several results."
_REUSED = "Two calls carry one id."
_ILLEGAL_ID = "A call's id is empty, too long, or has illegal characters."
_EMPTY = "A message or a text in it is empty."
_ROLES = "Two messages of one role follow each other, or a role stands where it may not."
_FIRST = "The history does not begin with the user."
_REASONING = "Reasoning was changed, moved, or parted from what it is bound to."

_D = ("D1", "D2", "D3", "D4")
_ANTHROPIC, _CHAT, _RESPONSES, _GEMINI, _CONVERSE = (
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "bedrock-converse",
)
# By profile: pattern, rules, sentence. Quotes and escapes are taken out of a text before it is compared.
_TABLE: dict[str, tuple[tuple[str, tuple[str, ...], str], ...]] = {
    _ANTHROPIC: (
        (r"tool_use ids were found without tool_result", (*_D, "R3", "R9", "G5"), _UNANSWERED),
        (r"Did not find \d+ tool_result", (*_D, "R3", "R9"), _UNANSWERED),
        (r"unexpected tool_use_id found in tool_result", ("R1", "R2", "R4", "R8", "R12", "C2"), _ORPHAN),
        (r"each tool_use must have a single result|multiple tool_result blocks", ("R5", "R6", "R7"), _SEVERAL),
        (r"tool_use ids must be unique", ("K1", "K2"), _REUSED),
        (r"tool_(use|result) blocks can only be in", ("R11",), "A call or result stands in a message of another role."),
        (r"String should match pattern \^\[a-zA-Z0-9_-\]\+\$", ("K3", "K4"), _ILLEGAL_ID),
        (r"tool_use\.input: (Input should be|Field required)", ("K6",), "The input of a call is no JSON object."),
        (
            r"web_search tool use with id .* was found without",
            ("X1",),
            "A call to the provider's own tool is unanswered.",
        ),
        (
            r"unexpected tool_use_id found in \w+_tool_result",
            ("X2",),
            "A result of the provider's own tool has no call.",
        ),
        (r"Invalid signature in thinking block", ("T1", "T3"), _REASONING),
        (r"thinking blocks in the latest assistant message cannot be modified", ("T2",), _REASONING),
        (r"text content blocks must (be non-empty|contain non-whitespace)", ("M6",), "A text block is blank."),
        (r"all messages must have non-empty content", ("M6",), _EMPTY),
        (r"first message must use the user", ("M4",), _FIRST),
        (r"does not support assistant message prefill", ("M5",), "The history ends with the assistant."),
        (r"tool use concurrency issues", ("D1", "D2", "D3", "R3", "R5"), "Claude Code's own wording: " + _UNANSWERED),
    ),
    _RESPONSES: (
        (r"No tool output found for", (*_D, "R3", "R4"), _UNANSWERED),
        (r"No tool call found for [\w ]*output", ("R1", "R2"), _ORPHAN),
        (r"Duplicate function_call_output", ("R5", "K1"), "One id has several results."),
        (r"Duplicate item found with id|Duplicate call_id", ("K1", "K2"), _REUSED),
        (r"input\[\d+\]\.call_id: string too long", ("K4",), _ILLEGAL_ID),
        (r"Missing required parameter: input\[\d+\]\.call_id", ("K3", "R1"), "A call or an output has no call_id."),
        (r"provided without its required following item", ("T4",), _REASONING),
        (r"provided without its required reasoning item", ("T5",), _REASONING),
        (r"input\[\d+\]\.arguments: expected a string", ("K6",), "The arguments of a call are no text."),
        (r"Expected an ID that begins with", ("K5",), "An item carries the id that belongs into call_id."),
        (r"encrypted content .* could not be verified", ("T1",), _REASONING),
    ),
    _GEMINI: (
        (
            r"number of function response parts is equal to the number of function call parts",
            (*_D, "R1", "R5", "R6", "R7", "R8", "R10"),
            "A turn has more calls than responses, or fewer.",
        ),
        (r"function response turn comes immediately after a function call", ("R1", "R2", "R3", "R4", "D2"), _ORPHAN),
        (r"function call turn comes immediately after a user turn", ("M2", "M4", "D2", "D4"), _ROLES),
        (r"can not be mixed with function_response", ("R11",), "Calls and responses stand in one content."),
        (r"missing a thought_signature", ("T6",), "The first call of a turn lost its signature."),
        (r"parts must not be empty|must include at least one parts field", ("M6",), _EMPTY),
        (r"First content should be with role user", ("M4",), _FIRST),
        (r"function_call\.args .*protobuf\.Struct", ("K6",), "The arguments of a call are no JSON object."),
    ),
    _CONVERSE: (
        (r"Expected toolResult blocks at", (*_D, "R3", "R4", "R10"), _UNANSWERED),
        (r"number of toolResult blocks at .* exceeds the number of toolUse", ("R1", "R2", "R8", "R12", "C2"), _ORPHAN),
        (r"toolResult blocks at .* contain duplicate Ids", ("R5", "R6", "R7"), _SEVERAL),
        (r"toolUse blocks at .* contain duplicate Ids", ("K1", "K2"), _REUSED),
        (
            r"tool (result|use) blocks cannot be provided in the same turn",
            ("R9",),
            "Words stand beside calls or results.",
        ),
        (r"conversation must alternate between user and assistant", ("M2", "M3"), _ROLES),
        (r"conversation must start with a user message", ("M4",), _FIRST),
        (r"toolResult cannot be empty when status value is error", ("M6",), "A result that is an error has no text."),
        (r"content field in the Message object at .* is empty|ContentBlock object .* is blank", ("M6",), _EMPTY),
        (r"toolUse\.input is invalid", ("K6",), "The input of a call is no JSON object."),
        (r"toolUse\.toolUseId failed to satisfy", ("K3", "K4"), _ILLEGAL_ID),
        (r"toolConfig field must be defined", ("K8",), "The history holds calls, and the request defines no tools."),
    ),
    _CHAT: (
        (r"must be followed by tool messages responding to each", (*_D, "R3", "R4"), _UNANSWERED),
        (r"insufficient tool messages following", (*_D, "R3", "R4"), _UNANSWERED),
        (r"messages with role tool must be a response to a prece+ding", ("R1", "R2", "C2"), _ORPHAN),
        (r"Missing corresponding tool call for tool response", ("R1", "R3", "R4"), _ORPHAN),
        (r"tool_call_id +is not found|tool id\S* not found", ("R1", "R2", "R3", "R4", "K3"), _ORPHAN),
        (
            r"messages with role tool must have a tool_call_id|tool_call_id is missing",
            ("R1", "K3"),
            "A result does not say which call it answers.",
        ),
        (r"tool call result does not follow tool call", ("D1", "D2", "R3", "K1"), _UNANSWERED),
        (r"Not the same number of function calls and responses", (*_D, "R1", "R5", "K1"), _UNANSWERED),
        (r"Unexpected tool call id .* in tool results", ("R1", "R2", "R8"), _ORPHAN),
        (r"Duplicate tool call id .* in tool results|Duplicate value for tool_call_id", ("R5", "R6", "R7"), _SEVERAL),
        (r"Duplicate tool call id .* in assistant", ("K2",), _REUSED),
        (r"Unexpected role tool after role", ("R1", "R3", "R4"), _ORPHAN),
        (r"Unexpected role \w+ after role|roles must alternate", ("M2", "M3"), _ROLES),
        (r"Expected last role User or Tool", ("M5",), "The history ends with the assistant."),
        (
            r"Tool call id was .* but must be|tool_calls\[\d+\]\.id: (string too long|empty string)",
            ("K4",),
            _ILLEGAL_ID,
        ),
        (r"tool_calls: empty array|empty_array", ("M9",), "A message has an empty list of calls."),
        (r"Invalid value for content: expected a string, got null", ("M6",), _EMPTY),
        (r"function\.arguments: expected a string", ("K6",), "The arguments of a call are no text."),
        (r"Failed to parse tool call arguments as JSON", ("K6",), "The arguments of a call are no JSON."),
    ),
    "": (
        (r"do not have a corresponding ToolMessage", _D, "LangGraph: " + _UNANSWERED),
        (r"Tool results? (is|are) missing for tool calls?", _D, "AI SDK: " + _UNANSWERED),
        (r"history contains unprocessed tool calls", _D, "pydantic-ai: " + _UNANSWERED),
        (r"no low surrogate|lone surrogate|invalid \w*\s?surrogate", ("F7",), "A text holds half of a surrogate pair."),
    ),
}

# What in a text gives away who passed it on, or whose server speaks another provider's language.
_THROUGH = (
    ("Azure", r"azure"),
    ("OpenRouter", r"openrouter|Provider returned error"),
    ("LiteLLM", r"litellm|Missing corresponding tool call for tool response"),
    ("Vertex AI", r"_vrtx_|vertex|aiplatform"),
    ("Bedrock", r"bedrock|ValidationException|toolResult blocks|toolUse blocks|\btooluse_"),
    ("Qwen (DashScope)", r"InternalError\.Algo|dashscope"),
    ("DeepSeek", r"deepseek|insufficient tool messages"),
    ("Moonshot", r"moonshot|kimi|tool_call_id +is not found"),
    (
        "Mistral",
        r"mistral|invalid_request_message_order|Not the same number of function calls|Unexpected role \w+ after",
    ),
    ("vLLM", r"vllm"),
    ("llama.cpp", r"llama|Jinja Exception|While executing CallExpression|Failed to parse tool call arguments"),
    ("MiniMax", r"minimax|\(2013\)"),
    ("Groq", r"groq|the following must be satisfied"),
)

_OF_THE_LINE = (
    r"\b(401|402|403|408|429|500|502|503|504|529)\b|overloaded|rate.?limit|usage limit|limit reached|credit balance|"
    r"quota|timed? ?out|connection|network|login|api key|authenticat|internal server error|service unavailable"
)

_QUOTES = re.compile(r"\\u00(60|22|27)|\\[nrt]|[\\'\"`]")


def explain(text: str) -> Explanation | None:
    """What a pasted error text means, None when its wording is not known. Line breaks and escapes do not matter."""
    plain = " ".join(_QUOTES.sub(" ", text).split())
    plain = re.sub(r" ([.,:;)\]])", r"\1", plain)
    for profile, rows in _TABLE.items():
        for pattern, rules, sentence in rows:
            if re.search(pattern, plain, re.IGNORECASE):
                through = tuple(name for name, mark in _THROUGH if re.search(mark, plain, re.IGNORECASE))
                return Explanation(rules, sentence, profile, through)
    return None


def is_of_the_line(text: str) -> bool:
    """Whether an error is about reaching the provider (overload, limits, login), not about the history."""
    return explain(text) is None and re.search(_OF_THE_LINE, text, re.IGNORECASE) is not None
