"""The consequences of a repair beyond its losses, for the prompt cache and for signed reasoning.

Both depend on the first place where the repaired history differs from the old one, as a provider reads it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import compress

from inspector.core.analysis.reasoning import signed_reasoning_at_or_after
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.repair.draft import Draft
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson
from inspector.core.translation import tr, tr_plural

_BINDING = (
    'thinking.block_binding.prefix_mismatch_behavior to "drop_block" (header anthropic-beta: '
    "thinking-binding-controls-2026-08-01)"
)


def repair_consequences(draft: Draft, context: ThreadContext) -> list[str]:
    """Return sentences on what the repair of a thread entails. `context` is the repaired thread.

    The list is empty for a history that only grew, was cut at its end, or did not change.
    """
    changed = context.thread.first_change() if context.thread.first_change is not None else None
    if changed is None:
        return []
    message = context.message_number(context.thread.path[changed[0]])
    sentences = [
        tr(
            "Starting with message {message} (counting from 0), messages can no longer be read from the prompt cache.",
            message=message,
        )
    ]
    reasoning = signed_reasoning_at_or_after(context, *changed)
    if reasoning and not context.profile.binds_reasoning:
        place = tr(
            "from message {message_number} on, {blocks}",
            message_number=context.message_number(reasoning[0][0]),
            blocks=tr_plural("{number:,} block", "{number:,} blocks", len(reasoning)),
        )
        sentences.append(
            tr(
                "Later reasoning ({place}) becomes invalid for models that accept reasoning only with the "
                "original history. For these models, repair the log for the anthropic-prefix-bound profile, or "
                "set {binding}.",
                place=place,
                binding=_BINDING,
            )
        )
    lost_reasoning = sum(loss.kind == "reasoning" for loss in draft.losses)
    if lost_reasoning:
        sentences.append(
            tr(
                "Reasoning was removed together with the content that it depends on ({blocks}). See the list "
                "of losses.",
                blocks=tr_plural("{number:,} block", "{number:,} blocks", lost_reasoning),
            )
        )
    return sentences


_IS_MESSAGE_ROLE = bytes(role not in (Role.OPAQUE, Role.LINK) for role in range(256))


def first_difference(draft: Draft, before: array[int], after: array[int]) -> tuple[int, int] | None:
    """Return the first place of the path `after` that differs from the path `before`.

    The place is (position, ordinal of the block). `before` holds records of the log as read, and `after` records of the
    draft. None where the history only grew or was cut at its end: what is left is then as it was. Records that are no
    messages do not count, nor do the links of a record. It takes linear time in the paths up to that place, at C speed.
    """
    old = _message_records(draft.log.columns, before)
    new = _message_records(draft.columns, after)
    same = _common_prefix_length(array("I", map(draft.log.columns.stable_numbers.__getitem__, old)), _slots(draft, new))
    number = next((at for at in _edited_positions(draft, new, same) if _first_block(draft, new[at]) is not None), same)
    if number in (len(old), len(new)):
        return None
    ordinal = _first_block(draft, new[number]) if number < same else 0
    return after.index(new[number]), ordinal or 0


def _message_records(columns: Columns, path: array[int]) -> array[int]:
    """Return the records of a path that are messages."""
    return array("I", compress(path, bytes(map(columns.roles.__getitem__, path)).translate(_IS_MESSAGE_ROLE)))


def _slots(draft: Draft, records: array[int]) -> array[int]:
    return array("I", map(draft.columns.stable_numbers.__getitem__, records))


def _common_prefix_length(one: array[int], other: array[int]) -> int:
    """Return how many items two arrays have in common at their beginning."""
    lengths = range(1, min(len(one), len(other)) + 1)
    return bisect_left(lengths, True, key=lambda length: one[:length] != other[:length])


def _edited_positions(draft: Draft, records: array[int], stop: int) -> list[int]:
    """Return the positions of those of the first `stop` records that have a new text."""
    edited = draft.texts.keys()
    return [at for at, slot in enumerate(_slots(draft, records[:stop])) if slot in edited]


def _first_block(draft: Draft, record: int) -> int | None:
    """Return the first block of an edited record that changed, None when none did."""
    slot = draft.columns.stable_numbers[record]
    if slot >= draft.original_count:
        return 0
    old, new = (
        _blocks(draft, draft.log.columns, slot, draft.log.raw(slot)),
        _blocks(draft, draft.columns, record, draft.slot_bytes(slot)),
    )
    if old is None or new is None:
        return 0
    for ordinal, (was, now) in enumerate(zip(old, new, strict=False)):
        if was != now:
            return ordinal
    return None if len(old) == len(new) else min(len(old), len(new))


def _blocks(draft: Draft, columns: Columns, record: int, raw: bytes) -> list[bytes] | None:
    """Return the JSON of every block of a record, None when the blocks cannot be separated."""
    try:
        return [draft.format.block_bytes(columns, record, raw, number) for number in range(columns.blocks[record])]
    except (TruncatedJson, PointerNotFound):
        return None
