"""Which API an opencode session speaks, as its messages name provider and model, and under which ids its calls go out.

Facts: opencode 1.18.33, provider/provider.ts (the package of each provider; OpenAI, Azure, xAI and Meta by Responses,
Copilot from gpt-5 on) and provider/transform.ts (`normalizeMessages`: ids for Claude and Mistral). To a provider that
nothing is known of it speaks OpenAI's chat API.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import object_at, parse_json
from inspector.core.index.columns import Columns, ReadRecord, Role
from inspector.core.profiles import responses_profile_for
from inspector.core.profiles.by_name import profile_of

_RESPONDING = frozenset({"openai", "azure", "azure-cognitive-services", "xai", "meta"})
_WIRES = {name: name for name in ("anthropic", "bedrock-converse", "gemini", "openai-responses")}
_WIRES["responses-in-order"] = "openai-responses"
_BY_MODEL = frozenset({"opencode", "github-copilot"})  # the API depends on the model
_RESPONSES = re.compile(r"gpt-(?:[5-9]|\d\d)(?!-mini)")
_OF_MISTRAL = ("mistral", "devstral", "codestral", "pixtral", "mixtral")


class Provider(Struct, frozen=True):
    """The rules and the wire of who answers, its `model`, and the id under which a call is sent.

    `named`: the log tells who.
    """

    profile: str
    wire: str
    id_of: Callable[[str], str]
    named: bool
    model: tuple[str, str]

    def made(self, info: dict[str, Any]) -> bool:
        """Whether the message that `info` is of came from this model: reasoning of another goes out as text."""
        return model_of(info) == self.model


def provider_of(columns: Columns, path: Iterable[int], raw: ReadRecord) -> Provider:
    """The provider that the newest message to name one names; the strictest one where none does."""
    for record in reversed(list(path)):
        if columns.roles[record] in (Role.USER, Role.ASSISTANT):
            info = object_at(parse_json(raw(record)), "/info")
            model = model_of(info)
            if any(model) or columns.roles[record] == Role.ASSISTANT:
                return _provider(*model)
    return _provider("", "")


def model_of(info: dict[str, Any]) -> tuple[str, str]:
    """Provider and model that a message names, "" where it does not: one of the user's does so under `model`."""
    named = info if "providerID" in info else object_at(info, "/model")
    return str(named.get("providerID") or ""), str(named.get("modelID") or "")


def _provider(name: str, asked: str) -> Provider:
    model = asked.lower()
    profile = profile_of(name, model) or ("openai-chat" if name else "anthropic")
    if name in _RESPONDING or (name in _BY_MODEL and _RESPONSES.match(model)):
        profile = responses_profile_for(name, model)
    id_of: Callable[[str], str] = _as_it_is
    if "claude" in model:
        id_of = _for_claude
    elif name == "mistral" or any(family in model for family in _OF_MISTRAL):
        id_of = _for_mistral
    return Provider(profile, _WIRES.get(profile, "openai-chat"), id_of, bool(name), (name, asked))


def _as_it_is(call_id: str) -> str:
    return call_id


def _for_claude(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)


def _for_mistral(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "", call_id)[:9].ljust(9, "0")
