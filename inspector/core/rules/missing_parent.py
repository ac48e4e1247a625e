"""A record whose parent was never written.

What it finds: a record on the agent's path that names a parent which the log does not hold.
Why it hurts: the agent stops there: everything older is lost without a word. Claude Code goes on with the record
nearest in time, where one is less than five seconds older; what it then finds may be another branch. On the first
record of a log it is normal (the parent lies in another file).
Example: #p -> #q, and there is no #q
Repairs: relink (to the record before it, or to a new one that it can hang off).
"""

from inspector.core.index.session import Break
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "G1"
ROW = Row("missing-parent", Stage.LINKS, ("relink", "leave"), loses_records=True, ends_pass=True, of_link=True)


def find(scene: Scene) -> Hits:
    for link in scene.thread.links:
        if link.kind == Break.MISSING_PARENT:
            text = "This record names a parent that is not in the log, so nothing older is loaded."
            if link.first:
                text = "The first record names a parent in another file."
            if link.bridged:
                text = "This record names a parent that is not in the log; the agent goes on with the nearest in time."
            text = link.text or text
            severity = Severity.INFO if link.first else None
            yield Hit(rule=CODE, message=text, record=link.record, severity=severity, no_parent=True)
