"""The size of a history before and after trimming: messages, bytes, and the tokens that the log recorded."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.formats.base.format import Format
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import is_placeholder
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.repair.record_splices import splices_of
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_KINDS = {
    BlockKind.RESULT: "result",
    BlockKind.SERVER_RESULT: "result",
    BlockKind.TOLD_RESULT: "result",
    BlockKind.CALL: "call",
    BlockKind.SERVER_CALL: "call",
    BlockKind.THINKING: "reasoning",
    BlockKind.MEDIA: "media",
}
REMOVED_REASON = tr("removed from the history")
_LOOK = 300  # records: if a log records tokens, its first answer does


class RemovedBlockTotals(Struct):
    """The removed blocks of one kind: their number, and the bytes of their texts."""

    count: int = 0
    bytes: int = 0


class ContextTokens(Struct, frozen=True):
    """The size of the context in tokens as the log recorded it, None where it did not.

    Where the beginning was removed, `after` is what was recorded at the end, less what was added between the first
    answer and the first answer that stays. The log holds no more about it.
    """

    before: int | None = None
    after: int | None = None


def removed_blocks(draft: Draft, records: Iterable[int]) -> Iterator[Loss]:
    """Yield every block of the removed records of the log as read.

    The records are read again, because a history can be larger than memory.
    """
    for record in records:
        if draft.log.columns.blocks[record]:
            yield from block_losses(draft.format, draft.log.raw(record), record)


def block_losses(format: Format, raw: bytes, record: int | None) -> Iterator[Loss]:
    """Yield the blocks of a removed record. A placeholder for a result is no loss."""
    for view in format.view(raw).blocks:
        if view.text.strip() and not (view.kind == BlockKind.RESULT and is_placeholder(view.text)):
            text = f"{view.name} {view.text}".strip() if view.kind == BlockKind.CALL else view.text
            yield Loss(_KINDS.get(view.kind, "text"), text, REMOVED_REASON, record)


def removed_totals_by_kind(losses: Iterable[Loss]) -> dict[str, RemovedBlockTotals]:
    """Count the losses by kind."""
    shares: dict[str, RemovedBlockTotals] = {}
    for loss in losses:
        share = shares.setdefault(loss.kind, RemovedBlockTotals())
        share.count += 1
        share.bytes += len(loss.text.encode("utf-8", "surrogatepass"))
    return shares


def output_size(draft: Draft) -> int:
    """Return the size of the output in bytes; for a log of many files or rows, the size of its messages."""
    log, edits = draft.log, draft.record_edits()
    if not isinstance(log.source, AssembledSource):
        return log.source.size + sum(
            len(splice.value) - (splice.end - splice.start) for splice in splices_of(log, edits)
        )
    starts, ends = log.columns.starts, log.columns.ends
    less = sum(ends[record] - starts[record] for record in edits.deleted)
    more = sum(len(text) - (ends[record] - starts[record]) for record, text in edits.replaced.items())
    return log.source.size - less + more


def tokens_after_beginning_cut(context: ThreadContext, kept_from: int) -> ContextTokens:
    """Return the recorded tokens of a thread, and of the part that stays from path position `kept_from` on."""
    format, columns, path = context.format, context.columns, context.thread.path
    newest = _context(format, columns, context, reversed(path))
    if newest is None:
        return ContextTokens()
    before = newest[0] + newest[1]
    first = _context(format, columns, context, iter(path))
    first_kept = _context(format, columns, context, iter(path[kept_from:]))
    if first is None or first_kept is None or first_kept[0] < first[0] or first_kept[0] - first[0] >= before:
        return ContextTokens(before)
    return ContextTokens(before, before - (first_kept[0] - first[0]))


def tokens_after_end_cut(context: ThreadContext, end: int) -> ContextTokens:
    """Return the recorded tokens at the end of a thread, and at path position `end`, where it ends now."""
    format, columns, path = context.format, context.columns, context.thread.path
    newest = _context(format, columns, context, reversed(path))
    left = _context(format, columns, context, reversed(path[:end]))
    return ContextTokens(newest and sum(newest), left and sum(left))


def _context(
    format: Format, columns: Columns, context: ThreadContext, records: Iterable[int]
) -> tuple[int, int] | None:
    """Return the tokens in and out of the first of `records` that has them, among the first few hundred."""
    for number, record in enumerate(records):
        if number > _LOOK:
            return None
        if columns.roles[record] in (Role.ASSISTANT, Role.LINK):
            view = format.view(context.raw(record))
            if view.tokens_in:
                return view.tokens_in, view.tokens_out or 0
    return None
