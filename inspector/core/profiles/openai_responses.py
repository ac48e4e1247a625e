"""OpenAI Responses.

Error texts as users pasted them: openai/openai-agents-python#673, microsoft/vscode#320060, vercel/ai#13307,
NousResearch/hermes-agent#111443, openai/codex#42088. An id may be used once in the whole input. OpenAI itself takes an
output anywhere behind its call, but compatible servers do not (deepseek-ai/awesome-deepseek-integration#740).
"""

from inspector.core.columns import Role
from inspector.core.profiles.profile import Profile

_UNANSWERED = "No tool output found for function call {id}."
_ORPHAN = "No tool call found for function call output with call_id {id}."

PROFILE = Profile(
    name="openai-responses",
    label="OpenAI Responses",
    joined=frozenset({Role.ASSISTANT, Role.TOOL}),
    results_as=Role.TOOL,
    refusals={
        **dict.fromkeys(("D1", "D2", "D3", "D4", "C1", "C3", "G5", "R3", "R4"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7", "K1", "K2"), "Duplicate function_call_output for call_id {id}"),
        "K3": "Missing required parameter: 'input[{message}].call_id'.",
        "K6": "Invalid type for 'input[{message}].arguments': expected a string.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    source="openai SDK types/responses; the issues named above",
)
