"""Bedrock Converse's wordings.

Sources: the reports that `profiles/bedrock_converse.py` names; agno-agi/agno#6698, strands-agents/harness-sdk#1223,
aws-samples/bedrock-access-gateway#239, aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    ErrorSentence,
    ErrorWording,
)

WORDINGS = (
    ErrorWording(
        r"Expected toolResult blocks at",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "R10", "C1", "C3", "G5"),
        ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"number of toolResult blocks at .* exceeds the number of toolUse",
        ("R1", "R2", "R8", "R11", "R12", "C2", "K5"),
        ErrorSentence.ORPHAN,
    ),
    ErrorWording(r"toolResult blocks at .* contain duplicate Ids", ("R5", "R6", "R7"), ErrorSentence.SEVERAL_RESULTS),
    ErrorWording(r"toolUse blocks at .* contain duplicate Ids", ("K1", "K2"), ErrorSentence.REUSED),
    ErrorWording(
        r"tool (result|use) blocks cannot be provided in the same turn", ("R9",), "Words stand beside calls or results."
    ),
    ErrorWording(r"conversation must alternate between user and assistant", ("M2", "M3"), ErrorSentence.ROLE_ORDER),
    ErrorWording(r"conversation must start with a user message", ("M4",), ErrorSentence.FIRST_NOT_USER),
    ErrorWording(
        r"toolResult cannot be empty when status value is error", ("M6",), "A result that is an error has no text."
    ),
    ErrorWording(
        r"content field in the Message object at .* is empty|ContentBlock object .* is blank",
        ("M6", "M7"),
        ErrorSentence.EMPTY,
    ),
    ErrorWording(r"toolUse\.input is invalid", ("K6",), ErrorSentence.INPUT_NOT_OBJECT),
    ErrorWording(r"toolUse\.toolUseId failed to satisfy", ("K3", "K4"), ErrorSentence.ILLEGAL_ID),
    ErrorWording(r"toolUse\.name failed to satisfy", ("K7",), ErrorSentence.ILLEGAL_NAME),
    ErrorWording(r"toolConfig field must be defined", ("K8",), ErrorSentence.NO_TOOLS),
    ErrorWording(
        r"Invalid type for parameter messages\[\d+\]|member\.role failed to satisfy",
        ("M12",),
        ErrorSentence.MALFORMED_MESSAGE,
    ),
)
