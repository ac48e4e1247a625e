"""A compaction that names a record which is not there.

What it finds: a compaction whose pointer to the message before it (`logicalParentUuid`) names a record that the log
does not hold.
Why it hurts: the summary stands in for what came before, so a resume goes on; but the program cannot show what was said
before the compaction, and some versions stop with an error. The pointer may also name a record in another file.
Example: compact_boundary, logicalParentUuid #x, and there is no #x
Repairs: relink (it names the record before it), leave.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.compactions import dangling_stitches
from inspector.core.scene.finding import Severity

CODE = "G7"
ROW = Row("dangling-stitch", Stage.LINKS, ("relink compaction", "leave"))


def find(scene: Scene) -> Hits:
    if scene.thread is not scene.session.main:
        return
    for record in dangling_stitches(scene):
        text = "The compaction names a record before it that is not in the log."
        yield Hit(rule=CODE, message=text, record=record, severity=Severity.INFO)
