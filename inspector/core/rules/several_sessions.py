"""Several session ids in one file.

What it finds: records of one file that carry different session ids (older versions copied a history when they
resumed it).
Why it hurts: it does not by itself: the parents decide what belongs together.
Example: sessionId "a" … sessionId "b"
Repairs: none needed; the chain is followed across ids.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene
from inspector.core.scene.finding import Severity

CODE = "G6"
ROW = Row("several-sessions", None, ("leave",))


def find(scene: Scene) -> Hits:
    if scene.session.other_ids and scene.thread is scene.session.main:
        text = f"The file holds records of {len(scene.session.other_ids) + 1} session ids."
        yield Hit(rule=CODE, message=text, record=0, severity=Severity.INFO)
