"""The wordings of Mistral's API, and of the servers that judge by mistral-common.

Sources: mistral-common 1.13.1 protocol/instruct/validator.py, and the reports that `profiles/mistral.py` names.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    CALLS,
    EMPTY,
    ILLEGAL_ID,
    ILLEGAL_NAME,
    LAST,
    ORPHAN,
    REUSED,
    ROLES,
    SEVERAL,
    SHAPE,
    UNANSWERED,
    Wording,
)

WORDINGS = (
    Wording(
        r"Not the same number of function calls and responses",
        (*CALLS, "R1", "R4", "R5", "K1", "C1", "C3", "G5", "M4"),
        UNANSWERED,
    ),
    Wording(r"More tool responses than tool calls", ("R1", "R5", "R6", "R7"), SEVERAL),
    Wording(r"Unexpected tool call id .* in tool results", ("R1", "R2", "R8", "R12", "C2", "K5", "M4"), ORPHAN),
    Wording(r"Duplicate tool call id .* in tool results", ("R5", "R6", "R7"), SEVERAL),
    Wording(r"Duplicate tool call id .* in assistant", ("K2",), REUSED),
    Wording(r"Unexpected role tool after role", ("R1", "R2", "R3", "R4", "R11"), ORPHAN),
    Wording(r"Unexpected role (user|system) after role tool", ("M10", "M2", "M3"), ROLES),
    Wording(r"Unexpected role \w+ after role", ("M2", "M3"), ROLES),
    Wording(r"Expected last role User or Tool", ("M5",), LAST),
    Wording(r"Tool call id was .* but must be|Tool call id (has to|must) be", ("K4", "K3"), ILLEGAL_ID),
    Wording(r"Function name was .* but must be", ("K7",), ILLEGAL_NAME),
    Wording(r"Assistant message must have either content or tool_calls", ("M6", "M7"), EMPTY),
    Wording(r"Unknown (content type|message role)", ("M12",), SHAPE),
)
