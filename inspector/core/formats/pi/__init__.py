"""Sessions of pi: `~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl`.

Facts: @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 0.87.1 and 1.5.2 (its name since 0.74),
run against a provider on the loopback address: `core/session-manager.ts`, `core/messages.ts`, `docs/session-format.md`.
"""

import os
import re
from pathlib import Path

from inspector.core.formats.base.agent_behavior import CHANGE_FOLDER_STEP, RUN_STEP, NextSteps, resume_steps_for
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.pi_sessions import PiSessions
from inspector.core.formats.base.pi_sessions.loader import header_of
from inspector.core.formats.base.stores import StorePattern, host_environment
from inspector.core.formats.pi import request
from inspector.core.model.session import Log
from inspector.core.storage.json_text import text_at
from inspector.core.translation import tr

# The characters that are dashes in the name of a session folder; a leading separator is left out.
_LEADING_SEPARATOR, _PATH_SEPARATORS = re.compile(r"^[/\\]"), re.compile(r"[/\\:]")


class Pi(PiSessions):
    """Sessions of the pi coding agent."""

    name = program = "pi"
    label = "pi session"
    detection = tr(
        "a header of type session with an id, followed by entries with an id, a parentId and one of pi's types"
    )
    read = tr(
        "compactions, abandoned branches, the user's commands, version 1 files, and the path that ends "
        "with the last entry"
    )
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "the header comes first, parent links are repaired, the last entry stays at the end, and references in "
        "compactions and in fromId are updated"
    )
    unsupported = tr("content that was replaced by context_edit entries")
    lost_result_places = tr(
        "no known place that can be searched by the id of the call. A large output is written to a "
        "temporary file, but only the lost result contained the name of that file"
    )
    source = (
        "@mariozechner/pi-coding-agent 0.73.1, @earendil-works/pi-coding-agent 0.87.1, 1.5.2, core/session-manager.ts"
    )
    resumes_by_path = True
    stores = (StorePattern("~/.pi/agent", "sessions/*/*.jsonl", "PI_CODING_AGENT_DIR"),)
    session_store = "inspector.core.formats.pi.session_store:PiStore"

    build_request = staticmethod(request.build_request)
    resume_behavior = staticmethod(request.resume_behavior)

    def store_folder(self, log: Log) -> Path | None:
        folder = text_at(header_of(log.columns, log.raw), "/cwd")
        if not folder:
            return None
        home = self.stores[0].folder_on(host_environment())
        return Path(home, "sessions", f"--{_PATH_SEPARATORS.sub('-', _LEADING_SEPARATOR.sub('', folder))}--")

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("pi", shell_command("pi", "--session", os.path.abspath(path)), path, new)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """Return the steps to resume the copy: pi opens a file in any folder."""
        command = shell_command("pi", "--session", os.path.abspath(path))
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), command)
