"""Gemini `contents`: `functionCall` parts of the model, `functionResponse` parts in the content after it.

Source of the shapes: google-genai `types.py` (Content, Part, FunctionCall, FunctionResponse), in camelCase as the API
writes them and in snake_case as the Python SDK dumps them. Ids are optional: where one side has none, the n-th call
of a name belongs to the n-th response of that name.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec import Raw, Struct, field

from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    GEMINI_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    encode_output_object,
    encode_string,
    encode_text_object,
)
from inspector.core.providers.fast_message_check import PlainBlock, SimpleMessage, is_nonblank_text, read_simple_blocks
from inspector.core.providers.malformed_precheck import is_null, is_object, is_text
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    decode_fitting_members,
    function_response_text,
    placeholder_or_blank_flags,
)
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    OBJECT,
    OPTIONAL_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    list_field,
    object_field,
    object_schema_of_fields,
    parse_member_schemas,
    parts_list_field,
)
from inspector.core.providers.placeholders import MAX_PLACEHOLDER_LENGTH
from inspector.core.storage.json_edits import set_member
from inspector.core.storage.json_text import dump_json, list_at, parse_json, pretty_json, text_at

MADE_ID_PREFIX = "no-id:"
# The open calls of one tool, turn by turn: the number of the turn and the rows of its calls.
_Turns: TypeAlias = list[tuple[int, deque[int]]]
_OpenCalls: TypeAlias = defaultdict[tuple[str, bool], _Turns]  # by name, and whether they have no id
# Google's documented stand-in (ai.google.dev/gemini-api/docs/thought-signatures), for calls that another model made.
SKIP_SIGNATURE = "skip_thought_signature_validator"

ROLE_BY_NAME = {
    "user": Role.USER,
    "model": Role.ASSISTANT,
    "function": Role.TOOL,
    "tool": Role.TOOL,
    "system": Role.SYSTEM,
}
# The system instruction of a request is not one of the contents.
CONTENT_ROLES = frozenset(ROLE_BY_NAME.keys() - {"system"})


def _says_error_alone(response: object) -> bool:
    return isinstance(response, dict) and response.keys() == {"error"}


def _given(args: object) -> str:
    return pretty_json({} if args is None else args)


_KINDS = {
    "text": BlockKind.TEXT,
    "functionCall": BlockKind.CALL,
    "functionResponse": BlockKind.RESULT,
    "inlineData": BlockKind.MEDIA,
    "fileData": BlockKind.MEDIA,
    "executableCode": BlockKind.SERVER_CALL,
    "codeExecutionResult": BlockKind.SERVER_RESULT,
    "toolCall": BlockKind.SERVER_CALL,
    "toolResponse": BlockKind.SERVER_RESULT,
}


def snake_case(key: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key)


_SNAKE_CASE = {key: snake_case(key) for key in _KINDS if key != "text"}
BLOCK_SCHEMA = BlockSchema(
    kinds={spelled: kind for key, kind in _KINDS.items() for spelled in (key, _SNAKE_CASE.get(key, key))},
    type_key="",
    thought_pointer="/thought",
    media_label_pointers=tuple(place for row in GEMINI_MEDIA_SPECS for place in row.media_type),
    calls=tuple(
        CallSpec(id=f"/{key}/id", name=f"/{key}/name", input=(f"/{key}/args",), shown=_given)
        for key in ("functionCall", "function_call")
    ),
    results=tuple(
        ResultSpec(
            id=f"/{key}/id",
            name=f"/{key}/name",
            content=f"/{key}/response",
            told=encode_output_object,
            shown=function_response_text,
            status=f"/{key}/response",
            failed=_says_error_alone,
        )
        for key in ("functionResponse", "function_response")
    ),
    media=ALL_MEDIA_SPECS,
    assistant_role="model",
    results_in_call_order=True,
    text=encode_text_object,
    media_keys=("functionResponse", "parts"),
    kept_in=("function_response",),
)

# What the API refuses in every request, see `message_misfits`.

_BLOB = ObjectSchema(
    parse_member_schemas("data text, mimeType text, mime_type text, displayName text, display_name text")
)
_FILE = ObjectSchema(
    parse_member_schemas(
        "fileUri text, file_uri text, mimeType text, mime_type text, displayName text, display_name text"
    )
)
_RESPONSE_PARTS = ObjectSchema(
    dict.fromkeys(("inlineData", "inline_data"), object_field(_BLOB, needed=False))
    | dict.fromkeys(("fileData", "file_data"), object_field(_FILE, needed=False))
    | parse_member_schemas(
        "mediaResolution object, videoMetadata object, documentMetadata object, audioMetadata object"
    )
    | parse_member_schemas("spreadsheetMetadata object, mediaProcessing text")
)
# A name or an id of another type is written as a string. Rule K7 reports a missing name.
_NAME_OR_ID = FieldSchema((TEXT,), text_encoder=encode_string)
NAME_AND_ID_SCHEMA = object_schema_of_fields(id=_NAME_OR_ID, name=_NAME_OR_ID)
_CALL = ObjectSchema(
    parse_member_schemas("willContinue flag, will_continue flag, partialArgs list, partial_args list")
    | NAME_AND_ID_SCHEMA.fields
)
_RESPONSE = ObjectSchema(
    parse_member_schemas(
        "willContinue flag, will_continue flag",
        scheduling=enum_field("SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT", needed=False),
        response=FieldSchema((OBJECT,), text_encoder=encode_output_object),
        parts=FieldSchema((LIST,), of=_RESPONSE_PARTS),
    )
    | NAME_AND_ID_SCHEMA.fields
)
_CODE = ObjectSchema(
    parse_member_schemas("code text, id text", language=enum_field("LANGUAGE_UNSPECIFIED", "PYTHON", needed=False))
)
_OUTCOMES = ("OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED")
_RAN = ObjectSchema(parse_member_schemas("output text, id text", outcome=enum_field(*_OUTCOMES, needed=False)))
_SERVED_CALL = ObjectSchema(parse_member_schemas("id text, toolType text, tool_type text, args object"))
_SERVED_RESPONSE = ObjectSchema(parse_member_schemas("id text, toolType text, tool_type text, response object"))
_HELD = {
    "functionCall": _CALL,
    "functionResponse": _RESPONSE,
    "inlineData": _BLOB,
    "fileData": _FILE,
    "executableCode": _CODE,
    "codeExecutionResult": _RAN,
    "toolCall": _SERVED_CALL,
    "toolResponse": _SERVED_RESPONSE,
}
_PART_OF = {"text": OPTIONAL_TEXT} | {
    spelled: FieldSchema((OBJECT,), of=of) for key, of in _HELD.items() for spelled in (key, _SNAKE_CASE[key])
}
# What describes a part: none of it is needed.
_PROCESSING = enum_field("MEDIA_PROCESSING_UNSPECIFIED", "STATIC", "AGENTIC", needed=False)
_WINDOW = "startOffset text, endOffset text, start_offset text, end_offset text"
_DESCRIBING = {
    "mediaResolution": object_field(ObjectSchema(parse_member_schemas("level text, numTokens number")), needed=False),
    "videoMetadata": object_field(
        ObjectSchema(parse_member_schemas(f"{_WINDOW}, fps number, contentLayers list")), needed=False
    ),
    "audioMetadata": object_field(ObjectSchema(parse_member_schemas(_WINDOW)), needed=False),
    "documentMetadata": object_field(
        ObjectSchema(parse_member_schemas("startPage text, endPage text, contentLayers list")), needed=False
    ),
    "spreadsheetMetadata": object_field(
        ObjectSchema(parse_member_schemas("visibleCells text, sheetIndex number, contentLayers list")), needed=False
    ),
    "speechMetadata": object_field(ObjectSchema(parse_member_schemas("speaker text, style text")), needed=False),
    "audioTranscription": object_field(
        ObjectSchema(
            parse_member_schemas(
                f"{_WINDOW}, text text, finished flag, languageCode text, speakerLabel text",
                words=list_field(ObjectSchema(parse_member_schemas(f"{_WINDOW}, word text")), needed=False),
            )
        ),
        needed=False,
    ),
    "partMetadata": FieldSchema((OBJECT,), removable=True),
    "mediaProcessing": _PROCESSING,
}
_BESIDE = {
    "thought": FieldSchema((BOOLEAN,), removable=True),
    **dict.fromkeys(("thoughtSignature", "thought_signature"), FieldSchema((TEXT,), removable=True)),
    **{spelled: field for key, field in _DESCRIBING.items() for spelled in (key, snake_case(key))},
}
PART_SCHEMA = ObjectSchema(_PART_OF | _BESIDE, exclusive_keys=frozenset(BLOCK_SCHEMA.kinds))
MESSAGE_SCHEMA = object_schema_of_fields(
    role=FieldSchema((TEXT,), allowed_values=CONTENT_ROLES), parts=parts_list_field(PART_SCHEMA, encode_text_object)
)

# Members that must be alone in their part.
_OTHER_PARTS = attrgetter(
    *("inline", "file", "code", "ran", "served_call", "served_response"),
    *("inline_snake", "file_snake", "code_snake", "ran_snake", "served_call_snake", "served_response_snake"),
)


class GeminiFunctionCall(Struct, gc=False):
    """The call of a function."""

    id: str | None = None
    name: str | None = None
    args: Raw = EMPTY_RAW
    will_continue: Raw = field(default=EMPTY_RAW, name="willContinue")
    partial_args: Raw = field(default=EMPTY_RAW, name="partialArgs")


class GeminiFunctionResponse(Struct, gc=False):
    """The response of a function."""

    id: str | None = None
    name: str | None = None
    response: Raw = EMPTY_RAW
    parts: Raw = EMPTY_RAW
    will_continue: Raw = field(default=EMPTY_RAW, name="willContinue")
    scheduling: Raw = EMPTY_RAW


class GeminiPart(Struct, gc=False):
    """The fields of a part that the index needs, and those that show the kind of a part."""

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
    media_resolution: Raw = field(default=EMPTY_RAW, name="mediaResolution")
    video_metadata: Raw = field(default=EMPTY_RAW, name="videoMetadata")
    audio_metadata: Raw = field(default=EMPTY_RAW, name="audioMetadata")
    document_metadata: Raw = field(default=EMPTY_RAW, name="documentMetadata")
    spreadsheet_metadata: Raw = field(default=EMPTY_RAW, name="spreadsheetMetadata")
    speech_metadata: Raw = field(default=EMPTY_RAW, name="speechMetadata")
    audio_transcription: Raw = field(default=EMPTY_RAW, name="audioTranscription")
    part_metadata: Raw = field(default=EMPTY_RAW, name="partMetadata")
    media_processing: Raw = field(default=EMPTY_RAW, name="mediaProcessing")

    @property
    def described(self) -> bool:
        """Whether it has a member that describes it, as few parts do."""
        return bool(
            self.media_resolution
            or self.video_metadata
            or self.audio_metadata
            or self.document_metadata
            or self.spreadsheet_metadata
            or self.speech_metadata
            or self.audio_transcription
            or self.part_metadata
            or self.media_processing
        )


class GeminiContent(Struct, gc=False):
    """The fields of a content that the index needs."""

    role: str | None = None
    parts: list[GeminiPart] | None = None


def decode_content_lenient(value: Any) -> GeminiContent:
    """Decode the members of a JSON value of unexpected shape that fit a Content."""
    content = decode_fitting_members(GeminiContent, value)
    content.role = raw_role(value)
    return content


def raw_role(content: Any) -> str | None:
    """Return the role of a content, None if it has none, "" for a value that is no text."""
    role = content.get("role") if isinstance(content, dict) else ""
    return role if isinstance(role, str) or role is None else ""


def part_member(part: dict[str, Any], key: str) -> Any:
    """Return a member of a part, in camelCase or snake_case."""
    return part.get(key, part.get(_SNAKE_CASE.get(key, key)))


def add_content_record(
    columns: Columns,
    start: int,
    end: int,
    content: GeminiContent,
    mark: int = 0,
    uuid: str | None = None,
    parent: str | None = None,
) -> None:
    """Append a content as a record with its parts. A content of only responses is a message of a tool.

    Contents with the same record id are one message.
    """
    rows = [_row_of(part) for part in content.parts or ()]
    role = Role.USER if content.role is None else ROLE_BY_NAME.get(content.role, Role.OPAQUE)
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
    if not len(raw) < MAX_PLACEHOLDER_LENGTH + 100:
        return 0
    value = parse_json(bytes(raw)) if len(raw) else None
    flags = BlockFlag.ERROR if _says_error_alone(value) else 0
    return (
        flags
        if len(response.parts)
        else flags | placeholder_or_blank_flags(function_response_text(value) if value else "")
    )


def is_plain_part(part: Any) -> bool:
    """Return whether a part is a text or a response of the usual shape, so that its schema need not be gone through."""
    if type(part) is not dict or len(part) != 1:
        return False
    if type(part.get("text")) is str:
        return True
    held = part.get("functionResponse")
    if type(held) is not dict or held.keys() != _RESPONSE_KEYS:
        return False
    return type(held["id"]) is str and type(held["name"]) is str and type(held["response"]) is dict


def may_be_malformed(content: GeminiContent) -> bool:
    if content.role is not None and content.role not in CONTENT_ROLES:
        return True
    return any(map(_is_suspect_part, content.parts or ()))


def _is_suspect_part(part: GeminiPart) -> bool:
    held = (not is_null(part.text)) + (part.call is not None) + (part.response is not None)
    if held != 1 or part.call_snake is not None or part.response_snake is not None or any(map(len, _OTHER_PARTS(part))):
        return True
    if part.described or _has_odd_signature(part):
        return True
    call, response = part.call, part.response
    if response is not None:
        return not is_object(response.response) or bool(response.parts or response.will_continue or response.scheduling)
    if call is not None:
        return bool(call.will_continue or call.partial_args)
    return not is_text(part.text)


def _has_odd_signature(part: GeminiPart) -> bool:
    signature = part.signature or part.signature_snake
    return bool(signature) and not (is_text(signature) or is_null(signature))


def pair_calls_by_name(columns: Columns, path: Iterable[int], raw: ReadRecord) -> None:
    """Give calls and responses without an id one that binds them.

    The n-th response of a name answers the n-th open call of that name in the newest turn with calls. If that turn has
    none left, it answers an open one of the turn before it. A response with an id does not answer a call with another
    id: the API refuses that (router-for-me/CLIProxyAPI#5199). It accepts such a response for a call without an id
    (google-gemini/gemini-cli#6974). Made ids, and ids that a response has from its call, are made again every time from
    the position of the call. The own id of a response is then read from its record again.
    """
    path = [record for record in path if columns.roles[record] != Role.OPAQUE]
    _forget_made_ids(columns, path, raw)
    ids, kinds, names = columns.call_ids, columns.block_kinds, columns.names
    known_ids = {ids[row] for record in path for row in columns.block_rows(record) if kinds[row] == BlockKind.CALL}
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
            here = f"{MADE_ID_PREFIX}{names[row] or ''}:{columns.stable_numbers[record]}.{row - first}"
            own = ids[row]
            if kinds[row] == BlockKind.CALL:
                ids[row] = own or here
                if own is None or row not in answered:
                    _open(open_calls[names[row] or "", own is None], turn, row)
            elif kinds[row] == BlockKind.RESULT and (own is None or own not in known_ids):
                nameless = open_calls[names[row] or "", True]
                call = _take(nameless if own else _newer(nameless, open_calls[names[row] or "", False]))
                ids[row] = (ids[call] if call >= 0 else None) or own or here
                if own is None:
                    columns.block_flags[row] |= BlockFlag.BORROWED_ID


def _forget_made_ids(columns: Columns, path: Iterable[int], raw: ReadRecord) -> None:
    """Reset calls and responses to their own ids, because a repair may have changed other ids since."""
    ids, kinds, flags = columns.call_ids, columns.block_kinds, columns.block_flags
    for record in path:
        for part, row in enumerate(columns.block_rows(record)):
            if flags[row] & BlockFlag.BORROWED_ID:
                ids[row] = None
            elif (ids[row] or "").startswith(MADE_ID_PREFIX):
                ids[row] = _response_id(raw(record), part) if kinds[row] == BlockKind.RESULT else None


def _response_id(content: bytes, part: int) -> str | None:
    value = list_at(parse_json(content), "/parts")[part]
    return text_at(part_member(value, "functionResponse"), "/id") or None


def _answered(columns: Columns, path: Iterable[int]) -> set[int]:
    """Return the calls that a later response names by id: the newest call of that id without a response."""
    ids, kinds, flags = columns.call_ids, columns.block_kinds, columns.block_flags
    waiting: defaultdict[str | None, list[int]] = defaultdict(list)
    answered: set[int] = set()
    for row in (row for record in path for row in columns.block_rows(record)):
        if kinds[row] == BlockKind.CALL:
            waiting[ids[row]].append(row)
        elif kinds[row] == BlockKind.RESULT and not flags[row] & BlockFlag.BORROWED_ID and waiting[ids[row]]:
            answered.add(waiting[ids[row]].pop())
    return answered


def _open(turns: _Turns, turn: int, row: int) -> None:
    """Add an open call to the newest turn."""
    if not turns or turns[-1][0] != turn:
        turns.append((turn, deque()))
    turns[-1][1].append(row)


def _newer(first: _Turns, second: _Turns) -> _Turns:
    """Return the one of two lists of open calls that has the call to be answered next."""
    first_key, second_key = ((turns[-1][0], -turns[-1][1][0]) if turns else (-1, 0) for turns in (first, second))
    return first if first_key >= second_key else second


def _take(turns: _Turns) -> int:
    """Remove and return the call that the next response answers, -1 if no call is open."""
    if not turns:
        return -1
    newest = turns[-1][1]
    row = newest.popleft()
    if not newest:
        turns.pop()
    return row


def placeholder_signature(part: dict[str, Any]) -> tuple[str, str]:
    """Return the member, and its value, that makes Gemini skip the check of a lost signature."""
    return "thoughtSignature" if "functionCall" in part else "thought_signature", SKIP_SIGNATURE


def make_function_response(call: dict[str, Any], text: str, failed: bool) -> dict[str, Any]:
    """Return a response with a text, spelled as the part with the call."""
    inner = part_member(call, "functionCall") or {}
    response = {"id": inner["id"]} if inner.get("id") else {}
    response |= {"name": inner.get("name") or "", "response": {"error" if failed else "output": text}}
    key = "functionResponse" if "functionCall" in call else "function_response"
    return {key: response}


def make_invented_call(response: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a call of which only the response is known, spelled as the part with the response.

    A call needs a signature. This text is the one that the API accepts for calls that it did not make
    (ai.google.dev/gemini-api/docs/thought-signatures).
    """
    inner = part_member(response, "functionResponse") or {}
    call = {"id": inner["id"]} if inner.get("id") else {}
    call |= {"name": name, "args": {}}
    if "functionResponse" in response:
        return {"functionCall": call, "thoughtSignature": SKIP_SIGNATURE}
    return {"function_call": call, "thought_signature": SKIP_SIGNATURE}


# Encoding for a request. Texts and inputs are given as JSON.

_PART_KEYS = frozenset("text thought functionCall functionResponse inlineData fileData".split())


def stored_block_as_sent(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return a part of a log with the id that it is sent by, b"" for one of another shape."""
    if _PART_KEYS.isdisjoint(block):
        return b""
    holder = "functionCall" if "functionCall" in block else "functionResponse"
    return set_member(raw, f"/{holder}", "id", dump_json(sent_id)) if sent_id else raw


def encode_text_block(text: bytes) -> bytes:
    return b'{"text":%s}' % text


def encode_call(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"functionCall":{"id":%s,"name":%s,"args":%s}}' % (dump_json(call_id), dump_json(name), input)


def encode_result(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    head = b'"id":%s,"name":%s' % (dump_json(call_id), dump_json(name))
    return b'{"functionResponse":{%s,"response":{"output":%s}}}' % (head, content)


def encode_message(role: str, blocks: Iterable[bytes]) -> bytes:
    name = b"model" if role == "assistant" else b"user"
    return b'{"role":"%s","parts":[%s]}' % (name, b",".join(blocks))


# The quick reader of plainly spelled contents, for `plain_messages`. Calls and responses without an id are bound by
# their names.

_CONTENT_KEYS = {"role", "parts"}
_CALL_KEYS, _RESPONSE_KEYS = {"id", "name", "args"}, {"id", "name", "response"}


def read_simple_message(content: Any) -> SimpleMessage | None:
    """Read a content, or return None where it is not spelled plainly."""
    if type(content) is not dict or content.keys() != _CONTENT_KEYS or content["role"] not in ("user", "model"):
        return None
    return read_simple_blocks("assistant" if content["role"] == "model" else "user", content["parts"], _read_part)


def _read_part(part: Any) -> PlainBlock | None:
    if type(part) is not dict or len(part) != 1:
        return None
    ((kind, value),) = part.items()
    if kind == "text":
        return ("text", None) if is_nonblank_text(value) else None
    if type(value) is not dict:
        return None
    if kind == "functionCall" and value.keys() <= _CALL_KEYS and type(value.get("args")) is dict:
        return "call", (value.get("id", ""), value.get("name"))
    if kind == "functionResponse" and value.keys() <= _RESPONSE_KEYS and type(value.get("response")) is dict:
        return "result", (value.get("id", ""), value.get("name"))
    return None
