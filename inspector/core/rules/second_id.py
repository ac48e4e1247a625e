"""Two ids for one call.

What it finds: a result that names its call by another of its ids: by that of the item (`fc_...`) where `call_id`
(`call_...`) is meant, by one half of "call_...|fc_...", or in the characters that a gateway made of it. Only where one
open call and one result fit; what comes behind another result of the call is a second one of it (R5, R7).
Why it hurts: the provider compares ids letter by letter: the result is refused as one without a call, and the call as
one without a result.
Example: call id=fc_1 call_id=call_1 | output call_id=fc_1
Repairs: rename (the result gets the id that binds them, or a call without any that of its result; nothing is lost),
keep-as-note, drop.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.other_ids import by_other_id
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "K5"
ROW = Row("second-id", Stage.SECOND_IDS, ("rename other-id", "keep-as-note", "drop", "leave"))


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.OTHER_ID):
        call = scene.call_id(by_other_id(scene)[tool])
        binds = f"the id that binds them is {call!r}" if call else "the call has no other id"
        text = f"This result names its call {scene.call_id(tool)!r}; {binds}."
        yield scene.hit(CODE, tool, text)
