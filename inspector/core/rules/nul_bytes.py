"""A run of NUL bytes.

What it finds: a line of NUL bytes, as a crash of the machine leaves it.
Why it hurts: the line is no JSON, and strict readers stop there.
Example: 300 NUL bytes in mid-file
Repairs: quarantine; salvage keeps a record that stands behind them.
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F3"
ROW = Row("nul-bytes", Stage.BYTES, ("quarantine", "salvage", "leave"), loses_records=True)
find = damaged(CODE, Kind.NUL_BYTES)
