"""Gemini `contents`: `functionCall` parts of the model, `functionResponse` parts in the content behind it.

Source of the shapes: google-genai `types.py` (Content, Part, FunctionCall, FunctionResponse), in camelCase as the API
writes them and in snake_case as the Python SDK dumps them. Ids are optional: where one side has none, the n-th call
of a name belongs to the n-th response of that name.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Any, TypeAlias

from msgspec import Raw, Struct, field

from inspector.core.model.columns import BlockFlag, Columns, ReadRecord, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_tables import GEMINI_SNAKE_CASE
from inspector.core.providers.message_fields import EMPTY_RAW, decode_lenient, function_response_text, placeholder_flags
from inspector.core.providers.placeholders import LONGEST_PLACEHOLDER
from inspector.core.storage.json_text import list_at, parse_json, text_at

_MADE_ID_PREFIX = "no-id:"
# By the name of their tool the calls that are open, turn by turn.
_Turns: TypeAlias = list[tuple[int, deque[int]]]
_OpenCalls: TypeAlias = defaultdict[tuple[str, bool], _Turns]  # by name, and whether they have no id
# Google's documented stand-in (ai.google.dev/gemini-api/docs/thought-signatures), for calls that another model made.
SKIP_SIGNATURE = "skip_thought_signature_validator"

ROLES = {
    "user": Role.USER,
    "model": Role.ASSISTANT,
    "function": Role.TOOL,
    "tool": Role.TOOL,
    "system": Role.SYSTEM,
}
# What a request says of the system stands beside the contents.
CONTENT_ROLES = frozenset(ROLES.keys() - {"system"})


class GeminiFunctionCall(Struct, gc=False):
    """A function's call."""

    id: str | None = None
    name: str | None = None
    args: Raw = EMPTY_RAW


class GeminiFunctionResponse(Struct, gc=False):
    """A function's response."""

    id: str | None = None
    name: str | None = None
    response: Raw = EMPTY_RAW
    parts: Raw = EMPTY_RAW


class GeminiPart(Struct, gc=False):
    """The fields of a part that the index needs, and all others of which a part has one."""

    text: Raw = EMPTY_RAW
    thought: bool | None = None
    call: GeminiFunctionCall | None = field(default=None, name="functionCall")
    call_snake: GeminiFunctionCall | None = field(default=None, name="function_call")
    response: GeminiFunctionResponse | None = field(default=None, name="functionResponse")
    response_snake: GeminiFunctionResponse | None = field(default=None, name="function_response")
    inline: Raw = field(default=EMPTY_RAW, name="inlineData")
    inline_snake: Raw = field(default=EMPTY_RAW, name="inline_data")
    file: Raw = field(default=EMPTY_RAW, name="fileData")
    file_snake: Raw = field(default=EMPTY_RAW, name="file_data")
    code: Raw = field(default=EMPTY_RAW, name="executableCode")
    code_snake: Raw = field(default=EMPTY_RAW, name="executable_code")
    ran: Raw = field(default=EMPTY_RAW, name="codeExecutionResult")
    ran_snake: Raw = field(default=EMPTY_RAW, name="code_execution_result")
    served_call: Raw = field(default=EMPTY_RAW, name="toolCall")
    served_call_snake: Raw = field(default=EMPTY_RAW, name="tool_call")
    served_response: Raw = field(default=EMPTY_RAW, name="toolResponse")
    served_response_snake: Raw = field(default=EMPTY_RAW, name="tool_response")
    signature: Raw = field(default=EMPTY_RAW, name="thoughtSignature")
    signature_snake: Raw = field(default=EMPTY_RAW, name="thought_signature")


class GeminiContent(Struct, gc=False):
    """The fields of a content that the index needs."""

    role: str | None = None
    parts: list[GeminiPart] | None = None


def decode_content_lenient(value: Any) -> GeminiContent:
    """What of a JSON value of unexpected shape fits a Content."""
    content = decode_lenient(GeminiContent, value)
    content.role = role_of_content(value)
    return content


def role_of_content(content: Any) -> str | None:
    """The role of a content, "" for one that is no text."""
    role = content.get("role") if isinstance(content, dict) else ""
    return role if isinstance(role, str) or role is None else ""


def part_member(part: dict[str, Any], key: str) -> Any:
    """A member of a part in either spelling."""
    return part.get(key, part.get(GEMINI_SNAKE_CASE.get(key, key)))


def spelling(part: dict[str, Any], key: str) -> str:
    """How a part spells a member that it has."""
    return GEMINI_SNAKE_CASE[key] if GEMINI_SNAKE_CASE.get(key) in part else key


def add_content(
    columns: Columns,
    start: int,
    end: int,
    content: GeminiContent,
    mark: int = 0,
    uuid: str | None = None,
    parent: str | None = None,
) -> None:
    """Append a content as a record with its parts. One that holds responses alone is a tool's message.

    Contents of one record id are one message.
    """
    rows = [_row_of(part) for part in content.parts or ()]
    role = Role.USER if content.role is None else ROLES.get(content.role, Role.OPAQUE)
    if role == Role.USER and rows and all(kind == BlockKind.RESULT for kind, *_ in rows):
        role = Role.TOOL
    columns.add_record(start, end, role, mark, uuid, parent, uuid)
    for row in rows:
        columns.add_block(*row)


def _row_of(part: GeminiPart) -> tuple[int, int, str | None, str | None]:
    call, response = part.call or part.call_snake, part.response or part.response_snake
    if call is not None:
        bad = len(call.args) and bytes(call.args)[:1] not in (b"{", b"n")
        flags = BlockFlag.BAD_INPUT if bad else 0
        if max(len(part.signature), len(part.signature_snake)) > len(b"null"):
            flags |= BlockFlag.SIGNED
        return BlockKind.CALL, flags, call.id or None, call.name
    if response is not None:
        return BlockKind.RESULT, _response_flags(response), response.id or None, response.name or ""
    if len(part.text):
        kind = BlockKind.THINKING if part.thought else BlockKind.TEXT
        return kind, 0, None, None
    if len(part.inline) or len(part.inline_snake) or len(part.file) or len(part.file_snake):
        return BlockKind.MEDIA, 0, None, None
    return BlockKind.OTHER, 0, None, None


def _response_flags(response: GeminiFunctionResponse) -> int:
    raw = response.response
    if not len(raw) < LONGEST_PLACEHOLDER + 100:
        return 0
    value = parse_json(bytes(raw)) if len(raw) else None
    flags = BlockFlag.ERROR if isinstance(value, dict) and value.keys() == {"error"} else 0
    return flags if len(response.parts) else flags | placeholder_flags(function_response_text(value) if value else "")


def pair_calls_by_name(columns: Columns, path: Iterable[int], raw: ReadRecord) -> None:
    """Give calls and responses that are not bound by an id of their own one that binds them.

    The n-th response of a name answers the n-th open call of that name in the newest turn with calls; where that has
    none left, an open one of the turn before it. A response with an id answers no call of another one: the API refuses
    that (router-for-me/CLIProxyAPI#5199), and takes it where the call has none (google-gemini/gemini-cli#6974). Made
    ids are made anew each time, from where the call stands; so are those that a call has lent. What a response said
    itself before it was given its call's is read again.
    """
    path = [record for record in path if columns.roles[record] != Role.OPAQUE]
    ids, kinds, names = columns.call_ids, columns.block_kinds, columns.names
    told = {ids[row] for record in path for row in columns.block_rows(record) if kinds[row] == BlockKind.CALL}
    answered = _answered(columns, path)
    open_calls: _OpenCalls = defaultdict(list)
    turn, spoken = 0, False
    for record in path:
        first, rows = columns.first_block[record], columns.block_rows(record)
        speaks = columns.roles[record] == Role.ASSISTANT
        calls = [row for row in rows if kinds[row] == BlockKind.CALL]
        if calls and not (speaks and spoken and turn):
            turn += 1
        spoken = speaks
        for row in rows:
            here = f"{_MADE_ID_PREFIX}{names[row] or ''}:{columns.stable_numbers[record]}.{row - first}"
            own = None if columns.block_flags[row] & BlockFlag.BORROWED_ID else ids[row]
            if own is not None and own.startswith(_MADE_ID_PREFIX):
                own = _response_id(raw(record), row - first) if kinds[row] == BlockKind.RESULT else None
            if kinds[row] == BlockKind.CALL:
                ids[row] = own or here
                if own is None or row not in answered:
                    _open(open_calls[names[row] or "", own is None], turn, row)
            elif kinds[row] == BlockKind.RESULT and (own is None or own not in told):
                nameless = open_calls[names[row] or "", True]
                call = _take(nameless if own else _newer(nameless, open_calls[names[row] or "", False]))
                ids[row] = (ids[call] if call >= 0 else None) or own or here
                if own is None:
                    columns.block_flags[row] |= BlockFlag.BORROWED_ID


def _response_id(content: bytes, part: int) -> str | None:
    held = list_at(parse_json(content), "/parts")[part]
    return text_at(part_member(held, "functionResponse"), "/id") or None


def _answered(columns: Columns, path: Iterable[int]) -> set[int]:
    """The calls that a response behind them names by their id: each the newest one that has none yet."""
    ids, kinds, flags = columns.call_ids, columns.block_kinds, columns.block_flags
    waiting: defaultdict[str | None, list[int]] = defaultdict(list)
    found: set[int] = set()
    for row in (row for record in path for row in columns.block_rows(record)):
        if kinds[row] == BlockKind.CALL:
            waiting[ids[row]].append(row)
        elif kinds[row] == BlockKind.RESULT and not flags[row] & BlockFlag.BORROWED_ID and waiting[ids[row]]:
            found.add(waiting[ids[row]].pop())
    return found


def _open(turns: _Turns, turn: int, row: int) -> None:
    """Note an open call of a name in the newest turn."""
    if not turns or turns[-1][0] != turn:
        turns.append((turn, deque()))
    turns[-1][1].append(row)


def _newer(one: _Turns, other: _Turns) -> _Turns:
    """Of two lists of open calls, the one with the next to be answered."""
    next_of_one, next_of_other = ((each[-1][0], -each[-1][1][0]) if each else (-1, 0) for each in (one, other))
    return one if next_of_one >= next_of_other else other


def _take(turns: _Turns) -> int:
    """The call that a response of its name answers, -1 for none; it is open no longer."""
    if not turns:
        return -1
    newest = turns[-1][1]
    row = newest.popleft()
    if not newest:
        turns.pop()
    return row


def placeholder_signature(part: dict[str, Any]) -> tuple[str, str]:
    """The member, and its value, by which Gemini passes over a signature that is lost."""
    return "thoughtSignature" if "functionCall" in part else "thought_signature", SKIP_SIGNATURE


def make_function_response(call: dict[str, Any], text: str, failed: bool) -> dict[str, Any]:
    """A response with a text, spelled as the part that holds the call."""
    inner = part_member(call, "functionCall") or {}
    response = {"id": inner["id"]} if inner.get("id") else {}
    response |= {"name": inner.get("name") or "", "response": {"error" if failed else "output": text}}
    key = "functionResponse" if "functionCall" in call else "function_response"
    return {key: response}


def make_invented_call(response: dict[str, Any], name: str) -> dict[str, Any]:
    """A call of which nothing but its response is known, spelled as the part that holds that one.

    A call needs a signature; this text is the one that the API takes for calls that it did not make
    (ai.google.dev/gemini-api/docs/thought-signatures).
    """
    inner = part_member(response, "functionResponse") or {}
    call = {"id": inner["id"]} if inner.get("id") else {}
    call |= {"name": name, "args": {}}
    if "functionResponse" in response:
        return {"functionCall": call, "thoughtSignature": SKIP_SIGNATURE}
    return {"function_call": call, "thought_signature": SKIP_SIGNATURE}
