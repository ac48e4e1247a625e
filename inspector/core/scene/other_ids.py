"""Results that name their call by another of its ids.

A call may carry two ids (the item's `fc_...` and the `call_...` that binds it), and programs have answered to either
(NousResearch/hermes-agent#58168, #93329). Some join both by a bar (hermes-agent#63000, pi), some write an id in the
characters that a provider takes on one side only, or with a blank before it (hermes-agent#9999).
"""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.bytes.json_text import parse_json
from inspector.core.index.columns import BlockFlag
from inspector.core.index.views import BlockKind
from inspector.core.later import lazy_regex
from inspector.core.scene.once import cached_on_thread
from inspector.core.scene.pairing import PairingState
from inspector.core.scene.scene import ThreadContext
from inspector.core.wire.spelling.members import alternative_call_ids

_CALL = int(BlockKind.CALL)
_ILLEGAL = lazy_regex(r"[^a-zA-Z0-9_-]")


class OtherIdMatches(Struct):
    """Orphan results by the call whose other id they carry: those that answer it, and further ones of one answered."""

    answers: dict[int, int] = {}
    duplicates: dict[int, int] = {}


@cached_on_thread
def match_by_other_ids(scene: ThreadContext) -> OtherIdMatches:
    """What the orphans of a thread name by another id, where one call has that id.

    An open call is answered where one result claims it. Of an answered one the first result counts: a claimant that
    stands before it takes its place, one behind it is a further one. Only the calls right before are asked.
    """
    if not scene.pairing.unexpected_results:
        return OtherIdMatches()
    claims = _claims(scene)
    claimed: dict[int, list[int]] = {}
    for call in scene.pairing.unanswered if claims else ():
        results = _claimants(scene, call, claims)
        if len(results) == 1:
            claimed.setdefault(results.pop(), []).append(call)
    turns = {scene.pairing.turn_of(result) - 1 for results in claims.values() for result in results}
    for call in _answered(scene, turns) if claims else ():
        for result in _claimants(scene, call, claims):
            if scene.pairing.turn_of(result) == scene.pairing.turn_of(call) + 1:
                claimed.setdefault(result, []).append(call)
    found = OtherIdMatches()
    for result, calls in sorted(claimed.items()):
        first = scene.pairing.counterparts[calls[0]]
        taken = calls[0] in found.answers.values() or 0 <= first < result
        if len(calls) == 1:
            (found.duplicates if taken else found.answers)[result] = calls[0]
    return found


def calls_answered_by_other_id(scene: ThreadContext) -> dict[int, int]:
    """Results under another id of their call, with that call."""
    return match_by_other_ids(scene).answers


@cached_on_thread
def calls_named_by_other_id(scene: ThreadContext) -> frozenset[int]:
    """The calls of those."""
    return frozenset(calls_answered_by_other_id(scene).values())


def call_of_result(scene: ThreadContext, result: int) -> int:
    """The call that a result is bound to, or is a further result of by another id; -1 for none."""
    peer = scene.pairing.counterparts[result]
    return peer if peer >= 0 else match_by_other_ids(scene).duplicates.get(result, -1)


def _claims(scene: ThreadContext) -> dict[str, list[int]]:
    """The orphans by every spelling of the id that they carry."""
    pairing = scene.pairing
    claims: dict[str, list[int]] = {}
    for result in pairing.unexpected_results:
        if pairing.states[result] == PairingState.ORPHAN and scene.call_id(result):
            for spelling in _spellings(scene.call_id(result)):
                claims.setdefault(spelling, []).append(result)
    return claims


def _claimants(scene: ThreadContext, call: int, claims: dict[str, list[int]]) -> set[int]:
    named = _names(scene, call)
    return {result for name in named for result in claims.get(name, ()) if _fits(scene, call, result)}


def _answered(scene: ThreadContext, turns: set[int]) -> Iterator[int]:
    """The calls of some turns that have a result."""
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    for tool, position in enumerate(pairing.path_positions):
        if (
            pairing.turns[position] in turns
            and pairing.counterparts[tool] > tool
            and kinds[pairing.block_rows[tool]] == _CALL
        ):
            yield tool


def _fits(scene: ThreadContext, call: int, result: int) -> bool:
    """Whether a result comes behind the call, and is of its kind."""
    flags, rows = scene.columns.block_flags, scene.pairing.block_rows
    return (
        call < result and flags[rows[call]] & BlockFlag.CALL_TYPE_MASK == flags[rows[result]] & BlockFlag.CALL_TYPE_MASK
    )


def _names(scene: ThreadContext, call: int) -> set[str]:
    """Everything that a result may call this call by."""
    record, ordinal = scene.tool_location(call)
    own = scene.call_id(call)
    block = parse_json(scene.format.block_bytes(scene.columns, record, scene.raw(record), ordinal))
    ids = {own, *alternative_call_ids(block, scene.format.block_schema)} - {""}
    return {name for each in ids for name in _spellings(each)} | {_ILLEGAL.sub("_", each) for each in ids}


def _spellings(call_id: str) -> set[str]:
    return {call_id, call_id.strip(), *(part for part in call_id.split("|") if part)}
