"""The messages that are sent of a task, the files next to its log, and what the extensions do on resume.

Facts: cline/cline `src/core/storage/disk.ts` (`state/taskHistory.json`), `src/shared/HistoryItem.ts`
(`conversationHistoryDeletedRange`), `src/core/task/message-state.ts` (every UI message notes the index of the newest
API message and the range as they were then); RooCodeInc/Roo-Code `src/core/task-persistence/TaskHistoryStore.ts`
(`history_item.json` in the task's folder, `_index.json` beside the folders).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.core.errors import CannotWrite
from inspector.core.formats.base.agent_behavior import NextSteps, ResumeBehavior
from inspector.core.formats.base.stores import read_json
from inspector.core.formats.base.writer import SidecarEdit
from inspector.core.formats.cline_task.reader import condense_tags_of
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import list_at
from inspector.core.translation import tr

LOG_NAMES = ("api_conversation_history.json", "claude_messages.json")
DELETED_RANGE_KEY = "conversationHistoryDeletedRange"
UI_FILE = "ui_messages.json"
_MESSAGE_INDEXES = re.compile(
    rb'("conversationHistoryIndex"\s*:\s*)(\d+)|'
    rb'("conversationHistoryDeletedRange"\s*:\s*\[\s*)(\d+)(\s*,\s*)(\d+)(?=\s*\])'
)


class TaskHistoryItem(Struct, frozen=True):
    """A history item: the file that holds it, its pointer there, and its value."""

    path: Path
    pointer: str
    value: dict[str, Any]

    @property
    def range_end(self) -> int:
        """The last message that is not sent, -1 when all are."""
        span = self.value.get(DELETED_RANGE_KEY)
        ends = isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)
        return int(span[1]) if isinstance(span, list) and ends else -1


def task_id(path: str) -> str:
    """Return the id of a task: the name of the folder of its log, or the name of a copy."""
    place = Path(path)
    return place.resolve().parent.name if place.name in LOG_NAMES else place.stem


def history_items_of_task(path: str) -> Iterator[TaskHistoryItem]:
    """Yield the history items of the task whose log is at `path`, the most important file first, caches last."""
    if Path(path).name not in LOG_NAMES:
        return
    folder = Path(path).resolve().parent
    own, index, state = _history_files(folder)
    value, cached = read_json(own), read_json(index)
    if isinstance(value, dict):
        yield TaskHistoryItem(own, "", value)
    for file, pointer, listed in (
        (state, "", list_at(read_json(state), "")),
        (index, "/entries", list_at(cached, "/entries")),
    ):
        for number, item in enumerate(listed):
            if isinstance(item, dict) and item.get("id") == folder.name:
                yield TaskHistoryItem(file, f"{pointer}/{number}", item)


def _history_files(folder: Path) -> tuple[Path, Path, Path]:
    """Return the files that may list the task in `folder`: its own, Roo Code's index, and Cline's list of tasks."""
    return (
        folder / "history_item.json",
        folder.parent / "_index.json",
        folder.parent.parent / "state" / "taskHistory.json",
    )


def _require_readable(file: Path) -> None:
    try:
        with file.open("rb"):
            return
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotWrite(
            tr(
                "{file} cannot be read: {strerror}. Nothing was written, because the file may refer to "
                "messages that this repair moves. Make the file readable, or save a copy.",
                file=file,
                strerror=error.strerror or error,
            )
        ) from error


def deleted_range_end(path: str) -> int:
    """Return the last message of the task that Cline does not send, -1 when it sends all.

    Where the history item is kept in the editor's own database, the newest UI message names the range.
    """
    known = list(history_items_of_task(path))
    if known or Path(path).name not in LOG_NAMES:
        return max((item.range_end for item in known), default=-1)
    try:
        text = (Path(path).resolve().parent / UI_FILE).read_bytes()
    except OSError:
        return -1
    ranges = [match for match in _MESSAGE_INDEXES.finditer(text) if match[6]]
    return int(ranges[-1][6]) if ranges else -1


def sidecar_edits(path: str, before: int, after: Columns) -> list[SidecarEdit]:
    """Return the edits of files next to the log with indexes of messages that were moved.

    `before` is how many messages the log had. Raises CannotWrite where one of these files cannot be read.
    """
    moved = _new_indexes(before, after)
    if Path(path).name not in LOG_NAMES or all(moved(index) == index for index in range(before)):
        return []
    folder = Path(path).resolve().parent
    for file in (*_history_files(folder), folder / UI_FILE):
        _require_readable(file)
    edits = []
    for item in history_items_of_task(path):
        if item.range_end >= 0 and moved(item.range_end) != item.range_end:
            text = item.path.read_bytes()
            new = b"[%d,%d]" % tuple(moved(end) for end in item.value[DELETED_RANGE_KEY])
            changed = json_edits.replace_value(text, f"{item.pointer}/{DELETED_RANGE_KEY}", new)
            sentence = tr("The range of deleted messages in {path} is now {new}.", path=item.path, new=new.decode())
            edits.append(SidecarEdit(str(item.path), changed, sentence))
    ui = Path(path).resolve().parent / UI_FILE
    try:
        text = ui.read_bytes()
    except OSError:
        return edits
    changed = _MESSAGE_INDEXES.sub(lambda match: _shifted_index(match, moved), text)
    if changed != text:
        sentence = tr(
            "{ui} was updated with the new positions of the messages, so that checkpoints still point to the "
            "right messages.",
            ui=ui,
        )
        edits.append(SidecarEdit(str(ui), changed, sentence))
    return edits


def _shifted_index(match: re.Match[bytes], moved: Callable[[int], int]) -> bytes:
    if match[1]:
        return match[1] + b"%d" % moved(int(match[2]))
    return match[3] + b"%d" % moved(int(match[4])) + match[5] + b"%d" % moved(int(match[6]))


def _new_indexes(before: int, after: Columns) -> Callable[[int], int]:
    """Return a function from old to new indexes of messages. A dropped message has that of the one before it."""
    now = {slot: record for record, slot in enumerate(after.stable_numbers) if slot < before}
    places: list[int] = []
    for index in range(before):
        places.append(now.get(index, places[-1] if places else 0))

    def moved(index: int) -> int:
        # The newest message can be one that is not written yet.
        return places[index] if 0 <= index < before else index + len(after) - before

    return moved


# The messages that the agent would send after condensing and truncating.
#
# Facts: RooCodeInc/Roo-Code `src/core/condense/index.ts` (`getEffectiveApiHistory`: from the last summary on; before
# version 3.43, where the summary was the assistant's, `getMessagesSinceLastSummary` put the first message before it);
# cline/cline `ContextManager.getTruncatedMessages` and `apps/vscode/src/sdk/legacy-task-handling.ts`
# (`applyLegacyDeletedRange`: the first two messages, then those behind the end of the range, of which the first loses
# its results; both answer a call that the gap leaves open).

ALWAYS_SENT_COUNT = 2  # the messages that Cline keeps before the range


def active_path(columns: Columns, raw: ReadRecord) -> array[int]:
    """Return the records that are sent, in order. Damaged ones stay, because the agent cannot load them either."""
    path = array("I", range(len(columns)))
    if columns.has_mark(RecordMark.NOT_SENT):
        return array("I", (record for record in path if not columns.marks[record] & RecordMark.NOT_SENT))
    if not columns.has_mark(RecordMark.COMPACTION):
        return path
    boundaries = {
        record: condense_tags_of(raw(record)) for record in path if columns.marks[record] & RecordMark.COMPACTION
    }
    last = max((record for record, tags in boundaries.items() if tags.isSummary), default=-1)
    if last >= 0:
        lead = [0] if columns.roles[last] != Role.USER and last and columns.roles[0] == Role.USER else []
        path = array("I", [*lead, *path[last:]])
    markers = {tags.truncationId for record, tags in boundaries.items() if record >= last and tags.isTruncationMarker}
    if not markers:
        return path
    return array("I", (record for record in path if condense_tags_of(raw(record)).truncationParent not in markers))


def mark_truncated(columns: Columns, originals: int, end: int) -> frozenset[int]:
    """Mark the messages that Cline leaves out: those after the first two, up to message `end` of the log as read.

    Return the rows that it then handles itself: the results that now come first, and the calls before the gap.
    """
    if not ALWAYS_SENT_COUNT <= end < originals - 1:
        return frozenset()
    last = max((record for record, slot in enumerate(columns.stable_numbers) if slot <= end), default=-1)
    for record, mark in enumerate(columns.marks):
        columns.marks[record] = (
            mark | RecordMark.NOT_SENT if ALWAYS_SENT_COUNT <= record <= last else mark & ~RecordMark.NOT_SENT
        )
    if not ALWAYS_SENT_COUNT <= last < len(columns) - 1:
        return frozenset()
    columns.marks[last + 1] |= RecordMark.COMPACTION
    before, after = columns.block_rows(ALWAYS_SENT_COUNT - 1), columns.block_rows(last + 1)
    calls = {row for row in before if columns.block_kinds[row] == BlockKind.CALL}
    return frozenset(calls | {row for row in after if columns.block_kinds[row] == BlockKind.RESULT})


# What the three extensions do on resume with findings, and how the person resumes.
#
# Facts: RooCodeInc/Roo-Code `Task.resumeTaskFromHistory` (only the last exchange is healed), `validateToolResultIds.ts`
# (by position, on the message that is being added), `readApiMessages` (no array: an empty history); Kilo Code 4 and 5
# are forks of it. cline/cline 3.89.2, the last of the classic ones: `ContextManager.ensureToolResultsFollowToolUse`
# (every request: the next message gets "result missing" for what it lacks, and loses what fits no call; a second result
# of a call alone stays), and of the current one `apps/vscode/src/sdk/initial-message-sanitizer.ts` (imports a classic
# task, looking at all user messages that follow; results of other calls stay). Which of them opens a task is not in its
# log.

CLINE, ROO, KILO = "Cline", "Roo Code", "Kilo Code"
CLINE_ROO_OR_KILO = tr("Cline, Roo Code or Kilo Code")
_AGENT_IDS = {CLINE: "cline", ROO: "roo-code", KILO: "kilo-code"}

_ROO_MENDS = frozenset({"D1", "C2"})
_ROO_LAST_ONLY = frozenset({"D3", "R1", "R5", "R6", "R7", "R8"})
_CLINE_MENDS = frozenset({"D1", "D2", "D3", "D5", "C1", "C2", "R9"})
_CLINE_ONE_OF_THEM = frozenset({"D4", "R3", "R5", "R6", "R7", "R8", "R10"})
# What a repair in memory loses, by rule.
_LOSSES = {
    "C2": tr("results of calls that were cut off"),
    "R5": tr("all results of a call except one"),
    "R7": tr("all results of a call except one"),
    "R8": tr("results with the id of another call"),
}


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what the extension that wrote the task does with it."""
    agent, label = _AGENT_IDS.get(session.agent, "unknown"), session.agent or CLINE_ROO_OR_KILO
    if any(rule.startswith("F") for rule in rules):
        return ResumeBehavior(
            agent, "refuses", (tr("the whole history, because a file that is not valid JSON is ignored"),), label
        )
    if not rules:
        return ResumeBehavior(agent, "as-is", (), label)
    mends, perhaps = (_CLINE_MENDS, _CLINE_ONE_OF_THEM) if agent == "cline" else (_ROO_MENDS, _ROO_LAST_ONLY)
    if agent == "unknown":
        mends, perhaps = _CLINE_MENDS & _ROO_MENDS, _CLINE_MENDS | _ROO_LAST_ONLY
    loses = tuple(sorted({_LOSSES[rule] for rule in rules if rule in _LOSSES}))
    if rules <= mends:
        return ResumeBehavior(agent, "mends", loses, label)
    return ResumeBehavior(agent, "unknown" if rules <= mends | perhaps else "refuses", (), label)


def resume_steps(path: str, agent: str) -> NextSteps:
    """Return what the person does after a save in place."""
    close = tr(
        "Before you save, close the task in {agent}, or close the editor, because {agent} overwrites the file "
        "of an open task.",
        agent=agent or CLINE_ROO_OR_KILO,
    )
    others = (
        tr("The repaired task is at {path}.", path=path),
        tr("Restart the editor, and open the task from the extension's history."),
        tr(
            "On another machine, the extension shows the task only if it is in the task list. The list is "
            "stored next to the tasks folder or in the editor's database."
        ),
    )
    return NextSteps(others, close=close)
