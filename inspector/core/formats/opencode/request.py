"""What opencode sends on resume: `toModelMessages`, and what its transforms make of that for a provider.

Facts: the program itself, 1.18.33 (session/message-v2.ts, provider/transform.ts, and `convertToModelMessages` of the AI
SDK, which splits a message where a step starts and refuses a tool part without an id or an output). A call that is
pending or running goes out as failed, an outcome that was cleared to save room as a note; a tool part in no known state
is left out, and one without a state ends the run. Nothing of this is written down. The calls and results of eleven
resumes agree. Reasoning goes out as text where another model is asked than made it. Where its own is, it is not told of
here; to Anthropic's API it goes out with its signature, an empty one too, or is left out where it has none.

Merged; to be rewritten:
`providers`: Which API an opencode session speaks, as its messages name provider and model, and under which ids its
calls go out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, merge_same_role
from inspector.core.model.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.providers.registry import profile_of, responses_profile_for
from inspector.core.storage.json_text import object_at, parse_json, text_at

# Which API an opencode session speaks, as its messages name provider and model, and under which ids its calls go out.
#
# Facts: opencode 1.18.33, provider/provider.ts (the package of each provider; OpenAI, Azure, xAI and Meta by Responses,
# Copilot from gpt-5 on) and provider/transform.ts (`normalizeMessages`: ids for Claude and Mistral). To a provider that
# nothing is known of it speaks OpenAI's chat API.

_RESPONSES_PROVIDERS = frozenset({"openai", "azure", "azure-cognitive-services", "xai", "meta"})
_WIRES = {name: name for name in ("anthropic", "bedrock-converse", "gemini", "openai-responses")}
_WIRES["responses-in-order"] = "openai-responses"
_GATEWAYS = frozenset({"opencode", "github-copilot"})  # the API depends on the model
_RESPONSES_MODELS = re.compile(r"gpt-(?:[5-9]|\d\d)(?!-mini)")
_MISTRAL_NAMES = ("mistral", "devstral", "codestral", "pixtral", "mixtral")


class SessionProvider(Struct, frozen=True):
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
        return provider_and_model(info) == self.model


def provider_of(columns: Columns, path: Iterable[int], raw: ReadRecord) -> SessionProvider:
    """The provider that the newest message to name one names; the strictest one where none does."""
    for record in reversed(list(path)):
        if columns.roles[record] in (Role.USER, Role.ASSISTANT):
            info = object_at(parse_json(raw(record)), "/info")
            model = provider_and_model(info)
            if any(model) or columns.roles[record] == Role.ASSISTANT:
                return _provider(*model)
    return _provider("", "")


def provider_and_model(info: dict[str, Any]) -> tuple[str, str]:
    """Provider and model that a message names, "" where it does not: one of the user's does so under `model`."""
    named = info if "providerID" in info else object_at(info, "/model")
    return str(named.get("providerID") or ""), str(named.get("modelID") or "")


def _provider(name: str, asked: str) -> SessionProvider:
    model = asked.lower()
    profile = profile_of(name, model) or ("openai-chat" if name else "anthropic")
    if name in _RESPONSES_PROVIDERS or (name in _GATEWAYS and _RESPONSES_MODELS.match(model)):
        profile = responses_profile_for(name, model)
    id_of: Callable[[str], str] = _unchanged_id
    if "claude" in model:
        id_of = _claude_id
    elif name == "mistral" or any(family in model for family in _MISTRAL_NAMES):
        id_of = _mistral_id
    return SessionProvider(profile, _WIRES.get(profile, "openai-chat"), id_of, bool(name), (name, asked))


def _unchanged_id(call_id: str) -> str:
    return call_id


def _claude_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)


def _mistral_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "", call_id)[:9].ljust(9, "0")


INVALID_JSON_STOPS = "what is no JSON stops the load"
_INVALID_PART_STOPS = "it stops before any request: a part is not what a message may hold"
_INTERRUPTED_OUTPUT, _CLEARED_OUTPUT = (
    PLACEHOLDER_WORDINGS["opencode"].text,
    PLACEHOLDER_WORDINGS["opencode-cleared"].text,
)
_KNOWN_STATES = frozenset({"pending", "running", "completed", "error"})
_TEXT_OR_MEDIA = (BlockKind.TEXT, BlockKind.MEDIA)
# APIs whose adapter joins neighbouring messages of one role.
_WIRES_THAT_MERGE = frozenset({"anthropic", "bedrock-converse"})


class _UnsendablePart(Exception):
    """A part that no message can be made of."""


class _PartRows(Struct):
    """A part with its block, and that of its outcome (-1: it has none)."""

    value: dict[str, Any]
    row: int
    outcome: int = -1


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """The messages that a resume of the session sends."""
    provider = provider_of(columns, session.main_thread.path, raw)
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in session.records):
        return ResumeRequest(provider.wire, [], stop_reason=INVALID_JSON_STOPS)
    try:
        messages = [each for record in session.main_thread.path for each in _messages(columns, record, raw, provider)]
    except _UnsendablePart:
        return ResumeRequest(provider.wire, [], stop_reason=_INVALID_PART_STOPS)
    sent = merge_same_role(messages) if provider.wire in _WIRES_THAT_MERGE else messages
    return ResumeRequest(provider.wire, sent, as_stored=False, sends_reasoning=True)


def _messages(columns: Columns, record: int, raw: ReadRecord, provider: SessionProvider) -> Iterator[RequestMessage]:
    """A message of the log, one for each of its steps, each with its results behind it."""
    if columns.roles[record] == Role.USER:
        said = [RequestBlock(row) for row in columns.block_rows(record) if columns.block_kinds[row] in _TEXT_OR_MEDIA]
        yield RequestMessage(Role.USER, said)
    elif columns.roles[record] == Role.ASSISTANT:
        value = parse_json(raw(record))
        foreign = not provider.made(object_at(value, "/info"))
        for step in _steps(_parts(columns, record, value["parts"])):
            said, results = _assistant_messages(columns, step, provider, foreign)
            if said:
                yield RequestMessage(Role.ASSISTANT, said)
            if results:
                yield RequestMessage(Role.TOOL, results)


def _parts(columns: Columns, record: int, stored: list[Any]) -> list[_PartRows]:
    found: list[_PartRows] = []
    values = iter(stored)
    for row in columns.block_rows(record):
        if columns.block_kinds[row] == BlockKind.RESULT:
            found[-1].outcome = row
        else:
            value = next(values)
            found.append(_PartRows(value if isinstance(value, dict) else {}, row))
    return found


def _steps(parts: Iterable[_PartRows]) -> list[list[_PartRows]]:
    steps: list[list[_PartRows]] = [[]]
    for part in parts:
        if part.value.get("type") == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return steps


def _assistant_messages(
    columns: Columns, step: list[_PartRows], provider: SessionProvider, foreign: bool
) -> tuple[list[RequestBlock], list[RequestBlock]]:
    """What the assistant says in a step, and the results of its calls. Raises _Unfit."""
    said: list[RequestBlock] = []
    results: list[RequestBlock] = []
    for part in step:
        kind = columns.block_kinds[part.row]
        if kind == BlockKind.TEXT:
            said.append(RequestBlock(part.row))
        elif kind == BlockKind.THINKING and foreign:
            told = text_at(part.value, "/text")
            said += [RequestBlock(part.row, stored_form=told)] if told.strip() else []
        elif kind == BlockKind.CALL:
            known = columns.call_ids[part.row] or ""
            own = provider.id_of(known)
            for result in _result(columns, part):
                said.append(RequestBlock(part.row, id=own if own != known else ""))
                results.append(RequestBlock(result.row, result.answer, id=said[-1].id))
    return said, results


def _result(columns: Columns, part: _PartRows) -> Iterator[RequestBlock]:
    """The result that goes out for a call; none where the call does not go out either. Raises _Unfit."""
    if part.value.get("state") is None:
        raise _UnsendablePart
    state = object_at(part.value, "/state")
    status = state.get("status")
    if not isinstance(status, str) or status not in _KNOWN_STATES:
        return
    completed = status == "completed"
    if columns.call_ids[part.row] is None or (completed and (part.outcome < 0 or state.get("time") is None)):
        raise _UnsendablePart
    if part.outcome < 0:
        yield RequestBlock(part.row, _INTERRUPTED_OUTPUT)
    elif completed and object_at(state, "/time").get("compacted"):
        yield RequestBlock(part.row, _CLEARED_OUTPUT)
    else:
        yield RequestBlock(part.outcome)
