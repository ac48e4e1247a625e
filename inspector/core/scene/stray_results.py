"""What is the matter with each result of a thread that is not where it belongs."""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from enum import IntEnum

from inspector.core.index.views import BlockKind
from inspector.core.scene.compactions import cut_off, is_at_boundary, last_boundary
from inspector.core.scene.once import once
from inspector.core.scene.other_ids import by_other_id, call_of, named_otherwise
from inspector.core.scene.pairing import State
from inspector.core.scene.scene import Scene


class StrayResult(IntEnum):
    """What is the matter with a result: without its call, far from it, or not the only one."""

    ORPHAN = 1
    FOREIGN = 2
    COMPACTED = 3
    MISMATCHED = 4
    OTHER_ID = 5
    EARLY = 6
    DISPLACED = 7
    LATE = 8
    BEHIND_TEXT = 9
    REPEATED = 10
    STALE = 11
    CONFLICTING = 12


def stray_results(scene: Scene, kind: StrayResult) -> Sequence[int]:
    """The results of a thread of which that is the matter."""
    return _stray_results(scene).get(kind, ())


@once
def _stray_results(scene: Scene) -> dict[StrayResult, list[int]]:
    found: dict[StrayResult, list[int]] = {}
    if scene.thread.unheard:
        found[StrayResult.DISPLACED] = [tool for tool in _unheard(scene) if scene.pairing.states[tool] == State.PAIRED]
    if not scene.pairing.odd_results:
        return found
    misplaced = {*scene.pairing.misplaced, *(tool for tool in cut_off(scene) if tool >= 0)}
    orphans = [tool for tool in scene.pairing.odd_results if scene.pairing.states[tool] == State.ORPHAN]
    further = [tool for tool in orphans if call_of(scene, tool) >= 0]
    kinds = _orphan_kinds(scene, [tool for tool in orphans if tool not in {*by_other_id(scene), *further}])
    kinds |= dict.fromkeys(by_other_id(scene), StrayResult.OTHER_ID)
    kinds |= {tool: _duplicate_kind(scene, tool) for tool in further}
    for tool in scene.pairing.odd_results:
        if tool in misplaced:
            continue
        found.setdefault(kinds.get(tool) or _kind_of(scene, tool), []).append(tool)
    return found


def _unheard(scene: Scene) -> list[int]:
    """Results in their place that the agent does not take all the same."""
    records, columns, rows = set(scene.thread.unheard), scene.columns, scene.pairing.rows
    records -= {cut.result for cut in scene.thread.cut_off}
    return [tool for tool, row in enumerate(rows) if columns.record_of(row) in records]


def _kind_of(scene: Scene, tool: int) -> StrayResult:
    pairing = scene.pairing
    state = pairing.states[tool]
    if state == State.EARLY:
        return StrayResult.EARLY
    if state == State.MIXED:
        return StrayResult.BEHIND_TEXT
    if state == State.DUPLICATE:
        return _duplicate_kind(scene, tool)
    call_turn, turn = pairing.turn(pairing.peers[tool]), pairing.turn(tool)
    between = bisect_left(pairing.assistant_turns, call_turn + 1)
    crossed = between < len(pairing.assistant_turns) and pairing.assistant_turns[between] < turn
    return StrayResult.LATE if crossed else StrayResult.DISPLACED


def _duplicate_kind(scene: Scene, tool: int) -> StrayResult:
    kept = scene.pairing.peers[call_of(scene, tool)]
    if scene.is_placeholder(tool) or scene.is_blank(tool) > scene.is_blank(kept):
        return StrayResult.STALE
    return StrayResult.REPEATED if scene.result_text(tool) == scene.result_text(kept) else StrayResult.CONFLICTING


def _orphan_kinds(scene: Scene, orphans: list[int]) -> dict[int, StrayResult]:
    if not orphans:
        return {}
    if scene.session.elsewhere:
        return dict.fromkeys(orphans, StrayResult.ORPHAN)
    calls_elsewhere = _calls_off_path(scene, {scene.call_id(tool) for tool in orphans})
    kinds: dict[int, StrayResult] = {}
    in_turn: dict[int, list[int]] = {}
    for tool in orphans:
        record = calls_elsewhere.get(scene.call_id(tool), -1) if scene.call_id(tool) else -1
        if record >= 0:
            kinds[tool] = StrayResult.COMPACTED if record < last_boundary(scene) else StrayResult.FOREIGN
        elif is_at_boundary(scene, tool, -1):
            kinds[tool] = StrayResult.COMPACTED
        else:
            kinds[tool] = StrayResult.ORPHAN
            in_turn.setdefault(scene.pairing.turn(tool), []).append(tool)
    open_in_turn: dict[int, list[int]] = {}
    for call in scene.pairing.unanswered:
        if call in named_otherwise(scene):
            continue
        open_in_turn.setdefault(scene.pairing.turn(call), []).append(call)
    for turn, tools in in_turn.items():
        if len(tools) == len(open_in_turn.get(turn - 1, ())):
            kinds |= dict.fromkeys(tools, StrayResult.MISMATCHED)
    return kinds


@once
def open_call_before(scene: Scene) -> dict[int, int]:
    """By mismatched result the open call of the turn before that stands where it does among its like."""
    waiting: dict[int, deque[int]] = {}
    for call in scene.pairing.unanswered:
        if call not in named_otherwise(scene):
            waiting.setdefault(scene.pairing.turn(call), deque()).append(call)
    mismatched = stray_results(scene, StrayResult.MISMATCHED)
    return {result: waiting[scene.pairing.turn(result) - 1].popleft() for result in mismatched}


def _calls_off_path(scene: Scene, ids: set[str]) -> dict[str, int]:
    """The first record off the path with a call of each of these ids."""
    found: dict[str, int] = {}
    for row, record in scene.off_path(BlockKind.CALL, ids):
        found.setdefault(scene.columns.call_ids[row] or "", record)
    return found
