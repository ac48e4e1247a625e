"""Which records each message is made of that goes out, where a record is several messages to its provider."""

from inspector.core.formats.bases.agent import Sender
from inspector.core.index.columns import Role
from inspector.core.scene.once import once
from inspector.core.scene.scene import Scene

_APART = frozenset({"openai-chat", "openai-responses"})  # wires in which every result is a message of its own


@once
def sent_messages(scene: Scene) -> list[list[int]]:
    """The records of each message, by the provider's number from 0; none where a record is one message at most.

    An `inline` format keeps calls and results in one record, and maybe several responses of the model.
    """
    if not (scene.format.inline and isinstance(scene.format, Sender) and scene.thread is scene.session.main):
        return []
    request = scene.format.request(scene.session, scene.columns, scene.raw)
    found: list[list[int]] = []
    for message in request.messages:
        records = [scene.columns.record_of(block.row) for block in message.blocks]
        if message.role == Role.TOOL and request.wire in _APART:
            found += [[record] for record in records]
        else:
            found.append(list(dict.fromkeys(records)))
    return found
