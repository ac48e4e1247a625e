"""A message that is not written as one.

What it finds: in the messages of an API, or of an agent that hands them on, what the API takes from nobody: a
message without a role or with one that it does not know, content that is a number, a block that is a bare text, has no
type or holds nothing, a result whose output is no text. A member or a kind of block that this program does not know is
not judged.
Why it hurts: the request is refused before anything else in it is looked at, and so is every later one.
Example: u | a with content ["ok"] | u
Repairs: normalise (a text says in its place what stood there: texts as they are, anything else quoted as JSON),
quarantine (the message goes, and is kept beside the output: where its role is not known, nobody can be said to have
said it).
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.misshapen import misshapen

CODE = "M12"
ROW = Row("misshapen-message", Stage.MESSAGE_SHAPES, ("normalise message", "quarantine message", "leave"))


def find(scene: Scene) -> Hits:
    leaving = {scene.pairing.record(tool) for tool in scene.pairing.misplaced}
    for record, found in misshapen(scene).items():
        if record in leaving and [each.pointer for each in found] == ["/role"]:
            continue  # What stands there under the wrong role comes out of it first.
        first, more = found[0], f" (and {len(found) - 1} more in it)" if len(found) > 1 else ""
        text = f"No provider takes this message: at {first.pointer or 'its root'}, {first.why}{more}."
        strategies = ROW.strategies if all(misfit.can_be_mended for misfit in found) else ROW.strategies[1:]
        case = "role" if first.pointer == "/role" else ""
        yield Hit(rule=CODE, message=text, record=record, case=case, strategies=strategies, default=strategies[0])
