"""The folder of a Strands session as one text: an array with an object for each of its agents.

An object is `{"session": ..., "session_messages": [...]}`, and holds every file unchanged. The first message is the
file of the agent, which says which messages are sent.
Facts: strands-agents 1.62.0, session/file_session_manager.py (`list_messages` sorts by the numbers in the names).
"""

from __future__ import annotations

import os
import re
from itertools import chain
from pathlib import Path

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.lazy import lazy_regex
from inspector.core.storage.folder import ArchivedFolder, FolderContainer
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_AGENTS = "agents"
_AGENT_FOLDER = lazy_regex(r"agents/agent_[^/]*", re.DOTALL)
_SESSION_FILE, _AGENT_FILE = "session.json", "agent.json"
# What Strands does not open the files without.
_REQUIRED_KEYS = {
    _SESSION_FILE: {"session_id", "session_type"},
    _AGENT_FILE: {"agent_id", "state", "conversation_manager_state"},
}
_PREFIX, _SUFFIX = "message_", ".json"
MEMBER = lazy_regex(rf"(?:(.*)/)?(?:{_SESSION_FILE}|agents/agent_[^/]*/(?:{_AGENT_FILE}|messages/[^/]*))", re.DOTALL)


def is_session_folder(path: Path) -> bool:
    """Return whether a folder has the messages of an agent where Strands keeps them."""
    folder = os.path.join(path, _AGENTS)
    if not os.path.isdir(folder):
        return False
    with os.scandir(folder) as entries:
        agents = (entry.path for entry in entries if _AGENT_FOLDER.fullmatch(f"{_AGENTS}/{entry.name}"))
        return any(os.path.isdir(os.path.join(agent, "messages")) for agent in agents)


def assemble(path: str, format: str, folder: FolderContainer) -> AssembledSource:
    """Return the session in a folder as one text. Raises UnreadableLog."""
    text = AssembledText()
    try:
        session = _required_file(folder, "", _SESSION_FILE)
        text.put(b"[\n")
        for agent in filter(_AGENT_FOLDER.fullmatch, folder.subfolder_names(_AGENTS)):
            _put_agent(text, folder, agent, session)
        text.put(b"\n]\n")
        return AssembledSource(path, format, text.spool, folder, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_agent(text: AssembledText, folder: FolderContainer, agent: str, session: bytes) -> None:
    """Append an agent and its messages. An agent without a file has no messages either."""
    names = _message_files(folder, f"{agent}/messages")
    if not names and _AGENT_FILE not in _file_names(folder, agent):
        return
    data = _required_file(folder, agent, _AGENT_FILE)
    start = text.begin_object()
    text.put(b'{"session":')
    if text.arrays:
        text.put(session)
    else:
        text.put_member(_SESSION_FILE, session)
    text.put(b',"session_messages":')
    text.put_records(start, chain([(f"{agent}/{_AGENT_FILE}", data)], ((name, folder.read(name)) for name in names)))


def _file_names(folder: FolderContainer, parent: str) -> list[str]:
    return [name.rpartition("/")[2] for name in folder.json_names(parent)]


def _required_file(folder: FolderContainer, parent: str, name: str) -> bytes:
    """Return a file that Strands does not open the session without. Raises UnreadableLog."""
    path = folder.path / parent / name
    if name not in _file_names(folder, parent):
        raise UnreadableLog(
            tr(
                "{path} is missing. Without it, Strands does not load the messages of the session, and may overwrite "
                "them. Restore the file from a backup.",
                path=path,
            )
        )
    data = folder.read(f"{parent}/{name}" if parent else name)
    value = parse_json(data) if is_valid_json(data) else None
    if not isinstance(value, dict) or not _REQUIRED_KEYS[name] <= value.keys():
        raise UnreadableLog(
            tr(
                "{path} is damaged, so Strands cannot load the session. Restore the file from a backup.",
                path=path,
            )
        )
    return data


def _message_files(folder: FolderContainer, parent: str) -> list[str]:
    """Return the files of messages in their order. Raises UnreadableLog for a name without a number, and for a link."""
    numbered = []
    for name in _file_names(folder, parent):
        if not name.startswith(_PREFIX):
            continue
        try:
            numbered.append((int(name[len(_PREFIX) : -len(_SUFFIX)]), name))
        except ValueError as error:
            raise UnreadableLog(
                tr(
                    "{path} has no number in its name, so Strands cannot load the session. Move the file to another "
                    "folder.",
                    path=folder.path / parent / name,
                )
            ) from error
        if not isinstance(folder, ArchivedFolder) and os.path.islink(folder.path / parent / name):
            raise UnreadableLog(
                tr(
                    "{path} is a symbolic link, so Strands does not load the session. Replace the link with the file.",
                    path=folder.path / parent / name,
                )
            )
    return [f"{parent}/{name}" for _, name in sorted(numbered)]


def numbered_name(beside: str, number: int) -> str:
    """Return the name of the file of a message with a number, next to another one or to the file of its agent."""
    folder = f"{beside.removesuffix(_AGENT_FILE)}messages" if beside.endswith(_AGENT_FILE) else os.path.dirname(beside)
    return f"{folder}/{_PREFIX}{number}{_SUFFIX}"
