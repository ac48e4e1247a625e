"""A line in mid-file that is no JSON.

What it finds: a malformed line that is none of the other cases.
Why it hurts: some readers stop there, and everything after it is gone.
Example: {"type":"user",,}
Repairs: quarantine (the bytes are kept beside the output).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F6"
ROW = Row("unreadable-record", Stage.BYTES, ("quarantine", "leave"), loses_records=True)
find = damaged(CODE, Kind.NO_JSON)
