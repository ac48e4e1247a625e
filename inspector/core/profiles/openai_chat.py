"""OpenAI Chat Completions.

Error texts as users pasted them: langchain-ai/langchain#27216, miurla/morphic#136, agno-agi/agno#5116,
home-assistant/core#118577. Ids need to be unique within a turn only.
"""

from inspector.core.columns import Role
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
    joined=frozenset({Role.TOOL}),
    results_as=Role.TOOL,
    refusals={
        **dict.fromkeys(("D1", "D2", "D3", "D4", "C1", "C3", "G5", "R3", "R4", "K2"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "C2"), _ORPHAN),
        **dict.fromkeys(
            ("R5", "R6", "R7"),
            "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{message}].",
        ),
        "K3": "Invalid 'messages[{message}].tool_calls[{block}].id': empty string.",
        "K6": "Invalid type for 'messages[{message}].tool_calls[{block}].function.arguments': expected a string.",
        "M9": "Invalid 'messages[{message}].tool_calls': empty array. Expected an array with minimum length 1.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    source="openai SDK types/chat; the issues named above",
)
