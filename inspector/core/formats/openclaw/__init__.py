"""OpenClaw: `~/.openclaw/agents/<agent>/sessions/<session id>.jsonl` up to 2026.7, then a database of each agent.

Facts: openclaw 2026.6.11, run against a provider on the loopback address: src/agents/session-file-repair.ts,
session-transcript-repair.ts, tool-call-id.ts, sessions/session-manager.ts, and docs/reference/transcript-hygiene.md.
Later versions (2026.9.6) have the same entries in `agents/<agent>/agent/openclaw-agent.sqlite`, in the table
`transcript_events`, and read the files once, in `openclaw doctor --fix`. The database is only read: other tables hold
what is derived from its events, and checksums of them.
"""

import os
import re
from array import array
from pathlib import Path

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import RUN_STEP, NextSteps, repaired_location_step
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.databases import DatabaseFormat
from inspector.core.formats.base.format import LinkKeys, ReadOptions
from inspector.core.formats.base.pi_sessions import PiSessions
from inspector.core.formats.base.stores import StorePattern, host_environment
from inspector.core.formats.openclaw import loader, reader, request
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

TABLES = {"transcript_events": {"session_id", "seq", "event_json", "created_at"}}
_READ_ONLY = tr(
    "OpenClaw's database contains checksums and tables that are derived from its events, so the "
    "database is only read and never changed. OpenClaw itself repairs the history each time the "
    "history is sent."
)
_DEFAULT_AGENT = "main"
_STORED = re.compile(r"agents[/\\]([^/\\]+)[/\\]sessions[/\\][^/\\]+$")


class OpenClaw(DatabaseFormat, PiSessions):
    """Sessions of OpenClaw."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.openclaw.assembly")
    name, program = "openclaw", "OpenClaw"
    label = "OpenClaw session"
    container = tr("JSON Lines, or SQLite database")
    detection = tr(
        "a pi session that is in OpenClaw's store or has entries that only OpenClaw writes, or a table "
        "named transcript_events"
    )
    read = tr(
        "compactions, and the path that ends with the last entry or with the entry that the last leaf record points to"
    )
    write_back = tr("files: yes, as a copy, in place or as a new session. Databases: no")
    resume = tr(
        "unreadable lines are removed from the file. In memory, a result is added for each call without one, results "
        "are moved to their calls, and results without a call are dropped"
    )
    unsupported = tr("calls to tools that OpenClaw no longer offers, and sessions that OpenClaw has archived")
    lost_result_places = tr("no known place that can be searched by the id of the call")
    source = "openclaw 2026.6.11, src/agents/session-file-repair.ts, session-transcript-repair.ts"
    # The name of a trajectory, which lies beside its session, ends in "y".
    stores = (
        StorePattern("~/.openclaw", "agents/*/sessions/*[!y].jsonl", "OPENCLAW_STATE_DIR"),
        StorePattern("~/.openclaw", "agents/*/agent/openclaw-agent.sqlite", "OPENCLAW_STATE_DIR"),
    )
    session_store = "inspector.core.formats.openclaw.session_store:OpenClawStore"
    members_are_records = True

    link_keys = LinkKeys("id", "parentId", leaf=("targetId", ""))

    message_schema = reader.ENTRY_SCHEMA

    index_valid_record = staticmethod(reader.add_record)
    view = staticmethod(reader.view)
    loaded_thread = staticmethod(loader.loaded_thread)

    # the database

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, reading)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        if not isinstance(log.source, AssembledSource):
            return super().sessions(log, columns, raw)
        found = [self._session_of_rows(log, columns, raw, each.low, each.high) for each in log.sequences]
        for number, session in enumerate(found):
            session.number = number
        return found

    def _session_of_rows(self, log: Log, columns: Columns, raw: ReadRecord, low: int, high: int) -> Session:
        """Return the session of some rows. A fork has the ids of the entries that it began with."""
        rows = columns.with_changes([(0, low, Columns()), (high, len(columns), Columns())])
        (session,) = super().sessions(Log(log.source, self.name, rows, []), rows, lambda record: raw(low + record))
        thread = session.main_thread
        links = [replace(link, record=low + link.record) for link in thread.damaged_links]
        session.threads = [Thread(array("I", (low + record for record in thread.path)), damaged_links=links)]
        session.duplicate_records = [(low + one, low + other) for one, other in session.duplicate_records]
        session.records = range(low, high)
        return session

    def save_refusal(self, log: Log, mode: str) -> str:
        return _READ_ONLY if isinstance(log.source, AssembledSource) else super().save_refusal(log, mode)

    # what OpenClaw does

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_text(role, kind, block)

    build_request = staticmethod(request.build_request)
    resume_behavior = staticmethod(request.resume_behavior)

    def store_folder(self, log: Log) -> Path | None:
        home = self.stores[0].folder_on(host_environment())
        return Path(home, "agents", _agent_of(log.source.path), "sessions")

    def session_file(self, log: Log, session_id: str) -> str:
        return f"{session_id}.jsonl"

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = shell_command(
            "openclaw",
            "agent",
            "--local",
            "--agent",
            _agent_of(path),
            "--session-id",
            session_id,
            "--message",
            "Go on.",
        )
        if new:
            return NextSteps((repaired_location_step(path), RUN_STEP), command)
        return NextSteps((RUN_STEP,), command, tr("Stop the OpenClaw Gateway if it is running."))


def _agent_of(path: str) -> str:
    """Return the agent in whose folder a session is, the default one for a file elsewhere."""
    stored = _STORED.search(os.path.abspath(path))
    return stored[1] if stored else _DEFAULT_AGENT
