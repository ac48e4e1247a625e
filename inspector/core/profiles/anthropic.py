"""Anthropic Messages.

Error texts as users pasted them: anthropics/claude-code #5989, #13460, #21317, #59812, #6774, #6696 and
RooCodeInc/Roo-Code#9248; ids tailcallhq/forgecode#1142; names anthropics/claude-code #23681 and #2673 (200
characters), sipeed/picoclaw#1658 (empty); a message that ends in thinking tailcallhq/forgecode#3071, where
router-for-me/CLIProxyAPI#5321 measured that only the last message is looked at. A history with calls and a request
without tools is taken by now (BerriAI/litellm#24712); gateways still refuse it. That neighbours of one role are read as
one message rests on vendor text, not on a live call. Reasoning ENTERPILOT/GoModel#964 and anthropics/claude-code#63203;
its own tools AnswerDotAI/lisette#108 and anthropics/claude-code#84783; images anthropics/claude-code#49537,
earendil-works/pi#424, vellum-ai/vellum-assistant#18387, and the limits that coder/mux#1699 lists.
"""

from inspector.core.index.columns import Role
from inspector.core.profiles.profile import MediaLimits, Profile

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
_ILLEGAL_ID = "messages.{message}.content.{block}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
_REUSED = "messages.{message}.content.{block}: `tool_use` ids must be unique"
_BLANK = "messages: text content blocks must be non-empty"
_EMPTY = "messages.{message}: all messages must have non-empty content except for the optional final assistant message"
_SERVER_CALL = (
    "messages.{message}: `web_search` tool use with id `{id}` was found without a corresponding "
    "`web_search_tool_result` block"
)
_SERVER_RESULT = (
    "messages.{message}.content.{block}: unexpected `tool_use_id` found in `web_search_tool_result` blocks: {id}. "
    "Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
)
_MODIFIED = (
    "messages.{message}.content.{block}: `thinking` or `redacted_thinking` blocks in the latest assistant message "
    "cannot be modified. These blocks must remain as they were in the original response."
)
_IMAGE = "messages.{message}.content.{block}.image.source.base64"
_TOO_LARGE = f"{_IMAGE}.data: At least one of the image dimensions exceed max allowed size"

PROFILE = Profile(
    name="anthropic",
    label="Anthropic Messages",
    merged_roles=frozenset({Role.ASSISTANT, Role.USER}),
    result_role=Role.USER,
    refusals={
        **dict.fromkeys(("D1", "D2", "D3", "D4", "D5", "D7", "C1", "C3", "G5", "R3", "R9"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R4", "R8", "R12", "K5", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7"), _DUPLICATE),
        **dict.fromkeys(("K1", "K2"), _REUSED),
        "R11": "messages.{message}: `tool_result` blocks can only be in `user` messages",
        **dict.fromkeys(("K3", "K4"), _ILLEGAL_ID),
        "K7": "messages.{message}.content.{block}.tool_use.name: String should have at least 1 character",
        "K7 long": "messages.{message}.content.{block}.tool_use.name: String should have at most 200 characters",
        "K6": "messages.{message}.content.{block}.tool_use.input: Input should be a valid dictionary",
        "M4": 'messages: first message must use the "user" role',
        "M6": _BLANK,
        "M7": _EMPTY,
        "M12": "messages.{message}.content.{block}: Input should be a valid dictionary or object to "
        "extract fields from",
        "M12 role": "messages.{message}.role: Input should be 'user' or 'assistant'",
        "M8": "messages.{message}: The final block in an assistant message cannot be `thinking`.",
        "T1": "messages.{message}.content.{block}: Invalid `signature` in `thinking` block",
        "T2": _MODIFIED,
        "X1": _SERVER_CALL,
        "X2": _SERVER_RESULT,
        "V1": f"{_TOO_LARGE} for many-image requests: 2000 pixels",
        "V1 side": f"{_TOO_LARGE}: 8000 pixels",
        "V1 bytes": f"{_IMAGE}: image exceeds 5 MB maximum",
        "V1 error-result": "messages.{message}.content.{block}.tool_result: all content must be type `text` if "
        "`is_error` is true",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="[a-zA-Z0-9_-]+",
    tool_name_pattern="(?s:.{1,200})",
    models="claude",
    disputed_rules=frozenset({"M11"}),
    media=MediaLimits(
        max_side=8000,
        many_images=20,
        max_side_when_many=2000,
        max_base64_length=5 * 1024 * 1024,
        error_results_text_only=True,
    ),
    source="anthropic SDK types/*_param.py; the issues named above",
)
