"""Replacing the largest tool results by notes: the result keeps its id and its place, and says what stood there."""

from collections.abc import Iterable, Iterator
from heapq import heappush, heapreplace

from msgspec import Struct

from inspector.core.index.views import BlockKind, BlockView
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.scene import ThreadContext
from inspector.core.trim.wish import Shrinking
from inspector.core.wire.results import replace_result_content

# Claude Code and opencode say "[Old tool result content cleared]"; that text alone is known as a placeholder.
CLEARED_RESULT_NOTE = "[Old tool result content cleared: {size:,} bytes were removed to shorten the history.]"
CLEARED_RESULT_REASON = "replaced by a note to shorten the history"


class LargeResult(Struct, frozen=True):
    """One result: its size in bytes of text, its record, ordinal in it, call id, and text."""

    size: int
    record: int
    ordinal: int
    call_id: str
    text: str


def shrink_results(
    draft: Draft, scene: ThreadContext, records: Iterable[int], options: Shrinking
) -> tuple[list[Loss], int]:
    """Replace the results that are asked for among `records`: what is lost, in the order of the log.

    Beside that how many of them are of a kind that no text can stand for.
    """
    lost, stay = [], 0
    for large in sorted(_chosen(draft, scene, records, options), key=lambda each: (each.record, each.ordinal)):
        note = CLEARED_RESULT_NOTE.format(size=large.size)
        block = scene.format.block_bytes(draft.columns, large.record, draft.raw(large.record), large.ordinal)
        new = replace_result_content(block, note, scene.format.block_schema)
        stay += new is None
        if new is None or len(note) >= large.size:
            continue
        draft.block_edits(large.record).replace[large.ordinal] = new
        why = f"a result of {large.size:,} bytes is now a note"
        draft.add_reason(large.record, "", why, block=draft.block_origin(large.record, large.ordinal))
        lost.append(Loss("result", large.text, CLEARED_RESULT_REASON, draft.original_record(large.record)))
    return lost, stay


def _chosen(draft: Draft, scene: ThreadContext, records: Iterable[int], wish: Shrinking) -> list[LargeResult]:
    if wish.over is not None:
        over = wish.over
        long = (record for record in records if _length(draft, record) > over)
        return [large for record in long for large in _results(draft, scene, record) if large.size > over]
    most = wish.most or 0
    found: list[tuple[int, int, LargeResult]] = []
    for number, record in enumerate(sorted(records, key=lambda record: -_length(draft, record)) if most else ()):
        if len(found) == most and found[0][0] >= _length(draft, record):
            break  # No text is longer than its record.
        for large in _results(draft, scene, record):
            entry = (large.size, -number, large)
            if len(found) < most:
                heappush(found, entry)
            elif entry[:2] > found[0][:2]:
                heapreplace(found, entry)
    return [large for _, _, large in found]


def _length(draft: Draft, record: int) -> int:
    """The length of a record's bytes, without reading it where it is as it was."""
    slot = draft.columns.stable_numbers[record]
    if slot in draft.texts:
        return len(draft.texts[slot])
    return draft.log.columns.ends[slot] - draft.log.columns.starts[slot]


def _results(draft: Draft, scene: ThreadContext, record: int) -> Iterator[LargeResult]:
    columns = draft.columns
    rows = columns.block_rows(record)
    if all(columns.block_kinds[row] != BlockKind.RESULT for row in rows):
        return
    views: dict[str, BlockView] = {view.pointer: view for view in scene.format.view(draft.raw(record)).blocks}
    for ordinal, row in enumerate(rows):
        if columns.block_kinds[row] == BlockKind.RESULT:
            view = views.get(scene.format.pointer(columns, record, ordinal))
            if view is not None and view.kind == BlockKind.RESULT:
                size = len(view.text.encode("utf-8", "surrogatepass"))
                yield LargeResult(size, record, ordinal, columns.call_ids[row] or "", view.text)
