"""OpenAI Responses: a list of items; a call and its output are items of their own, bound by `call_id`.

Source of the shapes: the `openai` SDK's `types/responses/response_input_item_param.py`; which output answers which
call: openai-agents `run_internal/items.py`. An output answers only a call of its own family. Codex answers a
`local_shell_call` by a `function_call_output`, so both are one family here.
"""

from functools import partial
from operator import eq
from typing import Any

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    split_type_names,
)
from inspector.core.providers.block_views import block_views, call_view, format_arguments, result_view, text_or_json
from inspector.core.providers.fast_message_check import SimpleMessage, is_json_object_text, is_nonblank_text_content
from inspector.core.providers.malformed_precheck import is_null, is_text, may_be_malformed_content
from inspector.core.providers.message_fields import EMPTY_RAW, decode_fitting_members, result_content_flags, result_text
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json, pretty_json, value_at

ROLE_BY_NAME = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}

FUNCTION, CUSTOM, COMPUTER, SHELL, PATCH, SEARCH, APPROVAL = range(7)
CALL_TYPES = {
    "function_call": FUNCTION,
    "local_shell_call": FUNCTION,
    "custom_tool_call": CUSTOM,
    "computer_call": COMPUTER,
    "shell_call": SHELL,
    "apply_patch_call": PATCH,
    "tool_search_call": SEARCH,
    "mcp_approval_request": APPROVAL,
}
OUTPUT_TYPES = {
    "function_call_output": FUNCTION,
    "local_shell_call_output": FUNCTION,
    "custom_tool_call_output": CUSTOM,
    "computer_call_output": COMPUTER,
    "shell_call_output": SHELL,
    "apply_patch_call_output": PATCH,
    "tool_search_output": SEARCH,
    "mcp_approval_response": APPROVAL,
}
# Calls that name their tool; the other kinds are tools themselves.
NAMED_CALL_TYPES = frozenset({"function_call", "custom_tool_call"})
# Calls whose output is a text that does not say whether the call failed.
TEXT_OUTPUT_CALL_TYPES = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
TEXT_OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output"})
# Calls that the provider runs: they hold their own result or need none. A program runs until its own calls are done.
SERVER_CALL_TYPES = frozenset(
    {
        "mcp_call",
        "mcp_list_tools",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "program",
        "program_output",
    }
)
# Items that are no messages: a reference to something on the server, a setting, a compacted history.
NON_MESSAGE_TYPES = frozenset(
    {"item_reference", "compaction", "compaction_trigger", "additional_tools", "configuration_update"}
)
ITEM_TYPES = (
    frozenset({"message", "reasoning"})
    | CALL_TYPES.keys()
    | OUTPUT_TYPES.keys()
    | SERVER_CALL_TYPES
    | NON_MESSAGE_TYPES
)

# What Codex sends of another agent, and of a compaction of its own.
_ITEM_TYPES_OF_CODEX = frozenset({"agent_message", "context_compaction"})

# As in rs_0a038568becf80fb0068e9630ad5248197… and fc_0a038568becf80fb0068e9630e5fd081978… (mastra-ai/mastra#8738): the
# response, then the time and a number of the item's own.
_RESPONSE_DIGITS = 16
# Items whose own id is not required: older versions of Codex send none (codex-rs protocol/src/models.rs; 0.169.0 sends
# them), pi leaves it out if the reasoning is gone (pi-mono transform-messages.ts).
ID_NOT_REQUIRED_TYPES = frozenset({"message", "function_call", "custom_tool_call"})
# The prefixes of an item's own id by its type; the first is the one that the API requires. Sources: `id_prefix` in
# openai/codex, codex-rs protocol/src/models.rs @152e7ca, and what the API answers (openai/codex #33176 and #40039,
# jlcodes99/cockpit-tools#2090, BigPizzaV3/CodexPlusPlus#1796). The prefixes of other kinds of items are not known.
ITEM_ID_PREFIXES = {
    "message": ("msg", "amsg"),
    "reasoning": ("rs",),
    "function_call": ("fc",),
    "function_call_output": ("fc",),
    "custom_tool_call": ("ctc",),
    "custom_tool_call_output": ("ctc",),
    "web_search_call": ("ws",),
}

_NAMED = CallSpec(id="/call_id", as_text=True, shown=format_arguments, alternative_ids=("/id", "/item_id"))
_NO_NAME = replace(_NAMED, name="", as_text=False)
_OUTPUT = ResultSpec(id="/call_id", content="/output", status="/status", failed=partial(eq, "failed"))
BLOCK_SCHEMA = BlockSchema(
    kinds={
        **dict.fromkeys(("input_text", "output_text", "text", "refusal", "summary_text"), BlockKind.TEXT),
        **dict.fromkeys(("input_image", "input_file", "input_audio"), BlockKind.MEDIA),
    },
    text_pointers=("/text", "/refusal"),
    calls=(
        replace(_NAMED, types=split_type_names("custom_tool_call"), input=("/input", "/arguments"), shown=text_or_json),
        replace(_NAMED, types=split_type_names("function_call"), input=("/arguments", "/input")),
        replace(_NO_NAME, types=split_type_names("local_shell_call shell_call computer_call"), input=("/action",)),
        replace(_NO_NAME, types=split_type_names("apply_patch_call"), input=("/operation",)),
        replace(_NO_NAME, types=split_type_names("mcp_approval_request"), id="/id", input=("/arguments",)),
        replace(_NO_NAME, input=("/arguments",)),
    ),
    results=(
        # The type of a local shell's output names its call by `id`; programs write `call_id`.
        replace(_OUTPUT, types=split_type_names("local_shell_call_output"), has="/call_id"),
        replace(_OUTPUT, types=split_type_names("local_shell_call_output"), id="/id"),
        replace(_OUTPUT, types=split_type_names("computer_call_output shell_call_output"), told=None),
        replace(
            _OUTPUT, types=split_type_names("mcp_approval_response"), id="/approval_request_id", content="", told=None
        ),
        _OUTPUT,
    ),
    media=ALL_MEDIA_SPECS,
    media_keys=("content",),
    kept_in=("output",),
)

_USUAL_STATUSES = (None, "completed", "in_progress", "incomplete")
_TEXTS = frozenset({"input_text", "output_text", "summary_text"})
_OTHER_PLAIN_PARTS = frozenset({"refusal"})


class ResponsesItem(Struct, gc=False):
    """The fields of an item that the index needs."""

    type: str | None = None
    role: str | None = None
    id: str | None = None
    call_id: str | None = None
    approval_request_id: str | None = None
    name: str | None = None
    execution: str | None = None
    content: Raw = EMPTY_RAW
    arguments: Raw = EMPTY_RAW
    input: Raw = EMPTY_RAW
    output: Raw = EMPTY_RAW
    status: str | None = None
    phase: str | None = None
    namespace: str | None = None
    is_async: bool | None = field(default=None, name="async")
    caller: Raw = EMPTY_RAW


def decode_item(value: Any) -> ResponsesItem:
    """Decode the members that fit an item. An own id of another type than text is kept as JSON."""
    item = decode_fitting_members(ResponsesItem, value)
    if item.id is None and (own := value_at(value, "/id")) is not None:
        item.id = pretty_json(own)
    return item


def item_type(item: ResponsesItem) -> str:
    """Return the type of an item. Without a type, one with a role is a message, one with only an id a reference."""
    if item.type is not None:
        return item.type
    if item.role is not None:
        return "message"
    return "item_reference" if item.id is not None and not len(item.content) else ""


def item_role(item: ResponsesItem) -> Role:
    """Return the role of an item. Calls and reasoning belong to the assistant, outputs to a tool."""
    kind = item_type(item)
    if kind == "message":
        return ROLE_BY_NAME.get(item.role or "", Role.OPAQUE)
    if kind in OUTPUT_TYPES:
        return Role.TOOL
    if kind in NON_MESSAGE_TYPES:
        return Role.LINK
    return Role.ASSISTANT if kind in CALL_TYPES or kind in SERVER_CALL_TYPES or kind == "reasoning" else Role.OPAQUE


def has_wrong_id_prefix(item: ResponsesItem) -> bool:
    """Return whether an item's own id lacks the prefix of its type. An item without an id has no wrong prefix."""
    return item.id is not None and not item.id.startswith(ITEM_ID_PREFIXES.get(item_type(item), ""))


def add_item_blocks(columns: Columns, item: ResponsesItem) -> None:
    """Append the blocks of an item to the newest record: one block, or for a message one for every part."""
    kind = item_type(item)
    if kind == "message":
        _add_content(columns, item.content)
    elif kind in CALL_TYPES:
        family = CALL_TYPES[kind]
        if family == SEARCH and (item.call_id is None or item.execution == "server"):
            columns.add_block(BlockKind.SERVER_CALL, 0, item.call_id, kind)
            return
        flags = BlockFlag.BAD_INPUT if _is_bad_input(kind, item) else 0
        name = item.name if kind in NAMED_CALL_TYPES else item.name or kind
        columns.add_block(BlockKind.CALL, flags | family << BlockFlag.CALL_TYPE_SHIFT, call_id_of_item(item), name)
    elif kind in OUTPUT_TYPES:
        family = OUTPUT_TYPES[kind]
        if family == SEARCH and (item.call_id is None or item.execution == "server"):
            columns.add_block(BlockKind.SERVER_RESULT, 0, item.call_id)
            return
        columns.add_block(
            BlockKind.RESULT,
            result_content_flags(item.output) | family << BlockFlag.CALL_TYPE_SHIFT,
            call_id_of_item(item),
        )
    elif kind in SERVER_CALL_TYPES:
        columns.add_block(BlockKind.SERVER_CALL, 0, item.id, item.name or kind)
    elif kind == "reasoning":
        columns.add_block(BlockKind.THINKING, reasoning_flags(item), item.id, kind)
    else:
        columns.add_block(BlockKind.OTHER, 0, None, kind)


def reasoning_flags(item: ResponsesItem) -> int:
    """Return the flags of an item of reasoning."""
    content = item.content
    return BlockFlag.CONTENT_LIST if len(content) > len(b"[]") and bytes(content)[:1] == b"[" else 0


def call_id_of_item(item: ResponsesItem) -> str | None:
    """Return the id that binds a call and its output."""
    kind = item_type(item)
    if kind == "mcp_approval_request":
        return item.id
    if kind == "mcp_approval_response":
        return item.approval_request_id
    # The type of a local shell's output names its call by `id`; programs write `call_id`.
    return item.call_id or (item.id if kind == "local_shell_call_output" else item.call_id)


def _is_bad_input(kind: str, item: ResponsesItem) -> bool:
    """Return whether the input of a call is no text. The text itself is the model's and is never judged."""
    if kind == "function_call":
        return bytes(item.arguments)[:1] != b'"'
    return kind == "custom_tool_call" and bytes(item.input)[:1] != b'"'


def _add_content(columns: Columns, content: Raw) -> None:
    raw = bytes(content)
    if raw[:1] == b'"':
        if raw != b'""':
            columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING)
        return
    parts = parse_json(raw) if raw[:1] == b"[" else []
    for part in parts:
        columns.add_block(BLOCK_SCHEMA.block_kind(str(value_at(part, "/type"))))


def may_be_malformed(item: ResponsesItem) -> bool:
    kind = item_type(item)
    if item.status not in _USUAL_STATUSES or not is_null(item.caller) or item.phase is not None:
        return True
    if kind == "message":
        if item.role == "user" or item.role == "assistant":
            return not is_null(item.content) and may_be_malformed_content(item.content, _TEXTS, _OTHER_PLAIN_PARTS)
        return item.role not in ROLE_BY_NAME or not is_text(item.content)
    if kind == "function_call" or kind == "custom_tool_call":
        return False
    if kind == "item_reference":
        return item.id is None
    return kind not in TEXT_OUTPUT_TYPES or not is_text(item.output)


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of block `ordinal` in an item: a part of a message, else the item itself."""
    row = columns.first_block[record] + ordinal
    if columns.roles[record] not in (Role.USER, Role.SYSTEM) and columns.block_kinds[row] not in (
        BlockKind.TEXT,
        BlockKind.MEDIA,
    ):
        return ""
    return "/content" if columns.block_flags[row] & BlockFlag.PLAIN_STRING else f"/content/{ordinal}"


def views_of_item(item: dict[str, Any], at: str = "") -> tuple[BlockView, ...]:
    """Return the blocks of a parsed item for display. `at` is the item's own pointer."""
    kind = item_type(decode_fitting_members(ResponsesItem, item))
    if kind == "message":
        return block_views(BLOCK_SCHEMA, item.get("content") or (), f"{at}/content")
    own = bool(item.get("call_id")) and item.get("execution") != "server"
    name = str(item.get("name") or kind)
    if kind in CALL_TYPES:
        block = BlockKind.SERVER_CALL if CALL_TYPES[kind] == SEARCH and not own else BlockKind.CALL
        view = call_view(item, BLOCK_SCHEMA, at, block)
        return (replace(view, text=_input_text(item, kind) or view.text, name=name),)
    if kind in OUTPUT_TYPES:
        block = BlockKind.SERVER_RESULT if OUTPUT_TYPES[kind] == SEARCH and not own else BlockKind.RESULT
        return (replace(result_view(item, BLOCK_SCHEMA, at, block), text=_output_text(item, kind)),)
    if kind in SERVER_CALL_TYPES:
        return (BlockView(BlockKind.SERVER_CALL, pretty_json(item), at, name, str(item.get("id") or "")),)
    if kind == "reasoning":
        parts = [item.get(key) for key in ("summary", "content") if isinstance(item.get(key), list)]
        reasoning = "\n".join(text for part in parts if (text := result_text(part)))
        return (BlockView(BlockKind.THINKING, reasoning or "[encrypted reasoning]", at),)
    return (BlockView(BlockKind.OTHER, pretty_json(item), at, kind),)


def _input_text(item: dict[str, Any], kind: str) -> str:
    """Return the input of a call whose tool has a type of its own, "" for other calls."""
    if kind in NAMED_CALL_TYPES:
        return ""
    known = ("type", "id", "call_id", "name", "status")
    return pretty_json({key: value for key, value in item.items() if key not in known})


def _output_text(item: dict[str, Any], kind: str) -> str:
    if kind == "mcp_approval_response":
        return f"approve: {pretty_json(item.get('approve'))} {item.get('reason') or ''}".strip()
    return result_text(item.get("output", item.get("tools")))


def are_of_one_response(one: str, other: str) -> bool:
    """Return whether two items come from the same response: their ids (rs_0a03…, fc_0a03…) share its digits."""
    first, second = (name.partition("_")[2][:_RESPONSE_DIGITS] for name in (one, other))
    return len(first) == _RESPONSE_DIGITS and first == second


def without_item_id(item: bytes) -> bytes:
    """Return an item without the id by which the provider finds its reasoning; unchanged if the id is required."""
    value = parse_json(item)
    if (
        not isinstance(value, dict)
        or item_type(decode_fitting_members(ResponsesItem, value)) not in ID_NOT_REQUIRED_TYPES
    ):
        return item
    return json_edits.remove_member(item, "", "id")


def can_make_output(family: int) -> bool:
    """Return whether a placeholder output can be written for a family of calls.

    The output of a computer is a picture of its screen, which cannot be made. An approval is the user's decision.
    """
    return family not in (COMPUTER, APPROVAL)


def make_placeholder_output(call: dict[str, Any], text: str) -> dict[str, Any]:
    """Return an output that replaces a missing one, of the type that answers this call."""
    kind, call_id = str(call.get("type", "")), call.get("call_id")
    if kind == "custom_tool_call":
        return {"type": "custom_tool_call_output", "call_id": call_id, "output": text}
    if kind == "shell_call":
        run = {"stdout": "", "stderr": text, "outcome": {"type": "timeout"}}
        return {"type": "shell_call_output", "call_id": call_id, "output": [run]}
    if kind == "apply_patch_call":
        return {"type": "apply_patch_call_output", "call_id": call_id, "status": "failed", "output": text}
    if kind == "local_shell_call":
        return {"type": "local_shell_call_output", "id": call_id, "output": dump_json({"output": text}).decode()}
    if kind == "tool_search_call":
        output = {"type": "tool_search_output", "call_id": call_id, "status": "completed"}
        return output | {"execution": "client", "tools": []}
    if kind == "mcp_approval_request":
        return {
            "type": "mcp_approval_response",
            "approval_request_id": call.get("id"),
            "approve": False,
            "reason": text,
        }
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def can_make_invented_call(family: int) -> bool:
    """Return whether a call can be written of which only the output is known. Other families need an action."""
    return family in (FUNCTION, CUSTOM)


def make_invented_call_items(output: Any, call_id: str, name: str, note: str) -> list[dict[str, Any]]:
    """Return a message with a note, and a call of which only the output is known, of the type that it answers."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": note}]}
    if isinstance(output, dict) and output.get("type") == "custom_tool_call_output":
        return [message, {"type": "custom_tool_call", "call_id": call_id, "name": name, "input": ""}]
    return [message, {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}]


def make_user_item(text: str) -> dict[str, Any]:
    """Return a user message, in the long form that every reader of items accepts."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


# Encoding for a request.


def stored_item_as_sent(item: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return an item of a log as it is sent, b"" for one of another shape."""
    return raw if str(item.get("type")) in ITEM_TYPES | _ITEM_TYPES_OF_CODEX else b""


def encode_call(call_id: str, name: str, input: bytes) -> bytes:
    call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": input.decode("utf-8", "replace")}
    return dump_json(call)


def encode_output(call_id: str, text: str) -> bytes:
    return dump_json({"type": "function_call_output", "call_id": call_id, "output": text})


def encode_message(role: str, text: str) -> bytes:
    kind = "output_text" if role == "assistant" else "input_text"
    return dump_json({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


# The quick reader of plainly spelled items, for `plain_messages`.

_MESSAGE_KEYS, _PART_KEYS = {"type", "role", "content", "id", "status"}, {"type", "text", "annotations", "logprobs"}
_CALL_KEYS = {"type", "id", "call_id", "name", "arguments", "status"}
_OUTPUT_KEYS = {"type", "id", "call_id", "output", "status"}


def read_simple_message(value: Any) -> SimpleMessage | None:
    """Read an item, or return None where it is not spelled plainly."""
    if type(value) is not dict or value.get("status") not in _USUAL_STATUSES:
        return None
    kind = value.get("type", "message")
    if kind == "function_call":
        if (
            not value.keys() <= _CALL_KEYS
            or not _own_id(value, "fc")
            or not is_json_object_text(value.get("arguments"))
        ):
            return None
        return SimpleMessage("assistant", [(value.get("call_id"), value.get("name"))], [], False, value.get("id"))
    if kind == "function_call_output":
        if not value.keys() <= _OUTPUT_KEYS or not _own_id(value, "fc") or type(value.get("output")) is not str:
            return None
        return SimpleMessage("tool", [], [(value.get("call_id"), "")], False)
    role = value.get("role")
    if kind != "message" or not value.keys() <= _MESSAGE_KEYS or not _own_id(value, "msg"):
        return None
    if role not in ("user", "assistant", "system", "developer"):
        return None
    content = value.get("content")
    if not is_nonblank_text_content(content, "output_text" if role == "assistant" else "input_text", _PART_KEYS):
        return None
    if type(content) is list and not all(map(_is_without_annotations, content)):
        return None
    return SimpleMessage("system" if role == "developer" else role, [], [], True, value.get("id"))


def _is_without_annotations(part: dict[str, Any]) -> bool:
    return part.get("annotations", []) == [] and part.get("logprobs") in (None, [])


def _own_id(value: dict[str, Any], prefix: str) -> bool:
    own = value.get("id")
    return own is None or (type(own) is str and own.startswith(prefix))
