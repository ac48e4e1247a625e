"""Sessions of kimi-cli: `~/.kimi/sessions/<project>/<session>/context.jsonl`, the messages for the model, one a line.

Facts: MoonshotAI/kimi-cli 1.49.0, `soul/context.py` (`restore`, `revert_to`), `soul/kimisoul.py` (`_grow_context`),
`session.py` (`_migrate_session_context_file`, `list`, `refresh`), `metadata.py` (`sessions_dir`). Lines of the roles
`_system_prompt`, `_checkpoint` and `_usage` are not messages; a `_usage` lies between a message and its results. Ids
start again with every answer ("Shell:0"), and only the text of a failed tool's result says that it failed. No record
names the provider. A file `<project>/<id>.jsonl` counts as a session of that id, and the program moves it into its
folder when it opens it. That is how a repair becomes a new session.

Facts about requests: MoonshotAI/kimi-cli 1.49.0 with kosong 0.55.0, run on some thirty broken sessions:
`soul/context.py` (`restore`: a line that makes no message is skipped; `write_system_prompt`), kosong `message.py` (each
call has an id, a name, and a string or null for its arguments; a message without `content` ends the program),
`soul/dynamic_injection.py` (`normalize_history`: neighbouring messages of the user are one, notifications excepted).
Nothing is paired.
"""

import os
import re
from array import array
from collections.abc import Iterator, Mapping
from hashlib import md5
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    INVALID_JSON_LOSSES,
    RUN_STEP,
    InvalidCharacters,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    losses_of_rules,
    resume_steps_for,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.kimi_cli_events import EVENTS_FILE, evidence_in_file, lost_results_in_events
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource, SessionFolder
from inspector.core.formats.base.openai_messages import ChatMessages
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.base.stores import (
    SessionMetadata,
    StorePattern,
    first_user_text,
    read_json_object,
    title_line,
)
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.message_fields import message_text, result_text, string_in
from inspector.core.providers.openai_chat import schema
from inspector.core.storage.json_text import dump_json, list_at, objects_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_SENT_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
_NO_CONTENT_ERROR = "Message.__init__() missing 1 required keyword-only argument: 'content'"
_PROMPT_WRITTEN = tr("writes its system prompt before the first line of the file")
_TORN_LINE_EXTENDED = tr("appends its next line to the incomplete line")


def _build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that the program sends when it resumes the session."""
    messages: list[RequestMessage] = []
    stops = ""
    typed_before = False
    for record in session.main_thread.path:
        role = columns.roles[record]
        if role not in _SENT_ROLES or _is_skipped(columns, record, raw):
            continue
        if _lacks_content(columns, record, raw):
            stops = _NO_CONTENT_ERROR
        blocks = [RequestBlock(row) for row in columns.block_rows(record)]
        typed = role == Role.USER and not _is_notification(raw(record))
        if typed and typed_before:
            messages[-1].blocks += blocks
        else:
            messages.append(RequestMessage(role, blocks))
        typed_before = typed
    return ResumeRequest("openai-chat", messages, _written_on_resume(columns, raw), stops)


def _sent_text(role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
    """Return the text of a message without its thoughts, which are sent as `reasoning_content`."""
    content = parse_json(block) if kind == BlockKind.TEXT else None
    return message_text([part for part in content if not is_thought(part)]) if isinstance(content, list) else None


def is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "think" and "think" in part


def _is_skipped(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Return whether a call of a message has a shape that the program cannot read, so that it skips the message."""
    calls = [row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL]
    if any(columns.call_ids[row] is None or columns.names[row] is None for row in calls):
        return True
    odd = [number for number, row in enumerate(calls) if columns.block_flags[row] & BlockFlag.BAD_INPUT]
    stored = parse_json(raw(record))["tool_calls"] if odd else []
    return any(value_at(stored[number], "/function/arguments", "") is not None for number in odd)


def _lacks_content(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Return whether a message lacks the member `content`; looked up only if no block shows that it has one."""
    rows = columns.block_rows(record)
    has_content = rows and columns.block_kinds[rows[0]] != BlockKind.CALL
    return not has_content and "content" not in parse_json(raw(record))


def _is_notification(raw: bytes) -> bool:
    """Return whether a message of the user is a notification of the program's own."""
    return result_text(parse_json(raw).get("content")).lstrip().startswith("<notification ")


def _written_on_resume(columns: Columns, raw: ReadRecord) -> str:
    """Return what the program writes into the file when it resumes it, "" for nothing."""
    links = (record for record, role in enumerate(columns.roles) if role == Role.LINK)
    prompt = "" if any(parse_json(raw(record)).get("role") == "_system_prompt" for record in links) else _PROMPT_WRITTEN
    torn = _TORN_LINE_EXTENDED if len(columns) and columns.marks[len(columns) - 1] & RecordMark.UNREADABLE else ""
    return " and ".join(filter(None, (prompt, torn)))


_CONTROL_ROLES = frozenset({"_system_prompt", "_checkpoint", "_usage"})
_ROLES = {**schema.ROLE_BY_NAME, **dict.fromkeys(_CONTROL_ROLES, Role.LINK)}
_LABEL = "kimi-cli"
_STORE_PATH = re.compile(r"([^/\\]+)[/\\]context(_\d+)?\.jsonl$")


class KimiCliContext(ChatMessages, JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """The context files of kimi-cli."""

    name = "kimi-cli"
    label = "kimi-cli context"
    keys = "role"
    marker_patterns = ("<notification ",)
    detection = tr(
        "messages with a role and no type, some of which have the role _system_prompt, _checkpoint or _usage, "
        "or a think part"
    )
    read = tr("all messages in the file")
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "results come after the `_usage` of their message and before the next `_checkpoint`, and tool_calls is "
        "never empty"
    )
    unsupported = tr("resuming the context_N.jsonl files of reverted sessions (they can be opened like any other log)")
    side_files = (EVENTS_FILE, "state.json")
    source = "MoonshotAI/kimi-cli 1.49.0, soul/context.py, session.py"
    profile = "openai-chat"
    stores = (
        StorePattern("~/.kimi", "sessions/*/*/context.jsonl", "KIMI_SHARE_DIR"),
        # The program moves these into a folder of their own on opening. A repair writes a new session so.
        StorePattern("~/.kimi", "sessions/*/*.jsonl", "KIMI_SHARE_DIR"),
    )
    supported_profiles = ("openai-chat", "openai-responses", "anthropic", "gemini")
    message_schema = schema.MESSAGE_SCHEMA
    can_start_new_session = True

    def score(self, head: Head) -> float:
        if not head.is_lines or any("type" in row or not isinstance(row.get("role"), str) for row in head.lines):
            return 0.0
        if any(row["role"] in _CONTROL_ROLES for row in head.lines):
            return 0.95
        # Without any of those it is an OpenAI message a line, except for the part that no other program writes.
        return 0.93 if any(map(is_thought, (part for row in head.lines for part in list_at(row, "/content")))) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        message = schema.MESSAGE_DECODER(raw)
        if message.role in _CONTROL_ROLES:
            # Records after a checkpoint are dropped when the user goes back to it.
            columns.add_record(start, end, Role.LINK, RecordMark.GROUP_END if message.role == "_checkpoint" else 0)
        else:
            schema.add_message(
                columns,
                start,
                end,
                message,
                RecordMark.MAYBE_MALFORMED if schema.may_be_malformed(message) else 0,
            )

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = array("I", [record for record, role in enumerate(columns.roles) if role])
        session_id = _session_id(log.source.path)
        return [Session(0, session_id, range(len(columns)), [Thread(path)], self.profile, provider_assumed=True)]

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        session.title = first_user_text(log, session.main_thread.path, lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> SessionMetadata:
        titles = (_custom_title(head.path), *map(_title, head.lines))
        return SessionMetadata(_work_dir(head.path), next((title for title in titles if title), ""))

    def stored_folder(self, log: Log, session: int) -> str:
        return _work_dir(log.source.path)

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        if (role := text_at(row, "/role")) in _CONTROL_ROLES:
            detail = row.get("token_count", row.get("id", ""))
            return RecordView(role, f"{role} {detail}".strip())
        return super().view(raw)

    # what the log shows of calls

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """Return the evidence in the events file of the same folder."""
        return evidence_in_file(Path(log.source.path).parent / EVENTS_FILE, calls)

    lost_result_places = tr(
        "in `{events_file}` next to the log. Its `ToolResult` events contain the id of the call",
        events_file=EVENTS_FILE,
    )

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        """Yield the results in the events file of the same folder."""
        if not os.path.isfile(log.source.path):
            return iter(())
        events = SessionFolder(os.path.dirname(log.source.path)).read(EVENTS_FILE)
        return lost_results_in_events(events or b"", calls)

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes:
        return dump_json({"role": "tool", "content": result.content, "tool_call_id": call.id})

    # what the agent does

    build_request = staticmethod(_build_request)
    sent_text = staticmethod(_sent_text)
    handles_invalid_characters = {"F5": InvalidCharacters.REPLACED, "F7": InvalidCharacters.SKIPPED}

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does: it skips lines that are not messages, and stops at a lone surrogate."""
        loses = losses_of_rules(INVALID_JSON_LOSSES, rules)
        if "F7" in rules:
            return ResumeBehavior(self.name, "refuses", loses, _LABEL, error="surrogates not allowed")
        return ResumeBehavior(self.name, "mends" if rules else "as-is", loses, _LABEL)

    # writing

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Return the record after the `_usage` that was written with the message, and before a checkpoint."""
        while after + 1 < len(columns) and columns.roles[after + 1] == Role.LINK:
            if columns.marks[after + 1] & RecordMark.GROUP_END:
                break
            after += 1
        return after

    def store_folder(self, log: Log) -> Path | None:
        """Return the project's folder, two above the log: the program takes a file there for a session."""
        path = Path(log.source.path)
        return path.parent.parent if _STORE_PATH.search(log.source.path) and path.parent.parent.name else None

    def is_in_store(self, log: Log) -> bool:
        """Return True: a session that the program has loaded has a folder of its own there."""
        return True

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = f"kimi --session {session_id}"
        if new:
            location = tr(
                "The repaired session is at {path}. kimi-cli will move this file into the session's folder.", path=path
            )
            return NextSteps((location, CHANGE_FOLDER_STEP, RUN_STEP), command)
        return resume_steps_for("kimi-cli", command, path, new)


def _session_id(path: str) -> str:
    in_store = _STORE_PATH.search(path)
    return in_store[1] if in_store else file_stem(path)


def _work_dir(path: str) -> str:
    """Return the project's folder from the store's `kimi.json`: sessions are stored under the hash of its path."""
    project = _project_of(Path(path))
    known = read_json_object(project.parents[1] / "kimi.json") if len(project.parents) > 1 else {}
    hashed = project.name.rpartition("_")[2]
    for entry in objects_at(known, "/work_dirs"):
        folder = text_at(entry, "/path")
        if folder and md5(folder.encode(), usedforsecurity=False).hexdigest() == hashed:
            return folder
    return ""


def _project_of(path: Path) -> Path:
    """Return the folder that holds the sessions of a project."""
    return path.parents[1] if path.name.startswith("context") and len(path.parents) > 1 else path.parent


def _custom_title(path: str) -> str:
    """Return the title that the user gave the session, "" if there is none."""
    return string_in(read_json_object(Path(path).parent / "state.json"), "custom_title") or ""


def _title(row: dict[str, Any]) -> str:
    """Return a prompt of the user as a title, "" for other records and the program's own reminders."""
    if row.get("role") != "user":
        return ""
    text = title_line(message_text(row.get("content")))
    return "" if text.startswith("<system") else text
