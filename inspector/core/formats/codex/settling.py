"""What a rollout counts of itself: ordinals of paginated lines, and a compaction's metadata beside its history.

The last line of a paginated rollout must carry an ordinal, and the next one follows it (openai/codex,
codex-rs/rollout/src/ordinal.rs @3b1fd5b); `replacement_history_metadata` has an entry for every item.
"""

from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json
from inspector.core.bytes.spans import TruncatedJson
from inspector.core.formats.bases.edits import Settled
from inspector.core.formats.codex.ordinals import ordinal_of, readable_lines
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role

_NO_METADATA = b"{}"


def settle(before: Columns, after: Columns, raw: ReadRecord) -> Settled:
    """See `Writer.settle`."""
    settled = Settled(pointer="/ordinal")
    _settle_metadata(before, after, raw, settled)
    _settle_ordinals(before, after, raw, settled)
    return settled


# the metadata of a compaction


class _Lists(Struct):
    """The elements of a compaction's two lists, as records."""

    items: list[int]
    metadata: list[int]


def _compactions(columns: Columns) -> dict[int, _Lists]:
    """The lists of every compaction that has a replacement history, by its slot."""
    found: dict[int, _Lists] = {}
    lists: _Lists | None = None
    for record, mark in enumerate(columns.marks) if columns.has_mark(RecordMark.COMPACTION) else ():
        if lists is not None and mark & RecordMark.NO_ENVELOPE:
            is_item = columns.roles[record] or columns.blocks[record]
            (lists.items if is_item else lists.metadata).append(record)
        elif mark & RecordMark.COMPACTION and columns.roles[record] == Role.LINK:
            lists = found[columns.stable_numbers[record]] = _Lists([], [])
        else:
            lists = None
    return found


def _settle_metadata(before: Columns, after: Columns, raw: ReadRecord, settled: Settled) -> None:
    """Let the n-th entry of the metadata be that of the n-th item again, where it was so in the log as read.

    An entry goes and moves with its item; an item without one gets an empty one.
    """
    known = _compactions(before)
    for owner, lists in _compactions(after).items():
        as_read = known.get(owner)
        if as_read is None or not as_read.metadata or len(as_read.items) != len(as_read.metadata):
            continue
        beside = dict(zip(as_read.items, as_read.metadata, strict=True))
        record_of = {after.stable_numbers[record]: record for record in lists.metadata}
        last = -1
        for item in lists.items:
            entry = record_of.pop(beside.get(after.stable_numbers[item], -1), -1)
            if entry > last:
                last = entry
                continue
            text = _NO_METADATA
            if entry >= 0:
                text = raw(entry)
                settled.deleted.add(entry)
            if last >= 0:
                settled.added.append((last, text))
        settled.deleted.update(record_of.values())


# ordinals


def _settle_ordinals(before: Columns, after: Columns, raw: ReadRecord, settled: Settled) -> None:
    """Number the lines from the first added or dropped one on, each by the one before it."""
    old, new = _lines(before), _lines(after)
    pairs = zip(old, new, strict=False)
    slots = ((before.stable_numbers[was], after.stable_numbers[now]) for was, now in pairs)
    first = next((at for at, (was, now) in enumerate(slots) if was != now), min(len(old), len(new)))
    if first == len(old) == len(new) or not new or ordinal_of(raw(new[0])) is None:
        return
    edited = _edited_compactions(before, after)
    for record, text in counted_on(after, new[first], raw) if first < len(new) else ():
        if after.stable_numbers[record] in edited:
            raise TruncatedJson("a compaction whose ordinal and whose replacement history would both change")
        settled.replaced[record] = text


def counted_on(columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, bytes]]:
    """See `Writer.counted_on`."""
    lines = readable_lines(columns)
    first = bisect_left(lines, record)
    last = ordinal_of(raw(lines[first - 1])) if first else None
    for each in lines[first:]:
        text = raw(each)
        ordinal = ordinal_of(text)
        last = (ordinal or 0) if last is None else last + 1
        if ordinal != last:
            yield each, splice.set_member(text, "", "ordinal", dump_json(last))


def _lines(columns: Columns) -> list[int]:
    """The records that are lines by themselves, readable or not."""
    return [record for record, mark in enumerate(columns.marks) if not mark & RecordMark.NO_ENVELOPE]


def _edited_compactions(before: Columns, after: Columns) -> set[int]:
    """The slots of compactions in which an element was added, dropped or changed."""

    def shape(columns: Columns, lists: _Lists) -> list[object]:
        found: list[object] = []
        for record in lists.items:
            rows = columns.block_rows(record)
            ids = columns.call_ids[rows.start : rows.stop]
            kinds = bytes(columns.block_kinds[rows.start : rows.stop])
            found.append((columns.stable_numbers[record], columns.roles[record], columns.marks[record], ids, kinds))
        return found

    known = {owner: shape(before, lists) for owner, lists in _compactions(before).items()}
    return {owner for owner, lists in _compactions(after).items() if known.get(owner) != shape(after, lists)}
