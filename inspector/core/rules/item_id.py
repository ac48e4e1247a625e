"""An item whose own id is of another kind.

What it finds: an item of the Responses API whose own id does not begin as those of its kind do: msg for a message, rs
for reasoning, fc for a function's call and its output, ctc for a custom tool's, ws for a search. A program or another
server made it up (a UUID, item_…, chatcmpl-…), or put the call's id there. Codex sends the ids that its rollout keeps.
Why it hurts: OpenAI refuses the whole request, at every further try: "Invalid 'input[1].id': '019f629b-…'. Expected an
ID that begins with 'msg'."
Example: u | "ok" with id 25fdab0e-8ec3-413c-8703-7ce5668ec990
Repairs: normalise (the item goes without it: an item needs none, and a call and its output are bound by call_id;
nothing is lost).

Sources: openai/codex #33176, #32282, #27928, #40039; jlcodes99/cockpit-tools#2090; Wei-Shaw/sub2api#1505.
"""

from inspector.core.bytes.json_text import value_of
from inspector.core.bytes.spans import json_at
from inspector.core.index.columns import Mark
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.wire.responses import OWN_IDS, item_of, kind_of

CODE = "K10"
ROW = Row("item-id", Stage.SECOND_IDS, ("normalise item", "leave"))


def find(scene: Scene) -> Hits:
    if not scene.columns.any_marked(Mark.MISNAMED):
        return
    for record in scene.thread.path:
        if scene.columns.marks[record] & Mark.MISNAMED:
            raw = scene.raw(record)
            item = item_of(value_of(json_at(raw, scene.format.item_at(raw))))
            kind, own = kind_of(item), item.id or ""
            begins = OWN_IDS[kind][0]
            text = f"The own id of this {kind}, {own!r}, does not begin with {begins!r}."
            yield Hit(rule=CODE, message=text, record=record, case=begins, value=own)
