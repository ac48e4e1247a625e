"""How Qwen Code finds its sessions: by the name of the file in the folder of the project, and its first record.

Seen in Qwen Code 0.24.4: the `cwd` of the first record must be the current folder, and all records must name one
session. Lines that cannot be read do not matter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    UUID,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    entries_in,
    file_lines,
    file_name_sentence,
    folder_gone_fault,
    has_content,
    json_object,
    other_id_fault,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.translation import tr

_ARCHIVE = "archive"
_SEARCHED_LINES = 50


class QwenCodeStore(SessionStore):
    agent, variable, seen = "Qwen Code", "QWEN_HOME", "0.24.4"
    elsewhere = tr("the session cannot be found by its id, and `--continue` starts a new session")

    def home(self, machine: HostEnvironment) -> str:
        for name in ("QWEN_RUNTIME_DIR", self.variable):
            moved = machine.environment.get(name, "")
            if os.path.isabs(moved):
                return moved
        return os.path.join(machine.home, ".qwen")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "projects"))

    def sessions(self, home: str) -> list[StoredSession]:
        found = []
        for project in subfolders(os.path.join(home, "projects")):
            chats = os.path.join(project.path, "chats")
            files = [entry for folder in (chats, os.path.join(chats, _ARCHIVE)) for entry in entries_in(folder)]
            active = {entry.name for entry in entries_in(chats)}
            for entry in files:
                is_archived = os.path.basename(os.path.dirname(entry.path)) == _ARCHIVE
                if (
                    not os.path.isdir(entry.path)
                    and entry.name.endswith(".jsonl")
                    and not (is_archived and entry.name in active)
                ):
                    found.append(self._session(entry.path))
        return found

    def _session(self, path: str) -> StoredSession:
        stem, first = os.path.basename(path).removesuffix(".jsonl"), _first_record(path)
        inside = text_under_keys(first, "sessionId")
        name = stem if UUID.fullmatch(stem) or not inside else inside
        names = tuple(each for each in (inside, stem) if each and each != name)
        return StoredSession(self.agent, "qwen-code", name, path, text_under_keys(first, "cwd"), names, first)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, name = session.log, os.path.basename(session.log)
        yield from access_and_empty_faults(path, self.agent, FaultEffect.NOT_RECORDED)
        if not has_content(path):
            return
        stem = name.removesuffix(".jsonl")
        chats = os.path.dirname(path)
        if os.path.basename(chats) == _ARCHIVE:
            yield StoreFault(
                "archived",
                FaultEffect.NOT_OPENED,
                tr("{shown} is in the archive.", shown=shown_path(path)),
                tr("Qwen Code opens chats only from the archive's parent folder."),
                tr(
                    "Move the file back: {command}",
                    command=shell_command("mv", path, os.path.join(os.path.dirname(chats), name)),
                ),
                intended=True,
            )
            chats = os.path.dirname(chats)
        if not UUID.fullmatch(stem):
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr("Qwen Code finds a chat only if its file name is the chat id."),
                tr(
                    "Rename the file: {command}",
                    command=shell_command("mv", path, os.path.join(os.path.dirname(path), f"{session.id}.jsonl")),
                ),
            )
        elif (inside := text_under_keys(session.entry, "sessionId")) and inside != stem:
            yield other_id_fault(self.agent, stem, inside)
        yield from self._first_record_faults(home, session, chats)
        ids = {text_under_keys(json_object(line), "sessionId") for line in file_lines(path)} - {""}
        if len(ids) > 1:
            yield StoreFault(
                "mixed-ids",
                FaultEffect.NOT_OPENED,
                tr("The records in {shown} belong to {number} sessions.", shown=shown_path(path), number=len(ids)),
                tr("Qwen Code opens a chat only if all records have the same session id."),
                tr('In a copy, set "sessionId" in every record to {stem}.', stem=stem),
            )
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED,
            tr("Qwen Code opens a chat only from the folder specified in its first record."),
        )

    def _first_record_faults(self, home: str, session: StoredSession, chats: str) -> Iterator[StoreFault]:
        path, slug = session.log, os.path.basename(os.path.dirname(chats))
        if not session.folder:
            if session.entry:
                yield StoreFault(
                    "first-record",
                    FaultEffect.NOT_OPENED,
                    tr("The first record in {shown} does not specify a folder.", shown=shown_path(path)),
                    tr("Qwen Code stops if the first record has no `cwd`."),
                    tr("In a copy, add `cwd` to the first record. This fix has not been tested."),
                )
        elif slug != _slug(session.folder):
            own = os.path.join(home, "projects", _slug(session.folder), "chats")
            move = f"{shell_command('mkdir', '-p', own)} && {shell_command('mv', path, own)}"
            yield StoreFault(
                "misplaced",
                FaultEffect.NOT_OPENED,
                tr(
                    "The chat is in {slug}, but its first record refers to the folder {shown}.",
                    slug=slug,
                    shown=shown_path(session.folder),
                ),
                tr("Qwen Code opens a chat only if its location and its first record match the current folder."),
                tr("Move the file back: {move}", move=move),
            )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if any(fault.cause == "empty" for fault in faults) else ("qwen", "--resume", session.id)


def _slug(folder: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", folder)


def _first_record(path: str) -> dict[str, object]:
    records = (json_object(line) for _, line in zip(range(_SEARCHED_LINES), file_lines(path), strict=False))
    return next(filter(None, records), {})
