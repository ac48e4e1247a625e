"""The folder of a conversation of the OpenHands SDK as one text: `{"base_state": …, "events": […]}`.

Facts: OpenHands/software-agent-sdk @611629e, conversation/persistence_const.py and event_store.py: the events are in
`events/event-INDEX-ID.json`, and are loaded in the order of the index, which has five digits or more.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.lazy import lazy_regex
from inspector.core.storage.folder import FolderContainer
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.temporary_files import AssembledSource

STATE_FILE, _EVENTS = "base_state.json", "events"
_EVENT_NAME = r"events/event-(\d{5,})-[0-9a-fA-F-]{8,}\.json"
_EVENT = lazy_regex(_EVENT_NAME)
MEMBER = lazy_regex(rf"(?:(.*)/)?(?:{re.escape(STATE_FILE)}|{_EVENT_NAME})", re.DOTALL)


def is_conversation_folder(path: Path) -> bool:
    """Return whether a folder holds the state and the events of a conversation."""
    return os.path.isfile(os.path.join(path, STATE_FILE)) and os.path.isdir(os.path.join(path, _EVENTS))


def assemble(path: str, format: str, folder: FolderContainer) -> AssembledSource:
    """Return the conversation in a folder as one text. Raises UnreadableLog."""
    text = AssembledText()
    try:
        numbered = [(int(match[1]), match[0]) for match in map(_EVENT.fullmatch, folder.json_names(_EVENTS)) if match]
        state = folder.read(STATE_FILE)
        start = text.begin_object()
        text.put(b'{"base_state":')
        text.put(state if is_valid_json(state) else b"null")
        text.put(b',"events":')
        text.put_records(start, ((name, folder.read(name)) for _, name in sorted(numbered)))
        text.put(b"\n")
        return AssembledSource(path, format, text.spool, folder, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise
