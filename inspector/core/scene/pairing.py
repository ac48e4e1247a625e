"""The one pairing of calls and results: an ordered walk over what the agent would send.

A result answers the newest unanswered call with its id that comes before it, never across a reuse of that id; within
one turn the first call gets the first result. Matching by sets of ids hides a missing result wherever an id recurs.
"""

from __future__ import annotations

from array import array
from enum import IntEnum

from msgspec import Struct

from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockKind
from inspector.core.profiles.profile import Profile

_CALL, _RESULT, _TEXT = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.TEXT)
_TOLD = int(BlockKind.TOLD_RESULT)
_ASSISTANT, _USER, _TOOL, _SYSTEM = int(Role.ASSISTANT), int(Role.USER), int(Role.TOOL), int(Role.SYSTEM)
_BLANK, _BAD_INPUT, _FAMILY = Flag.BLANK, Flag.BAD_INPUT, Flag.FAMILY
_SAYS_NOTHING = Flag.BLANK | Flag.PLACEHOLDER  # of a result; what stands in for one is the greater


class State(IntEnum):
    """Where a tool block stands. The states from DISPLACED on are of results."""

    OPEN = 0
    PAIRED = 1
    DISPLACED = 2
    MIXED = 3
    DUPLICATE = 4
    EARLY = 5
    ORPHAN = 6


class Pairing(Struct):
    """What the walk found. Tool blocks are numbered in path order; `rows` gives their block, `at` their path position.

    `messages` and `turns` run along the path: the provider's message number, and the turn after joining neighbours
    (-1 for records that are no message). `peers` is the counterpart's number or -1. The lists hold tool block numbers,
    except `blank`: (block row or -1 for a message without any, path position).
    """

    path: array[int]
    messages: array[int]
    turns: array[int]
    rows: array[int]
    at: array[int]
    peers: array[int]
    states: bytearray
    unanswered: list[int]
    odd_results: list[int]
    reused: list[int]
    repeated: list[int]
    nameless: list[int]
    bad_input: list[int]
    misplaced: list[int]
    blank: list[tuple[int, int]]
    first_role: int
    assistant_turns: array[int]

    @property
    def clean(self) -> bool:
        """Whether every call has its result in its place and nothing else was noticed."""
        lists = (self.unanswered, self.odd_results, self.reused, self.repeated, self.nameless)
        return not any(lists) and not (self.bad_input or self.misplaced or self.blank)

    def turn(self, tool: int) -> int:
        return self.turns[self.at[tool]]

    def message(self, tool: int) -> int:
        return self.messages[self.at[tool]]

    def record(self, tool: int) -> int:
        return self.path[self.at[tool]]


def pair(
    columns: Columns,
    path: array[int],
    profile: Profile,
    folds: bool,
    inline: bool = False,
    items: bool = False,
    passed_over: frozenset[int] = frozenset(),
    apart: bool = False,
) -> Pairing:
    """Walk `path`. With `folds`, fragments of one message id and neighbouring user records count as one message.

    With `apart`, the agent sends neighbouring messages of the assistant one by one, even where the provider would read
    them as one: a result has to stand right behind its call's own message, for that is where the agent looks for it.
    With `inline`, a result may stand in the record of its call and is in its place there. With `items`, every part of
    a message is a record of its own. The block rows `passed_over` are neither calls nor results. Linear in the records.
    """
    roles, kinds, flags = columns.roles, columns.block_kinds, columns.block_flags
    if passed_over:
        kinds = bytearray(0 if row in passed_over else kind for row, kind in enumerate(kinds))
    first, groups, ids = columns.first, columns.groups, columns.call_ids
    joins_assistants, results_as = profile.reading
    results_as_user = results_as == Role.USER
    joins_assistants = (joins_assistants and not apart) or items
    messages, turns = array("i"), array("i")
    rows, at, peers, states = array("I"), array("I"), array("i"), bytearray()
    odd: list[int] = []
    reused: list[int] = []
    repeated: list[int] = []
    nameless: list[int] = []
    bad_input: list[int] = []
    misplaced: list[int] = []
    blank: list[tuple[int, int]] = []
    orphans: dict[str, list[int]] = {}
    first_after_orphan: dict[str, int] = {}
    # The newest call by its id; where a turn has several with one id: how many of them are answered, and they in order.
    newest: dict[str, int] = {}
    several: dict[str, list[int]] = {}
    assistant_turns = array("i")
    message = turn = -1
    role_of_turn = first_role = -1
    open_group: str | None = None
    open_message = open_turn = -1
    dirty = -1
    for position, record in enumerate(path):
        role = roles[record]
        if role == 0 or role == 5:
            messages.append(-1)
            turns.append(-1)
            continue
        low, high = first[record], first[record + 1]
        if first_role < 0 and role != _SYSTEM:
            first_role = role
        if role == _ASSISTANT:
            group = groups[record]
            if group is not None and group == open_group:
                message_here, turn_here = open_message, open_turn
            else:
                if role_of_turn != _ASSISTANT or not joins_assistants:
                    turn += 1
                    assistant_turns.append(turn)
                message = message + 1 if folds else position
                role_of_turn, dirty = _ASSISTANT, -1
                open_group, open_message, open_turn = group, message, turn
                message_here, turn_here = message, turn
        else:
            wire = role
            if role == _TOOL or (role == _USER and _RESULT in kinds[low:high]):
                wire = _USER if results_as_user else _TOOL
            elif role in (_USER, _SYSTEM):
                open_group = None
            if wire != role_of_turn or wire == _SYSTEM or (wire == _USER and not results_as_user):
                if wire != _SYSTEM or turn >= 0:
                    turn += 1
                dirty = -1
                message = message + 1 if folds else position
            elif not folds:
                message = position
            elif role == _TOOL and not results_as_user:
                message += 1
            role_of_turn = wire
            message_here, turn_here = message, turn
        messages.append(message_here)
        turns.append(turn_here)
        if low == high and role != _SYSTEM:
            blank.append((-1, position))
        for row in range(low, high):
            kind = kinds[row]
            if kind == _CALL:
                tool = len(rows)
                rows.append(row)
                at.append(position)
                peers.append(-1)
                states.append(0)
                if flags[row] & _BAD_INPUT:
                    bad_input.append(tool)
                call_id = ids[row]
                if not call_id:
                    nameless.append(tool)
                    call_id = ""
                elif flags[row] & _FAMILY:
                    call_id = f"{flags[row] & _FAMILY}:{call_id}"
                if role != _ASSISTANT:
                    misplaced.append(tool)
                    dirty = record
                known = newest.get(call_id)
                newest[call_id] = tool
                if known is None:
                    if call_id in orphans:
                        first_after_orphan[call_id] = tool
                elif turns[at[known]] == turn_here:
                    several.setdefault(call_id, [int(peers[known] >= 0), known]).append(tool)
                    if call_id:
                        repeated.append(tool)
                else:
                    several.pop(call_id, None)
                    if call_id:
                        reused.append(tool)
            elif kind == _RESULT:
                tool = len(rows)
                rows.append(row)
                at.append(position)
                call_id = ids[row] or ""
                if flags[row] & _FAMILY:
                    call_id = f"{flags[row] & _FAMILY}:{call_id}"
                in_call = inline and role == _ASSISTANT
                known = newest.get(call_id)
                alike = several.get(call_id) if several else None
                if known is None:
                    peers.append(-1)
                    states.append(6)
                    odd.append(tool)
                    orphans.setdefault(call_id, []).append(tool)
                elif peers[known] >= 0 if alike is None else alike[0] == len(alike) - 1:
                    peers.append(known if alike is None else alike[-1])
                    states.append(4)
                    odd.append(tool)
                else:
                    if alike is not None:
                        if in_call and alike[-1] == tool - 1:
                            # It stands in this very call, whichever others of its id are open.
                            alike.insert(1 + alike[0], alike.pop())
                        alike[0] += 1
                        known = alike[alike[0]]
                    peers.append(known)
                    peers[known] = tool
                    states[known] = 1
                    turn_of_call = turns[at[known]]
                    if in_call or (turn_here == turn_of_call + 1 and dirty < 0):
                        states.append(1)
                    elif turn_here == turn_of_call + 1 or role == _ASSISTANT:
                        states.append(3 if dirty == record else 2)
                        odd.append(tool)
                    else:
                        states.append(2)
                        odd.append(tool)
                if role == _ASSISTANT and not in_call:
                    misplaced.append(tool)
            else:
                known = newest.get(ids[row] or "") if kind == _TOLD and ids[row] else None
                if known is not None and (alike := several.get(ids[row] or "")) is not None:
                    alike[0] += alike[0] < len(alike) - 1
                    known = alike[alike[0]]
                if known is not None and peers[known] < 0:
                    # Its format has found the call that it answers; to the provider it is text, wherever it stands.
                    peers[known] = len(rows)
                    states[known] = 1
                    rows.append(row)
                    at.append(position)
                    peers.append(known)
                    states.append(1)
                if role != _ASSISTANT:
                    dirty = record
                if kind == _TEXT and flags[row] & _BLANK:
                    blank.append((row, position))
    early = _bind_early(orphans, first_after_orphan, peers, states)
    if folds and early:
        odd = _without_fragments_of_their_message(early, odd, at, turns, peers, states)
    odd = _prefer_real(flags, rows, at, turns, peers, states, odd)
    unanswered = [tool for tool in _open_tools(states) if kinds[rows[tool]] == _CALL]
    return Pairing(
        path, messages, turns, rows, at, peers, states, unanswered, odd, reused, repeated, nameless, bad_input,
        misplaced, blank, first_role, assistant_turns,
    )  # fmt: skip


def _bind_early(
    orphans: dict[str, list[int]], calls: dict[str, int], peers: array[int], states: bytearray
) -> list[int]:
    """A result whose only call comes after it: bound when nothing else claims that call, else only told apart.

    Those that were bound are returned.
    """
    bound = []
    for call_id, call in calls.items():
        results = orphans[call_id]
        for result in results:
            states[result] = State.EARLY
        if len(results) == 1 and states[call] == State.OPEN:
            peers[results[0]], peers[call] = call, results[0]
            states[call] = State.PAIRED
            bound.append(results[0])
    return bound


def _without_fragments_of_their_message(
    early: list[int], odd: list[int], at: array[int], turns: array[int], peers: array[int], states: bytearray
) -> list[int]:
    """A result between the fragments of its call's message is in its place once these are joined."""
    joined = {result for result in early if turns[at[result]] == turns[at[peers[result]]] + 1}
    for result in joined:
        states[result] = State.PAIRED
    return [tool for tool in odd if tool not in joined] if joined else odd


def _prefer_real(
    flags: bytearray,
    rows: array[int],
    at: array[int],
    turns: array[int],
    peers: array[int],
    states: bytearray,
    odd: list[int],
) -> list[int]:
    """A real result takes the place of a stand-in, or of one that says nothing, that came before it.

    That one becomes the duplicate. What says nothing may be a real result, and comes before a stand-in.
    """
    swapped = []
    for tool in odd:
        if states[tool] != State.DUPLICATE:
            continue
        call = peers[tool]
        stand_in = peers[call]
        if flags[rows[tool]] & _SAYS_NOTHING >= flags[rows[stand_in]] & _SAYS_NOTHING:
            continue
        same_turn = turns[at[tool]] == turns[at[stand_in]]
        peers[call] = tool
        states[tool] = states[stand_in] if same_turn else State.DISPLACED
        states[stand_in] = State.DUPLICATE
        swapped.append(stand_in)
    if not swapped:
        return odd
    return sorted({tool for tool in [*odd, *swapped] if states[tool] != State.PAIRED})


def _open_tools(states: bytearray) -> list[int]:
    found, at = [], states.find(0)
    while at >= 0:
        found.append(at)
        at = states.find(0, at + 1)
    return found
