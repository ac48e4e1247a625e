"""The shape of a profile and of an error wording: how a provider reads turns, and which anomalies it refuses."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from inspector.core.model.columnar_index import Role
from inspector.core.translation import tr


class MediaLimits(Struct, frozen=True):
    """What a provider accepts of images: pixels of the longest side, and characters as base64.

    Where a request holds more than `many_images` images, `max_side_when_many` limits the side of each. `image_types`
    and `document_types` are the media types that it accepts as base64, empty where that is not known.
    """

    max_side: int
    many_images: int
    max_side_when_many: int
    max_base64_length: int
    error_results_text_only: bool = False
    image_types: frozenset[str] = frozenset()
    document_types: frozenset[str] = frozenset()


class Profile(Struct, frozen=True):
    """The rules of one provider.

    `merged_roles` are the roles whose neighboring messages the provider reads as one turn. `result_role` is the role in
    whose turn results are sent: USER (Anthropic) or TOOL (OpenAI). `refusals` maps rule codes to error texts with the
    tokens {message}, {after} (the message after it), {block} and {id}. A rule that is not in it is accepted. A key that
    is a rule code and a case ("V1 side") gives the text for that case alone. `source` says where these facts come from.

    `requires_alternation`: two neighboring messages of one role are refused, so that a result joins the message after
    its call. `requires_results_alone`: a message of results may hold nothing else. `call_id_pattern` and
    `tool_name_pattern` must match the id of a call and the name of a tool as a whole, "" where anything is accepted.
    `allows_prefill`: the history may end with the assistant. `models` is what the names of its models have in common,
    "" where that is not known. `binds_reasoning`: signed reasoning is valid while nothing before it changes.
    `counts_system_message`: the system prompt is sent as the first of the messages, and counted with them.
    `disputed_rules` are rules that some of its models or gateways enforce and others do not; they are only noted.
    `models_without_system_messages` is a pattern of the models that take no message of the system among the others.
    `api` is the profile of the API that the messages come through, for the chat template of a model; "" for a provider.
    `content_parts` are the types of parts that a chat message may hold by its role ("call" for a message with calls);
    a role that is not in it may hold any.
    """

    name: str
    label: str
    merged_roles: frozenset[Role]
    result_role: Role
    refusals: dict[str, str]
    source: str
    requires_alternation: bool = False
    requires_results_alone: bool = False
    call_id_pattern: str = ""
    tool_name_pattern: str = ""
    allows_prefill: bool = True
    models: str = ""
    binds_reasoning: bool = False
    media: MediaLimits | None = None
    counts_system_message: bool = False
    disputed_rules: frozenset[str] = frozenset()
    models_without_system_messages: str = ""
    api: str = ""
    content_parts: dict[str, frozenset[str]] = {}

    @property
    def turn_rules(self) -> tuple[bool, Role]:
        """How it divides a history into turns. Profiles with equal turn rules find the same pairs."""
        return Role.ASSISTANT in self.merged_roles, self.result_role

    @property
    def requires_results_first(self) -> bool:
        """Whether results must come before the other content of their message."""
        return "R9" in self.refusals

    @property
    def result_cases(self) -> frozenset[str]:
        """The cases in which alone it refuses a result without its call: "no-call" and "id", see `ThreadContext`."""
        return frozenset(key.partition(" ")[2] for key in self.refusals if key.startswith("R1 "))

    @property
    def requires_user_first(self) -> bool:
        """Whether the first message must be one of the user."""
        return "M4" in self.refusals

    def turn_rules_for(self, in_a_row: bool) -> tuple[bool, Role]:
        """Return the turn rules for a history, given whether it has assistant messages in a row."""
        joins, results_as = self.turn_rules
        return joins and in_a_row, results_as

    def refuses(self, rule: str, value: str, case: str = "") -> bool:
        """Return whether it refuses this anomaly. `value` is the id (K4) or the name (K7) concerned."""
        if rule not in self.refusals and f"{rule} {case}" not in self.refusals:
            return False
        pattern = {"K4": self.call_id_pattern, "K7": self.tool_name_pattern}.get(rule, "")
        return not (pattern and re.fullmatch(pattern, value))

    def unchecked_rules(self, skipped: Iterable[str]) -> tuple[str, ...]:
        """Return the skipped rules that it may refuse.

        While there are any, it is unknown whether it accepts a history.
        """
        return tuple(rule for rule in skipped if rule in self.refusals)

    def refusal_text(self, rule: str, message: int, block: int, call_id: str, case: str = "") -> str | None:
        """Return the error that the provider answers to this anomaly, None when it accepts it."""
        text = self._text_of(rule, case)
        return None if text is None else text.format(message=message, after=message + 1, block=block, id=call_id)

    def names_message_number(self, rule: str, case: str = "") -> bool:
        """Return whether that error contains the number of a message."""
        text = self._text_of(rule, case) or ""
        return "{message}" in text or "{after}" in text

    def _text_of(self, rule: str, case: str) -> str | None:
        return self.refusals.get(f"{rule} {case}") or self.refusals.get(rule)


def values_not_matching(values: Iterable[str | None], pattern: str) -> set[str]:
    """Return those of many ids or names that do not match a pattern as a whole. "" stands for none."""
    if not pattern:
        return set()
    # Each is matched by itself: a pattern that accepts line ends could match several joined values at once.
    fits, distinct = re.compile(pattern).fullmatch, {value or "" for value in values}
    return set() if all(map(fits, distinct)) else {value for value in distinct if fits(value) is None}


class ErrorWording(NamedTuple):
    """A known wording: a pattern for a flat text (no quotes, single spaces, any case), rule codes, and a sentence."""

    pattern: str
    rules: tuple[str, ...]
    sentence: str


class ErrorExplanations:
    """The sentences that several sets of wordings share."""

    UNANSWERED = tr("A call has no result right after it. The result is missing or misplaced.")
    ORPHAN = tr(
        "A result has no call right before it. The call is missing, or something comes between the call and its result."
    )
    SEVERAL_RESULTS = tr("A call has several results.")
    REUSED = tr("Two calls have the same id.")
    ILLEGAL_ID = tr("The id of a call is empty, is too long, or contains invalid characters.")
    ILLEGAL_NAME = tr("The name of a tool is empty or contains invalid characters.")
    EMPTY = tr("A message is empty or contains an empty text block.")
    ROLE_ORDER = tr(
        "Two messages in a row have the same role, or a message has a role that is not allowed in its position."
    )
    FIRST_NOT_USER = tr("The history does not begin with a user message.")
    LAST_IS_ASSISTANT = tr("The history ends with an assistant message.")
    NO_TOOLS = tr("The history contains calls, but the request defines no tools.")
    REASONING = tr("Reasoning was changed, moved, or separated from the content that it is bound to.")
    REASONING_LOST = tr("A call is sent without its reasoning, which this provider requires.")
    INPUT_NOT_OBJECT = tr("The input of a call is not a JSON object.")
    ARGUMENTS_NOT_TEXT = tr("The arguments of a call are not a string that contains JSON.")
    MALFORMED_MESSAGE = tr("A message or one of its parts has an invalid structure.")
    MEDIA = tr(
        "The provider does not accept an image in the history. The image is too large, damaged, or not "
        "supported by the model, or there are too many images."
    )


def program_reports_sentence(program: str, sentence: str) -> str:
    """Return what a program says of a history that it does not send to a provider."""
    return tr("{program} reports: {sentence}", program=program, sentence=sentence)


# The rules about calls without a result: those that are not pending, and with them those that the agent does not list.
OPEN_CALL_RULES = ("D1", "D2", "D3", "D4", "D5")
UNANSWERED_CALL_RULES = (*OPEN_CALL_RULES, "D7")
UNPAIRED_RULES = (*UNANSWERED_CALL_RULES, "R1", "R2", "R3", "R4", "R8")
