"""What is the matter with each result of a thread that is not where it belongs: which rule tells of it."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

from inspector.core.index.views import BlockKind
from inspector.core.scene.compactions import cut_off, is_at_boundary, last_boundary
from inspector.core.scene.once import once
from inspector.core.scene.other_ids import by_other_id, call_of, named_otherwise
from inspector.core.scene.pairing import State
from inspector.core.scene.scene import Scene


@once
def stray_results_by_rule(scene: Scene) -> dict[str, list[int]]:
    """The results of a thread that are not where they belong, by the code of the rule that tells of them."""
    found: dict[str, list[int]] = {}
    if scene.thread.unheard:
        found["R3"] = [tool for tool in _unheard(scene) if scene.pairing.states[tool] == State.PAIRED]
    if not scene.pairing.odd_results:
        return found
    misplaced = {*scene.pairing.misplaced, *(tool for tool in cut_off(scene) if tool >= 0)}
    orphans = [tool for tool in scene.pairing.odd_results if scene.pairing.states[tool] == State.ORPHAN]
    further = [tool for tool in orphans if call_of(scene, tool) >= 0]
    codes = _orphan_codes(scene, [tool for tool in orphans if tool not in {*by_other_id(scene), *further}])
    codes |= dict.fromkeys(by_other_id(scene), "K5") | {tool: _duplicate_code(scene, tool) for tool in further}
    for tool in scene.pairing.odd_results:
        if tool in misplaced:
            continue
        found.setdefault(codes.get(tool) or _result_code(scene, tool), []).append(tool)
    return found


def _unheard(scene: Scene) -> list[int]:
    """Results in their place that the agent does not take all the same."""
    records, columns, rows = set(scene.thread.unheard), scene.columns, scene.pairing.rows
    records -= {cut.result for cut in scene.thread.cut_off}
    return [tool for tool, row in enumerate(rows) if columns.record_of(row) in records]


def _result_code(scene: Scene, tool: int) -> str:
    pairing = scene.pairing
    state = pairing.states[tool]
    if state == State.EARLY:
        return "R2"
    if state == State.MIXED:
        return "R9"
    if state == State.DUPLICATE:
        return _duplicate_code(scene, tool)
    call_turn, turn = pairing.turn(pairing.peers[tool]), pairing.turn(tool)
    between = bisect_left(pairing.assistant_turns, call_turn + 1)
    crossed = between < len(pairing.assistant_turns) and pairing.assistant_turns[between] < turn
    return "R4" if crossed else "R3"


def _duplicate_code(scene: Scene, tool: int) -> str:
    kept = scene.pairing.peers[call_of(scene, tool)]
    if scene.is_placeholder(tool) or scene.is_blank(tool) > scene.is_blank(kept):
        return "R6"
    return "R5" if scene.result_text(tool) == scene.result_text(kept) else "R7"


def _orphan_codes(scene: Scene, orphans: list[int]) -> dict[int, str]:
    if not orphans:
        return {}
    if scene.session.elsewhere:
        return dict.fromkeys(orphans, "R1")
    calls_elsewhere = _calls_off_path(scene, {scene.call_id(tool) for tool in orphans})
    codes: dict[int, str] = {}
    in_turn: dict[int, list[int]] = {}
    for tool in orphans:
        record = calls_elsewhere.get(scene.call_id(tool), -1) if scene.call_id(tool) else -1
        if record >= 0:
            codes[tool] = "C2" if record < last_boundary(scene) else "R12"
        elif is_at_boundary(scene, tool, -1):
            codes[tool] = "C2"
        else:
            codes[tool] = "R1"
            in_turn.setdefault(scene.pairing.turn(tool), []).append(tool)
    open_in_turn: dict[int, list[int]] = {}
    for call in scene.pairing.unanswered:
        if call in named_otherwise(scene):
            continue
        open_in_turn.setdefault(scene.pairing.turn(call), []).append(call)
    for turn, tools in in_turn.items():
        if len(tools) == len(open_in_turn.get(turn - 1, ())):
            codes |= dict.fromkeys(tools, "R8")
    return codes


@once
def open_call_before(scene: Scene) -> dict[int, int]:
    """By result of class R8 the open call of the turn before that stands where it does among its like."""
    waiting: dict[int, deque[int]] = {}
    for call in scene.pairing.unanswered:
        if call not in named_otherwise(scene):
            waiting.setdefault(scene.pairing.turn(call), deque()).append(call)
    mismatched = stray_results_by_rule(scene).get("R8", ())
    return {result: waiting[scene.pairing.turn(result) - 1].popleft() for result in mismatched}


def _calls_off_path(scene: Scene, ids: set[str]) -> dict[str, int]:
    """The first record off the path with a call of each of these ids."""
    found: dict[str, int] = {}
    for row, record in scene.off_path(BlockKind.CALL, ids):
        found.setdefault(scene.columns.call_ids[row] or "", record)
    return found
