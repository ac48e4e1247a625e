"""Traces of OpenTelemetry: the last request of each is judged, in whatever form it was exported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from tests.core.formats.otel import INPUT, Json, chat, messages, request, span
from tests.support import product
from tests.support.notation import lines, openai_messages, parse

BROKEN = "u | a{A,B} | r(A=x) | u"
EARLIER = 'u | a{A,B} | r(A=x,B=y) | a"early"'


def told(folder: Path, data: bytes | list[Json]) -> list[tuple[str, str, int, set[str]]]:
    """The format, the verdict, the messages and the errors of each session."""
    path = folder / "trace"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return [
        (
            session["format"],
            session["verdict"],
            session["messages"],
            {finding["rule"] for finding in session["findings"] if finding["severity"] == "error"},
        )
        for session in product.check(path).report["sessions"]
    ]


# How spans are exported.


def typed(value: Any) -> Json:
    """A value of OTLP."""
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"intValue": str(value)}


def pairs(value: Json) -> list[Json]:
    return [{"key": key, "value": typed(each)} for key, each in value.items()]


def otlp(spans: list[Json]) -> Json:
    made = [
        {
            "traceId": each["context"]["trace_id"],
            "name": each["name"],
            "endTimeUnixNano": str(1_775_000_000_000_000_000 + number),
            "attributes": pairs(each["attributes"]),
            "status": {"code": 2} if each["status"]["status_code"] == "ERROR" else {},
            "events": [{"name": event["name"], "attributes": pairs(event["attributes"])} for event in each["events"]],
        }
        for number, each in enumerate(spans)
    ]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": made}]}]}


EXPORTS: dict[str, Callable[[list[Json]], bytes]] = {
    "an array": lambda spans: json.dumps(spans).encode(),
    "an indented array": lambda spans: json.dumps(spans, indent=4).encode(),
    "a span a line": lines,
    "the console": lambda spans: b"".join(json.dumps(each, indent=4).encode() + b"\n" for each in spans),
    "the console, with other output": lambda spans: b"".join(
        json.dumps(each, indent=4).encode() + b"\nHello from the agent!\n" for each in spans
    ),
    "OTLP": lambda spans: json.dumps(otlp(spans), indent=2).encode(),
    "OTLP, an export a line": lambda spans: lines(otlp([each]) for each in spans),
}


@pytest.mark.parametrize("export", EXPORTS)
def test_the_last_request_is_judged_in_every_export(export: str, tmp_path: Path) -> None:
    spans = [request(parse(EARLIER), 1), span(3, "invoke_agent a", {"gen_ai.operation.name": "invoke_agent"})]
    spans.insert(1, request(parse(BROKEN), 2))
    if export == "OTLP, an export a line":
        spans = [otlp_span for otlp_span in spans if "chat" in otlp_span["name"]][1:]
    assert told(tmp_path, EXPORTS[export](spans)) == [("otel", "broken", 4, {"D3"})]


def test_each_trace_is_a_session_and_the_calls_of_an_answer_wait(tmp_path: Path) -> None:
    spans = [
        request(parse("u | a{A} | r(A=x) | a{B}"), 1, trace="0x1"),
        request(parse(EARLIER), 2, trace="0x2"),
        request(parse("u | a{A} | u"), 3, trace="0x3", status="ERROR"),
    ]
    verdicts = [("otel", "waiting", 4, set()), ("otel", "healthy", 4, set()), ("otel", "broken", 3, {"D2"})]
    assert told(tmp_path, spans) == verdicts
    with OpenLog.at(tmp_path / "trace") as log:
        sessions = [each.session for each in log.check().sessions]
    assert [(session.id, session.state) for session in sessions] == [
        ("0x1", ""),
        ("0x2", ""),
        ("0x3", "the request failed"),
    ]


# How the messages of a request are written.


def structured(history: str) -> list[Json]:
    """Attributes that are no texts, which OTLP allows."""
    attributes = {INPUT: messages(parse(history))}
    return [otlp([span(1, "chat", attributes)])]


def details(history: str) -> list[Json]:
    """Strands with the latest conventions."""
    made = span(1, "chat", {"gen_ai.operation.name": "chat"})
    attributes = {INPUT: json.dumps(messages(parse(history)))}
    made["events"] = [{"name": "gen_ai.client.inference.operation.details", "attributes": attributes}]
    return [made]


def events(history: str) -> list[Json]:
    """The conventions before 1.37: an event for each message, with the members of a chat message."""
    made = span(1, "chat", {"gen_ai.operation.name": "chat"})
    for message in openai_messages(parse(history)):
        body = {"gen_ai.event.content": json.dumps(message)}
        if message["role"] == "tool":
            body = {"id": message["tool_call_id"], "content": message["content"]}
        made["events"].append({"name": f"gen_ai.{message['role']}.message", "attributes": body})
    return [made]


def strands(history: str) -> list[Json]:
    """Strands with the older conventions: the blocks of Bedrock as a text."""
    made = span(1, "chat", {"gen_ai.operation.name": "chat"})
    for turn in parse(history):
        blocks = [converse(part) for part in messages([turn])[0]["parts"]]
        kind = "tool" if any("toolResult" in block for block in blocks) else turn.role
        made["events"].append({"name": f"gen_ai.{kind}.message", "attributes": {"content": json.dumps(blocks)}})
    return [made]


def converse(part: Json) -> Json:
    if part["type"] == "text":
        return {"text": part["content"]}
    if part["type"] == "tool_call":
        return {"toolUse": {"toolUseId": part["id"], "name": part["name"], "input": part["arguments"]}}
    return {"toolResult": {"toolUseId": part["id"], "content": [{"text": part["result"]}], "status": "success"}}


def flat(history: str) -> list[Json]:
    """OpenLLMetry: an attribute for each member of a message."""
    attributes: Json = {"gen_ai.system": "OpenAI"}
    for number, message in enumerate(openai_messages(parse(history))):
        prefix = f"gen_ai.prompt.{number}"
        attributes[f"{prefix}.role"] = message["role"]
        for key in ("content", "tool_call_id"):
            if message.get(key):
                attributes[f"{prefix}.{key}"] = message[key]
        for place, call in enumerate(message.get("tool_calls") or ()):
            named = {"id": call["id"], **call["function"]}
            attributes |= {f"{prefix}.tool_calls.{place}.{key}": value for key, value in named.items()}
    return [span(1, "openai.chat", attributes)]


@pytest.mark.parametrize("written", [structured, details, events, strands, flat])
def test_the_messages_are_read_in_every_convention(written: Callable[[str], list[Json]], tmp_path: Path) -> None:
    (session,) = told(tmp_path, lines(written(BROKEN)))
    assert (session[0], session[1], session[3]) == ("otel", "broken", {"D3"})
    (session,) = told(tmp_path, lines(written("u | a{A,B} | r(A=x,B=y) | u")))
    assert (session[0], session[1]) == ("otel", "healthy")


def test_an_answer_in_an_event_or_in_attributes_waits_for_its_results(tmp_path: Path) -> None:
    call = openai_messages(parse("a{A}"))[0]
    (asked,) = events("u")
    asked["events"].append({"name": "gen_ai.choice", "attributes": {"index": 0, "message": json.dumps(call)}})
    assert told(tmp_path, [asked]) == [("otel", "waiting", 2, set())]
    (asked,) = flat("u")
    place = "gen_ai.completion.0"
    asked["attributes"] |= {f"{place}.role": "assistant", f"{place}.tool_calls.0.id": "A"}
    asked["attributes"][f"{place}.tool_calls.0.name"] = "Read"
    assert told(tmp_path, [asked]) == [("otel", "waiting", 2, set())]


def test_calls_without_ids_are_paired_by_their_order(tmp_path: Path) -> None:
    def without_ids(history: str) -> list[Json]:
        made = messages(parse(history))
        for part in (part for message in made for part in message["parts"]):
            part.pop("id", None)
        return made

    assert told(tmp_path, [chat(1, without_ids("u | a{A,B} | r(A=x,B=y) | u"), [])])[0][1] == "healthy"
    assert told(tmp_path, [chat(1, without_ids(BROKEN), [])])[0][3] == {"D3"}


def test_contents_that_were_left_out_are_not_empty_ones(tmp_path: Path) -> None:
    kept = messages(parse(EARLIER))
    for part in (part for message in kept for part in message["parts"]):
        for key in ("content", "arguments", "result"):
            part.pop(key, None)
    assert told(tmp_path, [chat(1, kept[:-1], kept[-1:])]) == [("otel", "healthy", 4, set())]


def test_reasoning_and_the_parts_of_other_tools_are_shown(tmp_path: Path) -> None:
    parts = [
        {"type": "reasoning", "content": "Let me see."},
        {"type": "server_tool_call", "id": "S", "name": "search", "server_tool_call": {"type": "search"}},
        {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
        {"type": "text", "content": "done"},
    ]
    sent = [*messages(parse("u")), {"role": "assistant", "parts": parts}, *messages(parse("u"))]
    assert told(tmp_path, [chat(1, sent, [])]) == [("otel", "healthy", 3, set())]
    output = product.run("convert", str(tmp_path / "trace"), "--to", "markdown", "-o", "-").output
    assert [words in output for words in ("Let me see.", "search", "uri", "done")] == [True] * 4


def test_spans_without_messages_are_no_log(tmp_path: Path) -> None:
    ((_, verdict, *_),) = told(tmp_path, [span(1, "chat", {"gen_ai.operation.name": "chat"})])
    assert verdict == "not-judged"


@pytest.mark.parametrize("export", ["an array", "a span a line", "the console", "OTLP"])
def test_of_a_trace_that_breaks_off_the_request_before_is_judged(export: str, tmp_path: Path) -> None:
    data = EXPORTS[export]([request(parse(BROKEN), 1), request(parse(EARLIER), 2)])
    found = told(tmp_path, data[: data.rindex(b"early") - 20])
    assert found == [("otel", "broken", 4, {"D3"})]


def test_a_span_of_a_tool_shows_that_its_call_ran(tmp_path: Path) -> None:
    tools = [
        span(3, "execute_tool Read", {"gen_ai.tool.call.id": "A"}),
        span(4, "execute_tool Read", {"gen_ai.tool.call.id": "B"}, status="ERROR"),
    ]
    path = tmp_path / "trace"
    path.write_text(json.dumps([request(parse("u | a{A@Bash,B@Bash,C@Bash}"), 2), *tools]))
    output = product.run("check", "-v", str(path)).output
    assert [output.count(words) for words in ("ended without an error", "ended with an error")] == [1, 1]


def test_it_is_never_written_and_the_converted_messages_are_repaired(tmp_path: Path) -> None:
    asked = request(parse(BROKEN))
    said = {"gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be kind."}])}
    asked["events"] = [{"name": "gen_ai.client.inference.operation.details", "attributes": said}]
    path = tmp_path / "trace"
    path.write_text(json.dumps([asked]))
    refused = product.repair(path, tmp_path / "out.json")
    assert (refused.code, (tmp_path / "out.json").exists()) == (1, False)
    assert "no program loads it" in refused.report["reason"]
    out = tmp_path / "messages.json"
    assert product.convert(path, "openai", out).code == 0
    assert json.loads(out.read_bytes())["messages"][0] == {"role": "system", "content": "Be kind."}
    assert product.repair(out, tmp_path / "repaired.json").code == 0
    assert product.check(tmp_path / "repaired.json").session["verdict"] == "healthy"
