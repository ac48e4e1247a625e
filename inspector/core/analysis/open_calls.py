"""What is the matter with each call of a thread that has no result."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from enum import IntEnum

from msgspec import Struct

from inspector.core.analysis.compactions import cut_exchanges_by_tool, is_next_to_compaction, last_compaction
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread import ThreadContext, cached_on_thread
from inspector.core.analysis.unmatched_results import calls_named_by_other_id
from inspector.core.model.columns import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind


class OpenCallKind(IntEnum):
    """How it came that a call has no result; up to RUN only its place among what is said tells it."""

    LAST_RESPONSE = 1
    CONVERSATION_WENT_ON = 2
    PARTLY_ANSWERED = 3
    SEVERAL_RESPONSES = 4
    TRUNCATED = 5
    UNLISTED = 6
    PENDING = 7
    COMPACTED = 8
    RESULT_OFF_PATH = 9


def open_calls(scene: ThreadContext, kind: OpenCallKind) -> Sequence[int]:
    """The unanswered calls of one kind."""
    return _open_calls(scene).get(kind, ())


def is_call_running(scene: ThreadContext, tool: int) -> bool:
    """Whether a pending call is one of an agent at work: the log itself does not say that it waits."""
    return scene.live and scene.call_id(tool) not in pending_call_ids(scene)


def pending_call_state(scene: ThreadContext, tool: int) -> str:
    """What a pending call does, as every report says it."""
    return "running" if is_call_running(scene, tool) else "waiting for its result"


@cached_on_thread
def pending_call_ids(scene: ThreadContext) -> Collection[str]:
    """The ids of the calls that the log itself says to wait."""
    return scene.format.pending_calls(scene.session, scene.columns, scene.thread.path, scene.raw)


@cached_on_thread
def _open_calls(scene: ThreadContext) -> dict[OpenCallKind, list[int]]:
    pairing = scene.pairing
    found: dict[OpenCallKind, list[int]] = {}
    if not pairing.unanswered:
        return found
    pending = pending_call_ids(scene)
    repeated = set(pairing.repeated_ids)
    turns = _Turns.of(scene)
    elsewhere, last_words = _results_elsewhere(scene), _last_words(scene)
    for tool in pairing.unanswered:
        if tool in repeated or tool in cut_exchanges_by_tool(scene) or tool in calls_named_by_other_id(scene):
            continue
        call_id = scene.call_id(tool)
        last = turns.is_last(tool) and pairing.path_positions[tool] > last_words
        if call_id in pending or (scene.live and last):
            kind = OpenCallKind.PENDING
        elif call_id and call_id in elsewhere:
            kind = elsewhere[call_id]
        elif is_next_to_compaction(scene, tool, 1):
            kind = OpenCallKind.COMPACTED
        elif turns.responses[tool] in turns.answered:
            kind = OpenCallKind.PARTLY_ANSWERED
        elif pairing.turn_of(tool) in turns.several:
            kind = OpenCallKind.SEVERAL_RESPONSES
        else:
            kind = OpenCallKind.LAST_RESPONSE if last else OpenCallKind.CONVERSATION_WENT_ON
        if kind <= OpenCallKind.SEVERAL_RESPONSES:
            kind = _kind_by_message(scene, tool) or kind
        found.setdefault(kind, []).append(tool)
    return found


def _kind_by_message(scene: ThreadContext, tool: int) -> OpenCallKind | None:
    """What the message of an open call tells of it: the agent does not see it there, or the message broke off."""
    if scene.format.is_unlisted_call(scene.columns, scene.pairing.block_rows[tool]):
        return OpenCallKind.UNLISTED
    return OpenCallKind.TRUNCATED if scene.truncation_reason(tool) else None


def _last_words(scene: ThreadContext) -> int:
    """The place on the path behind which nothing is said; -1 where the turns tell that already."""
    columns, path = scene.columns, scene.pairing.path
    if scene.format.one_item_per_record:
        said = (p for p in _backwards(path) if any(_speaks(columns, row) for row in columns.block_rows(path[p])))
        return next(said, -1)
    if scene.format.inline_results:
        return next((p for p in _backwards(path) if columns.roles[path[p]] in (Role.USER, Role.ASSISTANT)), 0) - 1
    return -1


def _backwards(path: array[int]) -> range:
    return range(len(path) - 1, -1, -1)


def _speaks(columns: Columns, row: int) -> bool:
    return columns.block_kinds[row] == BlockKind.TEXT


class _Turns(Struct):
    """The turns with open calls. `responses` numbers the model's response of each of their calls.

    `answered` are responses of which some call has a result, `several` the turns of several responses that all have
    none. `newest` is the response of the last call of the thread.
    """

    responses: dict[int, tuple[int, int]]
    answered: set[tuple[int, int]]
    several: set[int]
    newest: tuple[int, int]

    @classmethod
    def of(cls, scene: ThreadContext) -> _Turns:
        pairing, kinds = scene.pairing, scene.columns.block_kinds
        wanted = {pairing.turn_of(tool) for tool in pairing.unanswered}
        turns = map(pairing.turns.__getitem__, pairing.path_positions)
        there = [tool for tool, turn in enumerate(turns) if turn in wanted]
        calls = [tool for tool in there if kinds[pairing.block_rows[tool]] == BlockKind.CALL]
        responses = _runs(scene, calls) if scene.format.one_item_per_record else _steps(scene, calls)
        answered = {responses[tool] for tool in calls if pairing.states[tool] != PairingState.OPEN}
        newest = responses[calls[-1]] if calls and pairing.turn_of(calls[-1]) == max(pairing.turns) else (-1, -1)
        return cls(responses, answered, _turns_without_answers(scene, wanted, calls), newest)

    def is_last(self, tool: int) -> bool:
        """Whether the model said nothing after the response of a call."""
        return self.responses[tool] == self.newest


def _steps(scene: ThreadContext, calls: list[int]) -> dict[int, tuple[int, int]]:
    """The message of each call, and how many of the model's responses begin in its record before it."""
    columns, pairing = scene.columns, scene.pairing
    found: dict[int, tuple[int, int]] = {}
    newest, steps, done = -1, 0, 0
    for tool in calls:
        if scene.format.inline_results:
            record, row = pairing.record_of(tool), pairing.block_rows[tool]
            if record != newest:
                newest, steps, done = record, 0, columns.first_block[record]
            before = range(done, row)
            steps += sum(
                columns.block_kinds[at] == BlockKind.OTHER and bool(columns.block_flags[at] & BlockFlag.RESPONSE_START)
                for at in before
            )
            done = row
        found[tool] = pairing.message_of(tool), steps
    return found


def _runs(scene: ThreadContext, calls: list[int]) -> dict[int, tuple[int, int]]:
    """The same where each call is a record: a response goes on with a call that nothing separates from the one before.

    A response whose results come behind that call goes on as well, whatever it says between: a program sends them
    before the model answers again.
    """
    pairing, columns = scene.pairing, scene.columns
    found: dict[int, tuple[int, int]] = {}
    number, before, results = 0, -1, -1
    for tool in calls:
        at, peer = pairing.path_positions[tool], pairing.counterparts[tool]
        between = range(before + 1, at) if before >= 0 else ()
        if results < at and any(columns.blocks[pairing.path[position]] for position in between):
            number, results = number + 1, -1
        if peer >= 0 and pairing.states[peer] == PairingState.PAIRED:
            results = max(results, pairing.path_positions[peer])
        found[tool] = (pairing.turn_of(tool), number)
        before = at
    return found


def _turns_without_answers(scene: ThreadContext, wanted: set[int], calls: list[int]) -> set[int]:
    """The turns of several messages in a row, none of whose calls was answered."""
    pairing = scene.pairing
    messages: dict[int, set[int]] = {turn: set() for turn in wanted}
    for tool in calls:
        messages[pairing.turn_of(tool)].add(pairing.message_of(tool))
    idle = wanted - {pairing.turn_of(tool) for tool in calls if pairing.states[tool] != PairingState.OPEN}
    assistants = set(pairing.assistant_turns)
    return {
        turn
        for turn in idle
        if (len(messages[turn]) > 1 and not scene.format.one_item_per_record)
        or (turn - 1 in idle and turn - 1 in assistants)
        or (turn + 1 in idle and turn + 1 in assistants)
    }


def _results_elsewhere(scene: ThreadContext) -> dict[str, OpenCallKind]:
    """Ids of results that the log holds off this path, with the kind of a call that misses them."""
    columns, found = scene.columns, dict[str, OpenCallKind]()
    for record in scene.thread.stranded_results:
        for row in columns.block_rows(record):
            found[columns.call_ids[row] or ""] = OpenCallKind.RESULT_OFF_PATH
    boundary = last_compaction(scene)
    if boundary >= 0:
        ids = {scene.call_id(tool) for tool in scene.pairing.unanswered}
        for row, record in scene.blocks_off_path(BlockKind.RESULT, ids):
            if record < boundary:
                found.setdefault(columns.call_ids[row] or "", OpenCallKind.COMPACTED)
    return found
