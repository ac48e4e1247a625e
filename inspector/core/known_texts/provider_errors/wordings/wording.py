"""The shape of a wording, and the sentences that several speakers share."""

from typing import NamedTuple


class ErrorWording(NamedTuple):
    """A pattern for a flat text (no quotes, single spaces, any case), the rule codes behind it, and a sentence."""

    pattern: str
    rules: tuple[str, ...]
    sentence: str


class ErrorSentence:
    """The sentences."""

    UNANSWERED = "A call has no result right after it: a missing result, or one that stands in the wrong place."
    ORPHAN = "A result has no call right before it: its call is missing, or something stands between them."
    SEVERAL_RESULTS = "A call has several results."
    REUSED = "Two calls carry one id."
    ILLEGAL_ID = "A call's id is empty, too long, or has illegal characters."
    ILLEGAL_NAME = "The name of a tool is empty, or has illegal characters."
    EMPTY = "A message or a text in it is empty."
    ROLE_ORDER = "Two messages of one role follow each other, or a role stands where it may not."
    FIRST_NOT_USER = "The history does not begin with the user."
    LAST_IS_ASSISTANT = "The history ends with the assistant."
    NO_TOOLS = "The history holds calls, and the request defines no tools."
    REASONING = "Reasoning was changed, moved, or parted from what it is bound to."
    REASONING_LOST = "A call is sent without the reasoning that came with it, which this provider wants back."
    INPUT_NOT_OBJECT = "The input of a call is no JSON object."
    ARGUMENTS_NOT_TEXT = "The arguments of a call are no text with JSON."
    MALFORMED_MESSAGE = "A message, or a part of one, is not written as the API takes it."
    MEDIA = "The provider does not take an image of the history: too large, too many, damaged, or not for this model."


UNANSWERED_CALL_RULES = ("D1", "D2", "D3", "D4", "D5", "D7")
UNPAIRED_RULES = (*UNANSWERED_CALL_RULES, "R1", "R2", "R3", "R4", "R8")
