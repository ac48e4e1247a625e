"""The wordings of Mistral's API, and of the servers that judge by mistral-common.

Sources: mistral-common 1.13.1 protocol/instruct/validator.py, and the reports that `profiles/mistral.py` names.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import CALLS, Said, Wording

WORDINGS = (
    Wording(
        r"Not the same number of function calls and responses",
        (*CALLS, "R1", "R4", "R5", "K1", "C1", "C3", "G5", "M4"),
        Said.UNANSWERED,
    ),
    Wording(r"More tool responses than tool calls", ("R1", "R5", "R6", "R7"), Said.SEVERAL),
    Wording(r"Unexpected tool call id .* in tool results", ("R1", "R2", "R8", "R12", "C2", "K5", "M4"), Said.ORPHAN),
    Wording(r"Duplicate tool call id .* in tool results", ("R5", "R6", "R7"), Said.SEVERAL),
    Wording(r"Duplicate tool call id .* in assistant", ("K2",), Said.REUSED),
    Wording(r"Unexpected role tool after role", ("R1", "R2", "R3", "R4", "R11"), Said.ORPHAN),
    Wording(r"Unexpected role (user|system) after role tool", ("M10", "M2", "M3"), Said.ROLES),
    Wording(r"Unexpected role \w+ after role", ("M2", "M3"), Said.ROLES),
    Wording(r"Expected last role User or Tool", ("M5",), Said.LAST),
    Wording(r"Tool call id was .* but must be|Tool call id (has to|must) be", ("K4", "K3"), Said.ILLEGAL_ID),
    Wording(r"Function name was .* but must be", ("K7",), Said.ILLEGAL_NAME),
    Wording(r"Assistant message must have either content or tool_calls", ("M6", "M7"), Said.EMPTY),
    Wording(r"Unknown (content type|message role)", ("M12",), Said.SHAPE),
)
