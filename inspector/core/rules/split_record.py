"""One record split over several lines.

What it finds: a record with raw line ends inside a string, so that its lines are no JSON by themselves.
Why it hurts: every part is unreadable.
Example: {"text":"one\ntwo"} with a real line end
Repairs: salvage (the line ends are escaped, the record is whole again), quarantine (its lines are kept beside the
output).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F4"
ROW = Row("split-record", Stage.BYTES, ("salvage", "quarantine", "leave"), loses_records=True)
find = damaged(CODE, Kind.SPLIT)
