"""Bytes that are not UTF-8.

What it finds: a line with invalid UTF-8. The fast check sees it only in text that it decodes; --deep judges
every byte.
Why it hurts: strict readers refuse the line or the log.
Example: "caf\xe9"
Repairs: quarantine; salvage puts U+FFFD in the place of each bad byte.
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F5"
ROW = Row("invalid-utf8", Stage.BYTES, ("quarantine", "salvage", "leave"), loses_records=True)
find = damaged(CODE, Kind.NOT_UTF8)
