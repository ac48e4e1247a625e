"""How Gemini CLI finds its sessions: in the store folder of the current folder, which two pointers name.

Seen in Gemini CLI 0.61.0: `projects.json` and `.project_root` connect a folder with its store. An entry alone, or a
`.project_root` alone, does not help where both must name the folder. Each resume writes a further file with the same id
beside the old one, and the newest is meant. `--session-file` imports any file as a new session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    NOTHING_TO_DO,
    NOTHING_TO_OPEN,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    entries_in,
    file_lines,
    file_name_sentence,
    first_line,
    first_record_fault,
    first_record_problem,
    folder_gone_fault,
    has_content,
    json_object,
    not_json_sentence,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import HostEnvironment, read_json_object
from inspector.core.translation import tr

_HASH = re.compile(r"[0-9a-f]{64}")
_DOCUMENT = ".json"
_LONGEST_PATH = 8192


class GeminiCliStore(SessionStore):
    agent, variable, seen = "Gemini CLI", "GEMINI_CLI_HOME", "0.61.0"
    elsewhere = tr("the session cannot be found by its id, and `--resume latest` starts a new session")

    def home(self, machine: HostEnvironment) -> str:
        moved = machine.environment.get(self.variable, "")
        return os.path.join(moved if os.path.isabs(moved) else machine.home, ".gemini")

    def value_of_variable(self, home: str) -> str:
        return os.path.dirname(home)

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "tmp"))

    def sessions(self, home: str) -> list[StoredSession]:
        newest: dict[tuple[str, str], StoredSession] = {}
        projects = _projects(home)
        for store in subfolders(os.path.join(home, "tmp")):
            for entry in entries_in(os.path.join(store.path, "chats")):
                if os.path.isdir(entry.path) or not re.search(r"\.jsonl?\b|^session-", entry.name):
                    continue
                metadata = _metadata(entry.path)
                folder = _folder_by_hash(projects, metadata) or _folder_of(projects, store.path)
                chat = text_under_keys(metadata, "sessionId") or re.split(r"[-.]", entry.name)[-2]
                session = StoredSession(self.agent, "gemini-cli", chat, entry.path, folder, (), metadata)
                known = newest.get((store.path, chat))
                if known is None or text_under_keys(known.entry, "startTime") <= text_under_keys(metadata, "startTime"):
                    newest[store.path, chat] = session
        return list(newest.values())

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, name = session.log, os.path.basename(session.log)
        store = os.path.dirname(os.path.dirname(path))
        yield from access_and_empty_faults(path, self.agent, FaultEffect.NOT_RECORDED)
        if not has_content(path):
            return
        if not name.startswith("session-") or not name.endswith((".jsonl", _DOCUMENT)):
            target = os.path.join(os.path.dirname(path), f"session-{name.partition('.')[0].removeprefix('session-')}")
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr("Gemini CLI looks for a file named session-NAME.jsonl."),
                tr("Rename the file: {command}", command=shell_command("mv", path, f"{target}.jsonl")),
            )
        if not name.endswith(_DOCUMENT):
            yield from self._record_faults(session, path)
        yield from self._pointer_faults(home, session, store)
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED,
            tr("Gemini CLI finds a chat only when it runs in the folder that the chat belongs to."),
            tr("Or import the chat as a new session: {value}", value=self._import(path)),
            opens_as_is=True,
        )

    def _record_faults(self, session: StoredSession, path: str) -> Iterator[StoreFault]:
        problem = first_record_problem(path, lambda record: "sessionId" in record and "projectHash" in record)
        again = (
            tr('Restore this record as line 1: {"sessionId":"')
            + session.id
            + '","projectHash":"…","startTime":"…","lastUpdated":"…","kind":"main"}'
        )
        yield from first_record_fault(path, self.agent, "metadata", problem, again)
        if problem:
            return
        if text_under_keys(session.entry, "kind") == "subagent":
            yield StoreFault(
                "misplaced",
                FaultEffect.NOT_OPENED,
                tr("{shown} is the chat of a subagent.", shown=shown_path(path)),
                tr("Gemini CLI lists only chats of kind `main`."),
                tr('In a copy, set "kind" to "main" on line 1.'),
            )
        elif not _has_user_message(path):
            yield StoreFault(
                "no-messages",
                FaultEffect.NOT_OPENED,
                tr("{shown} contains no user messages.", shown=shown_path(path)),
                tr("Gemini CLI opens only chats that contain a user message."),
                NOTHING_TO_OPEN,
            )

    def _pointer_faults(self, home: str, session: StoredSession, store: str) -> Iterator[StoreFault]:
        slug, projects = os.path.basename(store), _projects(home)
        own = _folder_by_hash(projects, session.entry)
        if own and projects[own] != slug and _root_named_in(store) != own:
            chats = os.path.join(home, "tmp", projects[own], "chats")
            older = bool(_HASH.fullmatch(slug))
            yield StoreFault(
                "older-layout" if older else "misplaced",
                FaultEffect.NOT_OPENED,
                tr(
                    "The chat is in {store}, but the chats for {folder} are in {chats}.",
                    store=shown_path(store),
                    folder=shown_path(own),
                    chats=shown_path(chats),
                ),
                tr("Gemini CLI looks only in the folder specified in projects.json."),
                tr(
                    "Move the file: {command} && {then}",
                    command=shell_command("mkdir", "-p", chats),
                    then=shell_command("mv", session.log, chats),
                ),
            )
            return
        folder = session.folder
        if folder in projects and projects[folder] != slug:
            yield self._pointer_fault(
                tr(
                    "projects.json maps {shown} to the folder {projects}, but the chat is in {slug}.",
                    projects=projects[folder],
                    shown=shown_path(folder),
                    slug=slug,
                ),
                tr(
                    'Set the folder\'s entry in {shown} to "{slug}".',
                    shown=shown_path(os.path.join(home, "projects.json")),
                    slug=slug,
                ),
            )
            return
        for root in (store, os.path.join(home, "history", slug)):
            named = _root_named_in(root)
            entry = next((known for known, name in projects.items() if name == slug), folder)
            if named and entry and named != entry:
                yield self._pointer_fault(
                    tr(
                        "{marker} contains {named}, but projects.json contains {entry}.",
                        marker=shown_path(os.path.join(root, ".project_root")),
                        named=shown_path(named),
                        entry=shown_path(entry),
                    ),
                    tr(
                        "Write {entry} to {shown}.",
                        entry=entry,
                        shown=shown_path(os.path.join(root, ".project_root")),
                    ),
                )

    def _pointer_fault(self, measured: str, remedy: str) -> StoreFault:
        expected = tr("projects.json and both .project_root files must link the same folder to the same store.")
        return StoreFault("pointer", FaultEffect.NOT_OPENED, measured, expected, remedy)

    def _import(self, path: str) -> str:
        return shell_command("gemini", "--session-file", path)

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        path = os.path.join(home, "projects.json")
        if os.path.exists(path) and not read_json_object(Path(path)):
            yield StoreFault(
                "damaged-index",
                FaultEffect.NOTE,
                not_json_sentence(path),
                tr("Gemini CLI recreates this file from the .project_root files."),
                NOTHING_TO_DO,
            )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        causes = {fault.cause for fault in faults}
        if causes & {"empty", "no-messages"}:
            return ()
        if "folder-gone" in causes and len(causes) == 1:
            return ("gemini", "--session-file", session.log)
        return ("gemini", "--resume", session.id)


def _projects(home: str) -> dict[str, str]:
    """Return the names of the store folders by project folder."""
    projects = read_json_object(Path(home, "projects.json")).get("projects")
    return {str(folder): str(slug) for folder, slug in projects.items()} if isinstance(projects, dict) else {}


def _root_named_in(store: str) -> str:
    with suppress(OSError, ValueError), open(os.path.join(store, ".project_root"), encoding="utf-8") as file:
        return file.read(_LONGEST_PATH).strip()
    return ""


def _folder_of(projects: dict[str, str], store: str) -> str:
    """Return the project's folder of a store, "" where nothing names it."""
    slug = os.path.basename(store)
    in_index = next((folder for folder, name in projects.items() if name == slug), "")
    return in_index or _root_named_in(store)


def _folder_by_hash(projects: dict[str, str], metadata: dict[str, Any]) -> str:
    """Return the folder whose hash the metadata of a chat holds, "" where it is none that projects.json names."""
    wanted = text_under_keys(metadata, "projectHash")
    return next(
        (folder for folder in projects if sha256(folder.encode("utf-8", "surrogatepass")).hexdigest() == wanted), ""
    )


def _metadata(path: str) -> dict[str, Any]:
    """Return the metadata of a chat: its first line, or the document itself, "" for what it does not say."""
    if path.endswith(_DOCUMENT):
        return read_json_object(Path(path))
    line = json_object(first_line(path))
    return line if "sessionId" in line else next((r for r in _first_records(path) if "sessionId" in r), {})


def _first_records(path: str) -> Iterator[dict[str, Any]]:
    return (json_object(line) for _, line in zip(range(50), file_lines(path), strict=False))


def _has_user_message(path: str) -> bool:
    return any(re.search(rb'"type"\s*:\s*"user"', line) for line in file_lines(path))
