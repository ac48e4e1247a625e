"""One JSON document: which arrays of messages are found, by a parser and by hand, and how much is read to tell it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import InspectorError
from inspector.core.formats import FORMATS
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.model.columnar_index import Columns
from inspector.core.model.session import LineNumbers, Log
from inspector.core.storage import json_spans
from inspector.core.storage.json_document import (
    DEFAULT_MESSAGE_PATHS,
    MessagePaths,
    _Walk,
    find_message_arrays,
    message_arrays_in_value,
    message_spans_in_tail,
)
from inspector.core.storage.json_spans import value_end
from inspector.core.storage.source import HEAD_SIZE, Source
from tests.support import product

USER = {"role": "user", "content": "hi"}
READ = {"type": "tool_use", "id": "A", "name": "Read", "input": {}}
OPEN = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "A", "type": "function", "function": {"name": "Read", "arguments": "{}"}}],
}
SPELLINGS: list[dict[str, Any]] = [{}, {"indent": 2}, {"separators": (",", ":")}]
REPLIES = MessagePaths(("input",), ("choices/message", "output"))
STATES = MessagePaths(("values/messages", "values/*"), message_keys=frozenset({"type"}))


def log(folder: Path, document: Any, **spelling: Any) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps(document, **spelling), "utf-8")
    return path


@pytest.mark.parametrize("spelling", SPELLINGS, ids=["spaced", "indented", "compact"])
@pytest.mark.parametrize(
    ("document", "shapes", "expected"),
    [
        ([USER, OPEN], DEFAULT_MESSAGE_PATHS, [[USER, OPEN]]),
        ({"model": "m", "messages": [USER], "tools": [{"x": [1]}]}, DEFAULT_MESSAGE_PATHS, [[USER]]),
        ([{"messages": [USER]}, {"id": 2, "messages": [OPEN]}], DEFAULT_MESSAGE_PATHS, [[USER], [OPEN]]),
        ([{"task": 1, "traj": [USER]}, {"traj": []}], DEFAULT_MESSAGE_PATHS, [[USER], []]),
        (
            {"info": [1], "simulations": [{"messages": [USER]}, {"messages": [OPEN]}]},
            DEFAULT_MESSAGE_PATHS,
            [[USER], [OPEN]],
        ),
        ({"custom_id": "a", "body": {"messages": [USER]}}, DEFAULT_MESSAGE_PATHS, [[USER]]),
        ({"custom_id": "a", "params": {"messages": [USER]}}, DEFAULT_MESSAGE_PATHS, [[USER]]),
        ({"messages": "none", "traj": [USER]}, DEFAULT_MESSAGE_PATHS, [[USER]]),
        ({"choices": [{"message": OPEN}, {"message": USER}]}, REPLIES, [[OPEN], [USER]]),
        ({"input": [USER], "output": [OPEN]}, REPLIES, [[USER], [OPEN]]),
        ({"input": "text", "output": "text"}, REPLIES, []),
        (
            {"values": {"x": [1], "y": [{"type": "ai"}], "z": [{"a": 1}], "messages": []}, "next": []},
            STATES,
            [[{"type": "ai"}], []],
        ),
        ({"role": "assistant", "content": []}, MessagePaths((), ("",)), [[{"role": "assistant", "content": []}]]),
        ([], DEFAULT_MESSAGE_PATHS, [[]]),
        ({}, DEFAULT_MESSAGE_PATHS, []),
    ],
)
def test_arrays_are_found_alike_by_parser_and_by_hand(
    document: Any, shapes: MessagePaths, expected: list[Any], spelling: dict[str, Any]
) -> None:
    text = json.dumps(document, **spelling).encode()
    arrays = find_message_arrays(b"\n " + text + b"\n", shapes)
    assert arrays.truncation is None
    found = [[json.loads((b"\n " + text)[start:end]) for start, end in each.spans] for each in arrays.arrays]
    assert found == expected
    by_hand = _Walk(text, shapes)
    by_hand.run(None)
    alone = [[document]] if "" in shapes.response_paths else []
    assert [[json.loads(text[slice(*span)]) for span in each.spans] for each in by_hand.found] + alone == expected
    if expected:
        assert sorted(map(str, message_arrays_in_value(document, shapes))) == sorted(map(str, expected))


def test_a_whole_document_is_parsed_and_a_cut_one_is_not() -> None:
    text = json.dumps({"messages": [USER, OPEN]}).encode()
    assert find_message_arrays(text).parsed
    cut = find_message_arrays(text[:-20])
    assert not cut.parsed
    assert cut.truncation is not None
    assert cut.truncation.closers == b"]}"
    assert len(cut.arrays[0].spans) == 1


@pytest.mark.parametrize("second", [[OPEN], [USER, OPEN]])
def test_a_repeated_key_is_read_as_it_stands(second: list[Any]) -> None:
    text = f'{{"messages":{json.dumps([USER])},"messages":{json.dumps(second)}}}'.encode()
    arrays = find_message_arrays(text)
    found = [[json.loads(text[slice(*span)]) for span in each.spans] for each in arrays.arrays]
    assert found == [[USER], second]


def test_contexts_and_roots() -> None:
    text = json.dumps([{"values": {"messages": [{"type": "ai"}]}, "next": []}]).encode()
    (array,) = find_message_arrays(text, STATES).arrays
    assert array.enclosing_object is not None
    assert array.outermost_object is not None
    assert json.loads(text[slice(*array.enclosing_object)]) == {"messages": [{"type": "ai"}]}
    assert json.loads(text[slice(*array.outermost_object)])["next"] == []


@pytest.mark.parametrize("spelling", SPELLINGS[:2])
@pytest.mark.parametrize(
    "document",
    [
        {"object": "chat.completion", "choices": [{"index": 0, "message": OPEN}]},
        {"id": "m", "type": "message", "role": "assistant", "content": [READ]},
        {"custom_id": "a", "response": {"body": {"choices": [{"message": OPEN}]}}},
    ],
)
def test_the_calls_of_a_response_are_pending(document: Any, spelling: dict[str, Any], tmp_path: Path) -> None:
    path = log(tmp_path, document, **spelling)
    answer = product.check(path)
    assert (answer.code, answer.session["verdict"], answer.rules) == (0, "waiting", {"D6"})
    out = tmp_path / "out.json"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_what_stands_behind_a_message_alone_goes(tmp_path: Path) -> None:
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    message = json.dumps({"role": "assistant", "content": [READ | {"name": ""}]}, indent=2)
    path.write_text(f"{message}\n]\n")
    assert product.check(path).errors == {"F1", "K7:A"}
    assert product.repair(path, out).code == 0
    assert out.read_text() == message.replace('"name": ""', '"name": "invalid_tool_call"')


def test_nothing_can_stand_beside_a_response(tmp_path: Path) -> None:
    path = log(tmp_path, {"choices": [{"message": OPEN}]})
    answer = product.repair(path, tmp_path / "out.json", strategies="D6=answer")
    assert answer.code != 0
    assert "Add the results to the history" in str(answer.report)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    "lines", [['{"custom_id":"a","body":{"messages":%s}}'] * 2, ['{"custom_id":"a","params":{"messages":%s}}'] * 2]
)
def test_a_line_of_a_batch_is_a_conversation(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(line % json.dumps([USER, OPEN, USER]) for line in lines) + "\n", "utf-8")
    assert [finding["rule"] for finding in product.check(path).findings if finding["severity"] == "error"] == ["D2"] * 2
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert len(out.read_bytes().splitlines()) == 2


@pytest.mark.parametrize(("spelling", "line"), [({}, 1), ({"indent": 1}, 7)])
def test_lines_are_counted(spelling: dict[str, Any], line: int, tmp_path: Path) -> None:
    path = log(tmp_path, {"messages": [USER, OPEN, USER]}, **spelling)
    (finding,) = [found for found in product.check(path).findings if found["severity"] == "error"]
    assert finding["line"] == line


class Counted(io.BytesIO):
    """A file that counts what is read of it."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.total += len(found)
        return found


@pytest.mark.parametrize(
    "document",
    [
        {"settings": ["x" * 1000] * 400, "messages": [USER, OPEN] * 20},
        {"settings": ["x" * 1000] * 400, "messages": [USER, OPEN] * 9000},
        {"settings": ["x" * 1000] * 400, "simulations": [{"messages": [USER, OPEN] * 20}] * 90},
        {"settings": ["x" * 1000] * 900},
        [{"role": "user", "content": "x" * 900_000}],
    ],
    ids=["in the tail", "larger than the tail", "nested", "nowhere", "one huge message"],
)
def test_detection_reads_the_head_and_the_tail_alone(document: Any) -> None:
    data = json.dumps(document).encode()
    file = Counted(data)
    head = Head(Source("-", file, len(data), {}))
    found = head.messages
    assert file.total <= 2 * HEAD_SIZE + 16
    if isinstance(document, list):
        assert found == []
    elif len(document) == 1:
        assert found is None
    else:
        assert found is not None
        assert {str(message.get("role")) for message in found} == {"user", "assistant"}


def test_a_torn_head_shows_whole_messages_alone() -> None:
    messages = [{"role": "tool", "content": "y" * 3000, "tool_call_id": "A", "last": True}] * 200
    head = Head(Source.of_bytes(json.dumps({"model": "m", "messages": messages}).encode()))
    assert head.context["model"] == "m"
    assert head.messages is not None
    assert all(message == messages[0] for message in head.messages)


def test_messages_of_a_tail() -> None:
    text = json.dumps({"messages": [USER] * 5, "end": [1]}).encode()
    assert len(message_spans_in_tail(text[20:])) == 4
    assert message_spans_in_tail(b'1,2,3],"x":[{"a":1}]}') == []


def test_a_tail_that_begins_within_a_message_is_not_measured_from_each_of_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = b",".join(b'{"type":"tool_use"}' for _ in range(1000)) + b"]},{" + json.dumps(USER).encode()[1:]
    measured: list[int] = []

    def measure(text: bytes, at: int) -> int:
        measured.append(at)
        return value_end(text, at)

    monkeypatch.setattr(json_spans, "value_end", measure)
    assert message_spans_in_tail(text) == []
    assert len(measured) < 200


def test_what_is_no_history_after_all_is_not_judged(tmp_path: Path) -> None:
    """The tail looks like messages, but where they stand no format keeps any."""
    path = log(tmp_path, {"pad": "x" * 400_000, "other": {"messages": [USER, OPEN]}})
    assert product.check(path).code == 3


LONG = 'x, \\" \\"tool_call_id\\":\\"no\\"} 潮 ' * 60
STAND_IN = "[Tool result missing due to internal error]"
MESSAGES: list[dict[str, Any]] = [
    {"role": "tool", "content": LONG, "tool_call_id": "A"},
    {"role": "tool", "content": LONG, "tool_call_id": "A", "name": "Read"},
    {"role": "tool", "tool_call_id": "A", "content": LONG},
    {"role": "tool", "content": LONG, "extra": {"a": 1, "tool_call_id": "B"}},
    {"role": "tool", "content": LONG, "extra": [{"a": 1, "tool_call_id": "B"}], "tool_call_id": "A"},
    {"role": "tool", "content": STAND_IN, "note": LONG, "tool_call_id": "A"},
    {"role": "tool", "content": STAND_IN, "tool_call_id": "A"},
    {"role": "tool", "content": LONG, "tool_call_id": 'A"é'},
    {"role": "tool", "content": LONG, "tool_call_id": None},
    {"role": "tool", "content": [{"type": "text", "text": LONG}], "tool_call_id": "A"},
    {"role": "assistant", "content": LONG, "tool_call_id": "A"},
    {"role": "assistant", "content": "", "tool_calls": []},
    {"role": "assistant", "tool_calls": [{"id": "A", "function": {"name": "f", "arguments": {}}}, {"id": None}]},
    {"role": "assistant", "tool_calls": [{"id": "A", "type": "custom", "custom": {"name": "f", "input": "x"}}]},
    {"role": "tool", "id": "A", "content": "x", "requestor": "user"},
    {"role": "user", "content": [], "name": 1},
    USER,
    OPEN,
    {},
]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=["spaced", "indented", "compact"])
@pytest.mark.parametrize("ascii_alone", [True, False])
def test_many_messages_are_indexed_as_each_of_them_is(spelling: dict[str, Any], ascii_alone: bool) -> None:
    chat = FORMATS["openai-chat"]
    assert isinstance(chat, MessageArrays)
    for messages in (MESSAGES, [each for each in MESSAGES if each.get("name") != 1]):
        text = json.dumps(messages, ensure_ascii=ascii_alone, **spelling).encode()
        spans = find_message_arrays(text).arrays[0].spans
        together, one_by_one = Columns(), Columns()
        chat.add_all(together, memoryview(text), spans, 7)
        for start, end in spans:
            chat.index_record(one_by_one, text[start:end], 7 + start, 7 + end)
        for name in Columns.__slots__:
            assert getattr(together, name) == getattr(one_by_one, name), name


QUOTED = {"role": "assistant", "content": "", "tool_calls": [{"id": "A", "function": {"name": "f", "arguments": "{}"}}]}
HISTORY = [USER, OPEN, {"role": "tool", "content": 'x},{"role":"y"} 潮' * 9, "tool_call_id": "A"}, QUOTED, USER]
BLOCKS = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f", "input": {"of": [USER, USER]}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "é" * 99}]},
    {"role": "assistant", "content": "done"},
]
ITEMS = [{"type": "function_call", "call_id": "A", "name": "f", "arguments": "{}"}] * 3
PIECES = {
    "list": ("openai-chat", HISTORY),
    "body": ("openai-chat", {"model": "m", "messages": HISTORY}),
    "members behind": ("openai-chat", {"messages": HISTORY, "tools": [{"name": "f", "x": [1, {"role": "y"}]}]}),
    "within": ("openai-chat", {"custom_id": "a", "body": {"messages": HISTORY, "n": 1}, "z": {}}),
    "blocks": ("anthropic-messages", {"messages": [each for each in BLOCKS if "input" not in str(each)]}),
    "a response": ("openai-responses", {"id": "r", "output": ITEMS, "status": "completed"}),
}
WHOLE = {
    "another history is quoted": ("anthropic-messages", BLOCKS),
    "another first key": ("openai-chat", [*HISTORY, {"content": "x", "role": "user"}, USER]),
    "no message": ("openai-chat", [USER, USER, 1, USER, {"role": 3}, USER]),
    "one message": ("openai-chat", [USER]),
    "two arrays": ("openai-chat", {"messages": HISTORY, "traj": [USER]}),
    "several conversations": ("openai-chat", [{"messages": HISTORY}, {"messages": HISTORY}]),
}


def in_pieces(source: Source, format_name: str) -> bool:
    """Whether a document that is large enough is read in pieces."""
    format = FORMATS[format_name]
    assert isinstance(format, MessageArrays)
    return format._index_pieces(Log(source, format_name, Columns(), []), ReadOptions())


def as_read(text: bytes, format_name: str) -> tuple[Any, ...] | str:
    """What a fast look at a document finds: columns, layout and line numbers."""
    try:
        log = FORMATS[format_name].index(Source.of_bytes(text), ReadOptions())
    except InspectorError as error:
        return str(error)
    lines = LineNumbers(log)
    columns = [getattr(log.columns, name) for name in Columns.__slots__[3:]]
    return (
        columns,
        log.sequences,
        log.truncation,
        [lines.line_of(record) for record in range(len(log.columns))],
        len(log.sessions),
    )


def read_whole(text: bytes, format_name: str) -> tuple[Any, ...] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MessageArrays, "_index_pieces", lambda *_: False)
        return as_read(text, format_name)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=["spaced", "indented", "compact"])
@pytest.mark.parametrize("name", [*PIECES, *WHOLE])
@pytest.mark.parametrize("chunk", [16, 100, 1 << 20])
def test_a_document_read_in_pieces_is_as_one_read_whole(
    name: str, spelling: dict[str, Any], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.core.storage.source._CHUNK", chunk)
    monkeypatch.setattr("inspector.core.storage.source._FIRST_CHUNK", chunk)
    format_name, document = (PIECES | WHOLE)[name]
    text = json.dumps(document, ensure_ascii=chunk == 16, **spelling).encode()
    # A history that is quoted stands further in, so that its own separators are others.
    possible = name in PIECES or (name == "another history is quoted" and "indent" in spelling)
    for lead, tail in ((b"", b""), (b"\xef\xbb\xbf\n ", b"\n"), (b"", b"\n\n"), (b"", b"]"), (b"", b"\n{}")):
        source = Source.of_bytes(lead + text + tail)
        assert in_pieces(source, format_name) == (possible and not tail.strip())
        assert as_read(lead + text + tail, format_name) == read_whole(lead + text + tail, format_name)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=["spaced", "indented", "compact"])
def test_a_damaged_document_is_never_read_in_pieces(spelling: dict[str, Any]) -> None:
    text = json.dumps({"model": "m", "messages": HISTORY, "n": 1}, **spelling).encode()
    for at in range(len(text) - 1, 0, -3):
        assert not in_pieces(Source.of_bytes(text[:at]), "openai-chat")
        torn = text[:at] + b'"' + text[at:]
        assert as_read(torn, "openai-chat") == read_whole(torn, "openai-chat")
    twice = text.replace(b'"model"', b'"messages"')
    repeated = text[:-1] + b', "messages": []}'
    for damaged in (text.replace(b"done", b"do\x01ne"), twice, repeated, text.replace(b"{}", b"\\ud83d", 1)):
        assert as_read(damaged, "openai-chat") == read_whole(damaged, "openai-chat")
