"""What is the matter with each result of a thread that is not where it belongs."""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from enum import IntEnum

from inspector.core.index.views import BlockKind
from inspector.core.scene.compactions import cut_exchanges_by_tool, is_next_to_compaction, last_compaction
from inspector.core.scene.once import cached_on_thread
from inspector.core.scene.other_ids import call_of_result, calls_answered_by_other_id, calls_named_by_other_id
from inspector.core.scene.pairing import PairingState
from inspector.core.scene.scene import ThreadContext


class UnmatchedResult(IntEnum):
    """What is the matter with a result: without its call, far from it, or not the only one."""

    ORPHAN = 1
    CALL_OFF_PATH = 2
    COMPACTED = 3
    WRONG_ID = 4
    ALTERNATIVE_ID = 5
    BEFORE_CALL = 6
    DISPLACED = 7
    LATE = 8
    AFTER_TEXT = 9
    REPEATED = 10
    STALE = 11
    CONFLICTING = 12


def unmatched_results(scene: ThreadContext, kind: UnmatchedResult) -> Sequence[int]:
    """The results of a thread of which that is the matter."""
    return _unmatched_results(scene).get(kind, ())


@cached_on_thread
def _unmatched_results(scene: ThreadContext) -> dict[UnmatchedResult, list[int]]:
    found: dict[UnmatchedResult, list[int]] = {}
    if scene.thread.ignored_results:
        found[UnmatchedResult.DISPLACED] = [
            tool for tool in _ignored_results(scene) if scene.pairing.states[tool] == PairingState.PAIRED
        ]
    if not scene.pairing.unexpected_results:
        return found
    misplaced = {*scene.pairing.in_wrong_role, *(tool for tool in cut_exchanges_by_tool(scene) if tool >= 0)}
    orphans = [tool for tool in scene.pairing.unexpected_results if scene.pairing.states[tool] == PairingState.ORPHAN]
    further = [tool for tool in orphans if call_of_result(scene, tool) >= 0]
    kinds = _orphan_kinds(
        scene, [tool for tool in orphans if tool not in {*calls_answered_by_other_id(scene), *further}]
    )
    kinds |= dict.fromkeys(calls_answered_by_other_id(scene), UnmatchedResult.ALTERNATIVE_ID)
    kinds |= {tool: _duplicate_kind(scene, tool) for tool in further}
    for tool in scene.pairing.unexpected_results:
        if tool in misplaced:
            continue
        found.setdefault(kinds.get(tool) or _kind_of(scene, tool), []).append(tool)
    return found


def _ignored_results(scene: ThreadContext) -> list[int]:
    """Results in their place that the agent does not take all the same."""
    records, columns, rows = set(scene.thread.ignored_results), scene.columns, scene.pairing.block_rows
    records -= {cut.result for cut in scene.thread.cut_exchanges}
    return [tool for tool, row in enumerate(rows) if columns.record_of_block(row) in records]


def _kind_of(scene: ThreadContext, tool: int) -> UnmatchedResult:
    pairing = scene.pairing
    state = pairing.states[tool]
    if state == PairingState.BEFORE_CALL:
        return UnmatchedResult.BEFORE_CALL
    if state == PairingState.AFTER_OTHER_CONTENT:
        return UnmatchedResult.AFTER_TEXT
    if state == PairingState.DUPLICATE:
        return _duplicate_kind(scene, tool)
    call_turn, turn = pairing.turn_of(pairing.counterparts[tool]), pairing.turn_of(tool)
    between = bisect_left(pairing.assistant_turns, call_turn + 1)
    crossed = between < len(pairing.assistant_turns) and pairing.assistant_turns[between] < turn
    return UnmatchedResult.LATE if crossed else UnmatchedResult.DISPLACED


def _duplicate_kind(scene: ThreadContext, tool: int) -> UnmatchedResult:
    kept = scene.pairing.counterparts[call_of_result(scene, tool)]
    if scene.is_placeholder(tool) or scene.is_blank_result(tool) > scene.is_blank_result(kept):
        return UnmatchedResult.STALE
    return (
        UnmatchedResult.REPEATED if scene.result_text(tool) == scene.result_text(kept) else UnmatchedResult.CONFLICTING
    )


def _orphan_kinds(scene: ThreadContext, orphans: list[int]) -> dict[int, UnmatchedResult]:
    if not orphans:
        return {}
    if scene.session.missing_part_reason:
        return dict.fromkeys(orphans, UnmatchedResult.ORPHAN)
    calls_elsewhere = _calls_off_path(scene, {scene.call_id(tool) for tool in orphans})
    kinds: dict[int, UnmatchedResult] = {}
    in_turn: dict[int, list[int]] = {}
    for tool in orphans:
        record = calls_elsewhere.get(scene.call_id(tool), -1) if scene.call_id(tool) else -1
        if record >= 0:
            kinds[tool] = (
                UnmatchedResult.COMPACTED if record < last_compaction(scene) else UnmatchedResult.CALL_OFF_PATH
            )
        elif is_next_to_compaction(scene, tool, -1):
            kinds[tool] = UnmatchedResult.COMPACTED
        else:
            kinds[tool] = UnmatchedResult.ORPHAN
            in_turn.setdefault(scene.pairing.turn_of(tool), []).append(tool)
    open_in_turn: dict[int, list[int]] = {}
    for call in scene.pairing.unanswered:
        if call in calls_named_by_other_id(scene):
            continue
        open_in_turn.setdefault(scene.pairing.turn_of(call), []).append(call)
    for turn, tools in in_turn.items():
        if len(tools) == len(open_in_turn.get(turn - 1, ())):
            kinds |= dict.fromkeys(tools, UnmatchedResult.WRONG_ID)
    return kinds


@cached_on_thread
def open_call_by_wrong_id_result(scene: ThreadContext) -> dict[int, int]:
    """By mismatched result the open call of the turn before that stands where it does among its like."""
    waiting: dict[int, deque[int]] = {}
    for call in scene.pairing.unanswered:
        if call not in calls_named_by_other_id(scene):
            waiting.setdefault(scene.pairing.turn_of(call), deque()).append(call)
    mismatched = unmatched_results(scene, UnmatchedResult.WRONG_ID)
    return {result: waiting[scene.pairing.turn_of(result) - 1].popleft() for result in mismatched}


def _calls_off_path(scene: ThreadContext, ids: set[str]) -> dict[str, int]:
    """The first record off the path with a call of each of these ids."""
    found: dict[str, int] = {}
    for row, record in scene.blocks_off_path(BlockKind.CALL, ids):
        found.setdefault(scene.columns.call_ids[row] or "", record)
    return found
