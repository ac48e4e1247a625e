"""Messages in memory: a look that tells whether there is anything to mend, and the mending.

Merged; to be rewritten:
`repaired`: What came of mending messages.
`repairing`: Mending the messages of a request in memory, right before they are sent.
`mending`: Judging and mending messages with all rules, as those of a log are; a log that lies in memory alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from msgspec import Struct

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log
from inspector.core.engine import plain_messages
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.plain_messages import MessageReader, is_plainly_sound
from inspector.core.errors import NotVerified, TooDeep, UnknownName, UnreadableLog
from inspector.core.formats.base.format import ReadOptions
from inspector.core.lazy import LazyModule
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.edits import Edit, Loss
from inspector.core.repair.plan import Plan, plan_repair
from inspector.core.save.save import rehearse_copy
from inspector.core.storage.json_text import is_too_deep, parse_json
from inspector.core.storage.nesting import DEEPEST_ODD
from inspector.core.storage.source import Source

# What came of mending messages.


class RepairedMessages(Struct, frozen=True):
    """What is to be sent. `messages` is a new list; what no edit touched is in it as the very objects that came in.

    `edits` tell what was changed and why, `losses` what of the input is not in the output. The `record` of both is the
    index of the message in the list that came in.
    """

    messages: list[Any]
    edits: tuple[Edit, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was mended."""
        return bool(self.edits)


# Mending the messages of a request in memory, right before they are sent.

if TYPE_CHECKING:
    from inspector.core.engine import messages as mending
else:
    mending = LazyModule("inspector.core.engine.messages")


class MessageFormat(NamedTuple):
    """How the messages of a provider are spelled: the format that reads them, and who reads plain ones at a glance."""

    format: str
    read: MessageReader


_CHAT = MessageFormat("openai-chat", plain_messages.read_chat)
_ANTHROPIC = MessageFormat("anthropic-messages", plain_messages.read_anthropic)
_ITEMS = MessageFormat("openai-responses", plain_messages.read_item)
MESSAGE_FORMATS: dict[str, MessageFormat] = {
    "anthropic": _ANTHROPIC,
    "anthropic-prefix-bound": _ANTHROPIC,
    "openai-chat": _CHAT,
    "openai-responses": _ITEMS,
    "responses-in-order": _ITEMS,
    "gemini": MessageFormat("gemini-contents", plain_messages.read_gemini),
    "bedrock-converse": MessageFormat("bedrock-converse", plain_messages.read_converse),
    "mistral": _CHAT,
}


def repair_messages(messages: Sequence[Any], profile: str = "anthropic", preset: str = "canonical") -> RepairedMessages:
    """Mend messages so that a provider takes them: provider JSON in, provider JSON out. Nothing is read or written.

    `messages` are plain JSON values as the provider's API takes them (Gemini's contents, the items of Responses).
    `profile` says whose rules hold, and with them how messages are spelled (see WIRES); `preset` what is done about
    what is wrong (`transcript-inspector presets`). The messages that are given are not changed.

    Raises UnknownName for a profile or preset that there is none of, UnreadableLog for what is no JSON, NotVerified
    where no repair was found that the provider takes.
    """
    if profile not in MESSAGE_FORMATS:
        raise UnknownName(f"Messages are mended for the profiles {', '.join(MESSAGE_FORMATS)}, not for {profile}.")
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise UnreadableLog(f"The messages are a {type(messages).__name__}: give the list that the request holds.")
    wire, messages = MESSAGE_FORMATS[profile], list(messages)
    if preset == "canonical" and is_plainly_sound(messages, wire.read, PROFILES[profile]) and _is_json(messages):
        return RepairedMessages(messages)
    if not messages:
        return RepairedMessages([])
    with raise_as_program_fault():
        return mending.repair_with_rules(messages, wire.format, profile, preset)


def _is_json(messages: Sequence[Any]) -> bool:
    """Whether all of it is JSON that providers read, without half of a surrogate pair."""
    try:
        orjson.dumps(messages)
    except (TypeError, ValueError):
        return False
    return True


# Judging and mending messages with all rules, as those of a log are; a log that lies in memory alone.


def repair_with_rules(messages: Sequence[Any], format: str, profile: str, preset: str) -> RepairedMessages:
    """See `repair_messages`."""
    planned = plan_messages(messages, format, profile, preset)
    if not planned.verified:
        raise NotVerified(f"The messages cannot be mended so that they are accepted: {planned.reason}")
    if planned.changes_nothing:
        return RepairedMessages(list(messages))
    rehearse_copy(planned)
    edits = tuple(edit for _, edit in edits_of(planned))
    return RepairedMessages(_outcome(planned, messages), edits, tuple(planned.draft.losses))


def plan_messages(messages: Sequence[Any], format: str, profile: str, preset: str) -> Plan:
    """The repair of messages, planned and not carried out. Raises InspectorError."""
    source = Source.of_bytes(_text_of(messages))
    log = open_log(source, format, ReadOptions(deep=True))
    if len(log.columns) != len(messages):
        raise UnreadableLog(f"These are no messages of {format}: give the list that the request holds.")
    return plan_repair(check(log, profile), Choices(preset, profile=profile))


def _text_of(messages: Sequence[Any]) -> bytes:
    """The messages as JSON. The standard writer takes what orjson does not: long numbers, and halves of surrogates."""
    try:
        return orjson.dumps(messages)
    except (TypeError, ValueError):
        pass
    for number, message in enumerate(messages):
        try:
            text = json.dumps(message, allow_nan=False)
        except RecursionError as error:
            raise _too_deep(number) from error
        except (TypeError, ValueError) as error:
            raise UnreadableLog(
                f"messages[{number}] is no JSON ({error}): give plain dicts and lists, as `model_dump` makes them."
            ) from error
        if is_too_deep(text.encode()):
            raise _too_deep(number)
    return json.dumps(list(messages), allow_nan=False).encode()


def _too_deep(number: int) -> TooDeep:
    return TooDeep(f"messages[{number}] is nested too deeply to be read: more than {DEEPEST_ODD} levels.")


def _outcome(planned: Plan, messages: Sequence[Any]) -> list[Any]:
    """The messages in their new order: those of the input as they came, changed and added ones anew."""
    draft = planned.draft
    return [
        messages[slot]
        if slot < draft.original_count and slot not in draft.texts
        else parse_json(draft.slot_bytes(slot))
        for slot in draft.columns.stable_numbers
    ]
