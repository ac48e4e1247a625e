"""Anthropic's wordings, and Claude Code's own.

Sources: the reports that `profiles/anthropic.py` names; anthropics/claude-code #8763 (concurrency), #55302 and #50082
(cache_control), #63203 (thinking), #95406 (advisor), #25592 and #49720 (images); anomalyco/opencode #3077, #1279 and
#48637; anthropics/anthropic-sdk-python #494 and #1339; microsoft/vscode#297841; gptme/gptme#185;
modelcontextprotocol/quickstart-resources#20; tailcallhq/forgecode #1853; llxprt-code#3695.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    ErrorSentence,
    ErrorWording,
)

_SERVER = "A call to the provider's own tool is unanswered."

PREFIX_BOUND_WORDINGS = (
    ErrorWording(
        r"block is bound to a different conversation|block that preceded this one when it was created is missing",
        ("T3", "T1"),
        "Something before a signed thinking block was changed: the block is bound to what preceded it.",
    ),
)

WORDINGS = (
    ErrorWording(
        r"tool_use ids were found without tool_result",
        (*UNANSWERED_CALL_RULES, "R3", "R9", "G5", "C1", "C3", "M11"),
        ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"Did not find \d+ tool_result", (*UNANSWERED_CALL_RULES, "R3", "R9", "C1", "C3"), ErrorSentence.UNANSWERED
    ),
    ErrorWording(
        r"unexpected tool_use_id found in tool_result",
        ("R1", "R2", "R4", "R8", "R12", "C2", "K5"),
        ErrorSentence.ORPHAN,
    ),
    ErrorWording(
        r"each tool_use must have a single result|multiple tool_result blocks",
        ("R5", "R6", "R7"),
        ErrorSentence.SEVERAL_RESULTS,
    ),
    ErrorWording(r"tool_use ids must be unique", ("K1", "K2"), ErrorSentence.REUSED),
    ErrorWording(
        r"tool_(use|result) blocks can only be in", ("R11",), "A call or result stands in a message of another role."
    ),
    ErrorWording(r"tool_use\.name: (String should|Field required|Input should)", ("K7",), ErrorSentence.ILLEGAL_NAME),
    ErrorWording(r"String should match pattern \^\[a-zA-Z0-9_-\]\+\$", ("K3", "K4"), ErrorSentence.ILLEGAL_ID),
    ErrorWording(
        r"tool_use\.id: (String should|Field required)|tool_use_id: (String should|Field required)",
        ("K3", "K4"),
        ErrorSentence.ILLEGAL_ID,
    ),
    ErrorWording(r"tool_use\.input: (Input should be|Field required)", ("K6",), ErrorSentence.INPUT_NOT_OBJECT),
    ErrorWording(r"(?<!\w)\w+ tool use with id .* was found without a corresponding", ("X1",), _SERVER),
    ErrorWording(r"(server|mcp)_tool_use ids were found without", ("X1",), _SERVER),
    ErrorWording(
        r"unexpected tool_use_id found in \w+_tool_result", ("X2",), "A result of the provider's own tool has no call."
    ),
    ErrorWording(
        r"Invalid signature in thinking block|Invalid data in redacted_thinking", ("T1", "T3"), ErrorSentence.REASONING
    ),
    ErrorWording(
        r"thinking\.signature: Field required|redacted_thinking\.data: Field required", ("T1",), ErrorSentence.REASONING
    ),
    ErrorWording(
        r"thinking blocks in the latest assistant message cannot be modified", ("T2", "T1"), ErrorSentence.REASONING
    ),
    ErrorWording(r"Expected thinking or redacted_thinking, but found", ("T5", "T2"), ErrorSentence.REASONING_LOST),
    ErrorWording(r"first block must be thinking or redacted_thinking", ("T2", "T5"), ErrorSentence.REASONING),
    ErrorWording(
        r"When thinking is disabled, an assistant message in the final position cannot contain",
        ("T2", "M5"),
        ErrorSentence.REASONING,
    ),
    ErrorWording(
        r"final block in an assistant message cannot be thinking",
        ("M8",),
        "A message of the assistant holds nothing but reasoning.",
    ),
    ErrorWording(
        r"text content blocks must (be non-empty|contain non-whitespace)", ("M6", "M7"), "A text block is blank."
    ),
    ErrorWording(r"cache_control cannot be set for empty text blocks", ("M6", "M7"), "A text block is blank."),
    ErrorWording(r"all messages must have non-empty content", ("M6", "M7"), ErrorSentence.EMPTY),
    ErrorWording(
        r"messages: roles must alternate|found multiple (user|assistant) roles in a row",
        ("M2", "M3"),
        ErrorSentence.ROLE_ORDER,
    ),
    ErrorWording(r"first message must use the user", ("M4",), ErrorSentence.FIRST_NOT_USER),
    ErrorWording(
        r"does not support assistant message prefill|conversation must end with a user message",
        ("M5",),
        ErrorSentence.LAST_IS_ASSISTANT,
    ),
    ErrorWording(
        r"final assistant content cannot end with trailing whitespace", ("M5", "M6"), ErrorSentence.LAST_IS_ASSISTANT
    ),
    ErrorWording(r"which include tool_use or tool_result blocks must define tools", ("K8",), ErrorSentence.NO_TOOLS),
    ErrorWording(
        r"image dimensions? exceed|exceeds the dimension limit for many-image|image exceeds \d+ MB",
        ("V1",),
        ErrorSentence.MEDIA,
    ),
    ErrorWording(
        r"Could not process image|Too much media|all content must be type text if is_error is true",
        ("V1",),
        ErrorSentence.MEDIA,
    ),
    ErrorWording(
        r"tool use concurrency issues",
        ("D1", "D2", "D3", "R1", "R3", "R5", "K1"),
        "Claude Code's own wording: a call and its result do not match.",
    ),
    ErrorWording(
        r"would inject synthetic placeholders",
        (*UNANSWERED_CALL_RULES, "R1"),
        "Claude Code's own wording: " + ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"orphaned tool_result in conversation history",
        ("R1", "R2", "R4", "R8", "R12", "C2", "K5"),
        "Claude Code's own wording: " + ErrorSentence.ORPHAN,
    ),
    ErrorWording(
        r"duplicate tool_use ID in conversation history",
        ("K1", "K2"),
        "Claude Code's own wording: " + ErrorSentence.REUSED,
    ),
    ErrorWording(
        r"messages\.\d+(\.content)?(\.\d+)?: Input should be a valid|messages\.\d+\.role: Input should be",
        ("M12",),
        ErrorSentence.MALFORMED_MESSAGE,
    ),
)
