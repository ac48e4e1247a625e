"""Several records on one line.

What it finds: a line whose end is a complete record of its own, behind a torn record or behind whole ones.
Why it hurts: a reader that takes a line for one record loses all that is on it.
Example: {"type":"assi{"type":"user",…}
Repairs: salvage (every whole record stays, the torn part is kept beside the output), quarantine (the whole line is).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F2"
ROW = Row("fused-records", Stage.BYTES, ("salvage", "quarantine", "leave"), loses_records=True)
find = damaged(CODE, Kind.FUSED)
