"""The counts in a rollout that a repair must update, and the search for forks that build on a rollout.

The counts are the ordinals of paginated lines, and the metadata of a compaction, which is parallel to its history.

The last line of a paginated rollout must carry an ordinal, and the next one follows it (openai/codex,
codex-rs/rollout/src/ordinal.rs @3b1fd5b); `replacement_history_metadata` has an entry for every item.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.writer import DerivedUpdates
from inspector.core.formats.codex.history_base import STORE_FOLDERS
from inspector.core.formats.codex.loader import newest_session_meta
from inspector.core.formats.codex.reader import ordinal_of, own_readable_records
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.storage import json_edits
from inspector.core.storage.json_lines import ZSTD_SUFFIX, decompress_file_head
from inspector.core.storage.json_spans import TruncatedJson
from inspector.core.storage.json_text import dump_json
from inspector.core.translation import tr

_NO_METADATA = b"{}"


def update_derived(before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
    """Update the counts; see `Writer.update_derived`."""
    updates = DerivedUpdates(pointer="/ordinal")
    _realign_metadata(before, after, raw, updates)
    _renumber(before, after, raw, updates)
    return updates


# the metadata of a compaction


class _CompactionLists(Struct):
    """The elements of a compaction's two lists, as records."""

    items: list[int]
    metadata: list[int]


def _compactions(columns: Columns) -> dict[int, _CompactionLists]:
    """Return the lists of every compaction that has a replacement history, by its stable number."""
    lists_of: dict[int, _CompactionLists] = {}
    lists: _CompactionLists | None = None
    for record, mark in enumerate(columns.marks) if columns.has_mark(RecordMark.COMPACTION) else ():
        if lists is not None and mark & RecordMark.NO_ENVELOPE:
            is_item = columns.roles[record] or columns.blocks[record]
            (lists.items if is_item else lists.metadata).append(record)
        elif mark & RecordMark.COMPACTION and columns.roles[record] == Role.LINK:
            lists = lists_of[columns.stable_numbers[record]] = _CompactionLists([], [])
        else:
            lists = None
    return lists_of


def _realign_metadata(before: Columns, after: Columns, raw: ReadRecord, updates: DerivedUpdates) -> None:
    """Make the n-th entry of the metadata belong to the n-th item again, where it did so in the log as read.

    An entry is dropped and moved with its item. An item without one gets an empty one.
    """
    known = _compactions(before)
    for owner, lists in _compactions(after).items():
        as_read = known.get(owner)
        if as_read is None or not as_read.metadata or len(as_read.items) != len(as_read.metadata):
            continue
        metadata_of_item = dict(zip(as_read.items, as_read.metadata, strict=True))
        record_of = {after.stable_numbers[record]: record for record in lists.metadata}
        last = -1
        for item in lists.items:
            entry = record_of.pop(metadata_of_item.get(after.stable_numbers[item], -1), -1)
            if entry > last:
                last = entry
                continue
            text = _NO_METADATA
            if entry >= 0:
                text = raw(entry)
                updates.deleted.add(entry)
            if last >= 0:
                updates.added.append((last, text))
        updates.deleted.update(record_of.values())


# ordinals


def _renumber(before: Columns, after: Columns, raw: ReadRecord, updates: DerivedUpdates) -> None:
    """Renumber the lines from the first added or dropped one on, each by the one before it."""
    old, new = _line_records(before), _line_records(after)
    pairs = zip(old, new, strict=False)
    slots = ((before.stable_numbers[was], after.stable_numbers[now]) for was, now in pairs)
    first = next((at for at, (was, now) in enumerate(slots) if was != now), min(len(old), len(new)))
    if first == len(old) == len(new) or not new or ordinal_of(raw(new[0])) is None:
        return
    edited = _edited_compactions(before, after)
    for record, text in renumber_from(after, new[first], raw) if first < len(new) else ():
        if after.stable_numbers[record] in edited:
            raise TruncatedJson(tr("a compaction cannot be given both a new ordinal and a new replacement history"))
        updates.replaced[record] = text


def renumber_from(columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, bytes]]:
    """Yield the lines to renumber; see `Writer.renumber_from`."""
    lines = own_readable_records(columns)
    first = bisect_left(lines, record)
    last = ordinal_of(raw(lines[first - 1])) if first else None
    for each in lines[first:]:
        text = raw(each)
        ordinal = ordinal_of(text)
        last = (ordinal or 0) if last is None else last + 1
        if ordinal != last:
            yield each, json_edits.set_member(text, "", "ordinal", dump_json(last))


def _line_records(columns: Columns) -> list[int]:
    """Return the records that are lines of the log by themselves, readable or not."""
    passed_by = RecordMark.NO_ENVELOPE | RecordMark.INHERITED
    return [record for record, mark in enumerate(columns.marks) if not mark & passed_by]


def _edited_compactions(before: Columns, after: Columns) -> set[int]:
    """Return the stable numbers of compactions in which an element was added, dropped or changed."""

    def shape(columns: Columns, lists: _CompactionLists) -> list[object]:
        found: list[object] = []
        for record in lists.items:
            rows = columns.block_rows(record)
            ids = columns.call_ids[rows.start : rows.stop]
            kinds = bytes(columns.block_kinds[rows.start : rows.stop])
            found.append((columns.stable_numbers[record], columns.roles[record], columns.marks[record], ids, kinds))
        return found

    known = {owner: shape(before, lists) for owner, lists in _compactions(before).items()}
    return {owner for owner, lists in _compactions(after).items() if known.get(owner) != shape(after, lists)}


# A fork with what it continues


def self_contained_lines(columns: Columns, raw: ReadRecord) -> list[tuple[int, bytes]]:
    """Return a fork as a rollout that continues nothing, as lines with their offsets; see `Writer.standalone_lines`.

    Codex reads the records of the bases first, then those of the fork, each from its newest metadata on. Of several
    metadata in one file it knows only the newest, so those of the bases are left out.
    """
    own = columns.first_with_mark(RecordMark.INHERITED)
    first = newest_session_meta(columns, own)
    parts = (*range(own, len(columns)), *range(first + 1, own))
    passed_by = RecordMark.NO_ENVELOPE | RecordMark.LOG_START
    lines = [(first, json_edits.remove_member(raw(first), "/payload", "history_base"))]
    lines += ((record, raw(record)) for record in parts if not columns.marks[record] & passed_by)
    last = -1
    numbered = []
    for record, line in lines:
        ordinal = ordinal_of(line)
        last += ordinal is not None
        is_in_order = ordinal is None or ordinal == last
        text = line if is_in_order else json_edits.set_member(line, "", "ordinal", dump_json(last))
        numbered.append((columns.starts[record], text))
    return numbered


# Rollouts that build on another one name it in their first line, and count its lines.
#
# A fork names its parent by `forked_from_id`; a fork of a paginated thread begins at an ordinal of the rollout that its
# `history_base` names (openai/codex, codex-rs/rollout/src/rollout_reference_index.rs, rust-v0.153.4).

_SEARCHED_BYTES = 64 * 1024


def dependent_rollout(path: str, thread: str) -> str:
    """Return the name of a rollout that builds on the one at `path`, "" when none is found.

    Only first lines are read.
    """
    if not thread:
        return ""
    token = re.escape(thread.encode())
    names = re.compile(rb'"forked_from_id"\s*:\s*"' + token + rb'"|"history_base"\s*:\s*\{[^{}]*"' + token + rb'"')
    own = Path(path)
    for other in _later_rollouts(own):
        if names.search(_first_line(other)):
            return other.name
    return ""


def _first_line(rollout: Path) -> bytes:
    """Return the beginning of the first line of a rollout, b"" when it cannot be read."""
    try:
        if rollout.suffix == ZSTD_SUFFIX:
            with decompress_file_head(str(rollout), _SEARCHED_BYTES) as source:
                return source.read(0, _SEARCHED_BYTES).partition(b"\n")[0]
        with rollout.open("rb") as file:
            return file.readline(_SEARCHED_BYTES)
    except (OSError, UnreadableLog):
        return b""


def _later_rollouts(own: Path) -> Iterator[Path]:
    """Yield the rollouts of the same store that were started after this one: a fork is younger than its source."""
    parents = own.absolute().parents
    at_home = len(parents) > 3 and parents[3].name in STORE_FOLDERS
    pattern = "*/*/*/rollout-*.jsonl*" if at_home else "rollout-*.jsonl*"
    folder = parents[3] if at_home else parents[0]
    for other in sorted(folder.glob(pattern)):
        if other.name > own.name and other.suffix in (".jsonl", ZSTD_SUFFIX):
            yield other
