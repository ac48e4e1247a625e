"""What a plan does to each record of the log, in words of structure alone, and a hash of what it makes of them."""

from collections.abc import Iterable
from hashlib import blake2b

from inspector.core.repair.draft import Draft

REPLACE, DELETE, MOVE, ADD, ADD_BEFORE = "replace", "delete", "move", "add-after", "add-before"


def record_steps(draft: Draft) -> dict[int, tuple[str, ...]]:
    """By the record's number in the log as read; what is added or moved is told at the record that it stands beside."""
    found: dict[int, list[str]] = {}
    for slot in draft.texts:
        if slot < draft.original_count and slot not in draft.vacated_slots:
            found.setdefault(slot, []).append(REPLACE)
    for slot in draft.vacated_slots:
        found.setdefault(slot, []).append(MOVE if slot in draft.anchors else DELETE)
    for anchor, slots in draft.followers.items():
        found.setdefault(draft.anchor_record(anchor), []).extend([ADD if anchor >= 0 else ADD_BEFORE] * len(slots))
    return {slot: tuple(found[slot]) for slot in sorted(found) if found[slot]}


def outcome_hash(draft: Draft, key: bytes, slots: Iterable[int]) -> str:
    """A hash of all that the plan makes of these records, and of what it puts beside them, in their order."""
    made, edits = blake2b(key=key, digest_size=16), draft.record_edits()
    first = {draft.log.sequences[number].low: texts for number, texts in edits.inserted_before.items()}
    for place, slot in enumerate(slots):
        own = [edits.replaced[slot]] if slot in edits.replaced else []
        goes = [b""] if slot in edits.deleted else []
        for sign, texts in (
            (b"=", own),
            (b"x", goes),
            (b"+", edits.inserted_after.get(slot, [])),
            (b"-", first.get(slot, [])),
        ):
            for text in texts:
                made.update(b"%s%d:%d:" % (sign, place, len(text)) + text)
    return made.hexdigest()


def is_consequence(draft: Draft, slot: int) -> bool:
    """Whether no finding asked for what is done to a record: it follows from what is done to others."""
    return not any(reason.finding for reason in draft.reasons.get(slot, ()))
