"""Repair and check of the messages of a request in memory, right before they are sent.

A quick check comes first: most histories are valid, and most of them are plain enough for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.engine.repaired_messages import RepairedMessages
from inspector.core.errors import UnknownName, UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.providers.anthropic import schema as anthropic
from inspector.core.providers.bedrock_converse import schema as converse
from inspector.core.providers.fast_message_check import MessageReader, passes_fast_check
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.openai_chat import schema as chat
from inspector.core.providers.openai_responses import schema as responses
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, TEMPLATE_PROFILES
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.check.check import Report
    from inspector.core.engine import request_repair_with_rules
else:
    request_repair_with_rules = LazyModule("inspector.core.engine.request_repair_with_rules")


class MessageFormatEntry(NamedTuple):
    """The format that reads the messages of a provider, and the function that reads plain ones quickly."""

    format: str
    read: MessageReader


_CHAT = MessageFormatEntry("openai-chat", chat.read_simple_message)
_ANTHROPIC = MessageFormatEntry("anthropic-messages", anthropic.read_simple_message)
_ITEMS = MessageFormatEntry("openai-responses", responses.read_simple_message)
MESSAGE_FORMATS: dict[str, MessageFormatEntry] = {
    "anthropic": _ANTHROPIC,
    "anthropic-prefix-bound": _ANTHROPIC,
    "openai-chat": _CHAT,
    "openai-responses": _ITEMS,
    "responses-in-order": _ITEMS,
    "gemini": MessageFormatEntry("gemini-contents", gemini.read_simple_message),
    "bedrock-converse": MessageFormatEntry("bedrock-converse", converse.read_simple_message),
    "mistral": _CHAT,
    **dict.fromkeys(TEMPLATE_PROFILES, _CHAT),
}


def repair_messages(
    messages: Sequence[Any], profile: str = "anthropic", preset: str = "canonical", format: str = ""
) -> RepairedMessages:
    """Repair messages so that a provider accepts them: provider JSON in, provider JSON out. No file is read or written.

    `messages` are JSON values as the provider's API takes them (Gemini's contents, the items of Responses), or objects
    of an SDK that have `model_dump`, also inside of dicts. Messages that are changed become dicts. `profile` names the
    provider's rules and with them the format of the messages (see MESSAGE_FORMATS). `preset` names how problems are
    repaired (see `transcript-inspector presets`). `format` names the format of messages that a framework will convert
    for the provider. The given messages are not changed.

    Raises UnknownName for an unknown profile, preset or format, UnreadableLog for what is not JSON, NotVerified if no
    repair was found that the provider accepts.
    """
    wire, messages = _format_of(profile), _list_of(messages)
    # The quick check knows nothing of chat templates, and only the messages of the provider.
    known = PROFILES.get(profile) if format in ("", wire.format) else None
    if preset == "canonical" and known and _is_sound(messages, wire.read, known):
        return RepairedMessages(messages, range(len(messages)))
    if not messages:
        return RepairedMessages([], ())
    plain = _without_models(messages)
    if preset == "canonical" and known and _is_sound(plain, wire.read, known):
        return RepairedMessages(messages, range(len(messages)))
    with raise_as_program_fault():
        return request_repair_with_rules.repair_with_rules(messages, plain, format or wire.format, profile, preset)


def check_messages(messages: Sequence[Any], profile: str = "anthropic") -> "Report":
    """Check messages as a log of their own; the record of a finding is the index of its message.

    The arguments are as for `repair_messages`. Raises UnknownName and UnreadableLog.
    """
    wire, messages = _format_of(profile), _list_of(messages)
    with raise_as_program_fault():
        return request_repair_with_rules.check_with_rules(_without_models(messages), wire.format, profile)


def _format_of(profile: str) -> MessageFormatEntry:
    if profile not in MESSAGE_FORMATS:
        raise UnknownName(
            tr(
                "Messages cannot be repaired for the {profile} profile. Supported profiles: {message_formats}.",
                message_formats=", ".join(MESSAGE_FORMATS),
                profile=profile,
            )
        )
    return MESSAGE_FORMATS[profile]


def _list_of(messages: Sequence[Any]) -> list[Any]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise UnreadableLog(
            tr(
                "Expected the request's list of messages, but got a value of type {name}.",
                name=type(messages).__name__,
            )
        )
    return list(messages)


def _is_sound(messages: Sequence[Any], read: MessageReader, profile: Profile) -> bool:
    return passes_fast_check(messages, read, profile) and _is_json(messages)


def _without_models(messages: Sequence[Any]) -> list[Any]:
    """Return the messages as JSON values. One that is nested too deeply is returned as it is, to be refused later."""
    plain: list[Any] = []
    for message in messages:
        try:
            plain.append(_without_model(message))
        except RecursionError:
            plain.append(message)
    return plain


def _without_model(value: Any) -> Any:
    """Return a value with each model of an SDK replaced by the JSON that the SDK would send: no field that is None."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    if isinstance(value, dict):
        return {key: _without_model(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_model(item) for item in value]
    return value


def _is_json(messages: Sequence[Any]) -> bool:
    """Return whether all messages are JSON that providers read, without lone surrogates."""
    try:
        orjson.dumps(messages)
    except (TypeError, ValueError):
        return False
    return True
