"""What a repair does, as JSON: the sessions of `check` with edits, losses and who accepts the outcome."""

from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.core.evidence.evidence import Evidence
from inspector.core.formats.bases.agent import agent_of
from inspector.core.judging.check import Report
from inspector.core.repair.edit_list import edits_of, with_places
from inspector.core.repair.edits import Edit
from inspector.core.repair.plan import Plan
from inspector.core.reports.json import session_entries
from inspector.core.showing.changes import session_number_lookup


def repair_entries(report: Report, plan: Plan, evidence: Mapping[str, Evidence] | None = None) -> list[dict[str, Any]]:
    """The sessions of a checked log with what a repair does to each."""
    found = session_entries(report, evidence)
    for entry in found:
        entry["edits"], entry["losses"], entry["effects"] = [], [], []
        entry["verified"] = {name: refusal is None for name, refusal in plan.refusals.items()}
        entry["refusals"] = {name: refusal for name, refusal in plan.refusals.items() if refusal is not None}
        entry["chosen"] = {}
        entry["caveat"] = plan.caveat or None
    number_of = session_number_lookup(report)
    for record, edit in with_places(edits_of(plan), plan.draft):
        found[number_of(record)]["edits"].append(msgspec.to_builtins(edit))
    for loss in plan.draft.losses:
        found[number_of(loss.record or 0)]["losses"].append(msgspec.to_builtins(loss))
    for number, effects in plan.effects.items():
        found[min(number, len(found) - 1)]["effects"] += effects
    for identity, strategy in plan.chosen.items():
        found[min(int(identity.split(":")[1]), len(found) - 1)]["chosen"][identity] = strategy
    return found


def session_id_edit(plan: Plan, new: str) -> dict[str, Any]:
    """The edit that a new session makes to every record that carries the session's id."""
    reason = "the new session's id, in every record that carries it"
    pointer, old = agent_of(plan.draft.format).session_pointer, plan.draft.log.sessions[0].id
    edit = Edit(action="replace", record=None, pointer=pointer, before=old, after=new, reason=reason)
    fields: dict[str, Any] = msgspec.to_builtins(edit)
    return fields
