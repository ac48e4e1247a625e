"""Mending the messages of a request in memory, right before they are sent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.messages import plain
from inspector.core.engine.messages.glance import is_plainly_sound
from inspector.core.engine.messages.plain import MessageReader
from inspector.core.engine.messages.repaired import RepairedMessages
from inspector.core.errors import UnknownName, UnreadableLog
from inspector.core.later import LazyModule
from inspector.core.profiles import PROFILES

if TYPE_CHECKING:
    from inspector.core.engine.messages import mending
else:
    mending = LazyModule("inspector.core.engine.messages.mending")


class MessageFormat(NamedTuple):
    """How the messages of a provider are spelled: the format that reads them, and who reads plain ones at a glance."""

    format: str
    read: MessageReader


_CHAT = MessageFormat("openai-chat", plain.read_chat)
_ANTHROPIC = MessageFormat("anthropic-messages", plain.read_anthropic)
_ITEMS = MessageFormat("openai-responses", plain.read_item)
MESSAGE_FORMATS: dict[str, MessageFormat] = {
    "anthropic": _ANTHROPIC,
    "anthropic-prefix-bound": _ANTHROPIC,
    "openai-chat": _CHAT,
    "openai-responses": _ITEMS,
    "responses-in-order": _ITEMS,
    "gemini": MessageFormat("gemini-contents", plain.read_gemini),
    "bedrock-converse": MessageFormat("bedrock-converse", plain.read_converse),
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
