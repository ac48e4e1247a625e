"""The one pairing of calls and results: an ordered walk over what the agent would send.

A result answers the newest unanswered call with its id that comes before it, never across a reuse of that id; within
one turn the first call gets the first result. Matching by sets of ids hides a missing result wherever an id recurs.

Merged; to be rewritten:
`turns`: A path divided as its provider reads it: into messages, and into the turns of those who speak.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from functools import partial

from msgspec import Struct, field

from inspector.core.model.columns import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.profile import Profile

_CALL, _TEXT = int(BlockKind.CALL), int(BlockKind.TEXT)
_TOLD = int(BlockKind.TOLD_RESULT)
_BLANK, _BAD_INPUT, _FAMILY = BlockFlag.BLANK, BlockFlag.BAD_INPUT, BlockFlag.CALL_TYPE_MASK
_SAYS_NOTHING = BlockFlag.BLANK | BlockFlag.PLACEHOLDER  # of a result; what stands in for one is the greater


class PairingState(IntEnum):
    """Where a tool block stands. The states from DISPLACED on are of results."""

    OPEN = 0
    PAIRED = 1
    DISPLACED = 2
    AFTER_OTHER_CONTENT = 3
    DUPLICATE = 4
    BEFORE_CALL = 5
    ORPHAN = 6


# Enums compare slowly, and blocks are many.
_OPEN, _PAIRED, _DISPLACED, _MIXED, _DUPLICATE, _EARLY, _ORPHAN = map(int, PairingState)


class Pairing(Struct):
    """What the walk found. Tool blocks are numbered in path order; `rows` gives their block, `at` their path position.

    `messages` and `turns` run along the path: the provider's message number, and the turn after joining neighbours
    (-1 for records that are no message). `peers` is the counterpart's number or -1. The lists hold tool block numbers,
    except `blank`: (block row or -1 for a message without any, path position).
    """

    path: array[int]
    messages: array[int]
    turns: array[int]
    first_role: int
    assistant_turns: array[int]
    block_rows: array[int] = field(default_factory=partial(array, "I"))
    path_positions: array[int] = field(default_factory=partial(array, "I"))
    counterparts: array[int] = field(default_factory=partial(array, "i"))
    states: bytearray = field(default_factory=bytearray)
    unanswered: list[int] = []
    unexpected_results: list[int] = []
    reused_ids: list[int] = []
    repeated_ids: list[int] = []
    calls_without_id: list[int] = []
    calls_with_bad_input: list[int] = []
    in_wrong_role: list[int] = []
    blank_blocks: list[tuple[int, int]] = []

    @property
    def is_clean(self) -> bool:
        """Whether every call has its result in its place and nothing else was noticed."""
        lists = (self.unanswered, self.unexpected_results, self.reused_ids, self.repeated_ids, self.calls_without_id)
        return not any(lists) and not (self.calls_with_bad_input or self.in_wrong_role or self.blank_blocks)

    def turn_of(self, tool: int) -> int:
        return self.turns[self.path_positions[tool]]

    def message_of(self, tool: int) -> int:
        return self.messages[self.path_positions[tool]]

    def record_of(self, tool: int) -> int:
        return self.path[self.path_positions[tool]]


def pair_calls_and_results(
    columns: Columns,
    path: array[int],
    profile: Profile,
    *,
    merge_fragments: bool,
    results_in_call_record: bool = False,
    parts_are_records: bool = False,
    ignored_rows: frozenset[int] = frozenset(),
    separate_assistant_messages: bool = False,
) -> Pairing:
    """Walk `path`. With `folds`, fragments of one message id and neighbouring user records count as one message.

    With `apart`, the agent sends neighbouring messages of the assistant one by one, even where the provider would read
    them as one: a result has to stand right behind its call's own message, for that is where the agent looks for it.
    With `inline`, a result may stand in the record of its call and is in its place there. With `items`, every part of
    a message is a record of its own. The block rows `passed_over` are neither calls nor results. Linear in the records.
    """
    kinds, flags = columns.block_kinds, columns.block_flags
    if ignored_rows:
        kinds = bytearray(0 if row in ignored_rows else kind for row, kind in enumerate(kinds))
    joins_assistants, results_as = profile.turn_rules
    joined = (joins_assistants and not separate_assistant_messages) or parts_are_records
    divided = divide_into_turns(columns, kinds, path, results_as == Role.USER, joined, merge_fragments)
    found = Pairing(path, divided.messages, divided.turns, divided.first_role, divided.assistant_turns)
    walk = _Walk(columns, kinds, results_in_call_record, found)
    walk.bind()
    early = _bind_early(walk.orphans, walk.first_after_orphan, found.counterparts, found.states)
    if merge_fragments and early:
        _place_fragments(early, walk.beside_orphan, found)
    _prefer_real(flags, found)
    found.unanswered = [tool for tool in _open_tools(found.states) if kinds[found.block_rows[tool]] == _CALL]
    return found


class _Walk:
    """The walk that binds results to calls. Afterwards `orphans` are the results without a call before them, by id.

    `first_after_orphan` has the first call behind such a result, and `beside_orphan` the newest record of its turn that
    holds more than results, where there is one before it.
    """

    def __init__(self, columns: Columns, kinds: bytearray, inline: bool, found: Pairing) -> None:
        self._columns, self._kinds, self._inline = columns, kinds, inline
        self._flags, self._ids, self._found = columns.block_flags, columns.call_ids, found
        # The newest call by its id; where a turn has several with one id: how many are answered, and they in order.
        self._newest: dict[str, int] = {}
        self._several: dict[str, list[int]] = {}
        self._beside = -1  # the newest record of the turn that holds more than results
        self.orphans: dict[str, list[int]] = {}
        self.first_after_orphan: dict[str, int] = {}
        self.beside_orphan: dict[int, int] = {}

    def bind(self) -> None:
        roles, first, kinds, flags = self._columns.roles, self._columns.first_block, self._kinds, self._flags
        found, rows, at, blank, newest_turn = (
            self._found,
            self._found.block_rows,
            self._found.path_positions,
            self._found.blank_blocks,
            -1,
        )
        for position, (record, turn) in enumerate(zip(found.path, found.turns, strict=True)):
            role = roles[record]
            if turn < 0 and role != _SYSTEM:
                continue
            low, high = first[record], first[record + 1]
            if turn > newest_turn:
                newest_turn, self._beside = turn, -1
            if low == high and role != _SYSTEM:
                blank.append((-1, position))
            for row in range(low, high):
                kind = kinds[row]
                if kind == _CALL:
                    rows.append(row)
                    at.append(position)
                    self._call(row, record, turn, role)
                elif kind == _RESULT:
                    rows.append(row)
                    at.append(position)
                    self._result(row, record, turn, role)
                else:
                    if kind == _TOLD:
                        self._told(row, position)
                    elif kind == _TEXT and flags[row] & _BLANK:
                        blank.append((row, position))
                    if role != _ASSISTANT:
                        self._beside = record

    def _call(self, row: int, record: int, turn: int, role: int) -> None:
        found, key, flags = self._found, self._ids[row] or "", self._flags[row]
        tool = len(found.counterparts)
        found.counterparts.append(-1)
        found.states.append(_OPEN)
        if flags & _BAD_INPUT:
            found.calls_with_bad_input.append(tool)
        if not key:
            found.calls_without_id.append(tool)
        elif flags & _FAMILY:
            key = f"{flags & _FAMILY}:{key}"
        if role != _ASSISTANT:
            found.in_wrong_role.append(tool)
            self._beside = record
        known = self._newest.get(key)
        self._newest[key] = tool
        if known is None:
            if key in self.orphans:
                self.first_after_orphan[key] = tool
        elif found.turns[found.path_positions[known]] == turn:
            self._several.setdefault(key, [int(found.counterparts[known] >= 0), known]).append(tool)
            if key:
                found.repeated_ids.append(tool)
        else:
            self._several.pop(key, None)
            if key:
                found.reused_ids.append(tool)

    def _result(self, row: int, record: int, turn: int, role: int) -> None:
        found, key, family = self._found, self._ids[row] or "", self._flags[row] & _FAMILY
        if family:
            key = f"{family}:{key}"
        peers, in_call = found.counterparts, self._inline and role == _ASSISTANT
        tool = len(peers)
        call = self._newest.get(key)
        alike = self._several.get(key) if self._several else None
        if call is None:
            call, state = -1, _ORPHAN
            self.orphans.setdefault(key, []).append(tool)
            if self._beside >= 0:
                self.beside_orphan[tool] = self._beside
        elif peers[call] >= 0 if alike is None else alike[0] == len(alike) - 1:
            call, state = call if alike is None else alike[-1], _DUPLICATE
        else:
            if alike is not None:
                if in_call and alike[-1] == tool - 1:
                    # It stands in this very call, whichever others of its id are open.
                    alike.insert(1 + alike[0], alike.pop())
                alike[0] += 1
                call = alike[alike[0]]
            peers[call], found.states[call] = tool, _PAIRED
            is_next = turn == found.turns[found.path_positions[call]] + 1
            if in_call or (is_next and self._beside < 0):
                state = _PAIRED
            else:
                state = _MIXED if is_next and self._beside == record else _DISPLACED
        peers.append(call)
        found.states.append(state)
        if state != _PAIRED:
            found.unexpected_results.append(tool)
        if role in (_ASSISTANT, _SYSTEM) and not in_call:
            found.in_wrong_role.append(tool)

    def _told(self, row: int, position: int) -> None:
        """Its format has found the call that it answers; to the provider it is text, wherever it stands."""
        found, call_id = self._found, self._ids[row] or ""
        call, alike = self._newest.get(call_id) if call_id else None, self._several.get(call_id)
        if call is not None and alike is not None:
            alike[0] += alike[0] < len(alike) - 1
            call = alike[alike[0]]
        if call is not None and found.counterparts[call] < 0:
            found.counterparts[call], found.states[call] = len(found.block_rows), _PAIRED
            found.block_rows.append(row)
            found.path_positions.append(position)
            found.counterparts.append(call)
            found.states.append(_PAIRED)


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
            states[result] = PairingState.BEFORE_CALL
        if len(results) == 1 and states[call] == PairingState.OPEN:
            peers[results[0]], peers[call] = call, results[0]
            states[call] = PairingState.PAIRED
            bound.append(results[0])
    return bound


def _place_fragments(early: list[int], beside: dict[int, int], found: Pairing) -> None:
    """A result between the fragments of its call's message is in its place once these are joined, unless behind text.

    `beside` has the record with that text, by the result.
    """
    joined = {result for result in early if found.turn_of(result) == found.turn_of(found.counterparts[result]) + 1}
    for result in joined:
        behind = (
            PairingState.AFTER_OTHER_CONTENT
            if beside.get(result) == found.record_of(result)
            else PairingState.DISPLACED
        )
        found.states[result] = behind if result in beside else PairingState.PAIRED
    in_place = joined.difference(beside)
    if in_place:
        found.unexpected_results = [tool for tool in found.unexpected_results if tool not in in_place]


def _prefer_real(flags: array[int], found: Pairing) -> None:
    """A real result takes the place of a stand-in, or of one that says nothing, that came before it.

    That one becomes the duplicate. What says nothing may be a real result, and comes before a stand-in.
    """
    rows, peers, states = found.block_rows, found.counterparts, found.states
    swapped = []
    for tool in found.unexpected_results:
        if states[tool] != PairingState.DUPLICATE:
            continue
        call = peers[tool]
        stand_in = peers[call]
        if flags[rows[tool]] & _SAYS_NOTHING >= flags[rows[stand_in]] & _SAYS_NOTHING:
            continue
        same_turn = found.turn_of(tool) == found.turn_of(stand_in)
        peers[call] = tool
        states[tool] = states[stand_in] if same_turn else PairingState.DISPLACED
        states[stand_in] = PairingState.DUPLICATE
        swapped.append(stand_in)
    if swapped:
        found.unexpected_results = sorted(
            {tool for tool in [*found.unexpected_results, *swapped] if states[tool] != PairingState.PAIRED}
        )


def _open_tools(states: bytearray) -> list[int]:
    found, at = [], states.find(0)
    while at >= 0:
        found.append(at)
        at = states.find(0, at + 1)
    return found


# A path divided as its provider reads it: into messages, and into the turns of those who speak.

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
