"""What the tables of spellings say, the index reads, a person is shown, and an edit writes: the same members."""

from typing import Any

import pytest
from msgspec import Raw, Struct

from inspector.core.discovery.opening import open_log, source_of_bytes
from inspector.core.formats import FORMATS
from inspector.core.formats.base.langchain import reader as langchain
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic import schema as anthropic
from inspector.core.providers.bedrock_converse import schema as bedrock_converse
from inspector.core.providers.block_schema import (
    BlockSchema,
    ToolBlockSpec,
    alternative_call_ids,
    matching_spec,
    update_tool_block,
)
from inspector.core.providers.block_views import call_input, coerce_call_input, replace_result_content, result_content
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.message_fields import EMPTY_RAW, SkippedObject, decode_fitting_members
from inspector.core.providers.openai_chat import schema as openai_chat
from inspector.core.providers.openai_responses import schema as openai_responses
from inspector.core.storage.json_text import dump_json, parse_json, value_at
from tests.support.paths import SAMPLES

# One holds no calls, and the others are shown line by line.
WITHOUT = {"cline-ui", "kimi-cli-wire", "kiro-cli-v3"}


def spelled(row: ToolBlockSpec | None, block: Any) -> tuple[str | None, str | None]:
    """The id and the name of a block, as its row says."""
    assert row is not None
    return value_at(block, row.id) if row.id else None, value_at(block, row.name) if row.name else None


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - WITHOUT))
def test_the_index_reads_what_the_table_names(name: str) -> None:
    tools = 0
    for path in SAMPLES.glob(f"{name}-[bh]*"):
        log = open_log(source_of_bytes(path.read_bytes()), name)
        format, columns = FORMATS[name], log.columns
        for record in range(len(columns)):
            for ordinal, row in enumerate(columns.block_rows(record)):
                kind, raw = columns.block_kinds[row], log.raw(record)
                if kind not in (BlockKind.CALL, BlockKind.RESULT):
                    continue
                block = parse_json(format.block_bytes(columns, record, raw, ordinal))
                call_id, tool = spelled(matching_spec(format.block_schema.tool_specs(kind), block), block)
                if tool is None and kind == BlockKind.CALL:  # the AI SDK keeps the name of a tool in the type
                    tool = block.get("type", "").removeprefix("tool-")
                assert call_id in (columns.call_ids[row], None)
                assert columns.names[row] in (tool, None) or kind == BlockKind.RESULT
                shown = [view for view in format.view(raw).blocks if view.kind == kind]
                assert call_id is None or call_id in [view.call_id for view in shown]
                tools += 1
    assert tools


CALLS: list[tuple[str, BlockSchema, Any, str, str]] = [
    ("an object", anthropic.BLOCK_SCHEMA, {"id": "a", "name": "n", "input": {"x": 1}}, '{"x":1}', '{"x":1}'),
    (
        "a text",
        openai_chat.BLOCK_SCHEMA,
        {"id": "a", "function": {"name": "n", "arguments": '{"x":1}'}},
        '{"x":1}',
        r'"{\"x\":1}"',
    ),
    (
        "a custom tool",
        openai_chat.BLOCK_SCHEMA,
        {"id": "a", "custom": {"name": "n", "input": "x"}},
        '{"input":"x"}',
        '"x"',
    ),
    ("tau2's", openai_chat.BLOCK_SCHEMA, {"id": "a", "name": "n", "arguments": {"x": 1}}, '{"x":1}', '{"x":1}'),
    (
        "an item",
        openai_responses.BLOCK_SCHEMA,
        {"type": "function_call", "call_id": "a", "arguments": "{}"},
        "{}",
        '"{}"',
    ),
    (
        "an action",
        openai_responses.BLOCK_SCHEMA,
        {"type": "shell_call", "call_id": "a", "action": {"x": 1}},
        '{"x":1}',
        '{"x":1}',
    ),
    ("a part", gemini.BLOCK_SCHEMA, {"functionCall": {"name": "n", "args": {"x": 1}}}, '{"x":1}', '{"x":1}'),
    ("in snake_case", gemini.BLOCK_SCHEMA, {"function_call": {"name": "n", "args": {"x": 1}}}, '{"x":1}', '{"x":1}'),
    (
        "a member",
        bedrock_converse.BLOCK_SCHEMA,
        {"toolUse": {"toolUseId": "a", "input": {"x": 1}}},
        '{"x":1}',
        '{"x":1}',
    ),
    ("listed", langchain.BLOCK_SCHEMA, {"name": "n", "args": {"x": 1}, "id": "a"}, '{"x":1}', '{"x":1}'),
    ("no call", anthropic.BLOCK_SCHEMA, {}, '{"shown":1}', "{}"),
]


@pytest.mark.parametrize(("spelling", "call", "read", "sound"), [each[1:] for each in CALLS], ids=[c[0] for c in CALLS])
def test_the_input_of_a_call(spelling: BlockSchema, call: Any, read: str, sound: str) -> None:
    assert call_input(dump_json(call), '{"shown":1}', spelling).json.decode() == read
    given = coerce_call_input(call, spelling).decode()
    # A text with JSON is written anew where the text itself is what was asked for.
    assert parse_json(given.encode()) in (parse_json(sound.encode()), dump_json(parse_json(sound.encode())).decode())


RESULTS: list[tuple[BlockSchema, str, str | None, str | None]] = [
    (anthropic.BLOCK_SCHEMA, '{"tool_use_id":"a","content":["x"],"is_error":true}', '["x"]',
     '{"tool_use_id":"b","content":"note","is_error":true}'),
    (openai_chat.BLOCK_SCHEMA, '{"role":"tool","tool_call_id":"a","content":"x"}', '"x"',
     '{"role":"tool","tool_call_id":"b","content":"note"}'),
    (openai_chat.BLOCK_SCHEMA, '{"role":"tool","id":"a","requestor":"user","content":"x"}', '"x"',
     '{"role":"tool","id":"b","requestor":"user","content":"note"}'),
    (openai_responses.BLOCK_SCHEMA, '{"type":"function_call_output","call_id":"a","output":"x"}', '"x"',
     '{"type":"function_call_output","call_id":"b","output":"note"}'),
    (openai_responses.BLOCK_SCHEMA, '{"type":"computer_call_output","call_id":"a","output":{}}', "{}", None),
    (openai_responses.BLOCK_SCHEMA, '{"type":"local_shell_call_output","id":"a","output":"x"}', '"x"',
     '{"type":"local_shell_call_output","id":"b","output":"note"}'),
    (gemini.BLOCK_SCHEMA, '{"functionResponse":{"id":"a","name":"n","response":{"result":"x"}}}', '{"result":"x"}',
     '{"functionResponse":{"id":"b","name":"n","response":{"output":"note"}}}'),
    (bedrock_converse.BLOCK_SCHEMA, '{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}', '[{"text":"x"}]',
     '{"toolResult":{"toolUseId":"b","content":[{"text":"note"}]}}'),
    (langchain.BLOCK_SCHEMA, '{"type":"tool","data":{"tool_call_id":"a","content":"x"}}', '"x"',
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
    assert b'"name":"n"' in update_tool_block(dump_json(nameless), "", gemini.BLOCK_SCHEMA.results, None, None, "n")
    assert (
        update_tool_block(b'{"tool_call_id":"a"}', "", openai_chat.BLOCK_SCHEMA.results, None, None, "n")
        == b'{"tool_call_id":"a"}'
    )


def test_a_call_has_further_ids() -> None:
    call = {"id": "a", "call_id": "b", "response_item_id": 3, "item_id": ""}
    assert alternative_call_ids(call, openai_chat.BLOCK_SCHEMA) == ["b"]
    assert alternative_call_ids({"type": "function_call", **call}, openai_responses.BLOCK_SCHEMA) == ["a"]
    assert alternative_call_ids(call, anthropic.BLOCK_SCHEMA) == []


class Inner(Struct):
    text: str | None = None


class Outer(Struct, rename="camel"):
    is_error: bool | None = None
    content: str | list[Inner] | None = None
    given: SkippedObject | None = None
    inner: Inner | None = None
    raw: Raw = EMPTY_RAW
    count: int | None = None


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"isError": True, "content": "x", "given": {}, "inner": {"text": "y"}, "raw": [1], "count": 0},
         Outer(True, "x", SkippedObject(), Inner("y"), Raw(b"[1]"), 0)),
        ({"isError": 1, "content": ["x", {"text": 3}, {"text": "y"}], "given": [], "inner": "x", "raw": None,
          "count": False},
         Outer(None, [Inner(), Inner(), Inner("y")], None, None, Raw(b"null"))),
        (["x"], Outer()),
    ],
)  # fmt: skip
def test_what_fits_is_kept(value: Any, kept: Outer) -> None:
    assert decode_fitting_members(Outer, value) == kept


def test_every_format_with_calls_has_a_table() -> None:
    assert {name for name in FORMATS if not FORMATS[name].block_schema.calls} == WITHOUT - {"cline-ui"}
