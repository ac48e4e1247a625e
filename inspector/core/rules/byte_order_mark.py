"""A byte order mark before a record.

What it finds: the three bytes of a byte order mark before a record. Editors put them at the start of a file, and files
that were put together have them in the middle.
Why it hurts: with them the line is no JSON. Codex, pi and Gemini CLI take a file that begins so for none of theirs, and
load nothing of it; other programs pass the mark by at the start of a file.
Example: U+FEFF before {"type":"session_meta",…} in the first line of a rollout
Repairs: salvage (the record stays, without the mark).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F8"
ROW = Row("byte-order-mark", Stage.BYTES, ("salvage", "leave"), loses_records=True)
find = damaged(CODE, Kind.MARKED)
