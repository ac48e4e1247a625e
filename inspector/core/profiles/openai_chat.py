"""OpenAI Chat Completions.

Error texts as users pasted them: langchain-ai/langchain#27216, miurla/morphic#136, agno-agi/agno#5116,
home-assistant/core#118577, decolua/9router#3167 (ids of at most 64 characters; older models and Copilot take 40,
openclaw/openclaw#875), continuedev/continue#11645 and mcp-use/mcp-use#90 (names; newer models take dots in them,
danishjsheikh/swagger-mcp#13); content that is null: vercel/ai#13744; calls without a type:
langchain-ai/langchain-azure#35. Ids need to be unique within a turn only.
"""

from inspector.core.index.columns import Role
from inspector.core.profiles.profile import Profile

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
        **dict.fromkeys(("D1", "D2", "D3", "D4", "D5", "D7", "C1", "C3", "G5", "R3", "R4", "K2"), _UNANSWERED),
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
