"""A plan told as edits, one a change, in the order of the log."""

from msgspec.structs import replace

from inspector.core.bytes.spans import CutShort, NothingThere, json_at
from inspector.core.judging.places import Places
from inspector.core.repair.draft import Draft, Reason
from inspector.core.repair.edits import Edit
from inspector.core.repair.plan import Plan


def edits_of(plan: Plan, valued: bool = True) -> list[tuple[int, Edit]]:
    """Every edit of a plan with the record of the log as read that it belongs to, for telling sessions apart.

    Unless they are `valued`, the fields of records that change come without what they held and hold.
    """
    draft = plan.draft
    found: list[tuple[int, Edit]] = []
    for slot in draft.dropped:
        found.append((slot, _edit(draft, slot, "delete", before=_shown(draft.log.raw(slot)))))
    for slot in draft.texts:
        if slot < draft.originals and slot not in draft.away:
            found += [(slot, edit) for edit in _field_edits(draft, slot, valued)]
    for anchor, slots in draft.followers.items():
        place = draft.beside(anchor)
        for slot in slots:
            to = anchor if anchor >= 0 else None
            action = "move" if slot < draft.originals else "insert"
            found.append((place, _edit(draft, slot, action, to=to, after=_shown(draft.text_of(slot)))))
    found.sort(key=lambda pair: pair[0])
    return found


def placed(edits: list[tuple[int, Edit]], draft: Draft) -> list[tuple[int, Edit]]:
    """The same edits with their places, for a report: lines have to be counted to tell them."""
    places = Places(draft.log)
    return [(record, _placed(edit, record, places, draft)) for record, edit in edits]


def _placed(edit: Edit, record: int, places: Places, draft: Draft) -> Edit:
    beside = None
    if edit.action in ("insert", "move") and record < draft.originals:
        beside = places.of(record)
    place = places.of(edit.record, edit.pointer) if edit.record is not None else None
    return replace(edit, place=place, beside=beside)


def reasons_of(draft: Draft, slot: int) -> list[Reason]:
    """Why a record is edited. An added one is there for its own sake: what follows from that is not told of it."""
    reasons = draft.reasons.get(slot, [])
    return [reason for reason in reasons if reason.finding] or reasons if slot >= draft.originals else reasons


def _edit(draft: Draft, slot: int, action: str, **fields: object) -> Edit:
    reasons = reasons_of(draft, slot)
    findings = tuple(dict.fromkeys(reason.finding for reason in reasons if reason.finding))
    texts = "; ".join(dict.fromkeys(reason.text for reason in reasons))
    record = slot if slot < draft.originals else None
    return Edit(action=action, record=record, findings=findings, reason=texts, **fields)  # type: ignore[arg-type]


def _field_edits(draft: Draft, slot: int, valued: bool) -> list[Edit]:
    """One edit for each field of a record that a reason names."""
    reasons = draft.reasons.get(slot, [])
    named = any(reason.pointer for reason in reasons)
    old, new = (draft.log.raw(slot), draft.text_of(slot)) if valued or not named else (b"", b"")
    if not named:
        return [_edit(draft, slot, "replace", before=_shown(old), after=_shown(new))]
    return [
        Edit(
            action="replace",
            record=slot,
            pointer=reason.pointer,
            before=_value(old, reason.pointer) if valued else None,
            after=_value(new, reason.pointer) if valued else None,
            findings=(reason.finding,) if reason.finding else (),
            reason=reason.text,
        )
        for reason in reasons
    ]


def _value(text: bytes, pointer: str) -> str | None:
    try:
        return _shown(json_at(text, pointer))
    except (CutShort, NothingThere):
        return None


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "replace")
