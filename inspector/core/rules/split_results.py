"""The results of one turn split over several messages.

What it finds: results of one assistant turn in two or more user messages. Where a call can hold its own result, those
in calls and those in messages are sent as several messages, too.
Why it hurts: Anthropic reads neighbouring user messages as one; Bedrock, Gemini and some gateways refuse them.
Example: u | a{A,B} | r(A=x) | r(B=y)
Repairs: merge (one message, or each into its call; nothing is lost).
"""

from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.pairing import State
from inspector.core.scene.tool_names import tool_name

CODE = "R10"
ROW = Row("split-results", Stage.CONTENTS, ("merge", "leave"), in_request=True)
_PAIRED, _RESULT = int(State.PAIRED), int(BlockKind.RESULT)  # this loop is over all calls, and enums compare slowly


def find(scene: Scene) -> Hits:
    if scene.format.inline and CODE in scene.profile.refusals:
        yield from _apart_from_calls(scene)
    if not (scene.format.api and scene.format.together):
        return
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    rows, at, turns, path = pairing.rows, pairing.at, pairing.turns, pairing.path
    seen: dict[int, int] = {}
    for tool, state in enumerate(pairing.states):
        if state != _PAIRED or kinds[rows[tool]] != _RESULT:
            continue
        record = path[at[tool]]
        if seen.setdefault(turns[at[tool]], record) != record:
            yield _hit(scene, tool)


def _apart_from_calls(scene: Scene) -> Hits:
    """Results in messages of their own, where calls of the same turn hold theirs, or another message does."""
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    places: dict[int, set[int]] = {}
    apart: list[tuple[int, int]] = []
    for tool, state in enumerate(pairing.states):
        if state != _PAIRED or kinds[pairing.rows[tool]] != _RESULT:
            continue
        call = pairing.peers[tool]
        turn, record = pairing.turn(call), pairing.record(tool)
        places.setdefault(turn, set()).add(record)
        if record != pairing.record(call):
            apart.append((turn, tool))
    for turn, tool in apart:
        if len(places[turn]) > 1:
            yield _hit(scene, tool)


def _hit(scene: Scene, tool: int) -> Hit:
    return scene.hit(CODE, tool, f"The result of {tool_name(scene, tool)} is in another message than its siblings.")
