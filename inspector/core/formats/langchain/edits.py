"""Editing a LangChain message in place: a call that goes or gets another id does so everywhere where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from inspector.core import splice
from inspector.core.columns import Columns, Flag, Mark, Role
from inspector.core.formats.bases.terms import BlockEdits
from inspector.core.json_text import text_of, value_of
from inspector.core.views import BlockKind
from inspector.core.wire import langchain

# By a call's id and how many calls of the message with the same id come before it: its new id, None when it goes.
_Changes = dict[tuple[str, int], str | None]


def rewritten(
    columns: Columns, record: int, raw: bytes, edits: BlockEdits, pointer: Callable[[int], str]
) -> bytes | None:
    """The record with its blocks edited; None when nothing of it remains."""
    prefix = langchain.FORMS[(columns.marks[record] & Mark.FORM) >> Mark.FORM_SHIFT]
    if columns.roles[record] == Role.TOOL:
        return _result(raw, edits, prefix)
    rows = columns.rows(record)
    kinds, ids = columns.block_kinds, columns.call_ids
    gone = {ids[rows[ordinal]] for ordinal in edits.drop if kinds[rows[ordinal]] == BlockKind.CALL}
    mirrors = {ordinal for ordinal, row in enumerate(rows) if kinds[row] == BlockKind.OTHER and ids[row] in gone}
    if rows and len(edits.drop | mirrors) == len(rows):
        return None
    for ordinal, value in edits.inputs.items():
        in_content = columns.block_flags[rows[ordinal]] & langchain.IN_CONTENT
        raw = splice.set_member(raw, pointer(ordinal), "input" if in_content else "args", value)
    for ordinal in sorted(edits.drop, reverse=True):
        if kinds[rows[ordinal]] != BlockKind.CALL:
            raw = _without_content(raw, prefix, ordinal, bool(columns.block_flags[rows[ordinal]] & Flag.WHOLE))
    changes = _changes(columns, record, edits)
    for mirror in langchain.MIRRORS if changes else ():
        raw = _changed(raw, prefix, mirror, changes)
    return raw


def _result(raw: bytes, edits: BlockEdits, prefix: str) -> bytes | None:
    if edits.drop:
        return None
    if edits.replace:
        return edits.replace[0]
    return splice.set_member(raw, prefix, "tool_call_id", text_of(edits.rename[0])) if edits.rename else raw


def _without_content(raw: bytes, prefix: str, ordinal: int, whole: bool) -> bytes:
    if whole:
        return splice.replace(raw, f"{prefix}/content", b'""')
    return splice.remove_element(raw, f"{prefix}/content", ordinal)


def _changes(columns: Columns, record: int, edits: BlockEdits) -> _Changes:
    found: _Changes = {}
    seen: Counter[str] = Counter()
    for ordinal, row in enumerate(columns.rows(record)):
        if columns.block_kinds[row] != BlockKind.CALL:
            continue
        call_id = columns.call_ids[row] or ""
        if ordinal in edits.drop:
            found[call_id, seen[call_id]] = None
        elif ordinal in edits.rename:
            found[call_id, seen[call_id]] = edits.rename[ordinal]
        seen[call_id] += 1
    return found


def _changed(raw: bytes, prefix: str, mirror: str, changes: _Changes) -> bytes:
    """The record with the changes made in one of the lists that hold calls."""
    message = langchain.opened(value_of(raw))
    listed = langchain.entries(message.fields, mirror) if message is not None else []
    seen: Counter[str] = Counter()
    places: list[tuple[int, str, str | None]] = []
    for index, entry in enumerate(listed):
        member = langchain.id_member(entry, mirror)
        if member is None:
            continue
        call_id = langchain.text_or_none(entry.get(member)) or ""
        if (call_id, seen[call_id]) in changes:
            places.append((index, member, changes[call_id, seen[call_id]]))
        seen[call_id] += 1
    for index, member, new in reversed(places):
        if new is None:
            raw = splice.remove_element(raw, prefix + mirror, index)
        elif not listed[index]:
            # What stands here is no object: it becomes the least that is a call.
            raw = splice.replace(raw, f"{prefix}{mirror}/{index}", text_of({"name": "unknown", "args": {}, "id": new}))
        else:
            raw = splice.set_member(raw, f"{prefix}{mirror}/{index}", member, text_of(new))
    emptied = bool(places) and sum(new is None for _, _, new in places) == len(listed)
    if emptied and mirror == langchain.SECTIONS[langchain.IN_EXTRAS]:
        # An empty list here is sent as it is, and refused.
        raw = splice.remove_member(raw, f"{prefix}/additional_kwargs", "tool_calls")
    return raw
