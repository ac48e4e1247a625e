"""A call id that the provider does not take.

What it finds: a call whose id has characters, or a length, that the provider in question refuses ("functions.read:0" at
Anthropic and Bedrock, more than 64 characters at OpenAI). What another provider would say of it is told when asked
(--profile), for ids are legal or not by provider.
Why it hurts: a history that came from another model or gateway is refused as a whole.
Example: u | a{functions.read:0} | r(functions.read:0=x)
Repairs: rename (the call and every result of it get one legal id; nothing is lost), drop-call.
"""

from inspector.core.formats.bases.agent import agent_of
from inspector.core.profiles.profile import unfit
from inspector.core.rules.rule import Hits, Row, Scene, Stage

CODE = "K4"
ROW = Row("illegal-id", Stage.CALL_FIELDS, ("rename legal", "drop-call", "leave"), by_profile=True, in_request=True)
_LONG = 40  # the length that every provider takes
_SHOWN = 60


def find(scene: Scene) -> Hits:
    if scene.profile.name in agent_of(scene.format).own_ids:
        return
    ids = scene.columns.call_ids
    illegal = unfit(map(ids.__getitem__, scene.calls), scene.profile.ids) - {""}  # no id at all is class K3
    for row in scene.calls if illegal else ():
        call_id = ids[row]
        if call_id in illegal:
            shown = call_id if len(call_id) <= _SHOWN else f"{call_id[:_SHOWN]}…"
            long = len(call_id) > _LONG
            what = f"is {len(call_id)} characters long" if long else "has characters that are not legal"
            text = f"The id {shown!r} {what}: {scene.profile.label} does not take it."
            yield scene.hit(CODE, scene.tool_of_row[row], text, value=call_id, case="long" if long else "")
