"""A call that is not written as one.

What it finds: an entry of `tool_calls` without its `type`, or with another than that of what it holds, or without its
`function` (missing, null, or its name and arguments beside one another in the entry itself). Calls of tau2 are flat by
design, and are not sent so.
Why it hurts: OpenAI, Azure and llama.cpp refuse the whole request: "Missing required parameter:
'messages[2].tool_calls[0].type'". Mistral takes one without a type, and none without a function.
Example: u | tool_calls [{id A, function}] | r(A=x)
Repairs: normalise (the type is put in, and name and arguments where they belong; a call without any becomes one of
invalid_tool_call without arguments, and the pair is kept), drop-call.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.tool_names import tool_name
from inspector.core.wire.openai import MISSHAPEN

CODE = "K9"
ROW = Row("misshapen-call", Stage.CALL_SHAPES, ("normalise call", "drop-call", "leave"))


def find(scene: Scene) -> Hits:
    columns = scene.columns
    if not (scene.format.api and columns.any_flagged(MISSHAPEN)):
        return
    for row in scene.calls:
        if columns.block_flags[row] & MISSHAPEN:
            tool = scene.tool_of_row[row]
            record, ordinal = scene.place(tool)
            lacking = scene.format.lacking(scene.format.block_bytes(columns, record, scene.raw(record), ordinal))
            if lacking:
                text = f"The call to {tool_name(scene, tool)} has no `{lacking}`."
                yield scene.hit(CODE, tool, text, case=lacking)
