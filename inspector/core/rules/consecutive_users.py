"""Two messages of the user in a row.

What it finds: a user message right behind another one, in the messages of an API that wants the roles to alternate
(Bedrock). Other APIs and agents write them, and read them as one.
Why it hurts: "A conversation must alternate between user and assistant roles."
Example: u"hi" | u"are you there?"
Repairs: merge (one message; nothing is lost).
"""

from inspector.core.index.columns import Role
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage

CODE = "M3"
ROW = Row("consecutive-users", Stage.SPEAKERS, ("merge messages", "leave"))


def find(scene: Scene) -> Hits:
    if scene.is_sent_as_it_stands and scene.profile.alternates:
        for record in scene.followers(Role.USER, Role.TOOL):
            yield Hit(rule=CODE, message="A user message follows another one.", record=record)
