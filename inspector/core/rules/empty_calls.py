"""An empty list of calls.

What it finds: an assistant message with `"tool_calls": []`.
Why it hurts: OpenAI refuses an empty list: the key must go.
Example: a"ok" with tool_calls: []
Repairs: normalise (the key goes; nothing is lost).
"""

from inspector.core.index.columns import Mark
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage

CODE = "M9"
ROW = Row("empty-calls", Stage.CONTENTS, ("normalise calls", "leave"))


def find(scene: Scene) -> Hits:
    if not scene.columns.any_marked(Mark.EMPTY_CALLS):
        return
    for record in scene.thread.path:
        if scene.columns.marks[record] & Mark.EMPTY_CALLS:
            yield Hit(rule=CODE, message="The list of calls is there, and empty.", record=record)
