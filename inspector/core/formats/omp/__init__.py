"""omp (oh-my-pi), a fork of pi: `~/.omp/agent/sessions/<folder>/<time>_<session id>.jsonl`."""

import os

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    NextSteps,
    SessionAsLoaded,
    resume_steps_for,
)
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.pi_sessions import PiSessions
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.omp import damaged_lines, loader, request
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.translation import tr


class Omp(PiSessions):
    """Sessions of omp."""

    name = program = "omp"
    label = "omp session"
    detection = tr("a pi session that is in omp's store or has entries that only omp writes")
    read = tr("compactions, abandoned branches, the user's commands, and the path that ends with the last entry")
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "each time omp loads the session, calls without a result are dropped, results are moved to their "
        "calls, and a result without a call is quoted as the user's text"
    )
    unsupported = tr("images that are stored outside the session file")
    lost_result_places = tr("no known place that can be searched by the id of the call")
    source = "@oh-my-pi/pi-coding-agent 18.2.3, src/session/session-context.ts, session-loader.ts"
    resumes_by_path = True
    stores = (StorePattern("~/.omp/agent", "sessions/*/*.jsonl", "PI_CODING_AGENT_DIR"),)
    session_store = "inspector.core.formats.omp.session_store:OmpStore"

    loaded_thread = staticmethod(loader.loaded_thread)

    def session_in_memory(self, session: Session, columns: Columns, raw: ReadRecord) -> SessionAsLoaded | None:
        return damaged_lines.session_as_loaded(session, columns, raw, self.index_valid_record)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_text(role, kind, block)

    build_request = staticmethod(request.build_request)
    resume_behavior = staticmethod(request.resume_behavior)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("omp", shell_command("omp", "--resume", os.path.abspath(path)), path, new)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """Return the steps to resume the copy: omp opens a file in any folder."""
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), shell_command("omp", "--resume", os.path.abspath(path)))
