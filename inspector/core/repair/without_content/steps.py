"""What a plan does to each record of the log, in words of structure alone, and a hash of what it makes of them."""

from hashlib import blake2b

from inspector.core.repair.draft import HEAD, Draft

REPLACE, DELETE, MOVE, ADD, ADD_BEFORE = "replace", "delete", "move", "add-after", "add-before"


def steps_of(draft: Draft) -> dict[int, tuple[str, ...]]:
    """By the record's number in the log as read; what is added or moved is told at the record that it stands beside."""
    found: dict[int, list[str]] = {}
    for slot in draft.texts:
        if slot < draft.originals and slot not in draft.away:
            found.setdefault(slot, []).append(REPLACE)
    for slot in draft.away:
        found.setdefault(slot, []).append(MOVE if slot in draft.anchors else DELETE)
    for anchor, slots in draft.followers.items():
        beside = anchor if anchor >= 0 else draft.log.sequences[HEAD - anchor].low
        found.setdefault(beside, []).extend([ADD if anchor >= 0 else ADD_BEFORE] * len(slots))
    return {slot: tuple(found[slot]) for slot in sorted(found) if found[slot]}


def result_of(draft: Draft, key: bytes) -> str:
    """A hash of all bytes that the plan writes, each with the place where it stands."""
    made = blake2b(key=key, digest_size=16)
    edits = draft.record_edits()
    for slot in sorted(edits.replaced):
        _add(made, b"=%d" % slot, edits.replaced[slot])
    for sign, beside in ((b"+", edits.after), (b"-", edits.before)):
        for place in sorted(beside):
            for text in beside[place]:
                _add(made, b"%s%d" % (sign, place), text)
    for slot in sorted(edits.deleted):
        _add(made, b"x%d" % slot, b"")
    return made.hexdigest()


def _add(made: blake2b, place: bytes, text: bytes) -> None:
    made.update(b"%s:%d:" % (place, len(text)) + text)


def is_consequence(draft: Draft, slot: int) -> bool:
    """Whether no finding asked for what is done to a record: it follows from what is done to others."""
    return not any(reason.finding for reason in draft.reasons.get(slot, ()))
