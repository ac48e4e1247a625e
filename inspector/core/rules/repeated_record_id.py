"""Two records with one id.

What it finds: a record id that a later record carries too, with other content.
Why it hurts: the agent keeps the later record and loses the earlier one. An exact copy is only noted.
Example: #p "one" | #p "two"
Repairs: reid (the later record gets an id of its own, and what follows it hangs off that).
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "G4"
ROW = Row("repeated-record-id", Stage.RECORD_IDS, ("reid", "leave"), loses_records=True)


def find(scene: Scene) -> Hits:
    if scene.thread is not scene.session.main:
        return
    for earlier, later in scene.session.duplicates:
        same = scene.raw(earlier).strip() == scene.raw(later).strip()
        text = "A record with this id was written before" + (", with the same content." if same else ".")
        yield Hit(rule=CODE, message=text, record=later, severity=Severity.INFO if same else None)
