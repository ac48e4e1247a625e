"""Anthropic Messages.

Error texts as users pasted them: anthropics/claude-code #5989, #13460, #21317, #59812, #6774, #6696 and
RooCodeInc/Roo-Code#9248. That neighbours of one role are read as one message rests on vendor text, not on a live call.
"""

from inspector.core.columns import Role
from inspector.core.profiles.profile import Profile

_UNANSWERED = (
    "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_ORPHAN = (
    "messages.{message}.content.{block}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
_DUPLICATE = (
    "messages.{message}.content.{block}: each tool_use must have a single result. "
    "Found multiple `tool_result` blocks with id: {id}"
)
_REUSED = "messages.{message}.content.{block}: `tool_use` ids must be unique"
_BLANK = "messages: text content blocks must be non-empty"

PROFILE = Profile(
    name="anthropic",
    label="Anthropic Messages",
    joined=frozenset({Role.ASSISTANT, Role.USER}),
    results_as=Role.USER,
    refusals={
        **dict.fromkeys(("D1", "D2", "D3", "D4", "C1", "C3", "G5", "R3", "R9"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R4", "R8", "R12", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7"), _DUPLICATE),
        **dict.fromkeys(("K1", "K2"), _REUSED),
        "R11": "messages.{message}: `tool_result` blocks can only be in `user` messages",
        "K3": "messages.{message}.content.{block}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "K6": "messages.{message}.content.{block}.tool_use.input: Input should be a valid dictionary",
        "M4": 'messages: first message must use the "user" role',
        "M6": _BLANK,
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    source="anthropic SDK types/*_param.py; the issues named above",
)
