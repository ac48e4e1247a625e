"""What a repair does, as text."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan
from inspector.core.reports.text import MOST
from inspector.core.reports.words import acceptance


def plan_lines(plan: Plan) -> Iterator[str]:
    """What a repair does, and what it costs."""
    edits = edits_of(plan)
    for _, edit in edits[:MOST]:
        where = f"record {edit.record}" if edit.record is not None else f"after record {edit.to}"
        yield f"  {edit.action:7} {where}{edit.pointer and ' ' + edit.pointer}: {edit.reason}"
    if len(edits) > MOST:
        yield f"  … and {len(edits) - MOST} more edits"
    if plan.draft.losses:
        yield f"  Lost ({len(plan.draft.losses)}):"
        for loss in plan.draft.losses[:MOST]:
            yield f"    {loss.sentence}"
    else:
        yield "  Nothing is lost."
    for effects in plan.effects.values():
        yield from (f"  {effect}" for effect in effects)
    if plan.caveat and not (plan.verified and plan.changes_nothing):
        yield f"  Of this preset: {plan.caveat}"
    for profile, refusal in plan.refusals.items():
        answer = acceptance(refusal, plan.unjudged(profile))
        yield f"  {profile}: {answer}"
