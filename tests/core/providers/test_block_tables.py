"""What the tables of spellings say, the index reads, a person is shown, and an edit writes: the same members."""

from typing import Any

import pytest
from msgspec import Raw, Struct

from inspector.core.discovery.opening import open_log
from inspector.core.formats import FORMATS
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    BlockSchema,
    ToolSpec,
    alternative_call_ids,
    matching_spec,
    update_tool_block,
)
from inspector.core.providers.block_tables import (
    ANTHROPIC,
    BEDROCK_CONVERSE,
    GEMINI,
    LANGCHAIN,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
)
from inspector.core.providers.block_views import call_input, replace_result_content, result_content, valid_call_input
from inspector.core.providers.message_fields import EMPTY_RAW, SkippedObject, decode_fitting_members
from inspector.core.storage.json_text import dump_json, parse_json, value_at
from inspector.core.storage.source import Source
from tests.support.paths import SAMPLES

# One holds no calls, and the other is shown event by event.
WITHOUT = {"cline-ui", "kimi-cli-wire"}


def spelled(row: ToolSpec | None, block: Any) -> tuple[str | None, str | None]:
    """The id and the name of a block, as its row says."""
    assert row is not None
    return value_at(block, row.id) if row.id else None, value_at(block, row.name) if row.name else None


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - WITHOUT))
def test_the_index_reads_what_the_table_names(name: str) -> None:
    tools = 0
    for path in SAMPLES.glob(f"{name}-[bh]*"):
        log = open_log(Source.of_bytes(path.read_bytes(), str(path)), name)
        format, columns = FORMATS[name], log.columns
        for record in range(len(columns)):
            for ordinal, row in enumerate(columns.block_rows(record)):
                kind, raw = columns.block_kinds[row], log.raw(record)
                if kind not in (BlockKind.CALL, BlockKind.RESULT):
                    continue
                block = parse_json(format.block_bytes(columns, record, raw, ordinal))
                call_id, tool = spelled(matching_spec(format.block_schema.tool_specs(kind), block), block)
                assert call_id in (columns.call_ids[row], None)
                assert columns.names[row] in (tool, None) or kind == BlockKind.RESULT
                shown = [view for view in format.view(raw).blocks if view.kind == kind]
                assert call_id is None or call_id in [view.call_id for view in shown]
                tools += 1
    assert tools


CALLS: list[tuple[str, BlockSchema, Any, str, str]] = [
    ("an object", ANTHROPIC, {"id": "a", "name": "n", "input": {"x": 1}}, '{"x":1}', '{"x":1}'),
    ("a text", OPENAI_CHAT, {"id": "a", "function": {"name": "n", "arguments": '{"x":1}'}}, '{"x":1}', r'"{\"x\":1}"'),
    ("a custom tool", OPENAI_CHAT, {"id": "a", "custom": {"name": "n", "input": "x"}}, '{"input":"x"}', '"x"'),
    ("tau2's", OPENAI_CHAT, {"id": "a", "name": "n", "arguments": {"x": 1}}, '{"x":1}', '{"x":1}'),
    ("an item", OPENAI_RESPONSES, {"type": "function_call", "call_id": "a", "arguments": "{}"}, "{}", '"{}"'),
    ("an action", OPENAI_RESPONSES, {"type": "shell_call", "call_id": "a", "action": {"x": 1}}, '{"x":1}', '{"x":1}'),
    ("a part", GEMINI, {"functionCall": {"name": "n", "args": {"x": 1}}}, '{"x":1}', '{"x":1}'),
    ("in snake_case", GEMINI, {"function_call": {"name": "n", "args": {"x": 1}}}, '{"x":1}', '{"x":1}'),
    ("a member", BEDROCK_CONVERSE, {"toolUse": {"toolUseId": "a", "input": {"x": 1}}}, '{"x":1}', '{"x":1}'),
    ("listed", LANGCHAIN, {"name": "n", "args": {"x": 1}, "id": "a"}, '{"x":1}', '{"x":1}'),
    ("no call", ANTHROPIC, {}, '{"shown":1}', "{}"),
]


@pytest.mark.parametrize(("spelling", "call", "read", "sound"), [each[1:] for each in CALLS], ids=[c[0] for c in CALLS])
def test_the_input_of_a_call(spelling: BlockSchema, call: Any, read: str, sound: str) -> None:
    assert call_input(dump_json(call), '{"shown":1}', spelling).json.decode() == read
    given = valid_call_input(call, spelling).decode()
    # A text with JSON is written anew where the text itself is what was asked for.
    assert parse_json(given.encode()) in (parse_json(sound.encode()), dump_json(parse_json(sound.encode())).decode())


RESULTS: list[tuple[BlockSchema, str, str | None, str | None]] = [
    (ANTHROPIC, '{"tool_use_id":"a","content":["x"],"is_error":true}', '["x"]',
     '{"tool_use_id":"b","content":"note","is_error":true}'),
    (OPENAI_CHAT, '{"role":"tool","tool_call_id":"a","content":"x"}', '"x"',
     '{"role":"tool","tool_call_id":"b","content":"note"}'),
    (OPENAI_CHAT, '{"role":"tool","id":"a","requestor":"user","content":"x"}', '"x"',
     '{"role":"tool","id":"b","requestor":"user","content":"note"}'),
    (OPENAI_RESPONSES, '{"type":"function_call_output","call_id":"a","output":"x"}', '"x"',
     '{"type":"function_call_output","call_id":"b","output":"note"}'),
    (OPENAI_RESPONSES, '{"type":"computer_call_output","call_id":"a","output":{}}', "{}", None),
    (OPENAI_RESPONSES, '{"type":"local_shell_call_output","id":"a","output":"x"}', '"x"',
     '{"type":"local_shell_call_output","id":"b","output":"note"}'),
    (GEMINI, '{"functionResponse":{"id":"a","name":"n","response":{"result":"x"}}}', '{"result":"x"}',
     '{"functionResponse":{"id":"b","name":"n","response":{"output":"note"}}}'),
    (BEDROCK_CONVERSE, '{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}', '[{"text":"x"}]',
     '{"toolResult":{"toolUseId":"b","content":[{"text":"note"}]}}'),
    (LANGCHAIN, '{"type":"tool","data":{"tool_call_id":"a","content":"x"}}', '"x"',
     '{"type":"tool","data":{"tool_call_id":"b","content":"note"}}'),
    (BlockSchema(), '{"content":"x"}', None, None),
]  # fmt: skip


@pytest.mark.parametrize(("spelling", "result", "content", "edited"), RESULTS)
def test_a_result_is_read_and_edited_where_it_stands(
    spelling: BlockSchema, result: str, content: str | None, edited: str | None
) -> None:
    found = result_content(result.encode(), spelling)
    assert (found and found.decode()) == content
    noted = replace_result_content(result.encode(), "note", spelling)
    assert (noted and update_tool_block(noted, "", spelling.results, "b", None, None).decode()) == edited


def test_a_name_is_added_where_the_wire_wants_one() -> None:
    nameless = {"functionResponse": {"id": "a", "response": {}}}
    assert b'"name":"n"' in update_tool_block(dump_json(nameless), "", GEMINI.results, None, None, "n")
    assert (
        update_tool_block(b'{"tool_call_id":"a"}', "", OPENAI_CHAT.results, None, None, "n") == b'{"tool_call_id":"a"}'
    )


def test_a_call_has_further_ids() -> None:
    call = {"id": "a", "call_id": "b", "response_item_id": 3, "item_id": ""}
    assert alternative_call_ids(call, OPENAI_CHAT) == ["b"]
    assert alternative_call_ids({"type": "function_call", **call}, OPENAI_RESPONSES) == ["a"]
    assert alternative_call_ids(call, ANTHROPIC) == []


class Inner(Struct):
    text: str | None = None


class Outer(Struct, rename="camel"):
    is_error: bool | None = None
    content: str | list[Inner] | None = None
    given: SkippedObject | None = None
    inner: Inner | None = None
    raw: Raw = EMPTY_RAW


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"isError": True, "content": "x", "given": {}, "inner": {"text": "y"}, "raw": [1]},
         Outer(True, "x", SkippedObject(), Inner("y"), Raw(b"[1]"))),
        ({"isError": 1, "content": ["x", {"text": 3}, {"text": "y"}], "given": [], "inner": "x", "raw": None},
         Outer(None, [Inner(), Inner(), Inner("y")], None, None, Raw(b"null"))),
        (["x"], Outer()),
    ],
)  # fmt: skip
def test_what_fits_is_kept(value: Any, kept: Outer) -> None:
    assert decode_fitting_members(Outer, value) == kept


def test_every_format_with_calls_has_a_table() -> None:
    assert {name for name in FORMATS if not FORMATS[name].block_schema.calls} == WITHOUT - {"cline-ui"}
