"""Results that name their call by another of its ids.

A call may carry two ids (the item's `fc_...` and the `call_...` that binds it), and programs have answered to either
(NousResearch/hermes-agent#58168, #93329). Some join both by a bar (hermes-agent#63000, pi), some write an id in the
characters that a provider takes on one side only, or with a blank before it (hermes-agent#9999).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inspector.core.columns import Flag
from inspector.core.json_text import value_of
from inspector.core.pairing import State

if TYPE_CHECKING:
    from inspector.core.scene.scene import Scene

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")


def by_result(scene: Scene) -> dict[int, int]:
    """Orphan results with the call whose other id they carry: where one open call, and no other result, has that id."""
    pairing = scene.pairing
    orphans = [tool for tool in pairing.odd_results if pairing.states[tool] == State.ORPHAN and scene.call_id(tool)]
    claims: dict[str, list[int]] = {}
    for result in orphans:
        for spelling in _spellings(scene.call_id(result)):
            claims.setdefault(spelling, []).append(result)
    found: dict[int, list[int]] = {}
    for call in pairing.unanswered if claims else ():
        results = {
            result for name in _names(scene, call) for result in claims.get(name, ()) if _fits(scene, call, result)
        }
        if len(results) == 1:
            found.setdefault(results.pop(), []).append(call)
    return {result: calls[0] for result, calls in found.items() if len(calls) == 1}


def _fits(scene: Scene, call: int, result: int) -> bool:
    """Whether a result comes behind the call, and is of its kind."""
    flags, rows = scene.columns.block_flags, scene.pairing.rows
    return call < result and flags[rows[call]] & Flag.FAMILY == flags[rows[result]] & Flag.FAMILY


def _names(scene: Scene, call: int) -> set[str]:
    """Everything that a result may call this call by."""
    record, ordinal = scene.place(call)
    own = scene.call_id(call)
    block = value_of(scene.format.block_bytes(scene.columns, record, scene.raw(record), ordinal))
    ids = {own, *scene.format.other_ids(block)} - {""}
    return {name for each in ids for name in _spellings(each)} | {_ILLEGAL.sub("_", each) for each in ids}


def _spellings(call_id: str) -> set[str]:
    return {call_id, call_id.strip(), *(part for part in call_id.split("|") if part)}
