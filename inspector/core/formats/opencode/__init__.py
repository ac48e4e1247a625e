"""opencode and Kilo Code from version 7 on (its fork): an export, a folder of files, or an SQLite database.

`${XDG_DATA_HOME:-~/.local/share}/opencode/storage/{session,message,part}/…` until the store became `opencode.db`.
Facts: anomalyco/opencode, session/message-v2.ts @007a940 (`toModelMessages`, `filterCompacted`; with a kept tail as of
later versions), session/revert.ts, session/session.sql.ts @063e830, storage/json-migration.ts @062aa8c,
storage/storage.ts @00d1fee, cli/cmd/export.ts @07fa810 and import.ts @020ac73 (what is there is not written over).

A message with its parts is a record; a tool part holds its call and its outcome. A call without an outcome is sent as
failed ("[Tool execution was interrupted]"). Blank texts and messages that ended in an error are not sent.
"""

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    SENDS_HALF_PAIRS,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceQuery
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.databases import SQLITE_MAGIC, is_database
from inspector.core.formats.base.format import MultiFileFormat, ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.stores import SessionMetadata, StorePattern
from inspector.core.formats.base.writer import CallContext
from inspector.core.formats.opencode import loader, request, writer
from inspector.core.formats.opencode.layout import TABLES, is_store_member_of_archive, layout_of
from inspector.core.formats.opencode.loader import active_path
from inspector.core.formats.opencode.reader import (
    MESSAGE_SCHEMA,
    PART_SCHEMA,
    add_message,
    block_pointer,
    decode_message,
    error_of,
    part_index,
    record_view,
    session_title,
)
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.providers.message_fields import truncation_reason
from inspector.core.storage.json_spans import array_elements, pointer_span
from inspector.core.storage.json_text import dump_json, is_valid_json, object_at, parse_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_DATA_FOLDER = "$XDG_DATA_HOME|~/.local/share"
_LABEL = "opencode"


class OpenCode(MessageArrays, RequestBuilder, CallEvidenceSource, LostResultSource, MultiFileFormat):
    """Sessions of opencode."""

    name = "opencode"
    label = "opencode session"
    keys = "info"
    container = tr("JSON document, folder of JSON files, or SQLite database")
    detection = tr(
        "an export in which every message has info and parts, or folders or tables named session, message and part"
    )
    read = tr(
        "the messages that opencode keeps after a compaction, except messages that were undone or that ended "
        "in an error"
    )
    write_back = tr("yes, as a copy or in place. In a store, only the changed files or rows are written")
    resume = tr("calls without an outcome become failed calls and keep their input, and step frames are kept")
    unsupported = tr(
        "the second message table (session_message) in the newest versions, and messages that were partly undone"
    )
    lost_result_places = tr("in the database's `event` table, which contains every state of a part")
    source = "anomalyco/opencode, session/message-v2.ts, storage/, cli/cmd/export.ts"
    profile = "anthropic"
    block_schema = PART_SCHEMA
    stores = (
        StorePattern(_DATA_FOLDER, "opencode/storage/session/*/*.json"),
        StorePattern(_DATA_FOLDER, "opencode/project/*/storage/session/info/*.json"),
        StorePattern(_DATA_FOLDER, "opencode/opencode*.db"),
        StorePattern(_DATA_FOLDER, "kilo/storage/session/*/*.json", agent="Kilo Code"),
        StorePattern(_DATA_FOLDER, "kilo/kilo*.db", agent="Kilo Code"),
    )
    session_store = "inspector.core.formats.opencode.session_store:OpenCodeStore"
    sends_blank_texts = True
    is_provider_api = False
    inline_results = True
    message_schema = MESSAGE_SCHEMA
    profiles_with_new_ids = frozenset({"mistral"})
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")

    # reading

    def claims(self, path: Path) -> bool:
        return layout_of(path) is not None or is_database(path, TABLES)

    def assemble(self, path: Path) -> Source:
        from inspector.core.formats.opencode import assembly  # noqa: PLC0415 - an export needs no database

        return assembly.assemble(path, self.name)

    def may_be_archived(self, name: str, data: bytes) -> bool:
        return is_store_member_of_archive(name, data)

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        from inspector.core.formats.opencode import assembly  # noqa: PLC0415 - see `assemble`

        return assembly.assemble_from_archive(archive, members, self.name)

    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        return [pointer_span(raw, "/info"), *array_elements(raw, pointer_span(raw, "/parts")[0])]

    def score(self, head: Head) -> float:
        messages = head.messages
        if messages is None or (len(head.lines) + head.bad_lines > 1 and head.is_lines):
            return 0.0
        count = sum(isinstance(m.get("info"), dict) and isinstance(m.get("parts"), list) for m in messages)
        if count > len(messages) / 2:
            return 0.95 if count == len(messages) else 0.8
        is_session = object_at(head.context, "/info").keys() >= {"projectID", "directory"}
        return 0.9 if is_session and not messages else 0.0

    def metadata(self, head: Head) -> SessionMetadata:
        """Return the metadata of an export, of a session's file in the folder, or of a database."""
        if head.text.startswith(SQLITE_MAGIC):
            from inspector.core.formats.opencode import assembly  # noqa: PLC0415 - see `assemble`

            return assembly.newest_session_metadata(head.path)
        info = object_at(head.context.get("info", head.context), "")
        return SessionMetadata(str(info.get("directory") or ""), session_title(info.get("title")))

    def stored_folder(self, log: Log, session: int) -> str:
        return str(_info_of(log, log.sequences[session]).get("directory") or "") if session < len(log.sequences) else ""

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if not isinstance(source, AssembledSource):
            return super().index(source, replace(reading, deep=True))
        return self.index_assembled(source, reading)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        add_message(columns, start, end, decode_message(raw))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        info = _info_of(log, sequence)
        session.main_thread.path = array("I", active_path(columns, session.records, info, raw))
        provider = request.provider_of(columns, session.main_thread.path, raw)
        session.id, session.profile, session.provider_assumed = (
            str(info.get("id") or session.id),
            provider.profile,
            not provider.named,
        )
        session.title, session.version = session_title(info.get("title")), str(info.get("version") or "")
        session.agent = "Kilo Code" if _program(log.source.path) == "kilo" else _LABEL

    def describe(self, log: Log, session: Session) -> None:
        """Do nothing: the session's own head has all of it, and `read_context` reads it with the path."""

    pointer = staticmethod(block_pointer)

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return the error that ended the message (an abort, if it is sent all the same), or how it finished."""
        info = object_at(parse_json(raw(record)), "/info")
        return str(object_at(info, "/error").get("name") or "") or truncation_reason(info, ("/finish",))

    view = staticmethod(record_view)

    def error_text(self, raw: bytes) -> str:
        return error_of(parse_json(raw)["info"])

    evidence_in = staticmethod(loader.evidence_in_message)
    folder_pointer = "/info/path/cwd"

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        from inspector.core.formats.opencode import lost_results  # noqa: PLC0415 - see `assemble`

        return lost_results.results_in_event_table(log, calls)

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes:
        """Return the state of the part as opencode wrote it."""
        return dump_json(result.content)

    # what the agent does

    build_request = staticmethod(request.build_request)

    sent_text = staticmethod(request.sent_text)
    sent_thinking = staticmethod(request.anthropic_thinking_block)
    handles_invalid_characters = SENDS_HALF_PAIRS

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does with damage: it never skips what is not JSON."""
        agent, label = f"{self.name} {session.version}".strip(), session.agent or _LABEL
        if any(rule.startswith("F") for rule in rules):
            return ResumeBehavior(
                agent, "refuses", (tr("the whole session"),), label, error=request.INVALID_JSON_REASON
            )
        return ResumeBehavior(agent, "as-is", (), label)

    # writing

    rewrite = staticmethod(writer.rewrite_parts)
    result_block = staticmethod(writer.final_tool_state)
    user_record = staticmethod(writer.user_record)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return writer.replacement_text_part(raw, f"/parts/{part_index(columns, record, ordinal)}", text)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        if path.endswith(".json") and not self.claims(Path(path)):
            return _import_steps(path, session_id)
        program = _program(path)
        return NextSteps(
            (CHANGE_FOLDER_STEP, RUN_STEP),
            f"{program} -s {session_id}",
            tr("Close {program} if it is running.", program=program),
        )

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if isinstance(log.source, AssembledSource):
            return super().copy_steps(log, path)
        return _import_steps(path, log.sessions[0].id)


def _import_steps(path: str, session_id: str) -> NextSteps:
    """Return the steps to import an export again. An import does not overwrite a session that is there."""
    first = tr(
        "If opencode already has a session {session_id}, delete it first, because an import does not overwrite "
        "existing sessions.",
        session_id=session_id,
    )
    return NextSteps((first, CHANGE_FOLDER_STEP, RUN_STEP), shell_command("opencode", "import", path))


def _program(path: str) -> str:
    """Return the program whose store holds a path. Kilo Code keeps the same store under its own name."""
    return "kilo" if "kilo" in Path(path).stem or "kilo" in Path(path).parts else "opencode"


def _info_of(log: Log, sequence: RecordSequence) -> dict[str, Any]:
    """Return the session's own `info`, which precedes its messages, or follows them in an export made by hand."""
    if sequence.enclosing_object is None or sequence.array_start is None:
        return {}
    start, end = sequence.enclosing_object
    for head in (log.source.read(start, sequence.array_start) + b"[]}", log.source.read(start, end)):
        if is_valid_json(head) and isinstance(info := parse_json(head).get("info"), dict):
            return info
    return {}
