"""The wordings of Mistral's API, and of the servers that judge by mistral-common.

Sources: mistral-common 1.13.1 protocol/instruct/validator.py, and the reports that `profiles/mistral.py` names.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    ErrorSentence,
    ErrorWording,
)

MISTRAL_WORDINGS = (
    ErrorWording(
        r"Not the same number of function calls and responses",
        (*UNANSWERED_CALL_RULES, "R1", "R4", "R5", "K1", "C1", "C3", "G5", "M4"),
        ErrorSentence.UNANSWERED,
    ),
    ErrorWording(r"More tool responses than tool calls", ("R1", "R5", "R6", "R7"), ErrorSentence.SEVERAL_RESULTS),
    ErrorWording(
        r"Unexpected tool call id .* in tool results", ("R1", "R2", "R8", "R12", "C2", "K5", "M4"), ErrorSentence.ORPHAN
    ),
    ErrorWording(r"Duplicate tool call id .* in tool results", ("R5", "R6", "R7"), ErrorSentence.SEVERAL_RESULTS),
    ErrorWording(r"Duplicate tool call id .* in assistant", ("K2",), ErrorSentence.REUSED),
    ErrorWording(r"Unexpected role tool after role", ("R1", "R2", "R3", "R4", "R11"), ErrorSentence.ORPHAN),
    ErrorWording(r"Unexpected role (user|system) after role tool", ("M10", "M2", "M3"), ErrorSentence.ROLE_ORDER),
    ErrorWording(r"Unexpected role \w+ after role", ("M2", "M3"), ErrorSentence.ROLE_ORDER),
    ErrorWording(r"Expected last role User or Tool", ("M5",), ErrorSentence.LAST_IS_ASSISTANT),
    ErrorWording(
        r"Tool call id was .* but must be|Tool call id (has to|must) be", ("K4", "K3"), ErrorSentence.ILLEGAL_ID
    ),
    ErrorWording(r"Function name was .* but must be", ("K7",), ErrorSentence.ILLEGAL_NAME),
    ErrorWording(r"Assistant message must have either content or tool_calls", ("M6", "M7"), ErrorSentence.EMPTY),
    ErrorWording(r"Unknown (content type|message role)", ("M12",), ErrorSentence.MALFORMED_MESSAGE),
)
