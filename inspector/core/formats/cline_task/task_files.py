"""What lies beside a task's log: the history item with the deleted range, and places of messages in the UI's log.

Facts: cline/cline `src/core/storage/disk.ts` (`state/taskHistory.json`), `src/shared/HistoryItem.ts`
(`conversationHistoryDeletedRange`), `src/core/task/message-state.ts` (every UI message notes the index of the newest
API message and the range as they were then); RooCodeInc/Roo-Code `src/core/task-persistence/TaskHistoryStore.ts`
(`history_item.json` in the task's folder, `_index.json` beside the folders).
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import list_at
from inspector.core.formats.bases.edits import SideEdit
from inspector.core.formats.bases.noted import value_in
from inspector.core.index.columns import Columns

NAMES = ("api_conversation_history.json", "claude_messages.json")
RANGE = "conversationHistoryDeletedRange"
UI = "ui_messages.json"
_PLACES = re.compile(
    rb'("conversationHistoryIndex"\s*:\s*)(\d+)|'
    rb'("conversationHistoryDeletedRange"\s*:\s*\[\s*)(\d+)(\s*,\s*)(\d+)(?=\s*\])'
)


class Item(Struct, frozen=True):
    """A history item: the file that holds it, its pointer there, and what it says."""

    path: Path
    pointer: str
    value: dict[str, Any]

    @property
    def range_end(self) -> int:
        """The last message that is not sent, -1 when all are."""
        span = self.value.get(RANGE)
        ends = isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)
        return int(span[1]) if isinstance(span, list) and ends else -1


def task_id(path: str) -> str:
    """A task's log lies in a folder with the task's id as its name; another name is that of a copy."""
    place = Path(path)
    return place.resolve().parent.name if place.name in NAMES else place.stem


def items(path: str) -> Iterator[Item]:
    """The history items of the task whose log is at `path`, from the file that counts most to the caches of it."""
    if Path(path).name not in NAMES:
        return
    folder = Path(path).resolve().parent
    own, index = folder / "history_item.json", folder.parent / "_index.json"
    state = folder.parent.parent / "state" / "taskHistory.json"
    value, cached = value_in(own), value_in(index)
    if isinstance(value, dict):
        yield Item(own, "", value)
    for file, pointer, listed in (
        (state, "", list_at(value_in(state), "")),
        (index, "/entries", list_at(cached, "/entries")),
    ):
        for number, item in enumerate(listed):
            if isinstance(item, dict) and item.get("id") == folder.name:
                yield Item(file, f"{pointer}/{number}", item)


def range_end(path: str) -> int:
    """The last message of the task that Cline does not send, -1 when it sends all.

    Where the history item is kept in the editor's own database, the newest UI message tells it.
    """
    known = list(items(path))
    if known or Path(path).name not in NAMES:
        return max((item.range_end for item in known), default=-1)
    try:
        text = (Path(path).resolve().parent / UI).read_bytes()
    except OSError:
        return -1
    ranges = [match for match in _PLACES.finditer(text) if match[6]]
    return int(ranges[-1][6]) if ranges else -1


def side_edits(path: str, before: int, after: Columns) -> list[SideEdit]:
    """The files beside the log in which places of messages change, because messages were added or dropped.

    `before` is how many messages the log had.
    """
    moved = _moves(before, after)
    if Path(path).name not in NAMES or all(moved(index) == index for index in range(before)):
        return []
    found = []
    for item in items(path):
        if item.range_end >= 0 and moved(item.range_end) != item.range_end:
            text = item.path.read_bytes()
            new = b"[%d,%d]" % tuple(moved(end) for end in item.value[RANGE])
            changed = splice.replace_value(text, f"{item.pointer}/{RANGE}", new)
            sentence = f"{item.path} now names messages {new.decode()} as left out of what is sent."
            found.append(SideEdit(str(item.path), changed, sentence))
    ui = Path(path).resolve().parent / UI
    try:
        text = ui.read_bytes()
    except OSError:
        return found
    changed = _PLACES.sub(lambda match: _shifted(match, moved), text)
    if changed != text:
        sentence = f"{ui} now names the new places of the messages, so that checkpoints still go back to the right one."
        found.append(SideEdit(str(ui), changed, sentence))
    return found


def _shifted(match: re.Match[bytes], moved: Callable[[int], int]) -> bytes:
    if match[1]:
        return match[1] + b"%d" % moved(int(match[2]))
    return match[3] + b"%d" % moved(int(match[4])) + match[5] + b"%d" % moved(int(match[6]))


def _moves(before: int, after: Columns) -> Callable[[int], int]:
    """Where a message stands now, by where it stood; that of the one before it where it was dropped."""
    now = {slot: record for record, slot in enumerate(after.stable_numbers) if slot < before}
    places: list[int] = []
    for index in range(before):
        places.append(now.get(index, places[-1] if places else 0))

    def moved(index: int) -> int:
        # The newest message can be one that is not written yet.
        return places[index] if 0 <= index < before else index + len(after) - before

    return moved
