"""Parents that lead in a circle.

What it finds: a record on the agent's path whose parents lead back to it.
Why it hurts: Claude Code stops there and loses everything older; Neovate never stops.
Example: #p -> #q -> #p
Repairs: relink (the circle is opened at its first record).
"""

from inspector.core.index.session import Break
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage

CODE = "G2"
ROW = Row("parent-cycle", Stage.LINKS, ("relink circle", "leave"), loses_records=True, ends_pass=True, of_link=True)


def find(scene: Scene) -> Hits:
    for link in scene.thread.links:
        if link.kind == Break.CYCLE:
            text = "The parents of this record lead back to it, so nothing older is loaded."
            if link.bridged:
                text = "The parents of this record lead back to it; the agent goes on with the nearest in time."
            yield Hit(rule=CODE, message=text, record=link.record)
