"""The history does not begin with the user.

What it finds: a first message that is not the user's. In a log that never holds the first prompt it is only noted.
Why it hurts: Anthropic wants the first message to be the user's.
Example: a"ok" | u"q"
Repairs: prepend-user (a short note in the user's place; the default repairs add it only when nothing else
verifies).
"""

from collections.abc import Iterator

from inspector.core.columns import Role
from inspector.core.finding import Severity
from inspector.core.scene import Hit, Scene

CODE = "M4"
SLUG = "first-turn-not-user"
STRATEGIES = ("prepend-user", "leave")
DEFAULT = "prepend-user"


def find(scene: Scene) -> Iterator[Hit]:
    if scene.pairing.first_role in (-1, Role.USER) or (scene.pairing.first_role == Role.TOOL):
        return
    if any(not link.first for link in scene.thread.links):
        return  # What precedes it is only cut off: the break in the chain is the finding.
    if scene.session.answering and max(scene.pairing.turns) == 0:
        return  # A provider's answer alone: what it answers was sent to it.
    severity = Severity.INFO if scene.format.prompt_apart else None
    record = next(r for r in scene.thread.path if scene.columns.roles[r] == scene.pairing.first_role)
    yield Hit(rule=CODE, message="The history begins with an assistant message.", record=record, severity=severity)
