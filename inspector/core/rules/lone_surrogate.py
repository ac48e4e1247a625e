"""Half of a surrogate pair.

What it finds: an escape such as \\ud83d without its other half, as a cut in the middle of an emoji leaves it.
Why it hurts: the provider refuses the request body, at every turn.
Example: "cut here \\ud83d"
Repairs: normalise (the half becomes U+FFFD), quarantine (the record is kept beside the output).
"""

from inspector.core.rules.rule import Row, Stage
from inspector.core.scene.damage import Kind, damaged

CODE = "F7"
ROW = Row("lone-surrogate", Stage.BYTES, ("normalise characters", "quarantine", "leave"), loses_records=True)
find = damaged(CODE, Kind.HALF_SURROGATE)
