"""A plan told as edits, one a change, in the order of the log."""

from __future__ import annotations

from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Edit
from inspector.core.repair.plan import Plan
from inspector.core.spans import CutShort, locate


def edits_of(plan: Plan) -> list[tuple[int, Edit]]:
    """Every edit of a plan with the record of the log as read that it belongs to, for telling sessions apart."""
    draft = plan.draft
    found: list[tuple[int, Edit]] = []
    for slot in draft.dropped:
        found.append((slot, _edit(draft, slot, "delete", before=_shown(draft.log.raw(slot)))))
    for slot in draft.texts:
        if slot < draft.originals and slot not in draft.away:
            found += [(slot, edit) for edit in _field_edits(draft, slot)]
    for anchor, slots in draft.followers.items():
        place = max(anchor, 0)
        for slot in slots:
            to = anchor if anchor >= 0 else None
            action = "move" if slot < draft.originals else "insert"
            found.append((place, _edit(draft, slot, action, to=to, after=_shown(draft.text_of(slot)))))
    found.sort(key=lambda pair: pair[0])
    return found


def _edit(draft: Draft, slot: int, action: str, **fields: object) -> Edit:
    reasons = draft.reasons.get(slot, [])
    findings = tuple(dict.fromkeys(reason.finding for reason in reasons if reason.finding))
    texts = "; ".join(dict.fromkeys(reason.text for reason in reasons))
    record = slot if slot < draft.originals else None
    return Edit(action=action, record=record, findings=findings, reason=texts, **fields)  # type: ignore[arg-type]


def _field_edits(draft: Draft, slot: int) -> list[Edit]:
    """One edit for each field of a record that a reason names."""
    old, new = draft.log.raw(slot), draft.text_of(slot)
    reasons = draft.reasons.get(slot, [])
    if not any(reason.pointer for reason in reasons):
        return [_edit(draft, slot, "replace", before=_shown(old), after=_shown(new))]
    return [
        Edit(
            action="replace",
            record=slot,
            pointer=reason.pointer,
            before=_value(old, reason.pointer),
            after=_value(new, reason.pointer),
            findings=(reason.finding,) if reason.finding else (),
            reason=reason.text,
        )
        for reason in reasons
    ]


def _value(text: bytes, pointer: str) -> str | None:
    try:
        start, end = locate(text, pointer)
    except (KeyError, CutShort):
        return None
    return _shown(text[start:end])


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "replace")
