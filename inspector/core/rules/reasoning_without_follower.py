"""A reasoning item without the item that it led to.

What it finds: a reasoning item that names itself (rs_…) and is followed by no item of the assistant: its call was
dropped, or the stream broke off. Items without an id are not bound: Codex, which leaves the ids out, may keep them.
Why it hurts: OpenAI refuses the request: "Item 'rs_…' of type 'reasoning' was provided without its required following
item."
Example: u | rs | u
Repairs: strip-reasoning (the item goes, listed as lost).

Sources: continuedev/continue#8933, openai/openai-node#1567, vercel/ai#7099, openai/openai-agents-js#326; of
items without an id vercel/ai#12869 and router-for-me/CLIProxyAPI#4285, which asked the API.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.reasoning import without_follower

CODE = "T4"
ROW = Row("reasoning-without-follower", Stage.BOUND_BLOCKS, ("strip-reasoning", "leave"))


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    for position in without_follower(scene):
        record = scene.thread.path[position]
        name = scene.columns.call_ids[scene.columns.first[record]]
        yield Hit(
            rule=CODE,
            message=f"The reasoning {name} is followed by no item of the assistant.",
            record=record,
            ordinal=0,
        )
