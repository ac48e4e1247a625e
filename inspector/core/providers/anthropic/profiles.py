"""The profiles of Anthropic Messages, and the error wordings of the API and of Claude Code.

Sources: the reports named at the profile; anthropics/claude-code #8763 (concurrency), #55302 and #50082
(cache_control), #63203 (thinking), #95406 (advisor), #25592 and #49720 (images); anomalyco/opencode #3077, #1279 and
#48637; anthropics/claude-code#8286 (translated); anthropics/anthropic-sdk-python #494 and #1339;
microsoft/vscode#297841; gptme/gptme#185;
modelcontextprotocol/quickstart-resources#20; tailcallhq/forgecode #1853; llxprt-code#3695.
"""

from msgspec import structs

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import (
    UNANSWERED_CALL_RULES,
    ErrorExplanations,
    ErrorWording,
    MediaLimits,
    Profile,
    program_reports_sentence,
)
from inspector.core.translation import tr

# The profile of Anthropic Messages.
#
# Error texts as users pasted them: anthropics/claude-code #5989, #13460, #21317, #59812, #6774, #6696 and
# RooCodeInc/Roo-Code#9248; ids tailcallhq/forgecode#1142; names anthropics/claude-code #23681 and #2673 (200
# characters), sipeed/picoclaw#1658 (empty), where '^[a-zA-Z0-9_-]{1,128}$' is asked of the tools that a request defines
# (BerriAI/litellm#26788) and not known to be asked of calls; a message that ends in thinking
# tailcallhq/forgecode#3071, where router-for-me/CLIProxyAPI#5321 measured that only the last message is looked at. A
# history with calls and a request without tools is accepted now (BerriAI/litellm#24712); gateways still refuse it.
# That neighbours of one role are read as one message is stated by the vendor, not measured with a live call. Reasoning
# ENTERPILOT/GoModel#964 and anthropics/claude-code#63203; its own tools AnswerDotAI/lisette#108 and
# anthropics/claude-code#84783; images anthropics/claude-code#49537, earendil-works/pi#424,
# vellum-ai/vellum-assistant#18387, and the limits that coder/mux#1699 lists. Media of another type:
# anthropics/claude-code #36712 (empty), #34517 (the type), #31620 (another type), #15004 and #47391 (no image), #25323
# (no PDF); the types are those of the SDK, types/base64_image_source_param.py and base64_pdf_source_param.py. Messages
# of the system anthropics/claude-code#73821; references to tools #79970 and #81863.

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
_PDF = "messages.{message}.content.{block}.pdf.source.base64"
_TOO_LARGE = f"{_IMAGE}.data: At least one of the image dimensions exceed max allowed size"

PROFILE = Profile(
    name="anthropic",
    label="Anthropic Messages",
    merged_roles=frozenset({Role.ASSISTANT, Role.USER}),
    result_role=Role.USER,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5", "R3", "R9"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R4", "R8", "R12", "K5", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7"), _DUPLICATE),
        **dict.fromkeys(("K1", "K2"), _REUSED),
        "R11": "messages.{message}: `tool_result` blocks can only be in `user` messages",
        **dict.fromkeys(("K3", "K4"), _ILLEGAL_ID),
        "K7": "messages.{message}.content.{block}.tool_use.name: String should have at least 1 character",
        "K7 long": "messages.{message}.content.{block}.tool_use.name: String should have at most 200 characters",
        "K6": "messages.{message}.content.{block}.tool_use.input: Input should be a valid dictionary",
        "M4": 'messages: first message must use the "user" role',
        "M13": "messages.{message}: role 'system' must follow a 'user' message or an 'assistant' message ending in a "
        "server tool result; the directive-only form (content: [] with output_config) is accepted at any position",
        "M13 before": "messages.{message}: role 'system' must precede an 'assistant' message or end the array; the "
        "directive-only form (content: [] with output_config) is accepted at any position",
        "M13 model": "messages: role 'system' is not supported on this model",
        "M6": _BLANK,
        "M7": _EMPTY,
        "M12": "messages.{message}.content.{block}: Input should be a valid dictionary or object to "
        "extract fields from",
        "M12 type": "messages.{message}.content.{block}: Input tag '…' found using 'type' does not match any of the "
        "expected tags",
        "M12 role": "messages.{message}.role: Input should be 'user' or 'assistant'",
        "M8": "messages.{message}: The final block in an assistant message cannot be `thinking`.",
        "T1": "messages.{message}.content.{block}: Invalid `signature` in `thinking` block",
        "T2": _MODIFIED,
        "T9": "messages.{message}.content: thinking blocks may only be in `assistant` messages",
        "X1": _SERVER_CALL,
        "X2": _SERVER_RESULT,
        "X3": "Tool reference '…' not found in available tools",
        "V1": f"{_TOO_LARGE} for many-image requests: 2000 pixels",
        "V1 side": f"{_TOO_LARGE}: 8000 pixels",
        "V1 bytes": f"{_IMAGE}: image exceeds 5 MB maximum",
        "V1 error-result": "messages.{message}.content.{block}.tool_result: all content must be type `text` if "
        "`is_error` is true",
        "V1 type": f"{_IMAGE}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        "V1 empty": f"{_IMAGE}: image cannot be empty",
        "V1 other-type": f"{_IMAGE}: The image was specified using the … media type, but the image appears to be a … "
        "image",
        "V1 no-image": "Could not process image",
        "V1 document-type": f"{_PDF}.media_type: Input should be 'application/pdf'",
        "V1 empty-document": f"{_PDF}.data: PDF cannot be empty",
        "V1 no-document": f"{_PDF}.data: The PDF specified was not valid.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="[a-zA-Z0-9_-]+",
    tool_name_pattern="(?s:.{1,200})",
    models="claude",
    disputed_rules=frozenset({"M11"}),
    # Those from before Claude Opus 4.8. Of others than these it is not known.
    models_without_system_messages=r"claude-(instant|[123]\b|(sonnet|haiku)-4|opus-4-([0-7]\b|20))",
    media=MediaLimits(
        max_side=8000,
        many_images=20,
        max_side_when_many=2000,
        max_base64_length=5 * 1024 * 1024,
        error_results_text_only=True,
        image_types=frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
        document_types=frozenset({"application/pdf"}),
    ),
    source="anthropic SDK types/*_param.py; the issues named above",
)


# The profile of models with preserved thinking: signed reasoning is bound to everything before it.
#
# Claude Fable 5.1, Opus 5.5, Sonnet 5.5, Haiku 5.5 and later compare `system`, `tools` and every earlier message with
# what they were when a block was made; leaving out one block between others counts as a change. Enforced by default for
# accounts made since 2026-08-31, for others where a request sets `thinking.block_binding.prefix_mismatch_behavior`. A
# request that sets it to "drop_block" is not refused: the server leaves the blocks out. Sources: platform.claude.com,
# build-with-claude/preserved-thinking with its pages prefix-checks and fix-bound-to-a-different-conversation;
# anomalyco/opencode#48637, kirodotdev/KiroCrew#11513.

_BOUND = (
    "messages.{message}.content.{block}: Invalid `signature` in `thinking` block. The block is bound to a different "
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)

PREFIX_BOUND_PROFILE = structs.replace(
    PROFILE,
    name="anthropic-prefix-bound",
    label="Anthropic Messages (preserved thinking)",
    refusals={**PROFILE.refusals, "T3": _BOUND},
    binds_reasoning=True,
    source="platform.claude.com, build-with-claude/preserved-thinking/prefix-checks",
)


_SERVER = tr("A call to a server tool has no result.")

PREFIX_BOUND_WORDINGS = (
    ErrorWording(
        r"block is bound to a different conversation|block that preceded this one when it was created is missing",
        ("T3", "T1"),
        tr(
            "The history before a signed thinking block was changed, but the block is valid only with the "
            "original history."
        ),
    ),
)

ERROR_WORDINGS = (
    ErrorWording(
        r"tool_use ids were found without tool_result",
        (*UNANSWERED_CALL_RULES, "R3", "R9", "G5", "C1", "C3", "M11"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"No tool_result block was found immediately after",
        (*UNANSWERED_CALL_RULES, "R3", "R9", "C1", "C3"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"Did not find \d+ tool_result", (*UNANSWERED_CALL_RULES, "R3", "R9", "C1", "C3"), ErrorExplanations.UNANSWERED
    ),
    ErrorWording(
        r"unexpected tool_use_id found in tool_result",
        ("R1", "R2", "R4", "R8", "R12", "C2", "K5"),
        ErrorExplanations.ORPHAN,
    ),
    ErrorWording(
        r"each tool_use must have a single result|multiple tool_result blocks",
        ("R5", "R6", "R7"),
        ErrorExplanations.SEVERAL_RESULTS,
    ),
    ErrorWording(r"tool_use ids must be unique", ("K1", "K2"), ErrorExplanations.REUSED),
    ErrorWording(
        r"tool_(use|result) blocks can only be in",
        ("R11",),
        tr("A call or result is in a message with the wrong role."),
    ),
    ErrorWording(
        r"tool_use\.name: (String should|Field required|Input should)", ("K7",), ErrorExplanations.ILLEGAL_NAME
    ),
    ErrorWording(r"String should match pattern \^\[a-zA-Z0-9_-\]\+\$", ("K3", "K4"), ErrorExplanations.ILLEGAL_ID),
    ErrorWording(
        r"tool_use\.id: (String should|Field required)|tool_use_id: (String should|Field required)",
        ("K3", "K4"),
        ErrorExplanations.ILLEGAL_ID,
    ),
    ErrorWording(r"tool_use\.input: (Input should be|Field required)", ("K6",), ErrorExplanations.INPUT_NOT_OBJECT),
    ErrorWording(r"(?<!\w)\w+ tool use with id .* was found without a corresponding", ("X1",), _SERVER),
    ErrorWording(r"(server|mcp)_tool_use ids were found without", ("X1",), _SERVER),
    ErrorWording(
        r"unexpected tool_use_id found in \w+_tool_result", ("X2",), tr("A result from a server tool has no call.")
    ),
    ErrorWording(
        r"Tool reference (\S+ )?not found in available tools",
        ("X3",),
        tr("A result refers to a tool that is not in the request."),
    ),
    ErrorWording(
        r"Input tag tool_reference found using type",
        ("X3",),
        "A result refers to a tool, and the server does not take such references.",
    ),
    ErrorWording(
        r"Invalid signature in thinking block|Invalid data in redacted_thinking",
        ("T1", "T3"),
        ErrorExplanations.REASONING,
    ),
    ErrorWording(
        r"thinking\.signature: Field required|redacted_thinking\.data: Field required",
        ("T1",),
        ErrorExplanations.REASONING,
    ),
    ErrorWording(
        r"thinking blocks in the latest assistant message cannot be modified", ("T2", "T1"), ErrorExplanations.REASONING
    ),
    ErrorWording(
        r"thinking blocks may only be in assistant messages", ("T9",), tr("A user message contains reasoning.")
    ),
    ErrorWording(r"Expected thinking or redacted_thinking, but found", ("T5", "T2"), ErrorExplanations.REASONING_LOST),
    ErrorWording(r"first block must be thinking or redacted_thinking", ("T2", "T5"), ErrorExplanations.REASONING),
    ErrorWording(
        r"When thinking is disabled, an assistant message in the final position cannot contain",
        ("T2", "M5"),
        ErrorExplanations.REASONING,
    ),
    ErrorWording(
        r"final block in an assistant message cannot be thinking",
        ("M8",),
        tr("An assistant message contains only reasoning."),
    ),
    ErrorWording(
        r"text content blocks must (be non-empty|contain non-whitespace)", ("M6", "M7"), tr("A text block has no text.")
    ),
    ErrorWording(r"cache_control cannot be set for empty text blocks", ("M6", "M7"), tr("A text block has no text.")),
    ErrorWording(r"all messages must have non-empty content", ("M6", "M7"), ErrorExplanations.EMPTY),
    ErrorWording(
        r"messages: roles must alternate|found multiple (user|assistant) roles in a row",
        ("M2", "M3"),
        ErrorExplanations.ROLE_ORDER,
    ),
    ErrorWording(
        r"role system (must (follow|precede)|is not supported on this model)|Unexpected role system",
        ("M13", "M4"),
        tr("A system message is in a position where this model does not accept one."),
    ),
    ErrorWording(r"use the top-level system parameter", ("M4", "M13"), ErrorExplanations.FIRST_NOT_USER),
    ErrorWording(r"first message must use the user", ("M4",), ErrorExplanations.FIRST_NOT_USER),
    ErrorWording(
        r"does not support assistant message prefill|conversation must end with a user message",
        ("M5",),
        ErrorExplanations.LAST_IS_ASSISTANT,
    ),
    ErrorWording(
        r"final assistant content cannot end with trailing whitespace",
        ("M5", "M6"),
        ErrorExplanations.LAST_IS_ASSISTANT,
    ),
    ErrorWording(
        r"which include tool_use or tool_result blocks must define tools", ("K8",), ErrorExplanations.NO_TOOLS
    ),
    ErrorWording(
        r"image dimensions? exceed|exceeds the dimension limit for many-image|image exceeds \d+ MB",
        ("V1",),
        ErrorExplanations.MEDIA,
    ),
    ErrorWording(
        r"(image|PDF) cannot be empty|base64\.media_type: Input should be|The PDF specified was not valid|"
        r"specified using the \S+ media type, but the image appears|Image does not match the provided media type",
        ("V1",),
        ErrorExplanations.MEDIA,
    ),
    ErrorWording(
        r"Could not process (image|PDF)|Too much media|all content must be type text if is_error is true|"
        r"maximum of \d+ PDF pages may be provided|PDF specified is password protected",
        ("V1",),
        ErrorExplanations.MEDIA,
    ),
    ErrorWording(
        r"tool use concurrency issues",
        ("D1", "D2", "D3", "R1", "R3", "R5", "K1"),
        program_reports_sentence("Claude Code", tr("A call and its result do not match.")),
    ),
    ErrorWording(
        r"would inject synthetic placeholders",
        (*UNANSWERED_CALL_RULES, "R1"),
        program_reports_sentence("Claude Code", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"orphaned tool_result in conversation history",
        ("R1", "R2", "R4", "R8", "R12", "C2", "K5"),
        program_reports_sentence("Claude Code", ErrorExplanations.ORPHAN),
    ),
    ErrorWording(
        r"duplicate tool_use ID in conversation history",
        ("K1", "K2"),
        program_reports_sentence("Claude Code", ErrorExplanations.REUSED),
    ),
    ErrorWording(
        r"messages\.\d+(\.content)?(\.\d+)?: Input should be a valid|messages\.\d+\.role: Input should be|"
        r"messages\.\d+\.content\.\d+\S*: Input tag .* found using type does not match",
        ("M12",),
        ErrorExplanations.MALFORMED_MESSAGE,
    ),
)
