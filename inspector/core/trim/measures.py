"""What a trimmed history weighs, before and after: messages, bytes, and the tokens that the log recorded."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext
from inspector.core.formats.base.format import Format
from inspector.core.model.columns import Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import is_placeholder
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.repair.record_splices import splices_of
from inspector.core.storage.temporary import AssembledSource

_KINDS = {
    BlockKind.RESULT: "result",
    BlockKind.SERVER_RESULT: "result",
    BlockKind.TOLD_RESULT: "result",
    BlockKind.CALL: "call",
    BlockKind.SERVER_CALL: "call",
    BlockKind.THINKING: "reasoning",
    BlockKind.MEDIA: "media",
}
REMOVED_REASON = "removed from the history"
_LOOK = 300  # records: the first answer of a log tells its tokens, if any does


class KindShare(Struct):
    """How much of one kind was removed: the number of blocks, and the bytes of their texts."""

    count: int = 0
    bytes: int = 0


class ContextTokens(Struct, frozen=True):
    """The size of the context as the log recorded it, None where it did not.

    `after` is what was recorded at the end, less what had been added between the first answer and the first one that
    stays: the log does not hold more about it.
    """

    before: int | None = None
    after: int | None = None


def removed_blocks(draft: Draft, records: Iterable[int]) -> Iterator[Loss]:
    """Every block of the removed records of the log as read, read anew: a history can be larger than memory."""
    for record in records:
        if draft.log.columns.blocks[record]:
            yield from block_losses(draft.format, draft.log.raw(record), record)


def block_losses(format: Format, raw: bytes, record: int | None) -> Iterator[Loss]:
    """The blocks of a removed record; what stood in for a result is none."""
    for view in format.view(raw).blocks:
        if view.text.strip() and not (view.kind == BlockKind.RESULT and is_placeholder(view.text)):
            text = f"{view.name} {view.text}".strip() if view.kind == BlockKind.CALL else view.text
            yield Loss(_KINDS.get(view.kind, "text"), text, REMOVED_REASON, record)


def shares_by_kind(losses: Iterable[Loss]) -> dict[str, KindShare]:
    """The losses by kind."""
    found: dict[str, KindShare] = {}
    for loss in losses:
        share = found.setdefault(loss.kind, KindShare())
        share.count += 1
        share.bytes += len(loss.text.encode("utf-8", "surrogatepass"))
    return found


def size_after(draft: Draft) -> int:
    """The size of what would be written; of a log of many files or rows that of its messages."""
    log, edits = draft.log, draft.record_edits()
    if not isinstance(log.source, AssembledSource):
        return log.source.size + sum(len(each.value) - (each.end - each.start) for each in splices_of(log, edits))
    starts, ends = log.columns.starts, log.columns.ends
    less = sum(ends[record] - starts[record] for record in edits.deleted)
    more = sum(len(text) - (ends[record] - starts[record]) for record, text in edits.replaced.items())
    return log.source.size - less + more


def recorded_tokens(scene: ThreadContext, kept_from: int) -> ContextTokens:
    """The recorded tokens of a thread, and of what stays of it from path position `kept_from` on."""
    format, columns, path = scene.format, scene.columns, scene.thread.path
    newest = _context(format, columns, scene, reversed(path))
    if newest is None:
        return ContextTokens()
    before = newest[0] + newest[1]
    first = _context(format, columns, scene, iter(path))
    stays = _context(format, columns, scene, iter(path[kept_from:]))
    if first is None or stays is None or stays[0] < first[0] or stays[0] - first[0] >= before:
        return ContextTokens(before)
    return ContextTokens(before, before - (stays[0] - first[0]))


def _context(format: Format, columns: Columns, scene: ThreadContext, records: Iterable[int]) -> tuple[int, int] | None:
    """Tokens in and out of the first of `records` that tells them, among the first few hundred."""
    for number, record in enumerate(records):
        if number > _LOOK:
            return None
        if columns.roles[record] in (Role.ASSISTANT, Role.LINK):
            view = format.view(scene.raw(record))
            if view.tokens_in:
                return view.tokens_in, view.tokens_out or 0
    return None
