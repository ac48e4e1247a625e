"""What is the matter with each call of a thread that has no result: which rule tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.pairing import State
from inspector.core.scene.compactions import is_at_boundary
from inspector.core.views import BlockKind

if TYPE_CHECKING:
    from inspector.core.scene.scene import Scene


_PLAIN = frozenset({"D1", "D2", "D3", "D4"})


def by_rule(scene: Scene) -> dict[str, list[int]]:
    """The unanswered calls of a thread by the code of the rule that tells of them."""
    pairing = scene.pairing
    found: dict[str, list[int]] = {}
    pending = scene.format.pending(scene.session, scene.columns, scene.thread.path, scene.raw)
    repeated = set(pairing.repeated)
    turns = _turns_of(scene)
    last_turn = max(pairing.turns, default=-1)
    elsewhere, last_words = _results_elsewhere(scene), _last_words(scene)
    for tool in pairing.unanswered:
        if tool in repeated or tool in scene.cut_off or tool in scene.named_otherwise:
            continue
        call_id = scene.call_id(tool)
        turn = pairing.turn(tool)
        answered, several = turns[turn]
        last = turn == last_turn and pairing.at[tool] > last_words
        if call_id in pending or (scene.live and last):
            code = "D6"
        elif call_id and call_id in elsewhere:
            code = elsewhere[call_id]
        elif is_at_boundary(scene, tool, 1):
            code = "C1"
        elif answered:
            code = "D3"
        elif several:
            code = "D4"
        else:
            code = "D1" if last else "D2"
        if code in _PLAIN:
            code = _of_its_message(scene, tool) or code
        found.setdefault(code, []).append(tool)
    return found


def _of_its_message(scene: Scene, tool: int) -> str:
    """What the message of an open call tells of it: the agent does not see it there, or the message broke off."""
    if scene.format.unlisted(scene.columns, scene.pairing.rows[tool]):
        return "D7"
    return "D5" if scene.broken_off(tool) else ""


def _last_words(scene: Scene) -> int:
    """The place on the path behind which nothing is said; -1 where a part of a message is no record of its own."""
    columns, path = scene.columns, scene.pairing.path
    if scene.format.items:
        for position in range(len(path) - 1, -1, -1):
            if any(columns.block_kinds[row] == BlockKind.TEXT for row in columns.rows(path[position])):
                return position
    return -1


def _turns_of(scene: Scene) -> dict[int, tuple[bool, bool]]:
    """By turn with an open call: is a sibling answered; are several messages in a row all unanswered."""
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    turns, rows = pairing.turns, pairing.rows
    wanted = {pairing.turn(tool) for tool in pairing.unanswered}
    answered: set[int] = set()
    messages: dict[int, set[int]] = {turn: set() for turn in wanted}
    for tool, position in enumerate(pairing.at):
        turn = turns[position]
        if turn in wanted and kinds[rows[tool]] == BlockKind.CALL:
            messages[turn].add(pairing.messages[position])
            if pairing.states[tool] != State.OPEN:
                answered.add(turn)
    assistants = set(pairing.assistant_turns)
    idle = {turn for turn in wanted if turn not in answered}
    several = {
        turn
        for turn in idle
        if (len(messages[turn]) > 1 and not scene.format.items)
        or (turn - 1 in idle and turn - 1 in assistants)
        or (turn + 1 in idle and turn + 1 in assistants)
    }
    return {turn: (turn in answered, turn in several) for turn in wanted}


def _results_elsewhere(scene: Scene) -> dict[str, str]:
    """Ids of results that the log holds off this path, with the code of a call that misses them."""
    columns, found = scene.columns, {}
    for record in scene.thread.stranded:
        for row in columns.rows(record):
            found[columns.call_ids[row] or ""] = "G5"
    last_boundary = scene.last_boundary
    if last_boundary >= 0:
        ids = {scene.call_id(tool) for tool in scene.pairing.unanswered}
        for row, record in scene.off_path(BlockKind.RESULT, ids):
            if record < last_boundary:
                found.setdefault(columns.call_ids[row] or "", "C1")
    return found
