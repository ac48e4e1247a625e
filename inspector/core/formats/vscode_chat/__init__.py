"""Chats of VS Code with Copilot: `<User>/workspaceStorage/<hash>/chatSessions/<session id>.jsonl`, or `.json`.

Facts: VS Code 1.128.1 (microsoft/vscode @5264f21), `chatSessionStore.ts`, `objectMutationLog.ts` and `chatModel.ts`,
whose code was run on damaged and repaired logs; microsoft/vscode-copilot-chat @31acd00 for what is sent. Versions
before 1.109 wrote one document. A log of operations is the document with all changes since it was last written whole,
which happens after 1024 lines. VS Code finds a chat by an index in its `state.vscdb`, so that it does not find a new
file.
"""

import os
import re
from typing import Any

from inspector.core.formats.base.agent_behavior import SENDS_HALF_PAIRS, NextSteps, RequestBuilder
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.json_lines import IndexedLines, JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.request import ResumeRequest
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, first_user_text, title_line
from inspector.core.formats.vscode_chat import reader, request, writer
from inspector.core.formats.vscode_chat.loader import chat_in, rows_left_out
from inspector.core.formats.vscode_chat.request import AGENT_LABEL
from inspector.core.formats.vscode_chat.settings_folders import SETTINGS_FOLDERS, workspace_folder
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_lines import nonblank_lines
from inspector.core.storage.json_text import is_valid_json, parse_json, text_at
from inspector.core.storage.source import Source
from inspector.core.translation import tr, tr_plural

_FOLDERS = ("workspaceStorage/*/chatSessions", "globalStorage/emptyWindowChatSessions")
_TITLE = "customTitle"
_SUFFIX = re.compile(r"\.jsonl?.*$")
_MEMBERS = frozenset(
    "requests inputState customTitle pendingRequests hasPendingEdits responderUsername repoData sessionId".split()
)


class VsCodeChat(MessageArrays, JsonLines, RequestBuilder):
    """Chats of VS Code with Copilot."""

    name = "vscode-chat"
    label = "VS Code Copilot chat"
    keys = "kind requests"
    container = tr("JSON Lines, or one JSON document (older versions)")
    detection = tr(
        "a list of requests, or operations that have kind and v and whose paths begin with requests or inputState"
    )
    read = tr(
        "the prompts and the rounds of calls that remain after all operations are applied, or the response "
        "texts if there are no rounds"
    )
    write_back = tr("yes, as a copy or in place, but not as a new session, which would be missing from VS Code's index")
    resume = tr(
        "the first operation creates the chat, each path exists, missing operations are added, and requests "
        "keep their numbers"
    )
    unsupported = tr(
        "display-only parts of a prompt or response; the context sent with a prompt; whitespace-only lines; "
        "messages in a damaged request that an older version of VS Code wrote (checked only after the request "
        "is repaired); session-store.db (it contains no call results)"
    )
    source = "microsoft/vscode 1.128.1 @5264f21, chatSessionStore.ts; microsoft/vscode-copilot-chat @31acd00"
    profile = "openai-chat"
    block_schema = reader.CHAT_BLOCK_SCHEMA
    shapes = MessagePaths((reader.REQUESTS,))
    is_provider_api = False
    inline_results = True
    keeps_answers_separate = True
    accepts_bom = False
    stores = tuple(
        StorePattern(root, f"*/User/{folder}/*.{ending}")
        for root in SETTINGS_FOLDERS
        for folder in _FOLDERS
        for ending in ("jsonl", "json")
    )
    session_store = "inspector.core.formats.vscode_chat.session_store:VsCodeChatStore"
    supported_profiles = ("openai-chat", "openai-responses", "anthropic", "gemini")

    def score(self, head: Head) -> float:
        values = head.lines if head.is_lines else [head.context]
        operations = [value for value in values if reader.is_operation(value)]
        if not operations:
            requests = [*filter(None, head.messages_in(self.shapes) or ())] if len(values) == 1 else []
            return 0.9 if requests and all(map(reader.is_request, requests)) else 0.0
        is_chat = len(operations) > len(values) / 2 and any(map(_is_of_chat, operations))
        requests = [request for operation in operations for request in reader.requests_in(operation)]
        return 0.95 if is_chat and all(map(reader.is_request, requests)) else 0.0

    # reading

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if _is_document(Head(source)):
            return self._index_requests(source, reading)
        return JsonLines.index(self, source, reading)

    def add_chunk(self, found: IndexedLines, chunk: memoryview, offset: int, reading: ReadOptions) -> None:
        for start, end, line in nonblank_lines(offset, bytes(chunk)):
            reader.add_line(found.columns, line, start, end, found.sequences)

    def _index_requests(self, source: Source, reading: ReadOptions) -> Log:
        """Read a document: its requests, then the messages in them, and what follows the place where it breaks off."""
        log = MessageArrays.index(self, source, reading)
        count = len(log.columns) - (log.truncation is not None)
        columns, tail = (log.columns.selection([span]) for span in ((0, count), (count, len(log.columns))))
        log.sequences[-1].high -= len(tail)
        for record in range(count):
            if not columns.marks[record] & RecordMark.UNREADABLE:
                raw = log.raw(record)
                places = reader.places_in_request(parse_json(raw))
                reader.add_messages(columns, raw, columns.starts[record], places, log.sequences)
        columns.append(tail)
        log.sequences[-1].high += len(tail)
        log.columns = columns
        log.sessions = self.sessions(log, log.columns, log.raw)
        return log

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        """Index a request of a document, or what a repair changed: a message, which `rewrite` marks, or a line."""
        value = parse_json(raw)
        if raw.startswith(writer.MESSAGE_MARK) and reader.is_message(value):
            reader.add_message(columns, value, start, end)
        else:
            is_known = reader.is_operation(value) or reader.has_request_member(value)
            columns.add_record(start, end, Role.OPAQUE, 0 if is_known else RecordMark.UNREADABLE)

    def can_be_salvaged(self, columns: Columns, record: int, part: bytes) -> bool:
        """Return whether VS Code would read a part of a damaged record. A line holds an operation, never a request."""
        is_line = columns.marks[record] & RecordMark.VARIANT_MASK == reader.DAMAGED_LINE
        return super().can_be_salvaged(columns, record, part) and (not is_line or reader.is_operation(parse_json(part)))

    pointer = staticmethod(reader.block_pointer)
    view = staticmethod(reader.record_view)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        chat = chat_in(columns, raw)
        path = chat.path()
        thread = Thread(path, damaged_links=chat.links, agent_handled_rows=rows_left_out(columns, path))
        session_id = _SUFFIX.sub("", os.path.basename(log.source.path))
        return [Session(0, session_id, range(len(columns)), [thread], self.profile, provider_assumed=True)]

    def describe(self, log: Log, session: Session) -> None:
        session.agent = AGENT_LABEL
        chat, path = chat_in(log.columns, log.raw), session.main_thread.path
        session.title = title_line(chat.title) or first_user_text(log, path, lambda raw: title_line(_prompt_in(raw)))
        kinds = log.columns.block_kinds
        if left := sum(kinds[row] == BlockKind.CALL for row in session.main_thread.agent_handled_rows):
            session.state = tr_plural(
                "{number} call has no result, and Copilot does not send this call",
                "{number} calls have no results, and Copilot does not send these calls",
                left,
            )

    def metadata(self, head: Head) -> SessionMetadata:
        """Return the folder of the workspace, and the title or else the first prompt."""
        values = head.lines if head.is_lines else [head.context]
        operations = [value for value in values if reader.is_operation(value)]
        titles = [text_at(each, "/v") for each in operations if each.get("k") == [_TITLE]]
        titles += [text_at(each, f"/v/{_TITLE}") or text_at(each, f"/{_TITLE}") for each in values]
        requests = [each for operation in operations for each in reader.requests_in(operation)]
        requests = requests or head.messages_in(self.shapes) or []
        prompts = (text_at(each, "/message/text") or text_at(each, "/message") for each in requests)
        return SessionMetadata(
            workspace_folder(os.path.dirname(head.path)), next(filter(None, (*titles, *prompts)), "")
        )

    def stored_folder(self, log: Log, session: int) -> str:
        return workspace_folder(os.path.dirname(log.source.path))

    # what the agent does

    handles_invalid_characters = SENDS_HALF_PAIRS
    resume_behavior = staticmethod(request.resume_behavior)

    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
        return request.build_request(chat_in(columns, raw), session, columns, raw)

    # writing

    rewrite = staticmethod(writer.rewrite_message)

    def messages_within(self, raw: bytes) -> list[tuple[int, int, bytes]]:
        value: Any = parse_json(raw) if is_valid_json(raw) else None
        # In a document the messages follow all requests, not their own.
        places = reader.message_places(value) if reader.is_operation(value) else []
        return [(low, high, writer.MESSAGE_MARK + raw[low:high]) for low, high in reader.message_spans(raw, places)]

    result_block = staticmethod(writer.result_block)

    def holds_results(self, columns: Columns, record: int) -> bool:
        return columns.roles[record] == Role.ASSISTANT

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return writer.prompt_json(text)

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        return [*writer.operation_lines(chat_in(columns, raw).made.get(record, []), session_id), raw(record)]

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        place = log.source.path
        return NextSteps(
            (
                tr(
                    "Quit VS Code, and replace {place} with the copy. "
                    "The copy must have the same name as the original.",
                    place=place,
                ),
            )
        )

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return NextSteps(
            (tr("Open the chat's folder in VS Code, and choose the chat in the session list."),),
            close=tr("Quit VS Code before you save, because VS Code saves open chats again when it quits."),
        )


def _is_document(head: Head) -> bool:
    """Return whether a log is one document, not lines of operations."""
    if head.is_lines:
        return len(head.lines) == 1 and isinstance(head.lines[0].get(reader.REQUESTS), list)
    return not head.text.lstrip().startswith(b'{"kind":')


def _is_of_chat(operation: dict[str, Any]) -> bool:
    """Return whether an operation is on the document of a chat, not on that of another program."""
    if operation["kind"] == reader.INITIAL:
        return not _MEMBERS.isdisjoint(operation["v"])
    return bool(operation["k"]) and operation["k"][0] in _MEMBERS


def _prompt_in(raw: bytes) -> str:
    value = parse_json(raw)
    return value if isinstance(value, str) else text_at(value, "/text")
