"""The shape of a wording, and the sentences that several speakers share."""

from typing import NamedTuple


class Wording(NamedTuple):
    """A pattern for a flat text (no quotes, single spaces, any case), the rule codes behind it, and a sentence."""

    pattern: str
    rules: tuple[str, ...]
    sentence: str


class Said:
    """The sentences."""

    UNANSWERED = "A call has no result right after it: a missing result, or one that stands in the wrong place."
    ORPHAN = "A result has no call right before it: its call is missing, or something stands between them."
    SEVERAL = "A call has several results."
    REUSED = "Two calls carry one id."
    ILLEGAL_ID = "A call's id is empty, too long, or has illegal characters."
    ILLEGAL_NAME = "The name of a tool is empty, or has illegal characters."
    EMPTY = "A message or a text in it is empty."
    ROLES = "Two messages of one role follow each other, or a role stands where it may not."
    FIRST = "The history does not begin with the user."
    LAST = "The history ends with the assistant."
    NO_TOOLS = "The history holds calls, and the request defines no tools."
    REASONING = "Reasoning was changed, moved, or parted from what it is bound to."
    REASONING_LOST = "A call is sent without the reasoning that came with it, which this provider wants back."
    NO_OBJECT = "The input of a call is no JSON object."
    NO_TEXT = "The arguments of a call are no text with JSON."
    SHAPE = "A message, or a part of one, is not written as the API takes it."
    MEDIA = "The provider does not take an image of the history: too large, too many, damaged, or not for this model."


CALLS = ("D1", "D2", "D3", "D4", "D5", "D7")
EITHER = (*CALLS, "R1", "R2", "R3", "R4", "R8")
