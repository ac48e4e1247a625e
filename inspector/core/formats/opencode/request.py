"""The messages that opencode sends on resume, the API that it speaks, and the ids of calls there.

Facts: the program itself, 1.18.33 (session/message-v2.ts, provider/transform.ts, and `convertToModelMessages` of the AI
SDK, which splits a message where a step starts and refuses a tool part without an id or an output). A pending or
running call is sent as failed, and an outcome that was cleared to save room as a note. A tool part in an unknown state
is left out, and one without a state stops the run. Nothing of this is written to the store. The calls and results of
eleven resumes agree. Reasoning of another model than the one asked is sent as text. Reasoning of the same model is not
modelled here, but for Anthropic's API: there it is sent with its signature, even an empty one, or left out if it has
none. A blank text of the assistant's is sent, and refused (anomalyco/opencode#31260); seen in 1.18.33.

Facts about providers: opencode 1.18.33, provider/provider.ts (the package of each provider; OpenAI, Azure, xAI and Meta
by Responses, Copilot from gpt-5 on) and provider/transform.ts (`normalizeMessages`: ids for Claude and Mistral). To an
unknown provider it speaks OpenAI's chat API.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, merge_same_role
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.providers.registry import profile_name_of, responses_profile_name
from inspector.core.storage.json_text import HALF_PAIR, LONE_SURROGATE, dump_json, object_at, parse_json, text_at
from inspector.core.translation import tr

_RESPONSES_PROVIDERS = frozenset({"openai", "azure", "azure-cognitive-services", "xai", "meta"})
_WIRES = {name: name for name in ("anthropic", "bedrock-converse", "gemini", "openai-responses")}
_WIRES["responses-in-order"] = "openai-responses"
_GATEWAYS = frozenset({"opencode", "github-copilot"})  # the API depends on the model
_RESPONSES_MODELS = lazy_regex(r"gpt-(?:[5-9]|\d\d)(?!-mini)")
_MISTRAL_NAMES = ("mistral", "devstral", "codestral", "pixtral", "mixtral")


class SessionProvider(Struct, frozen=True):
    """The provider that answers: its rules, its wire format, its name and `model`, and the ids that it gets for calls.

    `named` says whether the log names the provider.
    """

    profile: str
    wire: str
    id_of: Callable[[str], str]
    named: bool
    model: tuple[str, str]

    def made(self, info: dict[str, Any]) -> bool:
        """Return whether the message with this `info` came from this model. Other models' reasoning is sent as text."""
        return message_provider_and_model(info) == self.model


def provider_of(columns: Columns, path: Iterable[int], raw: ReadRecord) -> SessionProvider:
    """Return the provider of the newest message that names one, or the strictest if none does."""
    for record in reversed(list(path)):
        if columns.roles[record] in (Role.USER, Role.ASSISTANT):
            info = object_at(parse_json(raw(record)), "/info")
            model = message_provider_and_model(info)
            if any(model) or columns.roles[record] == Role.ASSISTANT:
                return _provider(*model)
    return _provider("", "")


def message_provider_and_model(info: dict[str, Any]) -> tuple[str, str]:
    """Return provider and model that a message names, "" for what is missing. A user's message has them in `model`."""
    holder = info if "providerID" in info else object_at(info, "/model")
    return str(holder.get("providerID") or ""), str(holder.get("modelID") or "")


def _provider(name: str, model_id: str) -> SessionProvider:
    model = model_id.lower()
    profile = profile_name_of(name, model) or ("openai-chat" if name else "anthropic")
    if name in _RESPONSES_PROVIDERS or (name in _GATEWAYS and _RESPONSES_MODELS.match(model)):
        profile = responses_profile_name(name, model)
    id_of: Callable[[str], str] = _unchanged_id
    if "claude" in model:
        id_of = _claude_id
    elif name == "mistral" or any(family in model for family in _MISTRAL_NAMES):
        id_of = _mistral_id
    return SessionProvider(profile, _WIRES.get(profile, "openai-chat"), id_of, bool(name), (name, model_id))


def _unchanged_id(call_id: str) -> str:
    return call_id


def _claude_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)


def _mistral_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "", call_id)[:9].ljust(9, "0")


INVALID_JSON_REASON = tr("opencode cannot load a part that is not valid JSON")
_INVALID_PART_STOPS = tr("opencode stops before it sends a request, because a message contains an invalid part")
_INTERRUPTED_OUTPUT, _CLEARED_OUTPUT = (
    PLACEHOLDER_WORDINGS["opencode"].text,
    PLACEHOLDER_WORDINGS["opencode-cleared"].text,
)
_KNOWN_STATES = frozenset({"pending", "running", "completed", "error"})
_TEXT_OR_MEDIA = (BlockKind.TEXT, BlockKind.MEDIA)
# APIs whose adapter joins neighbouring messages of one role.
_WIRES_THAT_MERGE = frozenset({"anthropic", "bedrock-converse"})


class _UnsendablePart(Exception):
    """A part cannot be turned into a message."""


class _PartRows(Struct):
    """A part with the row of its block and the row of its outcome (-1 if it has none)."""

    value: dict[str, Any]
    row: int
    outcome: int = -1


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that opencode sends when it resumes the session."""
    provider = provider_of(columns, session.main_thread.path, raw)
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in session.records):
        return ResumeRequest(provider.wire, [], stop_reason=INVALID_JSON_REASON)
    try:
        messages = [
            message for record in session.main_thread.path for message in _messages(columns, record, raw, provider)
        ]
    except _UnsendablePart:
        return ResumeRequest(provider.wire, [], stop_reason=_INVALID_PART_STOPS)
    sent = merge_same_role(messages) if provider.wire in _WIRES_THAT_MERGE else messages
    return ResumeRequest(provider.wire, sent, as_stored=False, sends_reasoning=True)


def _messages(columns: Columns, record: int, raw: ReadRecord, provider: SessionProvider) -> Iterator[RequestMessage]:
    """Yield the messages for one message of the log: one for each of its steps, followed by the step's results."""
    if columns.roles[record] == Role.USER:
        blocks = [RequestBlock(row) for row in columns.block_rows(record) if columns.block_kinds[row] in _TEXT_OR_MEDIA]
        yield RequestMessage(Role.USER, blocks)
    elif columns.roles[record] == Role.ASSISTANT:
        value = parse_json(raw(record))
        foreign = not provider.made(object_at(value, "/info"))
        for step in _steps(_parts(columns, record, value["parts"])):
            blocks, results = _assistant_messages(columns, step, provider, foreign)
            if blocks:
                yield RequestMessage(Role.ASSISTANT, blocks)
            if results:
                yield RequestMessage(Role.TOOL, results)


def _parts(columns: Columns, record: int, stored: list[Any]) -> list[_PartRows]:
    parts: list[_PartRows] = []
    values = iter(stored)
    for row in columns.block_rows(record):
        if columns.block_kinds[row] == BlockKind.RESULT:
            parts[-1].outcome = row
        else:
            value = next(values)
            parts.append(_PartRows(value if isinstance(value, dict) else {}, row))
    return parts


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
    """Return the assistant's blocks of a step and the results of its calls. Raises _UnsendablePart."""
    blocks: list[RequestBlock] = []
    results: list[RequestBlock] = []
    for part in step:
        kind = columns.block_kinds[part.row]
        if kind == BlockKind.TEXT:
            blocks.append(RequestBlock(part.row))
        elif kind == BlockKind.THINKING and foreign:
            text = text_at(part.value, "/text")
            blocks += [RequestBlock(part.row, stored_form=text)] if text.strip() else []
        elif kind == BlockKind.THINKING and provider.wire == "anthropic" and _is_signed(part.value):
            blocks.append(RequestBlock(part.row))
        elif kind == BlockKind.CALL:
            call_id = columns.call_ids[part.row] or ""
            sent_id = provider.id_of(call_id)
            for result in _result(columns, part):
                blocks.append(RequestBlock(part.row, id=sent_id if sent_id != call_id else ""))
                results.append(RequestBlock(result.row, result.answer, id=blocks[-1].id))
    return blocks, results


def _result(columns: Columns, part: _PartRows) -> Iterator[RequestBlock]:
    """Yield the result that is sent for a call, none if the call is not sent either. Raises _UnsendablePart."""
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


def anthropic_thinking_block(block: bytes) -> bytes:
    """Return a part with reasoning as Anthropic's block: text and signature, or what was redacted."""
    part = parse_json(block)
    made_by = object_at(part, "/metadata/anthropic")
    if made_by.get("signature") is None:
        return dump_json({"type": "redacted_thinking", "data": made_by.get("redactedData")})
    return dump_json({"type": "thinking", "thinking": text_at(part, "/text"), "signature": made_by["signature"]})


def _is_signed(part: dict[str, Any]) -> bool:
    """Return whether reasoning goes to Anthropic: it has a signature, or data that was redacted."""
    anthropic = object_at(part, "/metadata/anthropic")
    return any(anthropic.get(key) is not None for key in ("signature", "redactedData"))


def sent_text(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """Return a text or an outcome in the program's words, None where it goes out unchanged.

    Halves of surrogate pairs become U+FFFD (`sanitizeSurrogates`). Of the assistant's texts without length only those
    are sent that become a blank.
    """
    if kind == BlockKind.TEXT and role == Role.ASSISTANT and text_at(parse_json(block), "/text") == "":
        return " "
    if kind not in (BlockKind.TEXT, BlockKind.RESULT) or not LONE_SURROGATE.search(block):
        return None
    value = parse_json(block)
    said = (text_at(value, pointer) for pointer in ("/text", "/output", "/error"))
    return HALF_PAIR.sub("\ufffd", next(filter(None, said), ""))
