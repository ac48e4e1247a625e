"""A last record that was cut off.

What it finds: a last line, or the end of a document, that breaks off in mid-record.
Why it hurts: the agent skips it or refuses the whole log.
Example: {"type":"assis
Repairs: quarantine (the bytes are kept beside the output).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F1"
ROW = Row("torn-end", Stage.BYTES, ("quarantine", "leave"), loses_records=True)
find = damaged(CODE, Kind.TORN)
