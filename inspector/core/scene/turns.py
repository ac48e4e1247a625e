"""A path divided as its provider reads it: into messages, and into the turns of those who speak."""

from __future__ import annotations

from array import array

from msgspec import Struct

from inspector.core.index.columns import Columns, Role
from inspector.core.index.views import BlockKind

_RESULT = int(BlockKind.RESULT)
_ASSISTANT, _USER, _TOOL, _SYSTEM = int(Role.ASSISTANT), int(Role.USER), int(Role.TOOL), int(Role.SYSTEM)
_SILENT = (int(Role.OPAQUE), int(Role.LINK))


class PathTurns(Struct):
    """The number of the message and of the turn of each record of a path, -1 for what is no message.

    `first_role` is who speaks first but for the system, -1 for nobody.
    """

    messages: array[int]
    turns: array[int]
    first_role: int
    assistant_turns: array[int]


def divide_into_turns(
    columns: Columns,
    kinds: bytearray,
    path: array[int],
    results_as_user: bool,
    merge_assistant: bool,
    merge_fragments: bool,
) -> PathTurns:
    """A path in messages and turns; with `joined` neighbouring messages of the assistant are one turn.

    With `folds`, fragments of one message id up to the next prompt, whatever lies between them, and neighbouring user
    records count as one message. `results_as_user`: the provider takes results in the user's turn.
    """
    roles, first, groups = columns.roles, columns.first_block, columns.groups
    messages, turns, assistant_turns = array("i"), array("i"), array("i")
    message = turn = role_of_turn = -1
    began: dict[str, tuple[int, int]] = {}  # message and turn of what fragments may still join, by their id
    for position, record in enumerate(path):
        role = roles[record]
        if role == _ASSISTANT:
            group = groups[record]
            own = began.get(group) if group is not None else None
            if own is None:
                if role_of_turn != _ASSISTANT or not merge_assistant:
                    turn += 1
                    assistant_turns.append(turn)
                message = message + 1 if merge_fragments else position
                role_of_turn = _ASSISTANT
                own = message, turn
                if group is not None:
                    began[group] = own
            messages.append(own[0])
            turns.append(own[1])
            continue
        if role in _SILENT:
            messages.append(-1)
            turns.append(-1)
            continue
        wire = role
        if role == _TOOL or (role == _USER and _RESULT in kinds[first[record] : first[record + 1]]):
            wire = _USER if results_as_user else _TOOL
        elif role in (_USER, _SYSTEM):
            began.clear()
        if wire != role_of_turn or wire == _SYSTEM or (wire == _USER and not results_as_user):
            if wire != _SYSTEM or turn >= 0:
                turn += 1
            message = message + 1 if merge_fragments else position
        elif not merge_fragments:
            message = position
        elif role == _TOOL and not results_as_user:
            message += 1
        role_of_turn = wire
        messages.append(message)
        turns.append(turn)
    speakers = (roles[record] for record in path)
    first_role = next((role for role in speakers if role not in _SILENT and role != _SYSTEM), -1)
    return PathTurns(messages, turns, first_role, assistant_turns)
