"""What a repair does, as text."""

from collections.abc import Iterator

from inspector.core.repair.edit_list import edits_of, with_places
from inspector.core.repair.edits import Edit
from inspector.core.repair.plan import Plan
from inspector.core.reports.losses import loss_sentences
from inspector.core.reports.words import MAX_ROWS, acceptance_sentence, place_text

_FEW = 3  # consequences of one kind that are told one by one


def plan_lines(plan: Plan) -> Iterator[str]:
    """What a repair does, and what it costs."""
    told = _grouped(edits_of(plan, with_values=False))
    for edits in told[:MAX_ROWS]:
        ends = [edit for _, edit in with_places(edits[:: max(len(edits) - 1, 1)], plan.draft)]
        yield f"  {ends[0].action:7} {_where(ends, len(edits))}: {ends[0].reason}"
    if len(told) > MAX_ROWS:
        yield f"  … and {sum(map(len, told[MAX_ROWS:]))} more edits"
    for each in plan.unused_choices:
        yield f"  {each.sentence}"
    if plan.draft.losses:
        yield f"  Lost ({len(plan.draft.losses)}):"
        for sentence in loss_sentences(plan.draft.losses[:MAX_ROWS], plan.draft.log):
            yield f"    {sentence}"
    else:
        yield "  Nothing is lost."
    for effects in plan.effects.values():
        yield from (f"  {effect}" for effect in effects)
    if plan.caveat and not (plan.verified and plan.changes_nothing):
        yield f"  Of this preset: {plan.caveat}"
    for profile, refusal in plan.refusals.items():
        answer = acceptance_sentence(refusal, plan.skipped_checks_of(profile))
        yield f"  {profile}: {answer}"


def _grouped(edits: list[tuple[int, Edit]]) -> list[list[tuple[int, Edit]]]:
    """The edits one by one, but for those of one kind that only follow from others: they stand together, at the first.

    Codex counts its lines: a record that is put in is followed by a new number on every line behind it.
    """
    kinds: dict[tuple[str, str], list[tuple[int, Edit]]] = {}
    for pair in edits:
        if pair[1].is_consequence:
            kinds.setdefault((pair[1].pointer, pair[1].reason), []).append(pair)
    told: list[list[tuple[int, Edit]]] = []
    for pair in edits:
        alike = kinds.get((pair[1].pointer, pair[1].reason), []) if pair[1].is_consequence else []
        if len(alike) <= _FEW:
            told.append([pair])
        elif alike[0] is pair:
            told.append(alike)
    return told


def _where(ends: list[Edit], count: int) -> str:
    """Where some edits of one kind stand, of which these are the first and the last."""
    first, last = ends[0], ends[-1]
    field = f" {first.pointer}" if first.pointer else ""
    if count > 1 and first.place and last.place:
        return f"{count} records from {place_text(first.place)} to {place_text(last.place)}{field}"
    side = "before" if first.to is None else "after"
    beside = f"{side} {place_text(first.beside)}" if first.beside else "at the beginning"
    if first.place is None:
        return beside
    if first.action == "move" and not first.pointer:
        return f"{place_text(first.place)} to {beside}"
    return place_text(first.place) + (field if first.place.document is None else "")
