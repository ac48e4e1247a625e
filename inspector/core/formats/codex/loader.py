"""The list that Codex rebuilds from a rollout: what it would send on resume.

`reconstruct_history_from_rollout` (openai/codex, codex-rs/core/src/session/rollout_reconstruction.rs @0cf8861) looks
from the newest line back for a compaction that no rollback took away; its `replacement_history` stands for everything
before it, and what follows is replayed. `drop_last_n_user_turns` (context_manager/history.rs @023fad2) undoes turns.

Codex 0.169.0, run on such files: of a paginated rollout only what follows its newest `session_meta` is read, so that of
a file that was written twice one copy remains; of another rollout all is read. What a fork continues comes first.
"""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from itertools import chain, compress
from typing import Any

from msgspec import Struct

from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.storage.json_text import object_at, objects_at, parse_json

# What Codex itself puts between a person's messages, by its first words (context/, event_mapping.rs @0846c12).
USER_CONTEXT_PREFIXES = (
    "<environment_context>",
    "<user_instructions>",
    "# agents.md instructions",
    "<agents.md instructions",
    "<skill>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<hook_prompt",
    "<user_action>",
    "<goal_context>",
)
DEVELOPER_CONTEXT_PREFIXES = (
    "<permissions instructions>",
    "<model_switch>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<realtime_conversation>",
    "<skills_instructions>",
    "<personality_spec>",
    "<token_budget>",
    "<context_window",
    "<rollout_budget>",
)
# The first words of a summary that a compaction wrote (core/templates/compact/summary_prefix.md).
_SUMMARY_START = "another language model started to solve this problem"
CONTEXT_PATTERNS = (*map(re.escape, (*USER_CONTEXT_PREFIXES, *DEVELOPER_CONTEXT_PREFIXES, _SUMMARY_START)),)
_TURN_STARTS = frozenset({"task_started", "turn_started"})
_TURN_ENDS = frozenset({"task_complete", "turn_complete"})


def active_path(columns: Columns, raw: ReadRecord, is_paginated: bool) -> array[int]:
    """Return the records of the list, in its order, with the compaction that it starts from and recorded errors."""
    spans = _loaded_spans(columns, is_paginated)
    if spans == [(0, len(columns))]:
        return _rebuilt_list(columns, raw)
    numbers = array("I", chain.from_iterable(range(low, high) for low, high in spans))
    loaded = columns.selection(spans)
    return array("I", map(numbers.__getitem__, _rebuilt_list(loaded, lambda record: raw(numbers[record]))))


def starts_from_own_compaction(columns: Columns, raw: ReadRecord) -> bool:
    """Return whether the list of a fork starts from a compaction of its own, so that it needs nothing before it."""
    ((low, high),) = _loaded_spans(columns, is_paginated=True)
    own = columns.selection([(low, high)])

    def read(record: int) -> bytes:
        return raw(low + record)

    rolled_back = _rollbacks(own, read)
    return not rolled_back and _base_compaction(own, read, rolled_back)[0] >= 0


def _loaded_spans(columns: Columns, is_paginated: bool) -> list[tuple[int, int]]:
    """Return the records `low..high` that Codex reads, in the order in which it reads them."""
    own = columns.first_with_mark(RecordMark.INHERITED)
    low = newest_session_meta(columns, own) if is_paginated else 0
    return [(own, len(columns)), (low, own)] if own < len(columns) else [(low, own)]


def newest_session_meta(columns: Columns, end: int) -> int:
    """Return the newest `session_meta` of the first `end` records, 0 if there is none."""
    newest, marks = 0, columns.marks
    with suppress(ValueError):  # no more of them
        while True:
            newest = marks.index(RecordMark.LOG_START, newest + 1, end)
    return newest


def _rebuilt_list(columns: Columns, raw: ReadRecord) -> array[int]:
    """Return the list that Codex rebuilds from records that it reads in this order."""
    rolled_back = _rollbacks(columns, raw)
    base, start = _base_compaction(columns, raw, rolled_back)
    history = _with_elements(columns, base) if base >= 0 else []
    roles, marks = columns.roles, columns.marks
    if not columns.has_mark(RecordMark.COMPACTION) or not any(mark & RecordMark.COMPACTION for mark in marks[start:]):
        behind = array("I", compress(range(start, len(columns)), roles[start:]))
        if columns.has_mark(RecordMark.NO_ENVELOPE) and not marks[0] & RecordMark.NO_ENVELOPE:
            # Since lines have envelopes, one without is passed over as if it were no line.
            behind = array("I", (record for record in behind if not marks[record] & RecordMark.NO_ENVELOPE))
        return array("I", history) + behind
    for record in range(start, len(columns)):
        role = roles[record]
        if record in rolled_back:
            history = _drop_last_turns(columns, raw, history, rolled_back[record])
        elif marks[record] & RecordMark.COMPACTION and role == Role.LINK:
            history = [record]
        elif marks[record] & RecordMark.COMPACTION:
            history = [each for each in history if _survives_compaction(columns, raw, each)] + [record]
        elif role:
            history.append(record)
    return array("I", history)


def _rollbacks(columns: Columns, raw: ReadRecord) -> dict[int, int]:
    """Return the lines that roll turns back, with the number of turns."""
    turns_of: dict[int, int] = {}
    if columns.has_mark(RecordMark.COMPACTION):
        for record, mark in enumerate(columns.marks):
            if mark & RecordMark.COMPACTION and columns.roles[record] == Role.OPAQUE:
                number = payload_of(raw(record)).get("num_turns")
                turns_of[record] = number if isinstance(number, int) and number > 0 else 0
    return turns_of


def _with_elements(columns: Columns, base: int) -> list[int]:
    """Return a compaction and the items of its replacement history."""
    records = [base]
    for record in range(base + 1, len(columns)):
        if not columns.marks[record] & RecordMark.NO_ENVELOPE:
            break
        if columns.roles[record]:
            records.append(record)
    return records


class _Segment(Struct):
    """A turn, as the replay reads it from its end."""

    turn: str | None = None
    has_user: bool = False
    base: int = -1


def _base_compaction(columns: Columns, raw: ReadRecord, rolled_back: dict[int, int]) -> tuple[int, int]:
    """Return the compaction that the list starts from (-1: none), and the first record that is replayed on it."""
    roles, marks = columns.roles, columns.marks
    if not rolled_back:
        if not columns.has_mark(RecordMark.COMPACTION):
            return -1, 0
        bases = (r for r in range(len(marks) - 1, -1, -1) if marks[r] & RecordMark.COMPACTION and roles[r] == Role.LINK)
        base = next(bases, -1)
        return base, _first_record_after(columns, base)
    base, start, pending = -1, 0, 0
    segment: _Segment | None = None
    for record in range(len(columns) - 1, -1, -1):
        mark, role = marks[record], roles[record]
        if record in rolled_back:
            pending += rolled_back[record]
            continue
        if mark & RecordMark.TURN_EVENT and not _is_from_agent(columns, record):
            event = parse_json(raw(record))
            kind, turn = _kind_and_turn(event.get("type"), object_at(event, "/payload"))
            if kind in _TURN_STARTS:
                if segment is not None and (segment.turn is None or turn is None or segment.turn == turn):
                    base, pending = _finish(segment, base, pending)
                    segment = None
                continue
            if kind == "turn_aborted" and segment is None and turn is None:
                continue
            segment = segment or _Segment()
            segment.turn = segment.turn if segment.turn is not None else turn
            segment.has_user |= kind == "user_message"
        elif mark & RecordMark.COMPACTION:
            segment = segment or _Segment()
            if segment.base < 0 and role == Role.LINK:
                segment.base, start = record, _first_record_after(columns, record)
        elif mark & RecordMark.TURN_EVENT or (role and not mark & (RecordMark.NO_ENVELOPE | RecordMark.API_ERROR)):
            segment = segment or _Segment()
            segment.has_user |= _is_turn(columns, raw, record)
    if segment is not None:
        base, pending = _finish(segment, base, pending)
    return base, start


def _finish(segment: _Segment, base: int, pending: int) -> tuple[int, int]:
    """Return the compaction to start from, and how many turns are still to be rolled back, after a whole turn.

    A turn that is rolled back counts as one of those, and its compaction is skipped.
    """
    if pending:
        return base, pending - segment.has_user
    return (base if base >= 0 else segment.base), 0


def _kind_and_turn(line_type: Any, payload: dict[str, Any]) -> tuple[str, str | None]:
    kind = "turn_context" if line_type == "turn_context" else str(payload.get("type"))
    turn = payload.get("turn_id")
    told = kind in _TURN_STARTS or kind in _TURN_ENDS or kind in ("turn_aborted", "turn_context")
    return kind, turn if told and isinstance(turn, str) else None


def _first_record_after(columns: Columns, base: int) -> int:
    """Return the record after a compaction and its nested records."""
    after = base + 1
    while base >= 0 and after < len(columns) and columns.marks[after] & RecordMark.NO_ENVELOPE:
        after += 1
    return after


def _drop_last_turns(columns: Columns, raw: ReadRecord, history: list[int], number: int) -> list[int]:
    """Return the list without its last user turns, and without the context that was put before the first of those."""
    first = next((at for at, record in enumerate(history) if _is_turn(columns, raw, record)), -1)
    if first < 0 or not number:
        return history
    cut = len(history)
    while cut > first and number:
        cut -= 1
        number -= _is_turn(columns, raw, history[cut])
    while cut > first and _is_context(columns, raw, history[cut - 1]):
        cut -= 1
    return history[:cut]


def _is_turn(columns: Columns, raw: ReadRecord, record: int) -> bool:
    """Return whether a new turn begins with this record: a message of the user, or of another agent."""
    if _is_from_agent(columns, record):
        return True
    return columns.roles[record] == Role.USER and not _is_context(columns, raw, record)


def _is_from_agent(columns: Columns, record: int) -> bool:
    """Return whether the record is a line `inter_agent_communication`, which becomes a message of the list."""
    mark = columns.marks[record]
    return bool(columns.roles[record] == Role.LINK and mark & RecordMark.TURN_EVENT and not mark & RecordMark.API_ERROR)


def _is_context(columns: Columns, raw: ReadRecord, record: int) -> bool:
    role = columns.roles[record]
    if role not in (Role.USER, Role.SYSTEM) or columns.marks[record] & RecordMark.COMPACTION:
        return False
    return any_text_starts_with(
        item_of(raw(record)), USER_CONTEXT_PREFIXES if role == Role.USER else DEVELOPER_CONTEXT_PREFIXES
    )


def _survives_compaction(columns: Columns, raw: ReadRecord, record: int) -> bool:
    """Return whether a compaction without a replacement keeps this record: a user message that is no summary."""
    if columns.roles[record] != Role.USER or columns.marks[record] & RecordMark.COMPACTION:
        return False
    item = item_of(raw(record))
    return item.get("type") != "agent_message" and not any_text_starts_with(
        item, (*USER_CONTEXT_PREFIXES, _SUMMARY_START)
    )


def any_text_starts_with(item: dict[str, Any], beginnings: tuple[str, ...]) -> bool:
    """Return whether any text of a message begins in one of these ways."""
    return any(text.lstrip().lower().startswith(beginnings) for text in texts_of(item))


def texts_of(item: dict[str, Any]) -> list[str]:
    """Return the texts of a message."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in objects_at(content, "") if isinstance(part.get("text"), str)]


def payload_of(line: bytes) -> dict[str, Any]:
    """Return the `payload` of a line, {} when that is no object."""
    return object_at(parse_json(line), "/payload")


def item_pointer(raw: bytes) -> str:
    """Return the pointer of the item in a record."""
    return "/payload" if payload_of(raw) else ""


def item_of(record: bytes) -> dict[str, Any]:
    """Return the item of a line, or of a record that is an item itself."""
    value = object_at(parse_json(record), "")
    payload = value.get("payload")
    return payload if isinstance(payload, dict) else value
