"""An item without its reasoning before it.

What it finds: an item of the assistant that names itself (fc_…, msg_…) right before the reasoning item of the same
response (their ids share their first digits): the two have changed places. That reasoning is missing altogether cannot
be seen: models that do not reason write such items, too.
Why it hurts: OpenAI refuses the request: "Item 'fc_…' of type 'function_call' was provided without its required
'reasoning' item: 'rs_…'."
Example: u | call A (fc_0a03…) | rs_0a03… | output A
Repairs: normalise (the item goes without its own id, by which the provider knows its reasoning; the call keeps its
call_id, and nothing is lost).

Sources: mastra-ai/mastra#8738, VRSEN/agency-swarm#367, laravel/ai#1052.
"""

from inspector.core.bytes.json_text import value_at, value_of
from inspector.core.index.columns import Mark
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.reasoning import without_follower
from inspector.core.wire.responses import is_of_one_response

CODE = "T5"
ROW = Row("item-before-reasoning", Stage.BOUND_BLOCKS, ("normalise binding", "leave"))


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    columns, path = scene.columns, scene.thread.path
    for position in without_follower(scene):
        reasoning = columns.call_ids[columns.first[path[position]]] or ""
        record = path[position - 1] if position else -1
        if record < 0 or columns.marks[record] & Mark.BAD:
            continue
        name = value_at(value_of(scene.raw(record)), "/id")
        if isinstance(name, str) and name != reasoning and is_of_one_response(name, reasoning):
            text = f"The item {name} stands before the reasoning that led to it, {reasoning}."
            yield Hit(rule=CODE, message=text, record=record, ordinal=0)
