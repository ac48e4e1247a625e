"""Bedrock Converse's wordings.

Sources: the reports that `profiles/bedrock_converse.py` names; agno-agi/agno#6698, strands-agents/harness-sdk#1223,
aws-samples/bedrock-access-gateway#239, aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import CALLS, Said, Wording

WORDINGS = (
    Wording(r"Expected toolResult blocks at", (*CALLS, "R3", "R4", "R10", "C1", "C3", "G5"), Said.UNANSWERED),
    Wording(
        r"number of toolResult blocks at .* exceeds the number of toolUse",
        ("R1", "R2", "R8", "R11", "R12", "C2", "K5"),
        Said.ORPHAN,
    ),
    Wording(r"toolResult blocks at .* contain duplicate Ids", ("R5", "R6", "R7"), Said.SEVERAL),
    Wording(r"toolUse blocks at .* contain duplicate Ids", ("K1", "K2"), Said.REUSED),
    Wording(
        r"tool (result|use) blocks cannot be provided in the same turn", ("R9",), "Words stand beside calls or results."
    ),
    Wording(r"conversation must alternate between user and assistant", ("M2", "M3"), Said.ROLES),
    Wording(r"conversation must start with a user message", ("M4",), Said.FIRST),
    Wording(
        r"toolResult cannot be empty when status value is error", ("M6",), "A result that is an error has no text."
    ),
    Wording(
        r"content field in the Message object at .* is empty|ContentBlock object .* is blank", ("M6", "M7"), Said.EMPTY
    ),
    Wording(r"toolUse\.input is invalid", ("K6",), Said.NO_OBJECT),
    Wording(r"toolUse\.toolUseId failed to satisfy", ("K3", "K4"), Said.ILLEGAL_ID),
    Wording(r"toolUse\.name failed to satisfy", ("K7",), Said.ILLEGAL_NAME),
    Wording(r"toolConfig field must be defined", ("K8",), Said.NO_TOOLS),
    Wording(r"Invalid type for parameter messages\[\d+\]|member\.role failed to satisfy", ("M12",), Said.SHAPE),
)
