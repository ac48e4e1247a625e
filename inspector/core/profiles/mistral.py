"""Mistral's chat API.

Error texts: mistral-common 1.13.1 (protocol/instruct/validator.py, serving mode), by which vLLM and others judge too;
as users pasted them: mistralai/client-python#234 and client-ts#106 (counts), charmbracelet/crush#279 (a result behind
a user's words), datapizza-labs/datapizza-ai#98, avante-corp/avante.nvim#2695 and NousResearch/hermes-agent#20154 (a
user's words behind a result: the API and chat templates want the assistant between them, mistral-common does not),
karthink/gptel#1203 and nearai/ironclaw#1241 (ids of nine letters and digits: the API and tokenizers before v13; later
ones take any id but an empty one), 0xPlaygrounds/rig#1130 (the last role). Results are matched by id from tokenizer
v11 on, before it only counted. Ids need to be unique within a message only; neighbours of one role are taken. A call in
the very first message, with no system prompt before it either, is never seen to be answered (from v11 on: "Unexpected
tool call id … in tool results").
"""

from inspector.core.index.columns import Role
from inspector.core.profiles.profile import Profile

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
        **dict.fromkeys(("D1", "D2", "D3", "D4", "D5", "D7", "C1", "C3", "G5", "R4"), _COUNT),
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
