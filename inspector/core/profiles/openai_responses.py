"""OpenAI Responses.

Error texts as users pasted them: openai/openai-agents-python#673, microsoft/vscode#320060, vercel/ai#13307,
NousResearch/hermes-agent #111443 and #55922 (empty names), openai/codex#42088, AnswerDotAI/fastllm#45 (ids of at most
64 characters), openai/codex #33176 and #40039, jlcodes99/cockpit-tools#2090, Wei-Shaw/sub2api#1505 (item ids),
continuedev/continue#8933 and mastra-ai/mastra#8738 (reasoning). An id may be used once in the whole input. An output
may stand anywhere behind its call (deepseek-ai/awesome-deepseek-integration#740 compares servers): who wants it right
there is `responses_in_order`.
"""

from inspector.core.index.columns import Role
from inspector.core.profiles.profile import Profile

_UNANSWERED = "No tool output found for function call {id}."
_ORPHAN = "No tool call found for function call output with call_id {id}."

PROFILE = Profile(
    name="openai-responses",
    label="OpenAI Responses",
    merged_roles=frozenset({Role.ASSISTANT, Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        **dict.fromkeys(("D1", "D2", "D3", "D4", "D5", "D7", "C1", "C3", "G5"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "K5", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7", "K1", "K2"), "Duplicate function_call_output for call_id {id}"),
        "K3": "Missing required parameter: 'input[{message}].call_id'.",
        "K4": "Invalid 'input[{message}].call_id': string too long. Expected a string with maximum length 64.",
        "K7 empty": "Invalid 'input[{message}].name': empty string. Expected a string with minimum length 1, but got "
        "an empty string instead.",
        "K7": "Invalid 'input[{message}].name': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        **{
            f"K10 {begins}": f"Invalid 'input[{{message}}].id': '{{id}}'. Expected an ID that begins with '{begins}'."
            for begins in ("msg", "rs", "fc", "ctc", "ws")
        },
        "K6": "Invalid type for 'input[{message}].arguments': expected a string.",
        "M7 null": "Invalid type for 'input[{message}].content': expected one of a string or array of input items, but "
        "got null instead.",
        "M12": "Invalid type for 'input[{message}]': expected an object of a supported type.",
        "M12 role": "Invalid value for 'input[{message}].role'. Supported values are: 'assistant', 'system', "
        "'developer', and 'user'.",
        "T4": "Item '{id}' of type 'reasoning' was provided without its required following item.",
        "T7": "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        "T5": "input[{message}]: the item was provided without its required 'reasoning' item.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="(?s:.{1,64})",
    tool_name_pattern="[a-zA-Z0-9_.-]{1,128}",
    source="openai SDK types/responses; the issues named above",
)
