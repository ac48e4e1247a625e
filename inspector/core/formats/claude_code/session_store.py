"""How Claude Code finds its sessions: by the name of the file, in the folder of the project.

Seen in 2.1.112 and 2.1.330, run with `-p`: 2.1.112 looks only in the folder of the current project, 2.1.330 in all of
them, where the id must be unique. Both take the path of a file after `--resume`. Neither needs an index: a missing
`~/.claude.json` and a wrong `sessions-index.json` change nothing. The first record does not matter.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    NOTHING_TO_OPEN,
    REPLACE_LINK,
    UUID,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    closed_folder_faults,
    entries_in,
    file_lines,
    file_name_sentence,
    folder_gone_fault,
    has_content,
    is_empty,
    json_file_problem,
    json_object,
    not_json_sentence,
    other_id_fault,
    same_id_sentence,
    shown_path,
    subfolders,
    symbolic_link_sentence,
    text_under_keys,
)
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.formats.claude_code.title_and_folder import STORES
from inspector.core.storage.source import file_head
from inspector.core.translation import tr

# Logs of subagents (2.0) have a short id; a session that was renamed like one has its own.
_LOG_NAME = re.compile(r"(?!agent-\w+\.).+\.jsonl(\.\w+)?")
_SEARCHED_LINES = 200
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def project_slug(folder: str) -> str:
    """Return the name of the store folder of a project."""
    return re.sub(r"[^A-Za-z0-9]", "-", unicodedata.normalize("NFC", folder))


class ClaudeCodeStore(SessionStore):
    agent, variable, seen = "Claude Code", "CLAUDE_CONFIG_DIR", "2.1.112 and 2.1.330"
    elsewhere = tr("version 2.1.112 does not find the session, and `--continue` starts a new session")

    def __init__(self) -> None:
        # For each store, the logs of the projects by name, as `sessions` found them.
        self._logs_by_name: dict[str, dict[str, list[str]]] = {}

    def home(self, machine: HostEnvironment) -> str:
        return STORES[0].folder_on(machine)

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "projects"))

    def sessions(self, home: str) -> list[StoredSession]:
        projects = os.path.join(home, "projects")
        found = [entry.path for entry in entries_in(projects) if _LOG_NAME.fullmatch(entry.name)]
        by_name = self._logs_by_name[home] = {}
        for folder in subfolders(projects):
            for entry in () if _LOG_NAME.fullmatch(folder.name) else entries_in(folder.path):
                if _LOG_NAME.fullmatch(entry.name):
                    found.append(entry.path)
                    by_name.setdefault(entry.name, []).append(entry.path)
        return [self._session(path) for path in found]

    def _session(self, path: str) -> StoredSession:
        uuid = UUID.search(os.path.basename(path))
        stem = os.path.basename(path).partition(".jsonl")[0]
        inside, folder = _id_and_folder(path)
        names = tuple(dict.fromkeys(name for name in (inside, stem) if name and (uuid is None or name != uuid[0])))
        return StoredSession(self.agent, "claude-code", uuid[0] if uuid else inside or stem, path, folder, names)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, name = session.log, os.path.basename(session.log)
        yield from access_and_empty_faults(path, self.agent, FaultEffect.NOT_RECORDED)
        if is_empty(path) and path == self._newest(path):
            yield StoreFault(
                "empty",
                FaultEffect.PASSED_OVER,
                tr("{shown} is the newest file in its folder, but it is empty.", shown=shown_path(path)),
                tr(
                    "`claude --continue` starts a new conversation in this file instead of continuing the "
                    "previous session."
                ),
                tr("Remove the empty file: {command}", command=shell_command("rm", path)),
            )
        if not has_content(path):
            return
        yield from self._name_faults(home, session, path, name)
        if _is_plain(path):
            yield from self._content_faults(path)
        if os.path.islink(path):
            yield StoreFault(
                "link",
                FaultEffect.PASSED_OVER,
                symbolic_link_sentence(path),
                tr(
                    "`claude --continue` skips symbolic links and starts a new conversation. `--resume` with "
                    "the id opens the session."
                ),
                REPLACE_LINK,
            )
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED if self._is_in_own_folder(home, session) else FaultEffect.PASSED_OVER,
            tr(
                "Version 2.1.112 finds the session only from this folder. From any other folder, `claude "
                "--continue` starts a new session."
            ),
            opens_as_is=True,
        )
        yield from self._duplicate_faults(home, session)

    def _name_faults(self, home: str, session: StoredSession, path: str, name: str) -> Iterator[StoreFault]:
        projects = os.path.join(home, "projects")
        if not name.endswith(".jsonl") or not _is_plain(path):
            yield StoreFault(
                "compressed",
                FaultEffect.NOT_OPENED,
                tr("{shown} is compressed or encoded as UTF-16.", shown=shown_path(path)),
                tr("Claude Code opens only plain UTF-8 text in a file whose name ends in .jsonl."),
                tr("Unpack the file to {id}.jsonl in the same folder.", id=session.id),
            )
        elif not UUID.fullmatch(name.removesuffix(".jsonl")):
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr("Claude Code finds a session only if its file name is the session id."),
                tr(
                    "Rename the file: {command}",
                    command=shell_command("mv", path, os.path.join(os.path.dirname(path), f"{session.id}.jsonl")),
                ),
            )
        elif os.path.dirname(path) == projects:
            target = os.path.join(projects, project_slug(session.folder) if session.folder else "PROJECT", name)
            yield StoreFault(
                "misplaced",
                FaultEffect.NOT_OPENED,
                tr("{shown} is not in a project folder.", shown=shown_path(path)),
                tr("Claude Code looks up a session id in the project folders. It also accepts the path of the file."),
                tr("Move the file: {command}", command=shell_command("mv", path, target)),
                opens_as_is=True,
            )
        elif session.folder and os.path.basename(os.path.dirname(path)) != project_slug(session.folder):
            target = os.path.join(projects, project_slug(session.folder), name)
            yield StoreFault(
                "other-folder",
                FaultEffect.NOT_OPENED,
                tr(
                    "The file is in {dirname}, but its records refer to the folder {shown}.",
                    dirname=os.path.basename(os.path.dirname(path)),
                    shown=shown_path(session.folder),
                ),
                tr(
                    "Version 2.1.112 looks only in the folder of the current project, and version 2.1.330 "
                    "looks in all projects. Both versions accept the path of the file."
                ),
                tr(
                    "Open the session by its file path, or move the file back: {command}",
                    command=shell_command("mv", path, target),
                ),
                opens_as_is=True,
            )
        if (inside := next((name for name in session.names if UUID.fullmatch(name)), "")) and inside != session.id:
            yield other_id_fault(self.agent, session.id, inside)

    def _content_faults(self, path: str) -> Iterator[StoreFault]:
        if _has_message(path):
            return
        yield StoreFault(
            "no-messages",
            FaultEffect.NOT_OPENED,
            tr("{shown} contains no messages from the main conversation.", shown=shown_path(path)),
            tr("Claude Code opens only sessions that contain a message."),
            NOTHING_TO_OPEN,
        )
        if path == self._newest(path):
            yield StoreFault(
                "no-messages",
                FaultEffect.PASSED_OVER,
                tr("{shown} is the newest file in its folder, but it contains no messages.", shown=shown_path(path)),
                tr(
                    "In version 2.1.112, `claude --continue` starts a new conversation in this file. Version "
                    "2.1.330 continues the previous session."
                ),
                tr("Rename the file: {command}", command=shell_command("mv", path, f"{path}.empty")),
            )

    def _duplicate_faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        name = os.path.basename(session.log)
        same_name = self._logs_by_name[home].get(name, ())
        others = [path for path in same_name if path != session.log and os.path.isfile(path)]
        if others and UUID.fullmatch(name.removesuffix(".jsonl")):
            yield StoreFault(
                "duplicate",
                FaultEffect.NOT_OPENED,
                same_id_sentence(session.log, others[0]),
                tr(
                    "When run from another folder, Claude Code 2.1.330 cannot find either session by this id, "
                    "but you can open each session by its file path."
                ),
                tr("Open the session by its file path, or from its project folder."),
                opens_as_is=True,
            )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        projects = subfolders(os.path.join(home, "projects"))
        yield from closed_folder_faults((folder.path for folder in projects), self.agent)
        inside = os.path.join(home, ".claude.json")
        settings = inside if os.path.exists(inside) else os.path.join(os.path.dirname(home), ".claude.json")
        if json_file_problem(settings) in ("damaged", "empty"):
            backups = [entry.path for entry in entries_in(os.path.join(home, "backups")) if ".backup." in entry.name]
            newest = max(backups, key=os.path.getmtime, default="")
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.NOT_OPENED,
                not_json_sentence(settings),
                tr("Claude Code does not start if its settings are damaged."),
                tr("Restore a backup: {command}", command=shell_command("cp", newest, settings))
                if newest
                else tr("Move the file out of the way. Claude Code then writes a new one."),
            )

    def _is_in_own_folder(self, home: str, session: StoredSession) -> bool:
        return os.path.dirname(session.log) == os.path.join(home, "projects", project_slug(session.folder))

    def _newest(self, path: str) -> str:
        """Return the newest session of the folder that a log lies in."""
        logs = [entry for entry in entries_in(os.path.dirname(path)) if UUID.fullmatch(entry.name.partition(".")[0])]
        return max((entry.path for entry in logs), key=_changed, default="")

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        causes = {fault.cause for fault in faults}
        if causes & {"empty", "no-messages"} or os.path.isdir(session.log):
            return ()
        by_path = {"other-folder", "misplaced", "duplicate", "folder-gone"}
        is_by_path = causes & by_path and not causes & {"misnamed", "compressed"}
        name = session.log if is_by_path else session.id
        return ("claude", "--resume", name)


def _changed(path: str) -> float:
    """Return when a log was changed, 0 where it cannot be told."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _is_plain(path: str) -> bool:
    """Return whether a file is text as the agent reads it, judged by its first bytes."""
    start = file_head(path, 2)
    return start not in _UTF_16 and start != b"\x1f\x8b" and not start.startswith(b"\x28\xb5")


def _id_and_folder(path: str) -> tuple[str, str]:
    """Return the id and the folder that the first records name, "" for what they do not."""
    session_id = folder = ""
    for _, line in zip(range(_SEARCHED_LINES), file_lines(path), strict=False):
        record = json_object(line)
        session_id = session_id or text_under_keys(record, "sessionId")
        folder = folder or text_under_keys(record, "cwd")
        if session_id and folder:
            break
    return session_id, folder


def _has_message(path: str) -> bool:
    """Return whether a log holds a message of the main conversation."""
    for line in file_lines(path):
        if b'"user"' in line or b'"assistant"' in line:
            record = json_object(line)
            if record.get("type") in ("user", "assistant") and not record.get("isSidechain"):
                return True
    return False
