"""Results that name their call by another of its ids.

A call may carry two ids (the item's `fc_...` and the `call_...` that binds it), and programs have answered to either
(NousResearch/hermes-agent#58168, #93329). Some join both by a bar (hermes-agent#63000, pi), some write an id in the
characters that a provider takes on one side only, or with a blank before it (hermes-agent#9999).
"""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.bytes.json_text import value_of
from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind
from inspector.core.later import regex
from inspector.core.scene.once import once
from inspector.core.scene.pairing import State
from inspector.core.scene.scene import Scene
from inspector.core.wire.spelling.members import other_ids

_CALL = int(BlockKind.CALL)
_ILLEGAL = regex(r"[^a-zA-Z0-9_-]")


class OtherIds(Struct):
    """Orphan results by the call whose other id they carry: those that answer it, and further ones of one answered."""

    answers: dict[int, int] = {}
    further: dict[int, int] = {}


@once
def sorted_out(scene: Scene) -> OtherIds:
    """What the orphans of a thread name by another id, where one call has that id.

    An open call is answered where one result claims it. Of an answered one the first result counts: a claimant that
    stands before it takes its place, one behind it is a further one. Only the calls right before are asked.
    """
    if not scene.pairing.odd_results:
        return OtherIds()
    claims = _claims(scene)
    claimed: dict[int, list[int]] = {}
    for call in scene.pairing.unanswered if claims else ():
        results = _claimants(scene, call, claims)
        if len(results) == 1:
            claimed.setdefault(results.pop(), []).append(call)
    turns = {scene.pairing.turn(result) - 1 for results in claims.values() for result in results}
    for call in _answered(scene, turns) if claims else ():
        for result in _claimants(scene, call, claims):
            if scene.pairing.turn(result) == scene.pairing.turn(call) + 1:
                claimed.setdefault(result, []).append(call)
    found = OtherIds()
    for result, calls in sorted(claimed.items()):
        first = scene.pairing.peers[calls[0]]
        taken = calls[0] in found.answers.values() or 0 <= first < result
        if len(calls) == 1:
            (found.further if taken else found.answers)[result] = calls[0]
    return found


def by_other_id(scene: Scene) -> dict[int, int]:
    """Results under another id of their call, with that call."""
    return sorted_out(scene).answers


@once
def named_otherwise(scene: Scene) -> frozenset[int]:
    """The calls of those."""
    return frozenset(by_other_id(scene).values())


def call_of(scene: Scene, result: int) -> int:
    """The call that a result is bound to, or is a further result of by another id; -1 for none."""
    peer = scene.pairing.peers[result]
    return peer if peer >= 0 else sorted_out(scene).further.get(result, -1)


def _claims(scene: Scene) -> dict[str, list[int]]:
    """The orphans by every spelling of the id that they carry."""
    pairing = scene.pairing
    claims: dict[str, list[int]] = {}
    for result in pairing.odd_results:
        if pairing.states[result] == State.ORPHAN and scene.call_id(result):
            for spelling in _spellings(scene.call_id(result)):
                claims.setdefault(spelling, []).append(result)
    return claims


def _claimants(scene: Scene, call: int, claims: dict[str, list[int]]) -> set[int]:
    named = _names(scene, call)
    return {result for name in named for result in claims.get(name, ()) if _fits(scene, call, result)}


def _answered(scene: Scene, turns: set[int]) -> Iterator[int]:
    """The calls of some turns that have a result."""
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    for tool, position in enumerate(pairing.at):
        if pairing.turns[position] in turns and pairing.peers[tool] > tool and kinds[pairing.rows[tool]] == _CALL:
            yield tool


def _fits(scene: Scene, call: int, result: int) -> bool:
    """Whether a result comes behind the call, and is of its kind."""
    flags, rows = scene.columns.block_flags, scene.pairing.rows
    return call < result and flags[rows[call]] & Flag.FAMILY == flags[rows[result]] & Flag.FAMILY


def _names(scene: Scene, call: int) -> set[str]:
    """Everything that a result may call this call by."""
    record, ordinal = scene.place(call)
    own = scene.call_id(call)
    block = value_of(scene.format.block_bytes(scene.columns, record, scene.raw(record), ordinal))
    ids = {own, *other_ids(block, scene.format.spelling)} - {""}
    return {name for each in ids for name in _spellings(each)} | {_ILLEGAL.sub("_", each) for each in ids}


def _spellings(call_id: str) -> set[str]:
    return {call_id, call_id.strip(), *(part for part in call_id.split("|") if part)}
