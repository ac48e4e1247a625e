"""Sessions of the Cline SDK (the current extension, the CLI): `~/.cline/data/sessions/<id>/<id>.messages.json`.

One pretty printed document, rewritten whole: `{version: 1, updated_at, agent, sessionId, messages, system_prompt?}`;
`<id>.compaction.json` is of the same kind. Facts: cline/cline `sdk/packages/core/src/services/session-data.ts`
(`buildMessagesFilePayload`), `session/stores/session-manifest-store.ts`, `session/models/session-compaction.ts` (a
sidecar whose hash no longer fits the messages is ignored), `sdk/packages/shared/src/storage/paths.ts`; what is sent on
resume: `sends`. Each result of parallel calls is a user message of its own, with the name of its tool; `modelInfo` of
an answer names provider and model, `origin` the program that began the session and its version.
"""

import re
from pathlib import Path

from msgspec.structs import replace

from inspector.core.bytes.json_text import dump_json, is_valid_json, numbers_at, parse_json, value_at
from inspector.core.bytes.sequences import RecordSequence
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.edits import Call
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.message_arrays import BatchedMessages
from inspector.core.formats.bases.new_ids import uuid_for
from inspector.core.formats.bases.next_steps import NextSteps, lying_at
from inspector.core.formats.bases.noted import object_in
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request_body import request_around
from inspector.core.formats.bases.store import Headline, Store, first_line
from inspector.core.formats.cline_sdk.sends import as_sent, named, request_of
from inspector.core.formats.cline_sdk.shape import SHAPE, is_odd
from inspector.core.index.columns import Columns, ReadRecord, Role
from inspector.core.index.session import Log, Session
from inspector.core.index.views import BlockKind, RecordView
from inspector.core.profiles.by_name import profile_of
from inspector.core.wire import anthropic
from inspector.core.wire.spelling.rows import ResultSpec
from inspector.core.wire.spelling.tables import CLINE_ANTHROPIC

_HEAD = re.compile(rb'\s*\{\s*"version"\s*:\s*1\s*,\s*"updated_at"\s*:\s*"')
_OWN = re.compile(rb'"(?:sessionId|source_message_count)"\s*:')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_LABEL = "Cline"
_COMPACTED = "a compaction lies beside it, which Cline sends in the place of the messages that it covers"


class ClineSdk(BlockListFormat, BatchedMessages, Sender):
    """Sessions of the Cline SDK."""

    name = "cline-sdk"
    label = "Cline SDK session"
    keys = "updated_at"
    container = "JSON document"
    detection = "a document that begins with version 1, updated_at and sessionId, and holds messages"
    read = "all messages, each result in a user message of its own; .compaction.json likewise"
    write_back = "yes: a copy, in place; a new session would need a row in Cline's database"
    resume = "results with the name of their tool, behind their call; a changed prefix makes Cline drop its compaction"
    unsupported = "the compaction beside the messages is judged by itself, not in their place"
    side_files = ("{name}.json", "{name}.compaction.json")
    source = "cline/cline sdk/packages/core/src/session, services/session-data.ts"
    profile = "anthropic"
    block_schema = replace(CLINE_ANTHROPIC, results=(ResultSpec(id="/tool_use_id", name="/name", status="/is_error"),))
    content_pointer = "/content"
    message_schema = SHAPE
    is_provider_api = False
    keeps_answers_separate = True
    results_share_record = False
    requires_result_names = True
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")
    stores = (
        Store("$CLINE_DIR/data|~/.cline/data", "sessions/*/*.messages.json", "CLINE_DATA_DIR"),
        Store("$CLINE_SESSION_DATA_DIR", "*/*.messages.json"),
    )

    # reading
    can_invent_calls = True

    def score(self, head: Head) -> float:
        begins = _HEAD.match(head.plain)
        messages = _MESSAGES.search(head.plain)
        if begins is None or messages is None:
            return 0.0
        return 0.97 if _OWN.search(head.plain, begins.end(), messages.start()) else 0.0

    decode = anthropic.MESSAGE_DECODER
    is_odd = staticmethod(is_odd)
    add_messages = staticmethod(anthropic.add_messages)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        found = super().sessions(log, columns, raw)
        found[0].id = re.sub(r"\.(messages|compaction)\.json$", "", Path(log.source.path).name)
        return found

    def describe(self, log: Log, session: Session) -> None:
        super().describe(log, session)
        session.agent = _LABEL
        beside = _headline_beside(log.source.path)
        session.title = beside.title or session.title
        session.version = _version(log)
        session.state = _COMPACTED if _is_compacted(log.source.path) else ""

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        provider, model = named(columns, session.main_thread.path, raw)
        # To a provider that it has no adapter for, it speaks as to OpenAI.
        found = profile_of(provider, model) or ("openai-chat" if provider else "")
        session.profile, session.provider_assumed = found or self.profile, not found

    def metadata(self, head: Head) -> Headline:
        beside = _headline_beside(head.path)
        first = next((message for message in head.messages or () if message.get("role") == "user"), {})
        said = (view.text for view in self.block_views(first) if view.kind == BlockKind.TEXT)
        return Headline(beside.project, beside.title or first_line(next(said, "")))

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", "no message")
        model = str(value_at(message, "/modelInfo/id") or "")
        counts = numbers_at(message, "/metrics/inputTokens", "/metrics/outputTokens")
        return RecordView(str(message.get("role", "")), "", self.block_views(message), "", model, *counts)

    # what the agent does

    build_request = staticmethod(request_of)
    sent_text = staticmethod(as_sent)

    def resume_behavior(self, session: Session, rules: set[str]) -> OnResume:
        """Halves of characters are replaced in memory, and ids are sent as they are."""
        outcome = "unknown" if session.state == _COMPACTED else "mends" if rules else "as-is"
        return OnResume(f"cline {session.version}".strip(), outcome, (), _LABEL)

    # writing

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        named = {"type": "tool_result", "tool_use_id": call.id, "name": call.name}
        return dump_json(named | anthropic.make_tool_result(call.id, text, failed))

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """A message with the time of the one that it belongs to."""
        named = b'{"id":"msg_%s",' % uuid_for(seed).replace("-", "")[:12].encode()
        message, time = super().new_record(like, role, content, seed), parse_json(like).get("ts")
        ts = b',"ts":' + dump_json(time) if isinstance(time, int | float) else b""
        return named + message[1:-1] + ts + b"}"

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = f"cline --id {session_id}"
        return NextSteps(
            (lying_at(path), f"Open it from Cline's history, or run: {command}"),
            command,
            "Close the session in Cline before you save: an open one is written back whole.",
        )


def _is_compacted(path: str) -> bool:
    """Whether the compaction of a session lies beside its messages."""
    name = re.sub(r"\.messages\.json$", ".compaction.json", path)
    return name != path and Path(name).is_file()


def _version(log: Log) -> str:
    """Which version of the command line began the session, "" where the log does not tell."""
    sequence = log.sequences[0] if log.sequences else None
    around = request_around(log, sequence, sequence.enclosing_object) if sequence is not None else b""
    return str(value_at(parse_json(around), "/origin/version") or "") if is_valid_json(around) else ""


def _headline_beside(path: str) -> Headline:
    """Folder and title from the manifest of the session, `<id>.json` beside its messages."""
    if path == "-":
        return Headline()
    name = re.sub(r"\.(messages|compaction)\.json$", ".json", path)
    manifest = object_in(Path(name)) if name != path else {}
    return Headline(str(manifest.get("cwd") or ""), str(value_at(manifest, "/metadata/title") or ""))
