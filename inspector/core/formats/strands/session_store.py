"""How Strands finds its sessions: by the names of folders and files. The program gives the ids, there is no command.

Seen in strands-agents 1.62.0: without `session.json`, a session exists and cannot be made; without `agent.json`, the
agent begins with an empty history, and its next messages overwrite the old ones, as they do if all messages count as
removed. Every other damage stops the program. A link is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.core.formats.base.session_stores import (
    NO_COMMAND_SEEN,
    REPLACE_LINK,
    RESTORE_FILE,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    entries_in,
    json_file_problem,
    shown_path,
    subfolders,
    symbolic_link_sentence,
)
from inspector.core.formats.base.stores import read_json_object
from inspector.core.storage.json_text import value_at
from inspector.core.translation import tr

_PREFIX, _AGENT_PREFIX = "session_", "agent_"


class StrandsStore(SessionStore):
    agent, seen = "Strands Agents", "1.62.0"
    default_home = os.path.join(".strands", "sessions")
    elsewhere = tr("the program gives the id of the session and the folder of the store")

    def exists(self, home: str) -> bool:
        return any(folder.name.startswith(_PREFIX) for folder in subfolders(home))

    def sessions(self, home: str) -> list[StoredSession]:
        folders = (folder for folder in subfolders(home) if folder.name.startswith(_PREFIX))
        return [
            StoredSession(self.agent, "strands", folder.name.removeprefix(_PREFIX), folder.path) for folder in folders
        ]

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        yield from _metadata_faults(os.path.join(session.log, "session.json"), FaultEffect.NOT_OPENED, _NO_SESSION)
        for agent in subfolders(os.path.join(session.log, "agents")):
            if agent.name.startswith(_AGENT_PREFIX):
                yield from _agent_faults(agent.path)

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return ()


_NO_SESSION = tr("Strands cannot create the session, because its folder already exists.")
_NEW_AGENT = tr("Strands starts with an empty history, and its new messages overwrite the old ones.")


def _metadata_faults(path: str, when_missing: FaultEffect, expected: str) -> Iterator[StoreFault]:
    """Yield what is wrong with the file of a session or of an agent."""
    problem = json_file_problem(path)
    if problem == "missing":
        measured = tr("{shown} does not exist.", shown=shown_path(path))
        yield StoreFault("damaged-metadata", when_missing, measured, expected, RESTORE_FILE)
    elif problem:
        yield StoreFault(
            "damaged-metadata",
            FaultEffect.NOT_OPENED,
            tr("{shown} is damaged.", shown=shown_path(path)),
            tr("Strands opens a session only if all of its files are valid JSON."),
            RESTORE_FILE,
        )


def _agent_faults(folder: str) -> Iterator[StoreFault]:
    messages = os.path.join(folder, "messages")
    names = [entry.name for entry in entries_in(messages) if entry.name.startswith("message_")]
    files = [name for name in names if name.endswith(".json")]
    yield from _metadata_faults(
        os.path.join(folder, "agent.json"), FaultEffect.DESTROYS if files else FaultEffect.NOTE, _NEW_AGENT
    )
    if _removed_all(Path(folder, "agent.json"), len(files)):
        yield StoreFault(
            "short-resume",
            FaultEffect.DESTROYS,
            tr(
                "According to {shown}, all messages were removed.", shown=shown_path(os.path.join(folder, "agent.json"))
            ),
            _NEW_AGENT,
            tr(
                "Copy the session first. Then set removed_message_count to a number smaller than the number of "
                "messages."
            ),
        )
    if not os.path.isdir(messages):
        yield StoreFault(
            "entry-without-file",
            FaultEffect.NOT_OPENED,
            tr("{shown} does not exist.", shown=shown_path(messages)),
            tr("Strands opens a session only if the folder of its messages exists."),
            NO_COMMAND_SEEN,
        )
    for name in files:
        path = os.path.join(messages, name)
        if not _is_number(name[len("message_") : -len(".json")]):
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                tr("{shown} has no number in its name.", shown=shown_path(path)),
                tr("Strands sorts the messages by the numbers in their names."),
                tr("Move the file to another folder."),
            )
        elif os.path.islink(path):
            yield StoreFault(
                "link",
                FaultEffect.NOT_OPENED,
                symbolic_link_sentence(path),
                tr("Strands reads only files, not links."),
                REPLACE_LINK,
            )


def _removed_all(agent: Path, files: int) -> bool:
    """Return whether the file of an agent says that at least so many messages were removed."""
    removed = value_at(read_json_object(agent), "/conversation_manager_state/removed_message_count")
    return isinstance(removed, int) and 0 < files <= removed


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True
