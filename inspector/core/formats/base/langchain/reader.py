"""LangChain messages in the three forms in which programs write them, and the blocks of a message.

Source of the shapes: `langchain_core` 1.7 (`messages/ai.py`, `tool.py`, `utils.py`, `load/dump.py`). `messages_to_dict`
writes `{"type": …, "data": {…}}`, `dumpd` a constructor with `kwargs` and the class as the last element of `id`, and
`model_dump` (the state of a LangGraph thread) only the fields. `tool_calls` holds the calls, and `invalid_tool_calls`
those whose arguments could not be parsed. `additional_kwargs` and the content blocks hold the same calls as the
provider sent them. If neither list has any, the loader takes those of `additional_kwargs`; a `tool_use` block without
an entry is still sent (`langchain_anthropic` 1.7, `_format_messages`).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.model.columnar_index import BlockFlag, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    encode_string,
    split_type_names,
    typed_text_encoder,
)
from inspector.core.providers.message_misfits import LONG_LIST_REASON, Misfit, is_long_data_list
from inspector.core.storage.json_text import list_at, object_at, value_at
from inspector.core.translation import tr

# A call in a list of its own, or as the provider wrote it; a result is a message, in one of three forms.

BLOCK_SCHEMA = BlockSchema(
    calls=(
        CallSpec(split_type_names("tool_use")),
        CallSpec(split_type_names("function_call"), id="/call_id", input=("/arguments",), alternative_ids=("/id",)),
        CallSpec(split_type_names("tool_call invalid_tool_call"), input=("/args",), alternative_ids=("/call_id",)),
        CallSpec(name="/function/name", input=("/function/arguments",), alternative_ids=("/call_id",)),
        CallSpec(input=("/args", "/input"), alternative_ids=("/call_id",)),
    ),
    results=tuple(
        ResultSpec(id=f"{form}/tool_call_id", name=f"{form}/name", content=f"{form}/content", wants_name=False)
        for form in ("/data", "/kwargs", "")
    ),
    media=ALL_MEDIA_SPECS,
    media_keys=("content",),
    kept_in=("data", "kwargs"),
)

# The pointers to the fields of a message in its record, by the number of its form.
FIELD_POINTERS = ("", "/data", "/kwargs")
FLAT, DATA, KWARGS = range(3)
ROLE_BY_NAME = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "tool": Role.TOOL,
    "system": Role.SYSTEM,
    "function": Role.SYSTEM,
    "chat": Role.SYSTEM,
    "remove": Role.LINK,
}
CHAT_ROLES = {"user": Role.USER, "human": Role.USER, "assistant": Role.ASSISTANT, "ai": Role.ASSISTANT}
MESSAGE_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}

# The place of a call that is not in `tool_calls`. For a call, these flags have no other meaning.
IN_CONTENT, INVALID, IN_ADDITIONAL_KWARGS = BlockFlag.PLAIN_STRING, BlockFlag.ERROR, BlockFlag.BLANK
CALL_LIST_POINTERS = {
    0: "/tool_calls",
    INVALID: "/invalid_tool_calls",
    IN_ADDITIONAL_KWARGS: "/additional_kwargs/tool_calls",
}
CALL_COPY_POINTERS = (*CALL_LIST_POINTERS.values(), "/content", "/tool_call_chunks")
_CALL_BLOCKS = {"tool_use": "id", "function_call": "call_id", "tool_call": "id", "invalid_tool_call": "id"}
_BLOCKS = {
    "text": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "redacted_thinking": BlockKind.THINKING,
    "reasoning": BlockKind.THINKING,
    "reasoning_content": BlockKind.THINKING,
    "image": BlockKind.MEDIA,
    "image_url": BlockKind.MEDIA,
    "audio": BlockKind.MEDIA,
    "video": BlockKind.MEDIA,
    "file": BlockKind.MEDIA,
    "document": BlockKind.MEDIA,
}

# What the loader takes in these members.
_KINDS_OF_MEMBERS = {"additional_kwargs": dict, "response_metadata": dict}
_KINDS_OF_CALL_LISTS = {"tool_calls": list, "invalid_tool_calls": list}
SUMMARY_PREFIX = "Here is a summary of the conversation to date:"


class LangChainMessage(Struct, frozen=True):
    """A message without its wrapper: the number of its form, its kind (human, ai, tool …) and its fields."""

    form: int
    kind: str
    fields: dict[str, Any]

    @property
    def role(self) -> Role:
        if self.kind == "chat":
            return CHAT_ROLES.get(str(self.fields.get("role", "")), Role.SYSTEM)
        return ROLE_BY_NAME[self.kind]

    @property
    def is_summary(self) -> bool:
        """Whether a middleware replaced the earlier messages by this one (langchain, deepagents)."""
        extras = self.fields.get("additional_kwargs")
        if isinstance(extras, dict) and extras.get("lc_source") == "summarization":
            return True
        content = self.fields.get("content")
        return self.kind == "human" and isinstance(content, str) and content.startswith(SUMMARY_PREFIX)


def parse_message(value: Any) -> LangChainMessage | None:
    """Return the message in a JSON value, None if it is not a message."""
    if not isinstance(value, dict):
        return None
    if value.get("lc") is not None:
        name, inner, form = _class_of(value), value.get("kwargs"), KWARGS
        name = name if _type_name(name) else isinstance(inner, dict) and inner.get("type")
    elif "data" in value:
        name, inner, form = value.get("type"), value["data"], DATA
    else:
        name, inner, form = value.get("type"), value, FLAT
    kind = _type_name(name)
    if not kind or not isinstance(inner, dict):
        return None
    is_foreign = "content" not in inner or (isinstance(inner.get("role"), str) and kind != "chat")
    if form == FLAT and is_foreign:
        return None
    return LangChainMessage(form, kind, inner)


def _class_of(value: dict[str, Any]) -> Any:
    """Return the class of a constructor: the last element of its path, whose others depend on the language."""
    path = value.get("id")
    return path[-1] if value.get("type") == "constructor" and isinstance(path, list) and path else ""


def _type_name(name: Any) -> str:
    """Return the kind of a message for a type or class name, such as ai for AIMessageChunk; "" for other names."""
    kind = name.removesuffix("Chunk").removesuffix("Message").lower() if isinstance(name, str) else ""
    return kind if kind in ROLE_BY_NAME else ""


class ParsedBlock(Struct, frozen=True):
    """A block of a message: a row of the columns, its pointer in the fields, and its JSON value."""

    kind: BlockKind
    flag: int
    call_id: str | None
    name: str | None
    pointer: str
    value: Any


def blocks_of_message(message: LangChainMessage) -> Iterator[ParsedBlock]:
    """Yield the blocks of a message in the order of its rows: the content, then the calls outside of it."""
    fields = message.fields
    content = fields.get("content")
    if message.role == Role.TOOL:
        error = BlockFlag.ERROR if fields.get("status") == "error" else 0
        call_id = string_or_none(fields.get("tool_call_id"))
        yield ParsedBlock(BlockKind.RESULT, error, call_id, string_or_none(fields.get("name")), "/content", content)
        return
    calls = list(_calls_in_lists(fields)) if message.role == Role.ASSISTANT else []
    if isinstance(content, str) and content:
        yield ParsedBlock(
            BlockKind.TEXT, BlockFlag.PLAIN_STRING | _blank_flag(content), None, None, "/content", content
        )
    elif isinstance(content, list):
        known = Counter(call.call_id for call in calls)
        for number, block in enumerate(content):
            yield _content_part(block, f"/content/{number}", known)
    yield from calls


def _content_part(block: Any, pointer: str, known: Counter[str | None]) -> ParsedBlock:
    """Return a block of the content. A call that is also in a list (`known`) is only a copy of it."""
    if isinstance(block, str):
        return ParsedBlock(BlockKind.TEXT, _blank_flag(block), None, None, pointer, block)
    form = block.get("type") if isinstance(block, dict) else None
    if not isinstance(form, str):
        return ParsedBlock(BlockKind.OTHER, 0, None, None, pointer, block)
    if form in _CALL_BLOCKS:
        call_id = string_or_none(block.get(_CALL_BLOCKS[form]))
        if known[call_id] > 0:
            known[call_id] -= 1
            return ParsedBlock(BlockKind.OTHER, 0, call_id, None, pointer, block)
        bad = BlockFlag.BAD_INPUT if form == "tool_use" and not isinstance(block.get("input"), dict) else 0
        return ParsedBlock(BlockKind.CALL, IN_CONTENT | bad, call_id, string_or_none(block.get("name")), pointer, block)
    blank = _blank_flag(str(block.get("text") or "")) if form == "text" else 0
    return ParsedBlock(_BLOCKS.get(form, BlockKind.OTHER), blank, None, None, pointer, block)


def _calls_in_lists(fields: dict[str, Any]) -> Iterator[ParsedBlock]:
    """Yield the calls outside of the content that the loader takes."""
    listed = False
    known: set[str | None] = set()
    for section in (0, INVALID):
        for number, entry in enumerate(elements_as_dicts_at(fields, CALL_LIST_POINTERS[section])):
            listed = True
            call_id = string_or_none(entry.get("id"))
            if section and call_id is not None and call_id in known:
                # One call in both lists is one call (bytedance/deer-flow#4693).
                yield ParsedBlock(
                    BlockKind.OTHER, section, call_id, None, f"{CALL_LIST_POINTERS[section]}/{number}", entry
                )
                continue
            known.add(call_id)
            bad = 0 if section or not entry or isinstance(entry.get("args"), dict) else BlockFlag.BAD_INPUT
            yield _call_part(entry, entry.get("name"), section | bad, f"{CALL_LIST_POINTERS[section]}/{number}")
    for number, entry in enumerate(
        () if listed else elements_as_dicts_at(fields, CALL_LIST_POINTERS[IN_ADDITIONAL_KWARGS])
    ):
        yield _call_part(
            entry,
            value_at(entry, "/function/name"),
            IN_ADDITIONAL_KWARGS,
            f"{CALL_LIST_POINTERS[IN_ADDITIONAL_KWARGS]}/{number}",
        )


def misfits_of(message: LangChainMessage) -> list[Misfit]:
    """Return what the loader does not accept, and text parts without a text, which no provider accepts.

    A content is a text, or a list of texts and objects. `ToolMessage` converts anything else to texts (`coerce_args`).
    """
    if message.role == Role.LINK:
        return []
    fields, at = message.fields, FIELD_POINTERS[message.form]
    kinds = _KINDS_OF_MEMBERS | (_KINDS_OF_CALL_LISTS if message.role == Role.ASSISTANT else {})
    found = [
        Misfit(f"{at}/{key}", tr("the value has an unexpected type"), removed_member=f"{at}/{key}")
        for key, kind in kinds.items()
        if key in fields and not isinstance(fields[key], kind)
    ]
    return [*found, *_content_misfits(message, fields.get("content"), f"{at}/content")]


def _content_misfits(message: LangChainMessage, content: Any, at: str) -> list[Misfit]:
    if content is None and (message.role != Role.TOOL or "content" not in message.fields):
        return [Misfit(at, tr("there is no value"), default_json=b'""')]
    if isinstance(content, str) or (message.role == Role.TOOL and not isinstance(content, list)):
        return []
    if not isinstance(content, list):
        return [Misfit(at, tr("the value is neither a string nor a list"), at, encode_string)]
    if is_long_data_list(content, str, dict):
        return [Misfit(at, LONG_LIST_REASON, at, encode_string)]
    encode = typed_text_encoder("text")
    return [
        Misfit(f"{at}/{number}", reason, f"{at}/{number}", encode)
        for number, part in enumerate(content)
        if (reason := _reason_against(part, message.role))
    ]


def _reason_against(part: Any, role: Role) -> str:
    """Return why a part of a content is not accepted, "" if it is. Bedrock takes objects without a type."""
    if isinstance(part, dict):
        lacks_text = part.get("type") == "text" and not isinstance(part.get("text"), str)
        return tr("the part has no text") if lacks_text else ""
    is_taken = isinstance(part, str) or role == Role.TOOL
    return "" if is_taken else tr("the value is neither a string nor an object")


def is_call_list_entry(kind: int, flag: int) -> bool:
    """Return whether a block is in a list of calls: as a call, or as a copy of one in the list before."""
    return bool(flag & INVALID) if kind == BlockKind.OTHER else kind == BlockKind.CALL and not flag & IN_CONTENT


def _call_part(entry: dict[str, Any], name: Any, flag: int, pointer: str) -> ParsedBlock:
    return ParsedBlock(BlockKind.CALL, flag, string_or_none(entry.get("id")), string_or_none(name), pointer, entry)


def elements_as_dicts_at(fields: dict[str, Any], pointer: str) -> list[dict[str, Any]]:
    """Return the elements of a list of calls or content blocks, with an empty object for what is not an object."""
    return [object_at(entry, "") for entry in list_at(fields, pointer)]


def call_id_key(entry: dict[str, Any], pointer: str) -> str | None:
    """Return the member that holds a call's id in an element of the list at `pointer`, None if it is not a call."""
    if pointer == "/content":
        return _CALL_BLOCKS.get(str(entry.get("type")))
    return "id"


def string_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _blank_flag(text: str) -> int:
    return 0 if text.strip() else BlockFlag.BLANK


def wrap_message(like: Any, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a new message (human, ai or tool) in the form of the message `like`."""
    form = message.form if (message := parse_message(like)) else FLAT
    fields = {"type": kind, **fields}
    if form == DATA:
        return {"type": kind, "data": fields}
    if form == FLAT:
        return fields
    return {"lc": like["lc"], "type": "constructor", "id": [*like["id"][:-1], MESSAGE_CLASSES[kind]], "kwargs": fields}
