"""Two reasoning items with one id.

What it finds: a reasoning item that carries the id of one before it (rs_…): a stream that was written twice, or a
summary that grew. Only where items go back to the provider under their ids.
Why it hurts: OpenAI refuses the request: "Duplicate item found with id rs_…. Remove duplicate items from your input and
try again."
Example: u | rs_1 "old" | call A | rs_1 "new" | output A
Repairs: keep-last (the newest one, in the place of the first, before what it led to), keep-first. What the other one
says is listed as lost, unless it says the same.

Sources: vercel/ai#13307; openai-agents (run_internal/items.py), which prefers the latest.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.reasoning import repeated

CODE = "T7"
ROW = Row("repeated-reasoning", Stage.REASONING, ("keep-last reasoning", "keep-first reasoning", "leave"))


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    for record in repeated(scene):
        name = scene.columns.call_ids[scene.columns.first[record]]
        text = f"An earlier reasoning item carries the id {name} as well."
        yield Hit(rule=CODE, message=text, record=record, ordinal=0)
