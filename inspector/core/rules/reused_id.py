"""A call id that an earlier turn used.

What it finds: a call whose id a call of an earlier turn carries too (local models and some gateways count from
0).
Why it hurts: Anthropic wants ids to be unique over the whole request; OpenAI only within a turn.
Example: u | a{c0} | r(c0=1) | u | a{c0} | r(c0=2)
Repairs: rename (call and result together; nothing is lost), drop-call.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage

CODE = "K1"
ROW = Row("reused-id", Stage.REUSED_IDS, ("rename", "drop-call", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in scene.pairing.reused:
        yield scene.hit(CODE, tool, f"The id {scene.call_id(tool)!r} was used by an earlier call.")
