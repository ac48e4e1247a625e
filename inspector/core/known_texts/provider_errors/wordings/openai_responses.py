"""The wordings of OpenAI's Responses API, and Codex's own.

Sources: the reports that `profiles/openai_responses.py` names; openai/codex #93, #29773, #33176, #8119, #35334;
jlcodes99/cockpit-tools#2090; continuedev/continue #8933 and #10018; AnswerDotAI/fastllm#45; VoltAgent/voltagent#1121.
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    ErrorSentence,
    ErrorWording,
)

WORDINGS = (
    ErrorWording(
        r"No tool output found for", (*UNANSWERED_CALL_RULES, "R3", "R4", "C1", "C3", "G5"), ErrorSentence.UNANSWERED
    ),
    ErrorWording(
        r"call output is missing for call id",
        (*UNANSWERED_CALL_RULES, "C1"),
        "Codex's own wording: " + ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"No tool call found for [\w ]*output", ("R1", "R2", "R8", "R11", "R12", "C2", "K5"), ErrorSentence.ORPHAN
    ),
    ErrorWording(r"Duplicate function_call_output", ("R5", "R6", "R7", "K1", "K2"), "One id has several results."),
    ErrorWording(r"Duplicate item found with id rs_", ("T7", "K1", "K2"), "Two items carry one id."),
    ErrorWording(r"Duplicate item found with id|Duplicate call_id", ("K1", "K2", "T7"), ErrorSentence.REUSED),
    ErrorWording(r"input\[\d+\]\.call_id: (string too long|empty string)", ("K4", "K3"), ErrorSentence.ILLEGAL_ID),
    ErrorWording(
        r"Missing required parameter: input\[\d+\]\.call_id", ("K3", "R1"), "A call or an output has no call_id."
    ),
    ErrorWording(
        r"input\[\d+\]\.name: (string does not match|empty string|string too long)", ("K7",), ErrorSentence.ILLEGAL_NAME
    ),
    ErrorWording(r"provided without its required following item", ("T4",), ErrorSentence.REASONING),
    ErrorWording(r"provided without its required reasoning item", ("T5",), ErrorSentence.REASONING_LOST),
    ErrorWording(r"input\[\d+\]\.arguments: expected a string", ("K6",), ErrorSentence.ARGUMENTS_NOT_TEXT),
    ErrorWording(
        r"Expected an ID that (begins with|contains letters)", ("K10",), "An item carries an id of another kind."
    ),
    ErrorWording(
        r"encrypted content .*could not be (verified|decrypted)|invalid_encrypted_content",
        ("T1",),
        ErrorSentence.REASONING,
    ),
    ErrorWording(
        r"Items are not persisted when store is set to false",
        ("T1", "K5"),
        "An item is named by an id that the provider did not keep.",
    ),
    ErrorWording(r"Invalid type for input\[\d+\]\.content: .* got null", ("M7", "M6"), ErrorSentence.EMPTY),
    ErrorWording(r"Invalid (type|value) for input\[\d+\](\.role)?(?!\.?\w)", ("M12",), ErrorSentence.MALFORMED_MESSAGE),
)
