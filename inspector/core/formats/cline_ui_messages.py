"""The messages in the window of Cline, Roo Code or Kilo Code: `ui_messages.json` next to the task's log.

One JSON array of `{ts, type: "ask" | "say", ask | say, text …}`; nothing of it is sent to a provider, and a call and
its result are told in texts, so there is nothing to pair. Facts: cline/cline `src/shared/ExtensionMessage.ts`
(`ClineMessage`), `src/core/storage/disk.ts` (`getSavedClineMessages`: a file that is no JSON stops the task from being
opened; `claude_messages.json` is its old name).
"""

from pathlib import Path

import msgspec

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.agent_behavior import Agent, NextSteps, ResumeBehavior
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.stores import title_line
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.storage.json_text import may_be_too_deep, parse_json, text_at, value_at
from inspector.core.translation import tr

_FILE_NAME = "ui_messages.json"
_MESSAGE_TYPES = ("ask", "say")
_LABEL = tr("Cline, Roo Code or Kilo Code")


class ClineUiMessages(BlockListFormat, MessageArrays, Agent):
    """The messages that the extension's window shows."""

    name = "cline-ui"
    label = "Cline, Roo Code or Kilo Code UI messages"
    container = tr("JSON document")
    detection = tr("the file name ui_messages.json, or an array of messages with ts and the type ask or say")
    read = tr("every message that the extension displayed. The log has no calls, so it is checked only for damage")
    write_back = tr(
        "yes, as a copy or in place (damaged elements are set aside, and an array that was cut off is closed)"
    )
    resume = tr("the task opens only if the file is valid JSON")
    unsupported = tr("pairing calls that appear only in text (the task's own log is api_conversation_history.json)")
    source = "cline/cline src/shared/ExtensionMessage.ts, src/core/storage/disk.ts"
    profile = "anthropic"
    content_pointer = "/text"
    is_provider_api = False

    def score(self, head: Head) -> float:
        messages = None if head.is_lines or head.text.lstrip()[:1] != b"[" else head.messages
        if messages is None:
            return 0.0
        if messages and all(message.get("type") in _MESSAGE_TYPES and "ts" in message for message in messages):
            return 0.98
        return 0.7 if Path(head.path).name.endswith(_FILE_NAME) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        columns.add_record(start, end, Role.LINK)
        if isinstance(value_at(parse_json(raw), "/text"), str):
            columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING)

    def add_whole(self, columns: Columns, raw: bytes | memoryview, start: int, end: int) -> bool:
        message = _DECODE.decode_strict(raw)
        if message is None or may_be_too_deep(raw):
            return self.index_record(columns, bytes(raw), start, end)
        columns.add_record(start, end, Role.LINK)
        if block_list_formats.is_string_token(message.text):
            columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING)
        return True

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        kind = str(message.get("type") or message.get("role") or "")
        told = str(message.get(kind) or "")
        text = message.get("text")
        blocks = (BlockView(BlockKind.TEXT, text, self.content_pointer, told),) if isinstance(text, str) else ()
        return RecordView(kind, told, blocks)

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        whole = (record for record in session.main_thread.path[:20] if log.columns.roles[record])
        texts = (text_at(parse_json(log.raw(record)), "/text") for record in whole)
        session.title = next(filter(None, map(title_line, texts)), "")
        session.state = tr("displayed messages (the conversation itself is in api_conversation_history.json)")

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        if rules:
            return ResumeBehavior(
                "unknown", "refuses", (tr("the task, because its messages cannot be displayed"),), _LABEL
            )
        return ResumeBehavior("unknown", "as-is", (), _LABEL)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        close = tr(
            "Before you save, close the task or the editor, because the extension overwrites the file of an open task."
        )
        others = (
            tr("The repaired messages are in {path}.", path=path),
            tr("Open the task from the extension's history."),
        )
        return NextSteps(others, close=close)


class _Message(msgspec.Struct, gc=False):
    text: msgspec.Raw = msgspec.Raw(b"")


_DECODE = LenientDecoder(_Message)
