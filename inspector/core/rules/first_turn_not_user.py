"""The history does not begin with the user.

What it finds: a first message that is not the user's. In a log that never holds the first prompt it is only noted.
Why it hurts: Anthropic, Bedrock and Gemini want the first message to be the user's; in Anthropic's and Bedrock's own
messages one of the system follows the user's, too. Mistral takes an answer there, and no call: with nothing at all
before it, it does not see that the results belong to it.
Example: a"ok" | u"q"
Repairs: prepend-user (a short note in the user's place; the default repairs add it only when nothing else
verifies), move (a message of the system goes behind the user's).
"""

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "M4"
ROW = Row("first-turn-not-user", Stage.FIRST_SPEAKER, ("prepend-user", "move behind-user", "leave"), in_request=True)
_PREPENDED, _MOVED = ("prepend-user", "leave"), ("move", "leave")
_SYSTEM_FIRST = "The history begins with a message of the system."
_NOT_SENT = (Role.OPAQUE, Role.LINK)


def find(scene: Scene) -> Hits:
    if scene.pairing.first_role == Role.USER:
        yield from _system_before_user(scene)
    if scene.pairing.first_role in (Role.USER, Role.TOOL):
        return
    columns, sent = scene.columns, [r for r in scene.thread.path if scene.columns.roles[r] not in _NOT_SENT]
    speaks = (Role.ASSISTANT, Role.SYSTEM) if _takes_systems(scene) else (Role.ASSISTANT,)
    record = next((r for r in sent if columns.roles[r] in speaks), -1)
    if record < 0:
        return  # Nobody has spoken.
    if any(not link.first for link in scene.thread.links):
        return  # What precedes it is only cut off: the break in the chain is the finding.
    if scene.session.answering and max(scene.pairing.turns) == 0:
        return  # A provider's answer alone: what it answers was sent to it.
    severity = Severity.INFO if scene.format.prompt_apart else None
    calls = any(columns.block_kinds[row] == BlockKind.CALL for row in columns.rows(record))
    text = _SYSTEM_FIRST if columns.roles[record] == Role.SYSTEM else "The history begins with an assistant message."
    case = "call" * (calls and record == sent[0])
    yield Hit(rule=CODE, message=text, record=record, severity=severity, case=case, strategies=_PREPENDED)


def _takes_systems(scene: Scene) -> bool:
    """Whether messages of the system stand among the others as they are, and behind the user's."""
    return scene.is_sent_as_it_stands and scene.profile.user_first


def _system_before_user(scene: Scene) -> Hits:
    roles = scene.columns.roles
    first = next(record for record in scene.thread.path if roles[record] not in _NOT_SENT)
    if roles[first] == Role.SYSTEM and _takes_systems(scene):
        yield Hit(rule=CODE, message=_SYSTEM_FIRST, record=first, strategies=_MOVED, default=_MOVED[0])
