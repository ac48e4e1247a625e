"""Repair of the messages of a request in memory, right before they are sent.

A quick check comes first: most histories are valid, and most of them are plain enough for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from msgspec import Struct

from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.errors import UnknownName, UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.providers.anthropic import schema as anthropic
from inspector.core.providers.bedrock_converse import schema as converse
from inspector.core.providers.fast_message_check import MessageReader, passes_fast_check
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.openai_chat import schema as chat
from inspector.core.providers.openai_responses import schema as responses
from inspector.core.providers.registry import PROFILES, TEMPLATE_PROFILES
from inspector.core.repair.edits import Edit, Loss
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine import request_repair_with_rules
else:
    request_repair_with_rules = LazyModule("inspector.core.engine.request_repair_with_rules")


class RepairedMessages(Struct, frozen=True):
    """The messages to send. `messages` is a new list; it holds unchanged messages as the same objects as the input.

    `edits` say what was changed and why, `losses` what part of the input is not in the output. The `record` of both is
    the index of the message in the input.
    """

    messages: list[Any]
    edits: tuple[Edit, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.edits)


class MessageFormat(NamedTuple):
    """The format that reads the messages of a provider, and the function that reads plain ones quickly."""

    format: str
    read: MessageReader


_CHAT = MessageFormat("openai-chat", chat.read_simple_message)
_ANTHROPIC = MessageFormat("anthropic-messages", anthropic.read_simple_message)
_ITEMS = MessageFormat("openai-responses", responses.read_simple_message)
MESSAGE_FORMATS: dict[str, MessageFormat] = {
    "anthropic": _ANTHROPIC,
    "anthropic-prefix-bound": _ANTHROPIC,
    "openai-chat": _CHAT,
    "openai-responses": _ITEMS,
    "responses-in-order": _ITEMS,
    "gemini": MessageFormat("gemini-contents", gemini.read_simple_message),
    "bedrock-converse": MessageFormat("bedrock-converse", converse.read_simple_message),
    "mistral": _CHAT,
    **dict.fromkeys(TEMPLATE_PROFILES, _CHAT),
}


def repair_messages(messages: Sequence[Any], profile: str = "anthropic", preset: str = "canonical") -> RepairedMessages:
    """Repair messages so that a provider accepts them: provider JSON in, provider JSON out. No file is read or written.

    `messages` are plain JSON values as the provider's API takes them (Gemini's contents, the items of Responses).
    `profile` names the provider's rules and with them the format of the messages (see MESSAGE_FORMATS). `preset` names
    how problems are repaired (see `transcript-inspector presets`). The given messages are not changed.

    Raises UnknownName for an unknown profile or preset, UnreadableLog for what is not JSON, NotVerified if no repair
    was found that the provider accepts.
    """
    if profile not in MESSAGE_FORMATS:
        raise UnknownName(
            tr(
                "Messages cannot be repaired for the profile {profile}. Possible profiles are {message_formats}.",
                message_formats=", ".join(MESSAGE_FORMATS),
                profile=profile,
            )
        )
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise UnreadableLog(
            tr(
                "The messages have the type {name}. Pass the request's list of messages.",
                name=type(messages).__name__,
            )
        )
    wire, messages = MESSAGE_FORMATS[profile], list(messages)
    known = PROFILES.get(profile)  # the quick check knows nothing of chat templates
    if preset == "canonical" and known and passes_fast_check(messages, wire.read, known) and _is_json(messages):
        return RepairedMessages(messages)
    if not messages:
        return RepairedMessages([])
    with raise_as_program_fault():
        repaired, edits, losses = request_repair_with_rules.repair_with_rules(messages, wire.format, profile, preset)
        return RepairedMessages(repaired, edits, losses)


def _is_json(messages: Sequence[Any]) -> bool:
    """Return whether all messages are JSON that providers read, without lone surrogates."""
    try:
        orjson.dumps(messages)
    except (TypeError, ValueError):
        return False
    return True
