"""kimi-cli: `~/.kimi/sessions/<project>/<session>/context.jsonl`, the messages that the model sees, one a line.

Facts: MoonshotAI/kimi-cli 1.49.0, `soul/context.py` (`restore`, `revert_to`), `soul/kimisoul.py` (`_grow_context`),
`session.py` (`_migrate_session_context_file`, `list`, `refresh`), `metadata.py` (`sessions_dir`). Lines of the roles
`_system_prompt`, `_checkpoint` and `_usage` are no messages; a `_usage` lies between a message and its results. Ids
begin again with every answer ("Shell:0"), and a failed tool's result says so in its text alone. No record names the
provider. What is sent on resume: `sends`. A file `<project>/<id>.jsonl` is taken for a session of that id and moved
into its folder when it is opened: that is how a repair becomes a new session.
"""

import re
from array import array
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

from inspector.core.bytes.json_text import list_at, objects_at, parse_json, text_at
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.chat_messages import ChatMessages
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines, file_stem
from inspector.core.formats.bases.kimi_events import WIRE, traces_in
from inspector.core.formats.bases.next_steps import GO_THERE, RUN, NextSteps, resuming
from inspector.core.formats.bases.noted import object_in
from inspector.core.formats.bases.on_resume import UNREAD_JSON, OnResume, losses
from inspector.core.formats.bases.store import Headline, Store, first_line, first_said
from inspector.core.formats.bases.tracer import Tracer
from inspector.core.formats.bases.traces import Trace, TracedCall
from inspector.core.formats.kimi_cli_context.sends import as_sent, is_thought, request_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Log, Session, Thread
from inspector.core.index.views import RecordView
from inspector.core.wire import openai
from inspector.core.wire.fields import message_text, string_in
from inspector.core.wire.shapes import suspicion, tables

_NO_MESSAGES = frozenset({"_system_prompt", "_checkpoint", "_usage"})
_ROLES = {**openai.ROLES, **dict.fromkeys(_NO_MESSAGES, Role.LINK)}
_LABEL = "kimi-cli"
_IN_STORE = re.compile(r"([^/\\]+)[/\\]context(_\d+)?\.jsonl$")


class KimiCliContext(ChatMessages, JsonLines, Sender, Tracer):
    """The context files of kimi-cli."""

    name = "kimi-cli"
    label = "kimi-cli context"
    keys = "role"
    marker_patterns = ("<notification ",)
    detection = "messages with a role and no type: some of role _system_prompt, _checkpoint, _usage, or a think part"
    read = "all messages of the file"
    write_back = "yes: a copy, in place, as a new session"
    resume = "results behind the `_usage` of their message and before the next `_checkpoint`; no empty tool_calls"
    unsupported = "the files context_N.jsonl of reverted sessions are opened like any other, and not resumed"
    side_files = (WIRE, "state.json")
    source = "MoonshotAI/kimi-cli 1.49.0, soul/context.py, session.py"
    profile = "openai-chat"
    stores = (
        Store("~/.kimi", "sessions/*/*/context.jsonl", "KIMI_SHARE_DIR"),
        # What it moves into a folder of its own when it is opened: also what a repair writes as a new session.
        Store("~/.kimi", "sessions/*/*.jsonl", "KIMI_SHARE_DIR"),
    )
    supported_profiles = ("openai-chat", "openai-responses", "anthropic", "gemini")
    message_schema = tables.CHAT_MESSAGE_SCHEMA
    can_start_new_session = True

    def score(self, head: Head) -> float:
        if not head.is_lines or any("type" in row or not isinstance(row.get("role"), str) for row in head.lines):
            return 0.0
        if any(row["role"] in _NO_MESSAGES for row in head.lines):
            return 0.95
        # Without any of those it is an OpenAI message a line, but for the part that no other program writes.
        return 0.93 if any(map(is_thought, (part for row in head.lines for part in list_at(row, "/content")))) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        message = openai.MESSAGE_DECODER(raw)
        if message.role in _NO_MESSAGES:
            # What comes behind a checkpoint goes when the person goes back to it.
            columns.add_record(start, end, Role.LINK, RecordMark.GROUP_END if message.role == "_checkpoint" else 0)
        else:
            openai.add_message(
                columns,
                start,
                end,
                message,
                RecordMark.MAYBE_MALFORMED if suspicion.is_suspect_chat_message(message) else 0,
            )

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = array("I", [record for record, role in enumerate(columns.roles) if role])
        session_id = _session_id(log.source.path)
        return [Session(0, session_id, range(len(columns)), [Thread(path)], self.profile, provider_assumed=True)]

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        session.title = first_said(log, session.main_thread.path, lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> Headline:
        titles = (_custom_title(head.path), *map(_title, head.lines))
        return Headline(_work_dir(head.path), next((title for title in titles if title), ""))

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        if (role := text_at(row, "/role")) in _NO_MESSAGES:
            detail = row.get("token_count", row.get("id", ""))
            return RecordView(role, f"{role} {detail}".strip())
        return super().view(raw)

    # what the log shows of calls

    def evidence_beside(self, log: Log, calls: list[TracedCall]) -> Iterator[tuple[int, Trace]]:
        """Of the events that the window was sent, in the same folder."""
        return traces_in(Path(log.source.path).parent / WIRE, calls)

    # what the agent does

    build_request = staticmethod(request_of)
    sent_text = staticmethod(as_sent)

    def resume_behavior(self, session: Session, rules: set[str]) -> OnResume:
        """Lines that are no messages are skipped; a request with half of a character cannot be written."""
        loses = losses(UNREAD_JSON, rules)
        if "F7" in rules:
            return OnResume(self.name, "refuses", loses, _LABEL, error="surrogates not allowed")
        return OnResume(self.name, "mends" if rules else "as-is", loses, _LABEL)

    # writing

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Behind the `_usage` that was written with the message, and before a checkpoint."""
        while after + 1 < len(columns) and columns.roles[after + 1] == Role.LINK:
            if columns.marks[after + 1] & RecordMark.GROUP_END:
                break
            after += 1
        return after

    def store_folder(self, log: Log) -> Path | None:
        """The folder of the project, two above the log: a file put there is taken for a session."""
        path = Path(log.source.path)
        return path.parent.parent if _IN_STORE.search(log.source.path) and path.parent.parent.name else None

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = f"kimi --session {session_id}"
        if new:
            moved = f"The repaired session lies at {path}; kimi-cli moves it into its folder."
            return NextSteps((moved, GO_THERE, RUN), command)
        return resuming("kimi-cli", command, path, new)


def _session_id(path: str) -> str:
    named = _IN_STORE.search(path)
    return named[1] if named else file_stem(path)


def _work_dir(path: str) -> str:
    """The folder of the project, as `kimi.json` of the store has it: sessions lie under the hash of its path."""
    project = _project_of(Path(path))
    known = object_in(project.parents[1] / "kimi.json") if len(project.parents) > 1 else {}
    hashed = project.name.rpartition("_")[2]
    for entry in objects_at(known, "/work_dirs"):
        folder = text_at(entry, "/path")
        if folder and md5(folder.encode(), usedforsecurity=False).hexdigest() == hashed:
            return folder
    return ""


def _project_of(path: Path) -> Path:
    """The folder in which the sessions of a project lie."""
    return path.parents[1] if path.name.startswith("context") and len(path.parents) > 1 else path.parent


def _custom_title(path: str) -> str:
    """The title that the person gave a session."""
    return string_in(object_in(Path(path).parent / "state.json"), "custom_title") or ""


def _title(row: dict[str, Any]) -> str:
    """What the person said first; reminders and checkpoints are the program's own."""
    if row.get("role") != "user":
        return ""
    said = first_line(message_text(row.get("content")))
    return "" if said.startswith("<system") else said
