"""The edits of a plan as a list, one entry for each change, in the order of the log."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from inspector.core.model.locations import Locator
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Edit, Reason
from inspector.core.repair.plan import Plan
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, raw_json_at
from inspector.core.translation import joined


def edits_of(plan: Plan, with_values: bool = True) -> list[tuple[int, Edit]]:
    """Return every edit of a plan with the record that it belongs to, in the order of the log.

    The record is that of the log as read; it shows which session the edit belongs to. Without `with_values` the edits
    of fields and blocks have no `before` and `after`.
    """
    draft = plan.draft
    fields = _FieldEdits(draft, with_values)
    edits: list[tuple[int, Edit]] = []
    for slot in draft.dropped:
        edits.append((slot, _edit(draft, slot, "delete", before=_display_text(draft.log.raw(slot)))))
    for slot in draft.texts:
        if slot < draft.original_count and slot not in draft.vacated_slots:
            edits += [(slot, edit) for edit in fields.edits(slot)]
    for anchor, slots in draft.followers.items():
        place = draft.anchor_record(anchor)
        for slot in slots:
            to = anchor if anchor >= 0 else None
            if slot >= draft.original_count:
                edits.append((place, _edit(draft, slot, "insert", to=to, after=_display_text(draft.slot_bytes(slot)))))
                continue
            before = _display_text(draft.log.raw(slot)) if slot in draft.texts else None
            edits.append(
                (place, _edit(draft, slot, "move", to=to, before=before, after=_display_text(draft.slot_bytes(slot))))
            )
    edits.sort(key=lambda pair: pair[0])
    return edits


def with_places(edits: list[tuple[int, Edit]], draft: Draft) -> list[tuple[int, Edit]]:
    """Return the same edits with their locations, for a report. This has to count lines."""
    locator = Locator(draft.log)
    return [(record, _placed(edit, record, locator, draft)) for record, edit in edits]


def _placed(edit: Edit, record: int, locator: Locator, draft: Draft) -> Edit:
    beside = None
    if edit.action in ("insert", "move") and not edit.pointer and record < draft.original_count:
        beside = locator.locate(record)
    place = locator.locate(edit.record, edit.pointer) if edit.record is not None else None
    return replace(edit, place=place, beside=beside)


def edit_reasons_of_record(draft: Draft, slot: int) -> list[Reason]:
    """Return why a record is edited.

    For an added record the consequences of other edits are left out, unless there is no other reason.
    """
    reasons = draft.reasons.get(slot, [])
    return [reason for reason in reasons if reason.finding] or reasons if slot >= draft.original_count else reasons


def _edit(draft: Draft, slot: int, action: str, **fields: object) -> Edit:
    reasons = edit_reasons_of_record(draft, slot)
    findings = tuple(dict.fromkeys(reason.finding for reason in reasons if reason.finding))
    texts = joined("; ", dict.fromkeys(reason.text for reason in reasons))
    record = slot if slot < draft.original_count else None
    return Edit(action=action, record=record, findings=findings, reason=texts, **fields)  # type: ignore[arg-type]


class _FieldEdits:
    """The edits inside of records: those of fields, and those of blocks, which may have moved."""

    def __init__(self, draft: Draft, valued: bool) -> None:
        self.draft, self.valued = draft, valued
        self._records = {
            slot: record for record, slot in enumerate(draft.columns.stable_numbers) if slot in draft.texts
        }
        self._ordinals: dict[int, dict[int, int]] = {}

    def edits(self, slot: int) -> Iterator[Edit]:
        """Yield an edit for every field and block of a record that a reason names.

        Where no reason names one, yield an edit of the whole record.
        """
        draft, reasons = self.draft, self.draft.reasons.get(slot, [])
        has_target = any(reason.pointer or reason.block is not None for reason in reasons)
        old, new = (draft.log.raw(slot), draft.slot_bytes(slot)) if self.valued or not has_target else (b"", b"")
        if not has_target:
            yield _edit(draft, slot, "replace", before=_display_text(old), after=_display_text(new))
            return
        for first, *others in self._by_place(slot, reasons):
            was, now = self._where(slot, first)
            if was is None and now is None:
                continue  # It was added and removed again.
            yield Edit(
                action="insert" if was is None else "delete" if now is None else "move" if first.moves else "replace",
                record=slot,
                pointer=(now if was is None else was) or "",
                before=_value_at(old, was) if self.valued else None,
                after=_value_at(new, now) if self.valued else None,
                findings=tuple(dict.fromkeys(reason.finding for reason in (first, *others) if reason.finding)),
                reason=joined("; ", dict.fromkeys(reason.text for reason in (first, *others))),
            )

    def _by_place(self, slot: int, reasons: list[Reason]) -> Iterable[list[Reason]]:
        """Return the reasons of a record, those together that name one place.

        Where the blocks are not known, that place is the whole record: an edit for each block would hold all of it.
        """
        if self.draft.provenance.block_origins(slot) != []:
            return ([reason] for reason in reasons)
        groups: dict[tuple[str, bool], list[Reason]] = {}
        for reason in reasons:
            groups.setdefault((reason.pointer, reason.moves), []).append(reason)
        return groups.values()

    def _where(self, slot: int, reason: Reason) -> tuple[str | None, str | None]:
        """Return the pointers of what a reason names, in the log as read and in the draft.

        None where it does not exist.
        """
        draft, blocks = self.draft, self.draft.provenance.block_origins(slot)
        if reason.block is None or blocks == []:
            return reason.pointer, reason.pointer
        if slot not in self._ordinals:
            self._ordinals[slot] = {origin: ordinal for ordinal, origin in enumerate(blocks or ())}
        ordinal = reason.block if blocks is None else self._ordinals[slot].get(reason.block)
        was = draft.format.pointer(draft.log.columns, slot, reason.block) if reason.block >= 0 else None
        now = None if ordinal is None else draft.format.pointer(draft.columns, self._records[slot], ordinal)
        return was, now


def _value_at(text: bytes, pointer: str | None) -> str | None:
    if pointer is None:
        return None
    try:
        return _display_text(raw_json_at(text, pointer))
    except (TruncatedJson, PointerNotFound):
        return None


def _display_text(text: bytes) -> str:
    return text.decode("utf-8", "replace")
