"""How Copilot CLI finds its sessions: by the name of the folder that holds `events.jsonl`, in every folder.

Seen in 1.0.102: the id in the log does not matter, nor do `session-store.db`, `vscode.metadata.json` and the locks of a
session, damaged, missing or stale. A `workspace.yaml` without an id ends the agent without a word; without the file, it
opens the session. It changes to the project's folder by itself, and stays where it is if that folder is gone. Read-only
logs were not tried.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    entries_in,
    file_lines,
    has_content,
    json_object,
    new_session_remedy,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

_SESSIONS, _LOG, _METADATA = "session-state", "events.jsonl", "workspace.yaml"
_HEADER = "session.start"
_FLAT_SUFFIX = ".jsonl"
_SEARCHED_LINES = 50
_ID_LINE = re.compile(rb"id: *['\"]?[\w-]+['\"]? *\r?$", re.MULTILINE)
_LARGEST_METADATA = 1024 * 1024


class CopilotStore(SessionStore):
    agent, variable, seen = "Copilot CLI", "COPILOT_HOME", "1.0.102"
    default_home = ".copilot"
    elsewhere = tr("the session can be opened by its id, and `--continue` opens the newest session across all folders")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, _SESSIONS))

    def sessions(self, home: str) -> list[StoredSession]:
        store = os.path.join(home, _SESSIONS)
        logs = ((folder.name, os.path.join(folder.path, _LOG)) for folder in subfolders(store))
        found = [(name, log) for name, log in logs if os.path.lexists(log)]
        names = {name for name, _ in found}
        flat = [(each.name.removesuffix(_FLAT_SUFFIX), each.path) for each in entries_in(store) if _is_flat(each)]
        return [self._session(*each) for each in (*found, *(each for each in flat if each[0] not in names))]

    def _session(self, name: str, log: str) -> StoredSession:
        header = next((record for record in _records(log) if record.get("type") == _HEADER), {})
        inside = text_under_keys(header, "data", "sessionId")
        names = (inside,) if inside and inside != name else ()
        folder = text_under_keys(header, "data", "context", "cwd")
        return StoredSession(self.agent, "copilot-cli", name, log, folder, names, header)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path = session.log
        yield from access_and_empty_faults(path, self.agent, when_read_only=None)
        if not has_content(path):
            return
        if os.path.basename(path) != _LOG:
            yield self._flat_fault(session)
        if not session.entry:
            yield StoreFault(
                "first-record",
                FaultEffect.NOT_OPENED,
                tr("{shown} does not contain a `session.start` event.", shown=shown_path(path)),
                tr("Copilot CLI opens only logs that contain this event."),
                new_session_remedy(path),
                makes_new_session=True,
            )
        metadata = os.path.join(os.path.dirname(path), _METADATA)
        if _lacks_id(metadata):
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.NOT_OPENED,
                tr("{shown} does not contain the session id.", shown=shown_path(metadata)),
                tr(
                    "Copilot CLI exits without a message if this file is damaged. If the file is missing, Copilot "
                    "CLI opens the session."
                ),
                tr("Rename the file: {command}", command=shell_command("mv", metadata, f"{metadata}.damaged")),
            )

    def _flat_fault(self, session: StoredSession) -> StoreFault:
        path, own = session.log, session.log.removesuffix(_FLAT_SUFFIX)
        move = f"{shell_command('mkdir', '-p', own)} && {shell_command('mv', path, os.path.join(own, _LOG))}"
        return StoreFault(
            "older-layout",
            FaultEffect.NOT_OPENED,
            tr("{shown} is not in a folder of its own.", shown=shown_path(path)),
            tr(
                "Copilot CLI no longer opens logs stored this way. Each log must be in its own folder and be "
                "named events.jsonl."
            ),
            tr("Move the file: {move}", move=move),
        )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if any(fault.cause == "empty" for fault in faults) else ("copilot", f"--resume={session.id}")


def _is_flat(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_FLAT_SUFFIX) and entry.is_file()


def _records(path: str) -> Iterator[dict[str, object]]:
    lines = (line for _, line in zip(range(_SEARCHED_LINES), file_lines(path), strict=False))
    return (json_object(line.removeprefix(BOM)) for line in lines)


def _lacks_id(path: str) -> bool:
    """Return whether there is a file of metadata that is empty, or damaged in its first part."""
    with suppress(OSError), open(path, "rb") as file:
        data = file.read(_LARGEST_METADATA)
        return b"\0" in data or not _ID_LINE.match(data)
    return False
