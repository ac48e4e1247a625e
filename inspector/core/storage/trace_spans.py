"""The requests in a trace of OpenTelemetry, as a JSON document: of each trace, the one whose span ended last.

Facts: opentelemetry-sdk 1.45.2 (`ReadableSpan.to_json`: an array, an object a line, or indented objects one after the
other), opentelemetry-proto 1.45.2 (OTLP as JSON), pydantic-ai-slim 2.68.0 and opentelemetry-instrumentation-openai
0.62.4 (run: the messages are JSON in a string). The semantic conventions allow structured values as well, and
strands-agents 1.62.0 (telemetry/tracer.py) puts the messages into events of the span. Before 1.37, the conventions had
an event for each message, and OpenLLMetry has an attribute for each of their members (`gen_ai.prompt.0.content`).

The document is an array with an object for each trace: attributes that describe the request, `tool_spans` (the tools
that ran in the trace), and `input_messages` and `output_messages` as the conventions write them today, each on a line
of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct

from inspector.core.storage.json_spans import close_truncated
from inspector.core.storage.json_text import dump_json, is_valid_json, object_at, objects_at, parse_json, text_at

_Json: TypeAlias = dict[str, Any]
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_DESCRIBING = (
    "gen_ai.conversation.id",
    "gen_ai.provider.name",
    "gen_ai.system",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "error.type",
)
_INSTRUCTIONS = "gen_ai.system_instructions"
_TOOL_CALL, _OPERATION = "gen_ai.tool.call.id", "gen_ai.operation.name"
# Spans around requests, which may have the messages of the first or of the last one.
_OTHER_OPERATIONS = frozenset("create_agent embeddings execute_tool invoke_agent invoke_workflow retrieval".split())
_OBJECT_LINE = re.compile(rb"(?m)^\{")
_FLAT = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(.+)")
_FLAT_CALL = re.compile(r"tool_calls\.(\d+)\.(id|name|arguments)")
_MESSAGE_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_CHOICE_EVENT = "gen_ai.choice"


class _Attribute(Struct, gc=False):
    """An attribute of OTLP."""

    key: str = ""
    value: Raw = Raw(b"{}")


_Attributes: TypeAlias = dict[str, Raw] | list[_Attribute] | None


class _Event(Struct, gc=False):
    name: str = ""
    attributes: _Attributes = None


class _Context(Struct, gc=False):
    trace_id: str = ""


class _Status(Struct, gc=False):
    status_code: str = ""
    code: int | str = 0


class _Span(Struct):
    """A span of the SDK or of OTLP."""

    name: str = ""
    context: _Context | None = None
    traceId: str = ""
    end_time: str | None = None
    endTimeUnixNano: int | str | None = None
    status: _Status | None = None
    attributes: _Attributes = None
    events: list[_Event] | None = None

    @property
    def trace(self) -> str:
        return self.traceId or (self.context.trace_id if self.context is not None else "")

    @property
    def end(self) -> tuple[int, str]:
        """What spans of one file are sorted by: the nanoseconds, or a time of a fixed length."""
        end = str(self.endTimeUnixNano or self.end_time or "")
        return len(end), end


class _Scope(Struct):
    spans: list[_Span] = []


class _Resource(Struct):
    scopeSpans: list[_Scope] = []


class _Exported(_Span):
    """A span of the SDK, or an export of OTLP."""

    resourceSpans: list[_Resource] | None = None


_decode = msgspec.json.Decoder(list[_Exported] | _Exported).decode


def requests_in_trace(data: bytes) -> tuple[bytes, int] | None:
    """Return the document, and the number of traces in it. None if no span holds messages."""
    traces: dict[str, list[_Span]] = {}
    for span in _spans(data):
        traces.setdefault(span.trace, []).append(span)
    requests = [request for name, spans in traces.items() if (request := _last_request(name, spans))]
    return (b"[\n" + b",\n".join(requests) + b"\n]\n", len(requests)) if requests else None


def _spans(data: bytes) -> Iterator[_Span]:
    """Yield the spans of an array, or of objects that begin a line each. Lines between these are other output.

    A span in which the text breaks off is left out.
    """
    if data.lstrip()[:1] == b"[":
        yield from _spans_in(data)
        return
    starts = [match.start() for match in _OBJECT_LINE.finditer(data)] or [0]
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        yield from _spans_in(data[start:end])


def _spans_in(text: bytes) -> list[_Span]:
    exported = _decoded(text[: max(text.rfind(b"}"), text.rfind(b"]")) + 1])
    if exported is not None:
        return list(_held_by(exported))
    return list(_held_by(_decoded(close_truncated(text)) or ()))[:-1]


def _decoded(text: bytes) -> list[_Exported] | None:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _decode(text)
        return value if isinstance(value, list) else [value]
    return None


def _held_by(exported: Iterable[_Exported]) -> Iterator[_Span]:
    for each in exported:
        if each.resourceSpans is None:
            yield each
        for resource in each.resourceSpans or ():
            for scope in resource.scopeSpans:
                yield from scope.spans


def _last_request(trace: str, spans: list[_Span]) -> bytes | None:
    """Return the request of the span that ended last, as an object. Spans without readable messages are passed by."""
    tools: list[_Json] = []
    chats: list[tuple[_Span, _Json]] = []
    for span in spans:
        attributes = _plain(span.attributes, (*_DESCRIBING, _OPERATION, _TOOL_CALL))
        if call_id := attributes.get(_TOOL_CALL):
            tools.append({_TOOL_CALL: call_id, "status": _status(span.status)})
        elif str(attributes.get(_OPERATION)) not in _OTHER_OPERATIONS:
            chats.append((span, attributes))
    for span, attributes in sorted(chats, key=lambda chat: chat[0].end, reverse=True):
        sent, answer = _messages(span)
        if sent or answer:
            described = {"trace_id": trace} | {key: attributes[key] for key in _DESCRIBING if key in attributes}
            instructions = _unpacked(next(_values(span, _INSTRUCTIONS), None))
            described |= {"status": _status(span.status), _INSTRUCTIONS: instructions}
            body = dump_json({**described, "tool_spans": tools})[:-1]
            return b'%s,"input_messages":%s,"output_messages":%s}' % (body, _lines(sent), _lines(answer))
    return None


def _status(status: _Status | None) -> str:
    is_error = status is not None and (status.status_code == "ERROR" or status.code in (2, "STATUS_CODE_ERROR"))
    return "ERROR" if is_error else "OK"


def _lines(messages: Iterable[bytes]) -> bytes:
    return b"[\n" + b",\n".join(messages) + b"\n]"


# The messages of a span, in any of the conventions.


def _messages(span: _Span) -> tuple[list[bytes], list[bytes]]:
    """Return the messages that were sent, and those of the answer."""
    sent, answer = _first_list(span, _INPUT), _first_list(span, _OUTPUT)
    if not (sent or answer):
        sent, answer = _in_events(span.events or ())
    if not (sent or answer):
        sent, answer = _in_flat_attributes(_plain(span.attributes))
    return sent, answer


def _first_list(span: _Span, key: str) -> list[bytes]:
    return next(filter(None, map(_listed, _values(span, key))), [])


def _values(span: _Span, key: str) -> Iterator[Any]:
    """Yield the values under a key of the span and of its events."""
    holders = (span.attributes, *(event.attributes for event in span.events or ()))
    return (held[key] for each in holders if key in (held := _plain(each, (key,))))


def _listed(value: Any) -> list[bytes]:
    """Return the objects in a list, or in a text with a list, each as it was written."""
    text = value.encode("utf-8", "replace") if isinstance(value, str) else dump_json(value)
    if not text.lstrip().startswith(b"[") or not is_valid_json(text):
        return []
    items = [bytes(item) for item in msgspec.json.decode(text, type=list[Raw])]
    return items if all(item.startswith(b"{") for item in items) else []


def _plain(attributes: _Attributes, keys: tuple[str, ...] = ()) -> _Json:
    """Return attributes as parsed values, only those with these keys if there are any."""
    if isinstance(attributes, dict):
        return {key: parse_json(bytes(value)) for key, value in attributes.items() if not keys or key in keys}
    kept = (each for each in attributes or () if not keys or each.key in keys)
    return {each.key: _otlp_value(parse_json(bytes(each.value))) for each in kept}


def _otlp_value(value: Any) -> Any:
    """Return a value of OTLP without the names of its types."""
    ((kind, inner),) = value.items() if isinstance(value, dict) and len(value) == 1 else (("", value),)
    if kind == "arrayValue":
        return [_otlp_value(each) for each in objects_at(inner, "/values")]
    if kind == "kvlistValue":
        return {text_at(each, "/key"): _otlp_value(each.get("value")) for each in objects_at(inner, "/values")}
    return inner if kind.endswith("Value") else None


def _in_events(events: Iterable[_Event]) -> tuple[list[bytes], list[bytes]]:
    """Return the messages that are an event each."""
    sent, answer = list[bytes](), list[bytes]()
    for event in events:
        if event.name != _CHOICE_EVENT and not _MESSAGE_EVENT.fullmatch(event.name):
            continue
        body = _plain(event.attributes)
        body |= object_at(_unpacked(body.get("gen_ai.event.content")), "")
        if event.name == _CHOICE_EVENT:
            message = _unpacked(body.get("message"))
            held = message if isinstance(message, dict) else {"content": message}
            answer.append(_message("assistant", held))
        else:
            sent.append(_message(event.name.split(".")[1], body))
    return sent, answer


def _in_flat_attributes(attributes: _Json) -> tuple[list[bytes], list[bytes]]:
    """Return the messages of which every member is an attribute."""
    messages: dict[str, defaultdict[int, _Json]] = {"prompt": defaultdict(dict), "completion": defaultdict(dict)}
    for key, value in attributes.items():
        if (match := _FLAT.fullmatch(key)) is None:
            continue
        message = messages[match[1]][int(match[2])]
        if call := _FLAT_CALL.fullmatch(match[3]):
            message.setdefault("tool_calls", defaultdict(dict))[int(call[1])][call[2]] = value
        else:
            message[match[3]] = value
    for message in (message for side in messages.values() for message in side.values() if "tool_calls" in message):
        message["tool_calls"] = [call for _, call in sorted(message["tool_calls"].items())]
    sent, answer = (
        [_message(text_at(message, "/role"), message) for _, message in sorted(side.items())]
        for side in messages.values()
    )
    return sent, answer


def _message(role: str, body: _Json) -> bytes:
    """Return a chat message in today's form."""
    role = text_at(body, "/role") or role or "assistant"
    content = body.get("content")
    parts = [_part(block) for block in _blocks(content)]
    if role == "tool" and not any(part["type"] == "tool_call_response" for part in parts):
        call_id = body.get("id") or body.get("tool_call_id")
        parts = [{"type": "tool_call_response", "id": call_id, "response": content}]
    for call in objects_at(body, "/tool_calls"):
        made = call | object_at(call, "/function")
        parts.append({"type": "tool_call"} | {key: made.get(key) for key in ("id", "name", "arguments")})
    return dump_json({"role": role, "parts": parts})


def _blocks(content: Any) -> list[Any]:
    content = _unpacked(content)
    return content if isinstance(content, list) else [] if content is None else [content]


def _part(block: Any) -> _Json:
    """Return a block of a content: a text, or a block of Bedrock's or Anthropic's API."""
    if not isinstance(block, dict):
        return {"type": "text", "content": block}
    call, result = object_at(block, "/toolUse"), object_at(block, "/toolResult")
    if call or block.get("type") == "tool_use":
        made = call or block
        call_id = made.get("toolUseId") or made.get("id")
        return {"type": "tool_call", "id": call_id, "name": made.get("name"), "arguments": made.get("input")}
    if result or block.get("type") == "tool_result":
        made = result or block
        call_id = made.get("toolUseId") or made.get("tool_use_id")
        return {"type": "tool_call_response", "id": call_id, "response": made.get("content")}
    if isinstance(block.get("text"), str):
        return {"type": "text", "content": block["text"]}
    return block if isinstance(block.get("type"), str) else {"type": next(iter(block), "unknown"), "content": block}


def _unpacked(value: Any) -> Any:
    """Return the list or object in a text, any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        text = value.encode("utf-8", "replace")
        return parse_json(text) if is_valid_json(text) else value
    return value
