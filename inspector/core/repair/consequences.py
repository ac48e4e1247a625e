"""Where a repaired history begins to differ from what it was, as a provider reads it.

Merged; to be rewritten:
`effects`: What a repair entails beyond its losses: where the prompt cache ends, and which reasoning is no longer valid.
"""

from __future__ import annotations

from array import array
from itertools import compress

from inspector.core.analysis.reasoning import signed_reasoning_from
from inspector.core.analysis.thread import ThreadContext
from inspector.core.model.columns import Columns, Role
from inspector.core.repair.draft import Draft
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson
from inspector.core.text import count_phrase

# What a repair entails beyond its losses: where the prompt cache ends, and which reasoning is no longer valid.

_BINDING = (
    'thinking.block_binding.prefix_mismatch_behavior to "drop_block" (header anthropic-beta: '
    "thinking-binding-controls-2026-08-01)"
)


def consequences_of(draft: Draft, scene: ThreadContext) -> list[str]:
    """Sentences on the repair of a thread, of which `scene` is the repaired one.

    None for a history that only grew or was cut at its end, or did not change.
    """
    changed = scene.thread.first_change() if scene.thread.first_change is not None else None
    if changed is None:
        return []
    message = scene.message_number(scene.thread.path[changed[0]])
    said = [f"The prompt cache is broken from message {message} on (counted from 0): what follows is read anew."]
    behind = signed_reasoning_from(scene, *changed)
    if behind and not scene.profile.binds_reasoning:
        bound = f"from message {scene.message_number(behind[0][0])} on, {count_phrase(len(behind), 'block')}"
        said.append(
            f"Reasoning after here becomes invalid for models that bind it to what comes before ({bound}): "
            f"for those, repair for the profile anthropic-prefix-bound, or set {_BINDING}."
        )
    gone = sum(loss.kind == "reasoning" for loss in draft.losses)
    if gone:
        said.append(f"{count_phrase(gone, 'block')} of reasoning went with what it was bound to; see what is lost.")
    return said


_IS_MESSAGE_ROLE = bytes(role not in (Role.OPAQUE, Role.LINK) for role in range(256))


def first_difference(draft: Draft, before: array[int], after: array[int]) -> tuple[int, int] | None:
    """The first place of the path `after`, as (position, ordinal of the block), that is not as in the path `before`.

    `before` holds records of the log as read, `after` of the draft. None when the history only grew or was cut at its
    end: then all that is left of it is as it was. What is no message does not count, nor do the links of a record.
    Linear at C speed in the paths up to that place.
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
    """The records of a path that are messages."""
    return array("I", compress(path, bytes(map(columns.roles.__getitem__, path)).translate(_IS_MESSAGE_ROLE)))


def _slots(draft: Draft, records: array[int]) -> array[int]:
    return array("I", map(draft.columns.stable_numbers.__getitem__, records))


def _common_prefix_length(one: array[int], other: array[int]) -> int:
    """How many items two arrays have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _edited_positions(draft: Draft, records: array[int], stop: int) -> list[int]:
    """Which of the first `stop` records have a new text, by their place among `records`."""
    edited = draft.texts.keys()
    return [at for at, slot in enumerate(_slots(draft, records[:stop])) if slot in edited]


def _first_block(draft: Draft, record: int) -> int | None:
    """The first block of an edited record that is not as it was, None when all of them are."""
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
    """The JSON of every block of a record, None when they cannot be told apart."""
    try:
        return [draft.format.block_bytes(columns, record, raw, number) for number in range(columns.blocks[record])]
    except (TruncatedJson, PointerNotFound):
        return None
