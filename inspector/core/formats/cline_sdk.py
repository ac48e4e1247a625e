"""Sessions of the Cline SDK (the current extension, the CLI): `~/.cline/data/sessions/<id>/<id>.messages.json`.

One pretty printed document, rewritten whole: `{version: 1, updated_at, agent, sessionId, messages, system_prompt?}`;
`<id>.compaction.json` is of the same kind. Facts: cline/cline `sdk/packages/core/src/services/session-data.ts`
(`buildMessagesFilePayload`), `session/stores/session-manifest-store.ts`, `session/models/session-compaction.ts` (a
sidecar whose hash no longer fits the messages is ignored), `sdk/packages/shared/src/storage/paths.ts`; what is sent on
resume is below. Each result of parallel calls is a user message of its own, with the name of its tool; `modelInfo` of
an answer names provider and model, `origin` the program that began the session and its version.
"""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    REPLACES_CHARACTERS,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    repaired_location_step,
)
from inspector.core.formats.base.block_list_formats import CLINE_BLOCK_SCHEMA, CLINE_MESSAGE_SCHEMA, BlockListFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import (
    BatchIndexedMessages,
    enclosing_request,
    newest_provider_and_model,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, merge_same_role
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, read_json_object, title_line
from inspector.core.formats.base.writer import CallContext, deterministic_uuid
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import ResultSpec, encode_string
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    NUMBER,
    OBJECT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    object_schema_by_type,
    object_schema_of_fields,
)
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS, fill_template
from inspector.core.providers.registry import api_name_of_provider, profile_name_of
from inspector.core.storage.json_text import (
    dump_json,
    integers_at,
    is_valid_json,
    parse_json,
    parse_json_cached,
    value_at,
)
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

# The shape of a message that Cline reads.
#
# Seen in its command line 3.0.65: a message without content, a text block without text, a result without content and a
# role other than these two stop it before it sends anything, wherever the message stands. It says of a system message:
# "Invalid prompt: System messages are not allowed in the prompt or messages fields. Use the instructions option
# instead."

_ROLES = frozenset({"user", "assistant"})
_CONTENT_FIELD = CLINE_MESSAGE_SCHEMA.fields["content"]
_RESULT_FIELD = FieldSchema((TEXT, LIST, OBJECT, NUMBER, BOOLEAN), needed=True, text_encoder=encode_string, made=b'""')
_BLOCK_SCHEMA = object_schema_by_type(
    {
        "text": object_schema_of_fields(text=REQUIRED_TEXT),
        "thinking": object_schema_of_fields(thinking=REQUIRED_TEXT),
        "tool_result": object_schema_of_fields(content=_RESULT_FIELD),
    }
)
MESSAGE_SCHEMA = ObjectSchema(
    {
        "role": replace(CLINE_MESSAGE_SCHEMA.fields["role"], allowed_values=_ROLES),
        "content": replace(_CONTENT_FIELD, needed=True, of=_BLOCK_SCHEMA, made=b"[]"),
    }
)


def may_be_malformed_message(message: schema.AnthropicMessage) -> bool:
    content = message.content
    if content is None or message.role not in _ROLES or schema.may_be_malformed(message):
        return True
    return isinstance(content, list) and any(
        block.type == "tool_result" and not len(block.content) for block in content
    )


def is_fatal_message(message: Any) -> bool:
    """Return whether a message that is odd ends the program before it sends anything."""
    if not isinstance(message, dict):
        return True
    content, role = message.get("content"), message.get("role")
    if not isinstance(role, str) or role not in _ROLES or not isinstance(content, str | list):
        return True
    return isinstance(content, list) and any(map(_lacks_text, content))


def _lacks_text(block: Any) -> bool:
    match block:
        case {"type": "text"}:
            return block.get("text") is None
        case {"type": "tool_result", "content": list() as parts}:
            return None in parts
        case {"type": "tool_result"}:
            return "content" not in block
    return False


# The request of Cline on resume, message by message.
#
# Facts: Cline CLI 3.0.65, run on some forty broken sessions, and cline/cline sdk/packages (3.0.56 is the same in this):
# core `runtime/config/agent-message-codec.ts` (each result a message of its own), `session/services/message-builder.ts`
# (`addMissingToolResults`: a call that no result names, wherever it stands, is answered behind its message),
# `runtime/host/runtime-host-support.ts` (a file that is no JSON is an empty session, and is written over), shared
# `llms/ai-sdk-format.ts`; and `ai` 7 (`convertToLanguageModelPrompt`: stops at a message of the user while a call
# before it waits for its result; every part has its id and name). Its adapters for Anthropic and Bedrock join
# neighbours of one role, the others send every message by itself.

_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
# Other types are dropped as a session is loaded, as documents, search results and all blocks of Anthropic's own tools
# were seen to be in 3.0.65, and images in the form of Anthropic. A message of nothing else is then an empty one.
_KNOWN_TYPES = frozenset({"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "file", "image"})
_SENT_MEMBERS = frozenset({"type", "text", "thinking", "signature", "id", "name", "input", "source"})
_OFTEN_DROPPED = frozenset({BlockKind.MEDIA, BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT, BlockKind.OTHER})
_WIRE_OF_PROFILE = {"": "openai-chat", "mistral": "openai-chat"}
_WIRES_THAT_MERGE = frozenset({"anthropic", "bedrock-converse"})
_WHOLE_SESSION_LOST = tr("the whole session, because a file that is not valid JSON is treated as empty")
_OVERWRITES = tr("overwrites the file when you send your next message")
_EMPTY = tr('writes "ERROR: EMPTY CONTENT" into empty messages in the file')
_LONGEST_TEXT, _LEFT_OUT = 8000, "\n\n...[truncated {} chars]...\n\n"
_USER_INPUT_TAGS = ("<user_input", "</user_input>")
_MALFORMED_STOPS = tr("the agent stops at a message or block that has no content or has an unknown role")
_SCHEMA_ERROR = "The messages do not match the ModelMessage[] schema"


newest_model = partial(newest_provider_and_model, provider="/modelInfo/provider", model="/modelInfo/id")


def _build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session sends."""
    records = list(session.main_thread.path)
    provider, model = newest_model(columns, records, raw)
    api = api_name_of_provider(provider, model) if provider else "anthropic"
    wire = _WIRE_OF_PROFILE.get(api, api)
    if any(columns.marks[record] & RecordMark.UNREADABLE and not _is_read(raw(record)) for record in records):
        return ResumeRequest(wire, [], file_changes=_OVERWRITES, lost=(_WHOLE_SESSION_LOST,))
    odd = (
        [record for record in records if columns.marks[record] & RecordMark.MAYBE_MALFORMED]
        if columns.has_mark(RecordMark.MAYBE_MALFORMED)
        else ()
    )
    if any(is_fatal_message(parse_json(raw(record))) for record in odd):
        return ResumeRequest(wire, [], stop_reason=_MALFORMED_STOPS)
    messages = _with_placeholders(columns, _split(columns, records, raw, wire == "anthropic"))
    messages = [message for message in messages if _is_sent(columns, message)]
    why = _stop_reason(columns, messages)
    writes = _EMPTY if any(_says_nothing(columns, message) for message in messages) else ""
    sent = merge_same_role(messages) if wire in _WIRES_THAT_MERGE else messages
    return ResumeRequest(wire, sent, writes, why, as_stored=wire == "anthropic")


def _sent_text(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """Return a text, a result that is no text as JSON, a long one without its middle, what was typed without its tag.

    Files that were read again later, and requests of more than 6 MB of text, are shortened in ways not covered here.
    """
    value = parse_json(block)
    content = value.get("content") if kind == _RESULT and isinstance(value, dict) else None
    may_be_long = len(block) > _LONGEST_TEXT
    if isinstance(content, list):
        return dump_json([*map(_shortened_entry, content)] if may_be_long else content).decode()
    if isinstance(content, dict | bool | int | float):
        return dump_json(content).decode()
    if isinstance(content, str) and may_be_long and (short := _shortened(content)) != content:
        return str(short)
    if isinstance(content, str):
        return content
    text = value.get("text") if isinstance(value, dict) else value
    if kind != BlockKind.TEXT or not isinstance(text, str):
        return None
    typed = text.strip()
    if role == Role.USER and typed.startswith(_USER_INPUT_TAGS[0]) and typed.endswith(_USER_INPUT_TAGS[1]):
        return typed[typed.find(">") + 1 : -len(_USER_INPUT_TAGS[1])].strip()
    return text


def _sent_members(block: bytes) -> bytes:
    """Return a block of the log with the members that Cline's library sends. It leaves out all others (3.0.65)."""
    value = parse_json(block)
    return (
        block
        if not value.keys() - _SENT_MEMBERS
        else dump_json({key: value[key] for key in value if key in _SENT_MEMBERS})
    )


def _shortened_entry(entry: Any) -> Any:
    """Return an entry of a result's list with its long texts shortened (`truncateToolResultContent`)."""
    kind = entry.get("type") if isinstance(entry, dict) else None
    if kind not in ("text", "file", "image"):
        return _with_short_texts(entry)
    member = {"text": "text", "file": "content"}.get(kind, "")
    return {**entry, member: _shortened(entry[member])} if member in entry else entry


def _with_short_texts(value: Any) -> Any:
    """Return a value with its long texts shortened, but for the data of images (`truncateNestedStrings`)."""
    if isinstance(value, list):
        return [*map(_with_short_texts, value)]
    if not isinstance(value, dict):
        return _shortened(value)
    if value.get("type") == "image" and isinstance(value.get("data"), str) and isinstance(value.get("mediaType"), str):
        return value
    return {key: _with_short_texts(each) for key, each in value.items()}


def _shortened(text: Any) -> Any:
    """Return a text without its middle if it is too long (`truncateMiddle`), any other value as it is.

    JavaScript counts UTF-16 code units. Half of a character that is cut becomes U+FFFD.
    """
    units = text.encode("utf-16-le", "surrogatepass") if isinstance(text, str) else b""
    count = len(units) // 2
    if count <= _LONGEST_TEXT:
        return text
    kept = (_LONGEST_TEXT - len(_LEFT_OUT.format(count - _LONGEST_TEXT))) // 2
    marker = _LEFT_OUT.format(count - 2 * kept)
    kept = (_LONGEST_TEXT - len(marker)) // 2
    return marker.join(end.decode("utf-16-le", "replace") for end in (units[: 2 * kept], units[-2 * kept :]))


def _is_read(raw: bytes) -> bool:
    """Return whether the program reads a record that no provider takes: halves of characters do not stop it."""
    try:
        parse_json(raw)
    except ValueError:
        return False
    return True


def _says_nothing(columns: Columns, message: RequestMessage) -> bool:
    """Return whether a message has no content, or a blank string. Blank blocks stay as they are in the file."""
    blank = BlockFlag.PLAIN_STRING | BlockFlag.BLANK
    return all(columns.block_flags[sent.row] & blank == blank for sent in message.blocks)


def _split(columns: Columns, records: list[int], raw: ReadRecord, only_signed: bool) -> list[RequestMessage]:
    """Separate results from the rest of a message. Neighbouring results are one message.

    With `only_signed`, reasoning without a signature is left out, and so is what was redacted.
    """
    often_dropped = _OFTEN_DROPPED | {BlockKind.THINKING} if only_signed else _OFTEN_DROPPED
    drops_any = any(map(columns.has_kind_sequence, often_dropped))
    messages: list[RequestMessage] = []
    for record in records:
        role = columns.roles[record]
        if role not in (Role.USER, Role.ASSISTANT):
            continue
        rows: Sequence[int] = columns.block_rows(record)
        if drops_any and any(columns.block_kinds[row] in often_dropped for row in rows):
            blocks, drops_reasoning = parse_json(raw(record))["content"], only_signed and role == Role.ASSISTANT
            rows = [row for row, block in zip(rows, blocks, strict=True) if _is_kept(block, drops_reasoning)]
        if not rows:
            messages.append(RequestMessage(role, []))
        before = -1
        for row in rows:
            speaks = Role.TOOL if columns.block_kinds[row] == _RESULT else role
            if speaks == before or (speaks == Role.TOOL and messages and messages[-1].role == Role.TOOL):
                messages[-1].blocks.append(RequestBlock(row))
            else:
                messages.append(RequestMessage(speaks, [RequestBlock(row)]))
            before = speaks
    return messages


def _is_kept(block: Any, only_signed: bool) -> bool:
    """Return whether Cline keeps a block when it loads a session: not one of a type or an image of a form of others.

    To Anthropic, it sends reasoning only with a signature, and never what was redacted (3.0.65).
    """
    match block:
        case {"type": "thinking" | "redacted_thinking" as kind} if only_signed:
            signature = block.get("signature")
            return kind == "thinking" and isinstance(signature, str) and signature != ""
        case {"type": "image"}:
            return "data" in block
        case {"type": str() as kind}:
            return kind in _KNOWN_TYPES
    return True


def _with_placeholders(columns: Columns, messages: list[RequestMessage]) -> list[RequestMessage]:
    """Add placeholders for calls without a result anywhere, after their message and the results that follow it."""
    kinds, ids = columns.block_kinds, columns.call_ids
    results = {ids[sent.row] for each in messages if each.role == Role.TOOL for sent in each.blocks}
    whole: list[RequestMessage] = []
    missing: dict[str | None, RequestBlock] = {}
    for message in messages:
        if message.role == Role.TOOL:
            message.blocks += missing.values()
        elif missing:
            whole.append(RequestMessage(Role.TOOL, list(missing.values())))
        missing = {}
        whole.append(message)
        if message.role == Role.ASSISTANT:
            calls = [sent.row for sent in message.blocks if kinds[sent.row] == _CALL and ids[sent.row] not in results]
            missing = {ids[row]: RequestBlock(row, _placeholder_result(columns, row)) for row in calls}
    return [*whole, RequestMessage(Role.TOOL, list(missing.values()))] if missing else whole


def _placeholder_result(columns: Columns, row: int) -> str:
    """Return Cline's own result as the model reads it: a list of blocks, which goes out as JSON, being an error."""
    name = columns.names[row] or ""
    text = (
        fill_template(PLACEHOLDER_WORDINGS["cline-named"].text, name, "")
        if name
        else PLACEHOLDER_WORDINGS["cline"].text
    )
    return dump_json([{"type": "text", "text": text}]).decode()


def _is_sent(columns: Columns, message: RequestMessage) -> bool:
    """Drop calls outside of messages of the assistant. Return whether anything is left of the message."""
    if message.role == Role.ASSISTANT or not message.blocks:
        return True
    message.blocks = [sent for sent in message.blocks if sent.answer or columns.block_kinds[sent.row] != _CALL]
    return bool(message.blocks)


def _stop_reason(columns: Columns, messages: list[RequestMessage]) -> str:
    """Return why the program stops before it sends anything, "" when it goes on. Your next prompt comes last."""
    kinds, ids = columns.block_kinds, columns.call_ids
    waiting: dict[str | None, None] = {}
    for message in [*messages, RequestMessage(Role.USER, [])]:
        if message.role == Role.USER and waiting:
            several = len(waiting) > 1
            told = "Tool results are missing for tool calls" if several else "Tool result is missing for tool call"
            return f"{told} {', '.join(map(str, waiting))}."
        for sent in message.blocks:
            kind, call_id = kinds[sent.row], ids[sent.row]
            if kind == BlockKind.THINKING and message.role == Role.USER:
                return f"{_SCHEMA_ERROR}: a message of the user holds reasoning."
            if kind in (_CALL, _RESULT) and (call_id is None or columns.names[sent.row] is None):
                return (
                    f"{_SCHEMA_ERROR}: a {'call' if kind == _CALL else 'result'} lacks its id or the name of its tool."
                )
            if message.role == Role.TOOL:
                waiting.pop(call_id, None)
            elif kind == _CALL:
                waiting[call_id] = None
    return ""


_DOCUMENT_START = re.compile(rb'\s*\{\s*"version"\s*:\s*1\s*,\s*"updated_at"\s*:\s*"')
_OWN_MEMBERS = re.compile(rb'"(?:sessionId|source_message_count)"\s*:')
_MESSAGES_START = re.compile(rb'"messages"\s*:\s*\[')
_LABEL = "Cline"
_COMPACTED = tr(
    "Cline sends the compaction stored next to the log instead of the messages that the compaction replaces"
)


class ClineSdk(BlockListFormat, BatchIndexedMessages, RequestBuilder):
    """Sessions of the Cline SDK."""

    name = "cline-sdk"
    label = "Cline SDK session"
    keys = "updated_at"
    container = tr("JSON document")
    detection = tr("a document that contains messages and begins with the fields version (1), updated_at and sessionId")
    read = tr("all messages, with each result in a separate user message (.compaction.json is read in the same way)")
    write_back = tr("yes, as a copy or in place, but not as a new session, which would need a row in Cline's database")
    resume = tr(
        "each result has the name of its tool and follows its call. If the beginning of the history changes, "
        "Cline drops its compaction"
    )
    unsupported = tr("checking the compaction file together with the messages (it is checked only as a separate log)")
    lost_result_places = tr(
        "in Cline's search index, until the session is indexed again (this program does not search the index)"
    )
    side_files = ("{name}.json", "{name}.compaction.json")
    source = "cline/cline sdk/packages/core/src/session, services/session-data.ts"
    profile = "anthropic"
    block_schema = replace(
        CLINE_BLOCK_SCHEMA, results=(ResultSpec(id="/tool_use_id", name="/name", status="/is_error"),)
    )
    content_pointer = "/content"
    message_schema = MESSAGE_SCHEMA
    is_provider_api = False
    keeps_answers_separate = True
    results_share_record = False
    requires_result_names = True
    stops_at_reasoning_of_user = True  # seen in 3.0.65, with `thinking` and with `redacted_thinking`
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")
    stores = (
        StorePattern("$CLINE_DIR/data|~/.cline/data", "sessions/*/*.messages.json", "CLINE_DATA_DIR"),
        StorePattern("$CLINE_SESSION_DATA_DIR", "*/*.messages.json"),
    )
    session_store = "inspector.core.formats.base.cline_store:ClineStore"

    # reading
    can_invent_calls = True

    def score(self, head: Head) -> float:
        begins = _DOCUMENT_START.match(head.plain)
        messages = _MESSAGES_START.search(head.plain)
        if begins is None or messages is None:
            return 0.0
        return 0.97 if _OWN_MEMBERS.search(head.plain, begins.end(), messages.start()) else 0.0

    decode = schema.MESSAGE_DECODER
    is_odd = staticmethod(may_be_malformed_message)
    add_messages = staticmethod(schema.add_messages)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        found = super().sessions(log, columns, raw)
        found[0].id = re.sub(r"\.(messages|compaction)\.json$", "", Path(log.source.path).name)
        return found

    def describe(self, log: Log, session: Session) -> None:
        super().describe(log, session)
        session.agent = _LABEL
        beside = _manifest_metadata(log.source.path)
        session.title = beside.title or session.title
        session.version = _version(log)
        session.state = _COMPACTED if _is_compacted(log.source.path) else ""

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        provider, model = newest_model(columns, session.main_thread.path, raw)
        # To a provider that it has no adapter for, it speaks as to OpenAI.
        found = profile_name_of(provider, model) or ("openai-chat" if provider else "")
        session.profile, session.provider_assumed = found or self.profile, not found

    def metadata(self, head: Head) -> SessionMetadata:
        beside = _manifest_metadata(head.path)
        first = next((message for message in head.messages or () if message.get("role") == "user"), {})
        said = (view.text for view in self.block_views(first) if view.kind == BlockKind.TEXT)
        return SessionMetadata(beside.project, beside.title or title_line(next(said, "")))

    def stored_folder(self, log: Log, session: int) -> str:
        return _manifest_metadata(log.source.path).project

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        model = str(value_at(message, "/modelInfo/id") or "")
        counts = integers_at(message, "/metrics/inputTokens", "/metrics/outputTokens")
        return RecordView(str(message.get("role", "")), "", self.block_views(message), "", model, *counts)

    # what the agent does

    build_request = staticmethod(_build_request)
    sent_text = staticmethod(_sent_text)
    sent_thinking = staticmethod(_sent_members)

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        return name, _sent_members(block)

    handles_invalid_characters = REPLACES_CHARACTERS

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Report what Cline does: ids are sent as they are."""
        outcome = "unknown" if session.state == _COMPACTED else "mends" if rules else "as-is"
        return ResumeBehavior(f"cline {session.version}".strip(), outcome, (), _LABEL)

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        named = {"type": "tool_result", "tool_use_id": call.id, "name": call.name}
        return dump_json(named | schema.make_tool_result(call.id, text, failed))

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message with the time of the one that it belongs to."""
        named = b'{"id":"msg_%s",' % deterministic_uuid(seed).replace("-", "")[:12].encode()
        message, time = super().new_record(like, role, content, seed), parse_json_cached(like).get("ts")
        ts = b',"ts":' + dump_json(time) if isinstance(time, int | float) else b""
        return named + message[1:-1] + ts + b"}"

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = f"cline --id {session_id}"
        return NextSteps(
            (
                repaired_location_step(path),
                CHANGE_FOLDER_STEP,
                tr("Open the session from Cline's history, or run: {command}", command=command),
            ),
            command,
            tr("Close the session in Cline before you save, because Cline overwrites the file of an open session."),
        )


def _is_compacted(path: str) -> bool:
    """Return whether the compaction of a session lies next to its messages."""
    name = re.sub(r"\.messages\.json$", ".compaction.json", path)
    return name != path and Path(name).is_file()


def _version(log: Log) -> str:
    """Return the version of the command line that began the session, "" where the log does not name it."""
    sequence = log.sequences[0] if log.sequences else None
    around = enclosing_request(log, sequence, sequence.enclosing_object) if sequence is not None else b""
    return str(value_at(parse_json(around), "/origin/version") or "") if is_valid_json(around) else ""


def _manifest_metadata(path: str) -> SessionMetadata:
    """Return folder and title from the manifest of the session, `<id>.json` next to its messages."""
    if path == "-":
        return SessionMetadata()
    name = re.sub(r"\.(messages|compaction)\.json$", ".json", path)
    manifest = read_json_object(Path(name)) if name != path else {}
    return SessionMetadata(str(manifest.get("cwd") or ""), str(value_at(manifest, "/metadata/title") or ""))
