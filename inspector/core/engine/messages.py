"""Repair the messages of a request in memory, right before they are sent.

A quick look at the messages comes first: most histories are valid, and most of them are plain enough for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from msgspec import Struct

from inspector.core.engine import plain_messages
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.plain_messages import MessageReader, is_plainly_sound
from inspector.core.errors import UnknownName, UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.edits import Edit, Loss

if TYPE_CHECKING:
    from inspector.core.engine import message_repair
else:
    message_repair = LazyModule("inspector.core.engine.message_repair")


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
        repaired, edits, losses = message_repair.repair_with_rules(messages, wire.format, profile, preset)
        return RepairedMessages(repaired, edits, losses)


def _is_json(messages: Sequence[Any]) -> bool:
    """Whether all of it is JSON that providers read, without half of a surrogate pair."""
    try:
        orjson.dumps(messages)
    except (TypeError, ValueError):
        return False
    return True
