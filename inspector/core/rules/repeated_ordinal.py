"""A line whose number does not follow that of the line before it.

What it finds: in a paginated rollout of Codex, an ordinal that stands on the line before, too, or is lower than that
one; and lines without an ordinal. Versions 0.150 to 0.153 wrote that of their last line again when they resumed.
Why it hurts: the history that the desktop app shows ends there for good, though the model is still sent all of it:
"thread history projection expected ordinal 690, got 689". Without an ordinal on its last line a rollout is not loaded.
Example: {"ordinal":689,…} | {"ordinal":689,…}
Repairs: reid (that line and those behind it are numbered on from the line before it).

Sources: openai/codex #35746, #41079, #41566, #44609.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "G8"
ROW = Row("repeated-ordinal", Stage.COUNTS, ("reid ordinal", "leave"), loses_records=True, ends_pass=True)


def find(scene: Scene) -> Hits:
    if scene.thread is not scene.session.main:
        return
    for link in scene.session.uncounted:
        yield Hit(rule=CODE, message=link.text, record=link.record, severity=Severity.WARNING if link.bridged else None)
