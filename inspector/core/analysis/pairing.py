"""The pairing of tool calls with their results, and the division of a path into messages and turns.

Pairing is an ordered walk over what the agent would send. A result answers the newest unanswered call with its id that
comes before it, never across a reuse of that id. Within one turn the first call gets the first result. Matching by sets
of ids would hide a missing result wherever an id recurs.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from functools import partial

from msgspec import Struct, field

from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.profile import Profile

_CALL, _TEXT = int(BlockKind.CALL), int(BlockKind.TEXT)
_TOLD = int(BlockKind.TOLD_RESULT)
_BLANK, _BAD_INPUT, _FAMILY = BlockFlag.BLANK, BlockFlag.BAD_INPUT, BlockFlag.CALL_TYPE_MASK
_RESULT = int(BlockKind.RESULT)
_ASSISTANT, _USER, _TOOL, _SYSTEM = int(Role.ASSISTANT), int(Role.USER), int(Role.TOOL), int(Role.SYSTEM)
_SILENT = (int(Role.OPAQUE), int(Role.LINK))
_SAYS_NOTHING = BlockFlag.BLANK | BlockFlag.PLACEHOLDER  # flags of a result; PLACEHOLDER is the greater of the two


class PairingState(IntEnum):
    """The state of a tool block. The states from DISPLACED on apply to results only."""

    OPEN = 0
    PAIRED = 1
    DISPLACED = 2
    AFTER_OTHER_CONTENT = 3
    DUPLICATE = 4
    BEFORE_CALL = 5
    ORPHAN = 6


# Plain integers, because enums compare slowly and there are many blocks.
_OPEN, _PAIRED, _DISPLACED, _MIXED, _DUPLICATE, _EARLY, _ORPHAN = map(int, PairingState)


class PathPairing(Struct):
    """The result of pairing. Tool blocks are numbered in path order.

    `messages` and `turns` run along the path. They hold the message number of the provider and the turn after neighbors
    are joined, -1 for records that are not messages. `block_rows` and `path_positions` hold the block row and the path
    position of each tool block. `counterparts` holds the number of the tool block it is paired with, or -1. The lists
    hold tool block numbers, except `blank_blocks`, which holds (block row, path position) with row -1 for a message
    without blocks.
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
        """Whether every call has its result in the right place and nothing else was noticed."""
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
) -> PathPairing:
    """Pair the calls and results on `path`. The time is linear in the number of records.

    With `merge_fragments`, fragments of one message id and neighboring user records count as one message. With
    `results_in_call_record`, a result may be in the record of its call and is in the right place there. With
    `parts_are_records`, every part of a message is a record of its own. The block rows in `ignored_rows` are neither
    calls nor results.

    With `separate_assistant_messages`, the agent sends neighboring messages of the assistant one by one, even where the
    provider would read them as one. A result must then come right after the message of its call, because that is where
    the agent looks for it.
    """
    kinds = columns.block_kinds
    if ignored_rows:
        kinds = bytearray(0 if row in ignored_rows else kind for row, kind in enumerate(kinds))
    merges_assistants, result_role = profile.turn_rules
    merge_assistant = (merges_assistants and not separate_assistant_messages) or parts_are_records
    path_turns = divide_into_turns(columns, kinds, path, result_role == Role.USER, merge_assistant, merge_fragments)
    pairing = PathPairing(
        path, path_turns.messages, path_turns.turns, path_turns.first_role, path_turns.assistant_turns
    )
    walk = _Walk(columns, kinds, results_in_call_record, pairing)
    walk.bind()
    early_results = _bind_early(walk.orphans, walk.first_after_orphan, pairing.counterparts, pairing.states)
    if merge_fragments and early_results:
        _place_fragments(early_results, walk.beside_orphan, pairing)
    if merge_fragments and pairing.repeated_ids:
        _bind_to_parents(columns, kinds, pairing)
    _prefer_real(columns, pairing)
    pairing.unanswered = [tool for tool in _open_tools(pairing.states) if kinds[pairing.block_rows[tool]] == _CALL]
    return pairing


class _Walk:
    """The walk that binds results to calls.

    Afterwards `orphans` holds the results without a call before them, by id. `first_after_orphan` holds the first call
    after such a result, by id. `beside_orphan` holds, by orphan, the newest record of its turn up to that point that
    contains anything other than results.
    """

    def __init__(self, columns: Columns, kinds: bytearray, inline: bool, pairing: PathPairing) -> None:
        self._columns, self._kinds, self._inline = columns, kinds, inline
        self._flags, self._ids, self._found = columns.block_flags, columns.call_ids, pairing
        # The newest call by id. Where a turn has several calls with one id: the index of the newest answered one in
        # this list, followed by the calls in order.
        self._newest: dict[str, int] = {}
        self._several: dict[str, list[int]] = {}
        # The type of the first call by id. Results are bound by type and id, but servers may keep one map of ids.
        self._call_types: dict[str, int] = {}
        self._beside = -1  # the newest record of the turn that contains anything other than results
        self.orphans: dict[str, list[int]] = {}
        self.first_after_orphan: dict[str, int] = {}
        self.beside_orphan: dict[int, int] = {}

    def bind(self) -> None:
        """Walk the path and bind every result to its call."""
        roles, first, kinds, flags = self._columns.roles, self._columns.first_block, self._kinds, self._flags
        pairing, rows, path_positions, blank, newest_turn = (
            self._found,
            self._found.block_rows,
            self._found.path_positions,
            self._found.blank_blocks,
            -1,
        )
        for position, (record, turn) in enumerate(zip(pairing.path, pairing.turns, strict=True)):
            role = roles[record]
            if turn < 0 and role != _SYSTEM:
                continue
            first_row, end_row = first[record], first[record + 1]
            if turn > newest_turn:
                newest_turn, self._beside = turn, -1
            if first_row == end_row and role != _SYSTEM:
                blank.append((-1, position))
            for row in range(first_row, end_row):
                kind = kinds[row]
                if kind == _CALL:
                    rows.append(row)
                    path_positions.append(position)
                    self._call(row, record, turn, role)
                elif kind == _RESULT:
                    rows.append(row)
                    path_positions.append(position)
                    self._result(row, record, turn, role)
                else:
                    if kind == _TOLD:
                        self._told(row, position)
                    elif kind == _TEXT and flags[row] & _BLANK:
                        blank.append((row, position))
                    if role != _ASSISTANT:
                        self._beside = record

    def _call(self, row: int, record: int, turn: int, role: int) -> None:
        pairing, key, flags = self._found, self._ids[row] or "", self._flags[row]
        tool = len(pairing.counterparts)
        pairing.counterparts.append(-1)
        pairing.states.append(_OPEN)
        if flags & _BAD_INPUT:
            pairing.calls_with_bad_input.append(tool)
        if not key:
            pairing.calls_without_id.append(tool)
        type_ = flags & _FAMILY
        is_of_other_type = bool(key) and self._call_types.setdefault(key, type_) != type_
        if key and type_:
            key = f"{type_}:{key}"
        if role != _ASSISTANT:
            pairing.in_wrong_role.append(tool)
            self._beside = record
        earlier = self._newest.get(key)
        self._newest[key] = tool
        if earlier is None:
            if key in self.orphans:
                self.first_after_orphan[key] = tool
            if is_of_other_type:
                pairing.reused_ids.append(tool)
        elif pairing.turns[pairing.path_positions[earlier]] == turn:
            self._several.setdefault(key, [int(pairing.counterparts[earlier] >= 0), earlier]).append(tool)
            if key:
                pairing.repeated_ids.append(tool)
        else:
            self._several.pop(key, None)
            if key:
                pairing.reused_ids.append(tool)

    def _result(self, row: int, record: int, turn: int, role: int) -> None:
        pairing, key, family = self._found, self._ids[row] or "", self._flags[row] & _FAMILY
        if family:
            key = f"{family}:{key}"
        peers, in_call = pairing.counterparts, self._inline and role == _ASSISTANT
        tool = len(peers)
        call = self._newest.get(key)
        same_id_calls = self._several.get(key) if self._several else None
        if call is None:
            call, state = -1, _ORPHAN
            self.orphans.setdefault(key, []).append(tool)
            if self._beside >= 0:
                self.beside_orphan[tool] = self._beside
        elif peers[call] >= 0 if same_id_calls is None else same_id_calls[0] == len(same_id_calls) - 1:
            call, state = call if same_id_calls is None else same_id_calls[-1], _DUPLICATE
        else:
            if same_id_calls is not None:
                if in_call and same_id_calls[-1] == tool - 1:
                    # The result is inside this very call, whichever other calls with its id are open.
                    same_id_calls.insert(1 + same_id_calls[0], same_id_calls.pop())
                same_id_calls[0] += 1
                call = same_id_calls[same_id_calls[0]]
            peers[call], pairing.states[call] = tool, _PAIRED
            is_next = turn == pairing.turns[pairing.path_positions[call]] + 1
            if in_call or (is_next and self._beside < 0):
                state = _PAIRED
            else:
                state = _MIXED if is_next and self._beside == record else _DISPLACED
        peers.append(call)
        pairing.states.append(state)
        if state != _PAIRED:
            pairing.unexpected_results.append(tool)
        if role in (_ASSISTANT, _SYSTEM) and not in_call:
            pairing.in_wrong_role.append(tool)

    def _told(self, row: int, position: int) -> None:
        """Bind a result that its format found in a text.

        The format has already found the call. To the provider it is text, so its position does not matter.
        """
        pairing, call_id = self._found, self._ids[row] or ""
        call, same_id_calls = self._newest.get(call_id) if call_id else None, self._several.get(call_id)
        if call is not None and same_id_calls is not None:
            same_id_calls[0] += same_id_calls[0] < len(same_id_calls) - 1
            call = same_id_calls[same_id_calls[0]]
        if call is not None and pairing.counterparts[call] < 0:
            pairing.counterparts[call], pairing.states[call] = len(pairing.block_rows), _PAIRED
            pairing.block_rows.append(row)
            pairing.path_positions.append(position)
            pairing.counterparts.append(call)
            pairing.states.append(_PAIRED)


def _bind_early(
    orphans: dict[str, list[int]], calls: dict[str, int], peers: array[int], states: bytearray
) -> list[int]:
    """Mark results whose only call comes after them, and return those that were bound.

    Such a result is bound to the call when no other result claims that call.
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


def _place_fragments(early: list[int], beside: dict[int, int], pairing: PathPairing) -> None:
    """Mark a result between the fragments of its call's message as in place, unless text comes before it.

    `beside` maps the result to the record with that text.
    """
    joined = {
        result for result in early if pairing.turn_of(result) == pairing.turn_of(pairing.counterparts[result]) + 1
    }
    for result in joined:
        state = (
            PairingState.AFTER_OTHER_CONTENT
            if beside.get(result) == pairing.record_of(result)
            else PairingState.DISPLACED
        )
        pairing.states[result] = state if result in beside else PairingState.PAIRED
    in_place = joined.difference(beside)
    if in_place:
        pairing.unexpected_results = [tool for tool in pairing.unexpected_results if tool not in in_place]


def _bind_to_parents(columns: Columns, kinds: bytearray, pairing: PathPairing) -> None:
    """Bind results of calls that share an id in one turn to the calls that their records hang off.

    Only where each of the calls is a record of its own, and has a result that names it as parent: in a plain chain the
    parent is just the record before.
    """
    ids, uuids, parents, peers = columns.call_ids, columns.uuids, columns.parents, pairing.counterparts
    repeated = {(ids[pairing.block_rows[tool]], pairing.turn_of(tool)) for tool in pairing.repeated_ids}
    calls: dict[tuple[str | None, int], list[int]] = {}
    for tool, row in enumerate(pairing.block_rows):
        if kinds[row] == _CALL and (ids[row], pairing.turn_of(tool)) in repeated:
            calls.setdefault((ids[row], pairing.turn_of(tool)), []).append(tool)
    for same in calls.values():
        call_of = {uuids[pairing.record_of(tool)]: tool for tool in same}
        results = [peers[tool] for tool in same if peers[tool] >= 0]
        owners = [call_of.get(parents[pairing.record_of(tool)], -1) for tool in results]
        if None not in call_of and sorted(owners) == same:
            for call, result in zip(owners, results, strict=True):
                peers[call], peers[result] = result, call


def _prefer_real(columns: Columns, pairing: PathPairing) -> None:
    """Let a real result replace a placeholder or a blank result that came before it, or one that names another tool.

    The replaced result becomes the duplicate. A blank result may be a real one, so it is preferred to a placeholder.
    """
    rows, peers, states = pairing.block_rows, pairing.counterparts, pairing.states
    flags, names = columns.block_flags, columns.names

    def rank(tool: int, call: int) -> tuple[int, bool]:
        """Return a number that is greater the less a result is one of this call."""
        named, called = names[rows[tool]], names[rows[call]]
        return flags[rows[tool]] & _SAYS_NOTHING, bool(named and called and named != called)

    replaced = []
    for tool in pairing.unexpected_results:
        if states[tool] != PairingState.DUPLICATE:
            continue
        call = peers[tool]
        current = peers[call]
        if rank(tool, call) >= rank(current, call):
            continue
        same_turn = pairing.turn_of(tool) == pairing.turn_of(current)
        peers[call] = tool
        states[tool] = states[current] if same_turn else PairingState.DISPLACED
        states[current] = PairingState.DUPLICATE
        replaced.append(current)
    if replaced:
        pairing.unexpected_results = sorted(
            {tool for tool in [*pairing.unexpected_results, *replaced] if states[tool] != PairingState.PAIRED}
        )


def _open_tools(states: bytearray) -> list[int]:
    tools, tool = [], states.find(0)
    while tool >= 0:
        tools.append(tool)
        tool = states.find(0, tool + 1)
    return tools


class TurnNumbers(Struct):
    """The message number and the turn of each record on a path, -1 for records that are not messages.

    `first_role` is the role of the first message that is not a system message, -1 for none.
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
) -> TurnNumbers:
    """Divide a path into messages and turns, as its provider reads it.

    With `merge_assistant`, neighboring messages of the assistant are one turn. With `merge_fragments`, fragments of one
    message id up to the next prompt, whatever lies between them, and neighboring user records count as one message.
    `results_as_user` says that the provider takes results in the user's turn.
    """
    roles, first, groups = columns.roles, columns.first_block, columns.groups
    messages, turns, assistant_turns = array("i"), array("i"), array("i")
    message = turn = role_of_turn = -1
    open_messages: dict[str, tuple[int, int]] = {}  # message and turn that fragments may still join, by message id
    for position, record in enumerate(path):
        role = roles[record]
        if role == _ASSISTANT:
            group = groups[record]
            numbers = open_messages.get(group) if group is not None else None
            if numbers is None:
                if role_of_turn != _ASSISTANT or not merge_assistant:
                    turn += 1
                    assistant_turns.append(turn)
                message = message + 1 if merge_fragments else position
                role_of_turn = _ASSISTANT
                numbers = message, turn
                if group is not None:
                    open_messages[group] = numbers
            messages.append(numbers[0])
            turns.append(numbers[1])
            continue
        if role in _SILENT:
            messages.append(-1)
            turns.append(-1)
            continue
        sent_role = role
        if role == _TOOL or (role == _USER and _RESULT in kinds[first[record] : first[record + 1]]):
            sent_role = _USER if results_as_user else _TOOL
        elif role in (_USER, _SYSTEM):
            open_messages.clear()
        if sent_role != role_of_turn or sent_role == _SYSTEM or (sent_role == _USER and not results_as_user):
            if sent_role != _SYSTEM or turn >= 0:
                turn += 1
            message = message + 1 if merge_fragments else position
        elif not merge_fragments:
            message = position
        elif role == _TOOL and not results_as_user:
            message += 1
        role_of_turn = sent_role
        messages.append(message)
        turns.append(turn)
    speakers = (roles[record] for record in path)
    first_role = next((role for role in speakers if role not in _SILENT and role != _SYSTEM), -1)
    return TurnNumbers(messages, turns, first_role, assistant_turns)
