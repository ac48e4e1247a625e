"""The operations of a chat of VS Code, and the messages in them, as rows of columns; and their view.

Facts: VS Code 1.128.1 (microsoft/vscode @5264f21), `objectMutationLog.ts` and `chatSessionOperationLog.ts`. A line is
an operation on one document: 0 sets the whole of it, 1 sets and 3 deletes the value at a path, 2 cuts a list to a
length and appends to it. Older versions wrote the document itself (`.json`). Messages are inside lines, and each is a
record of its own with the bytes of its value: the `message` of a request, the `metadata` of its result with all rounds
of calls and all results by the id of their call, and the list of parts that were shown as the `response`. Copilot sends
these parts only if there are no rounds.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import BlockSchema, CallSpec, ResultSpec
from inspector.core.providers.block_views import call_view, format_arguments
from inspector.core.providers.message_fields import result_text_flags, string_in
from inspector.core.storage.json_spans import array_elements, pointer_part, pointer_span
from inspector.core.storage.json_text import is_valid_json, list_at, object_at, parse_json, text_at, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

INITIAL, SET, PUSH, DELETE = range(4)
REQUESTS, MESSAGE, RESPONSE, RESULT = "requests", "message", "response", "result"
_METADATA, _ROUNDS, _CALLS, _RESULTS = "metadata", "toolCallRounds", "toolCalls", "toolCallResults"
# The parts of a response, and a damaged line of a log of operations, in the bits of `RecordMark.VARIANT_MASK`.
RESPONSE_FORM, DAMAGED_LINE = 1 << RecordMark.VARIANT_SHIFT, 2 << RecordMark.VARIANT_SHIFT
_CALL = CallSpec(input=("/arguments",), as_text=True, shown=format_arguments)


def nested_text(value: Any) -> str:
    """Return the text of a result, or of a part of one. A part of prompt-tsx is a tree whose leaves are texts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(nested_text, value))
    held = (value.get(key) for key in ("value", "node", "text", "children")) if isinstance(value, dict) else ()
    return "".join(map(nested_text, held))


CHAT_BLOCK_SCHEMA = BlockSchema(
    text_pointers=("/value", "/content/value"),
    calls=(_CALL,),
    # The text of a tree is in its leaves, so no member holds the whole text.
    results=(
        ResultSpec(id="", has="/content/0/value/node", content="/text", shown=nested_text),
        ResultSpec(id="", content="/content/0/value", shown=nested_text),
    ),
    kept_in=("content",),
)


def is_operation(value: Any) -> bool:
    """Return whether a value is an operation that VS Code can apply to a suitable document."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, int) or isinstance(kind, bool) or not INITIAL <= kind <= DELETE:
        return False
    if kind == INITIAL:
        return isinstance(value.get("v"), dict)
    path, length = value.get("k"), value.get("i")
    is_path = isinstance(path, list) and all(isinstance(step, str | int) for step in path)
    return is_path and (length is None or (isinstance(length, int) and length >= 0))


# messages inside of operations


class MessagePlace(NamedTuple):
    """The place of a message: the number of its request in the operation, its member of the request, its pointer."""

    request: int
    member: str
    pointer: str


def message_places(operation: dict[str, Any]) -> list[MessagePlace]:
    """Return the places of the messages in an operation, in order."""
    kind, path, value = operation["kind"], operation.get("k", ()), operation.get("v")
    if kind == INITIAL:
        return places_in_requests(list_at(value, f"/{REQUESTS}"), f"/v/{REQUESTS}")
    if kind == DELETE or not path or path[0] != REQUESTS:
        return []
    if len(path) == 1:
        return places_in_requests(value, "/v") if isinstance(value, list) else []
    if len(path) == 2:
        return places_in_request(value, 0, "/v")
    if path[2:] == [MESSAGE, "text"]:
        return places_in_request({MESSAGE: value}, 0, "", {MESSAGE: "/v"})
    return places_in_request({path[2]: value}, 0, "", {path[2]: "/v"}) if len(path) == 3 else []


def places_in_requests(requests: list[Any], at: str) -> list[MessagePlace]:
    return [
        place
        for number, request in enumerate(requests)
        for place in places_in_request(request, number, f"{at}/{number}")
    ]


def places_in_request(
    request: Any, number: int = 0, at: str = "", pointers: dict[str, str] | None = None
) -> list[MessagePlace]:
    """Return the places in a request at a pointer. `pointers` are those of members that are elsewhere."""
    found = []
    known = pointers or {name: f"{at}/{name}" for name in (MESSAGE, RESPONSE, RESULT)}
    for name, pointer in known.items():
        value = value_at(request, f"/{name}")
        if name == RESULT:
            value, pointer = value_at(value, f"/{_METADATA}"), f"{pointer}/{_METADATA}"
        if _is_message(name, value):
            found.append(MessagePlace(number, name, pointer))
    return found


def _is_message(member: str, value: Any) -> bool:
    """Return whether the member of a request, or the metadata of its result, is a message."""
    if member == MESSAGE:
        return value != "" and _is_prompt(value)
    if member == RESULT:
        return isinstance(value, dict) and bool(list_at(value, f"/{_ROUNDS}"))
    return member == RESPONSE and isinstance(value, list) and any(map(_shown_text, value))


def is_message(value: Any) -> bool:
    """Return whether a record is a message, of whichever member it is the value."""
    return isinstance(value, list) or _is_prompt(value) or _is_message(RESULT, value)


def _is_prompt(value: Any) -> bool:
    """Return whether a value is a prompt: a text, or an object with one."""
    return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("text"), str))


def is_request(value: Any) -> bool:
    """Return whether a value is a request of a chat with a prompt, whose text may be empty."""
    return isinstance(value, dict) and "requestId" in value and _is_prompt(value.get(MESSAGE))


def has_request_member(value: Any) -> bool:
    """Return whether a value has a member of a request, so that it is no damaged operation.

    The `response` of a round of calls is a text, that of a request a list.
    """
    if not isinstance(value, dict):
        return False
    return not value.keys().isdisjoint(("requestId", MESSAGE, RESULT)) or isinstance(value.get(RESPONSE), list)


def requests_in(operation: dict[str, Any]) -> list[Any]:
    """Return the whole requests that an operation puts into the chat."""
    if operation["kind"] == INITIAL:
        return list_at(operation, f"/v/{REQUESTS}")
    return list_at(operation, "/v") if operation["k"] == [REQUESTS] else []


def add_line(columns: Columns, line: bytes, start: int, end: int, sequences: list[RecordSequence]) -> None:
    """Append a line, and its messages, each as a sequence of its own after the lines before it."""
    operation: Any = parse_json(line) if is_valid_json(line) else None
    if not is_operation(operation):
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE | DAMAGED_LINE)
        return
    columns.add_record(start, end, Role.OPAQUE)
    add_messages(columns, line, start, message_places(operation), sequences)


def add_messages(
    columns: Columns, text: bytes, offset: int, places: list[MessagePlace], sequences: list[RecordSequence]
) -> None:
    """Append the messages at some places of a text that begins at `offset`."""
    if not places:
        return
    before = sequences[-1].high if sequences else 0
    if before < len(columns):
        sequences.append(RecordSequence(before, len(columns)))
    for place, (low, high) in zip(places, message_spans(text, places), strict=True):
        add_message(columns, parse_json(text[low:high]), offset + low, offset + high)
        row = len(columns)
        sequences.append(RecordSequence(row - 1, row, is_single_message=True, pointer=place.pointer))


def message_spans(text: bytes, places: list[MessagePlace]) -> Iterator[tuple[int, int]]:
    """Yield where the messages at some places of a text are."""
    elements: dict[str, list[tuple[int, int]]] = {}
    for place in places:
        # A request is looked into by itself: a search in the whole line would take its time again for each request.
        holder, number, inner = _split(place)
        if holder not in elements:
            at, end = pointer_span(text, holder)
            elements[holder] = list(array_elements(text, at)) if number >= 0 else [(at, end)]
        first, last = elements[holder][max(number, 0)]
        low, high = pointer_span(text[first:last], inner)
        yield first + low, first + high


def _split(place: MessagePlace) -> tuple[str, int, str]:
    """Return the pointer of a list of requests, the number in it (-1 for none), and the pointer inside."""
    for holder in (f"/v/{REQUESTS}", "/v", f"/{REQUESTS}"):
        begin = f"{holder}/{place.request}/"
        if place.pointer.startswith(begin):
            return holder, place.request, place.pointer[len(begin) - 1 :]
    return "", -1, place.pointer


def add_message(columns: Columns, value: Any, start: int, end: int) -> None:
    """Append a message as a record."""
    mark = RecordMark.NO_ENVELOPE
    if isinstance(value, list):
        columns.add_record(start, end, Role.ASSISTANT, mark | RESPONSE_FORM)
        for part in value:
            columns.add_block(BlockKind.TEXT if _shown_text(part) else BlockKind.OTHER)
    elif isinstance(value, str) or _ROUNDS not in value:
        text = value if isinstance(value, str) else value.get("text")
        columns.add_record(start, end, Role.USER, mark)
        is_blank = not (isinstance(text, str) and text.strip())
        plain = BlockFlag.PLAIN_STRING if isinstance(value, str) else 0
        columns.add_block(BlockKind.TEXT, plain | (BlockFlag.BLANK if is_blank else 0))
    else:
        columns.add_record(start, end, Role.ASSISTANT, mark)
        for block in blocks_of(value):
            columns.add_block(block.kind, block.flag, block.call_id, block.name)


class RoundBlock(NamedTuple):
    """A block of the rounds of a request, with its pointer and its value."""

    kind: BlockKind
    pointer: str
    value: Any
    flag: int = 0
    call_id: str | None = None
    name: str | None = None


def blocks_of(metadata: dict[str, Any]) -> Iterator[RoundBlock]:
    """Yield the blocks of the metadata of a result. The first block of a round represents the round.

    The result of a call follows the first call with its id. Results without a call follow all rounds.
    """
    results = dict(object_at(metadata, f"/{_RESULTS}"))
    for number, each in enumerate(list_at(metadata, f"/{_ROUNDS}")):
        at = f"/{_ROUNDS}/{number}"
        yield RoundBlock(BlockKind.OTHER, at, each, BlockFlag.RESPONSE_START if number else 0)
        if value_at(each, "/thinking") is not None:
            yield RoundBlock(BlockKind.THINKING, f"{at}/thinking", object_at(each, "/thinking"))
        if said := text_at(each, "/response"):
            yield RoundBlock(BlockKind.TEXT, f"{at}/response", said, 0 if said.strip() else BlockFlag.BLANK)
        for index, call in enumerate(list_at(each, f"/{_CALLS}")):
            call_id, name = (string_in(call, key) for key in ("id", "name")) if isinstance(call, dict) else ("", "")
            flag = 0 if isinstance(value_at(call, "/arguments"), str) else BlockFlag.BAD_INPUT
            yield RoundBlock(BlockKind.CALL, f"{at}/{_CALLS}/{index}", call, flag, call_id, name or None)
            if call_id in results:
                yield _result(call_id or "", results.pop(call_id or ""))
    for call_id, result in results.items():
        yield _result(call_id, result)


def _result(call_id: str, result: Any) -> RoundBlock:
    flag = result_text_flags(nested_text(value_at(result, "/content")))
    return RoundBlock(BlockKind.RESULT, f"/{_RESULTS}/{pointer_part(call_id)}", result, flag, call_id)


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of a block, worked out from the rows before it."""
    rows = columns.block_rows(record)
    if columns.marks[record] & RESPONSE_FORM:
        return f"/{ordinal}"
    if columns.roles[record] == Role.USER:
        return "" if columns.block_flags[rows[0]] & BlockFlag.PLAIN_STRING else "/text"
    known = _POINTERS.get(columns)
    if known is None or known[0] != rows:
        known = _POINTERS[columns] = rows, list(_pointers(columns, rows))
    return known[1][ordinal]


# The rows of a record, and the pointers of all its blocks. They are looked up one after another.
_POINTERS: WeakKeyDictionary[Columns, tuple[range, list[str]]] = WeakKeyDictionary()


def _pointers(columns: Columns, rows: range) -> Iterator[str]:
    number, index = -1, 0
    for row in rows:
        kind, at = columns.block_kinds[row], f"/{_ROUNDS}/{number}"
        if kind == BlockKind.OTHER:
            number, index = number + 1, 0
            yield f"/{_ROUNDS}/{number}"
        elif kind == BlockKind.RESULT:
            yield f"/{_RESULTS}/{pointer_part(columns.call_ids[row] or '')}"
        elif kind == BlockKind.CALL:
            yield f"{at}/{_CALLS}/{index}"
            index += 1
        else:
            yield f"{at}/{'thinking' if kind == BlockKind.THINKING else 'response'}"


# the view

_OPERATIONS = (
    tr("creates the chat"),
    tr("sets {path}", path="{path}"),
    tr("appends to {path}", path="{path}"),
    tr("removes {path}", path="{path}"),
)


def record_view(raw: bytes) -> RecordView:
    """Return the view of an operation, a message or a request. Raises ValueError if it is not JSON."""
    value = parse_json(raw)
    if isinstance(value, list):
        return RecordView("assistant", "", tuple(_part_view(part, f"/{at}") for at, part in enumerate(value)))
    if isinstance(value, str):
        return RecordView("user", "", (BlockView(BlockKind.TEXT, value, ""),))
    if not isinstance(value, dict):
        return RecordView("", tr("no record"))
    if _ROUNDS in value:
        return RecordView("assistant", "", tuple(map(_block_view, blocks_of(value))))
    if is_operation(value):
        return RecordView("", _OPERATIONS[value["kind"]].format(path=".".join(map(str, value.get("k", ())))))
    if has_request_member(value):
        return RecordView("", text_at(value, "/message/text") or text_at(value, "/message"))
    if not _is_prompt(value):
        return RecordView("", tr("no record"))
    return RecordView("user", "", (BlockView(BlockKind.TEXT, text_at(value, "/text"), "/text"),))


def _block_view(block: RoundBlock) -> BlockView:
    if block.kind == BlockKind.CALL:
        return call_view(block.value, CHAT_BLOCK_SCHEMA, block.pointer)
    if block.kind == BlockKind.RESULT:
        text = nested_text(value_at(block.value, "/content"))
        return BlockView(BlockKind.RESULT, text, block.pointer, "", block.call_id or "")
    if block.kind == BlockKind.OTHER:
        return BlockView(BlockKind.OTHER, text_at(block.value, "/id"), block.pointer, _ROUNDS)
    text = block.value if isinstance(block.value, str) else nested_text(block.value.get("text"))
    return BlockView(block.kind, text, block.pointer)


def _part_view(part: Any, at: str) -> BlockView:
    if text := _shown_text(part):
        return BlockView(BlockKind.TEXT, text, at)
    named = text_at(part, "/pastTenseMessage/value") or text_at(part, "/invocationMessage/value")
    return BlockView(BlockKind.OTHER, named or text_at(part, "/value"), at, text_at(part, "/kind"))


def _shown_text(part: Any) -> str:
    """Return the text of a part of a response that is Markdown, which is what Copilot sends of it."""
    if isinstance(part, dict) and part.get("kind") in (None, "markdownContent"):
        return text_at(part, "/value") or text_at(part, "/content/value")
    return part if isinstance(part, str) else ""


def round_ids_and_rows(metadata: dict[str, Any], columns: Columns, record: int) -> Iterator[tuple[str, range]]:
    """Yield the id of each round of a request, with its rows. The first row represents the round."""
    rows = columns.block_rows(record)
    starts = [row for row in rows if columns.block_kinds[row] == BlockKind.OTHER]
    for each, (first, after) in zip(list_at(metadata, f"/{_ROUNDS}"), pairwise([*starts, rows.stop]), strict=False):
        yield text_at(each, "/id"), range(first, after)
