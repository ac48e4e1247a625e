"""The classification of calls that have no result."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from enum import IntEnum

from msgspec import Struct

from inspector.core.analysis.compactions import cut_exchanges_by_tool_block, is_next_to_compaction, last_compaction
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.analysis.unmatched_results import calls_with_other_id_result
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.translation import tr

_RESULTS = (BlockKind.RESULT, BlockKind.TOLD_RESULT)


class OpenCallKind(IntEnum):
    """The reason why a call has no result.

    The kinds up to SEVERAL_RESPONSES follow from the position of the call in the thread alone.
    """

    LAST_RESPONSE = 1
    CONVERSATION_WENT_ON = 2
    PARTLY_ANSWERED = 3
    SEVERAL_RESPONSES = 4
    TRUNCATED = 5
    UNLISTED = 6
    PENDING = 7
    COMPACTED = 8
    RESULT_OFF_PATH = 9


def open_calls_of_kind(context: ThreadContext, kind: OpenCallKind) -> Sequence[int]:
    """Return the unanswered calls of one kind, as tool block numbers."""
    return _open_calls(context).get(kind, ())


def is_call_running(context: ThreadContext, tool: int) -> bool:
    """Return whether an agent at work is running a pending call.

    This is the case when the log is live and does not itself list the call as pending.
    """
    return context.live and context.call_id(tool) not in pending_call_ids(context)


def pending_call_state(context: ThreadContext, tool: int) -> str:
    """Return the words in which every report describes a pending call."""
    return "running" if is_call_running(context, tool) else tr("waiting for its result")


@cached_on_thread
def pending_call_ids(context: ThreadContext) -> Collection[str]:
    """Return the ids of the calls that the log itself lists as pending."""
    return context.format.pending_calls(context.session, context.columns, context.thread.path, context.raw)


@cached_on_thread
def _open_calls(context: ThreadContext) -> dict[OpenCallKind, list[int]]:
    pairing = context.pairing
    calls_by_kind: dict[OpenCallKind, list[int]] = {}
    if not pairing.unanswered:
        return calls_by_kind
    pending = pending_call_ids(context)
    repeated_calls = set(pairing.repeated_ids)
    turns = _Turns.of(context)
    results_elsewhere, last_spoken = _results_elsewhere(context), _last_words(context)
    for tool in pairing.unanswered:
        if (
            tool in repeated_calls
            or tool in cut_exchanges_by_tool_block(context)
            or tool in calls_with_other_id_result(context)
        ):
            continue
        call_id = context.call_id(tool)
        is_last = turns.is_last(tool) and pairing.path_positions[tool] > last_spoken
        if call_id in pending or (context.live and is_last):
            kind = OpenCallKind.PENDING
        elif call_id and call_id in results_elsewhere:
            kind = results_elsewhere[call_id]
        elif is_next_to_compaction(context, tool, 1):
            kind = OpenCallKind.COMPACTED
        elif turns.responses[tool] in turns.answered:
            kind = OpenCallKind.PARTLY_ANSWERED
        elif pairing.turn_of(tool) in turns.several:
            kind = OpenCallKind.SEVERAL_RESPONSES
        else:
            kind = OpenCallKind.LAST_RESPONSE if is_last else OpenCallKind.CONVERSATION_WENT_ON
        if kind <= OpenCallKind.SEVERAL_RESPONSES:
            kind = _kind_by_message(context, tool) or kind
        calls_by_kind.setdefault(kind, []).append(tool)
    return calls_by_kind


def _kind_by_message(context: ThreadContext, tool: int) -> OpenCallKind | None:
    """Return the kind that the message of an open call shows, None for none.

    The format may hide the call from the agent, or the message may have been cut off.
    """
    if context.format.is_unlisted_call(context.columns, context.pairing.block_rows[tool]):
        return OpenCallKind.UNLISTED
    return OpenCallKind.TRUNCATED if context.truncation_reason(tool) else None


def _last_words(context: ThreadContext) -> int:
    """Return the position on the path that a call must come after to be the last thing said.

    Return -1 where the turns already show that.
    """
    columns, path = context.columns, context.pairing.path
    if context.format.one_item_per_record:
        positions = (p for p in _backwards(path) if any(_speaks(columns, row) for row in columns.block_rows(path[p])))
        return next(positions, -1)
    if context.format.inline_results:
        return next((p for p in _backwards(path) if columns.roles[path[p]] in (Role.USER, Role.ASSISTANT)), 0) - 1
    return -1


def _backwards(path: array[int]) -> range:
    return range(len(path) - 1, -1, -1)


def _speaks(columns: Columns, row: int) -> bool:
    return columns.block_kinds[row] == BlockKind.TEXT


class _Turns(Struct):
    """The turns that contain open calls.

    `responses` numbers the response of the model that each of their calls is part of. `answered` holds the responses of
    which at least one call has a result. `several` holds the turns of several responses, none of which has a result.
    `newest` is the response of the last call of the thread.
    """

    responses: dict[int, tuple[int, int]]
    answered: set[tuple[int, int]]
    several: set[int]
    newest: tuple[int, int]

    @classmethod
    def of(cls, context: ThreadContext) -> _Turns:
        pairing, kinds = context.pairing, context.columns.block_kinds
        open_turns = {pairing.turn_of(tool) for tool in pairing.unanswered}
        turn_of_tool = map(pairing.turns.__getitem__, pairing.path_positions)
        tools = [tool for tool, turn in enumerate(turn_of_tool) if turn in open_turns]
        calls = [tool for tool in tools if kinds[pairing.block_rows[tool]] == BlockKind.CALL]
        responses = _runs(context, calls) if context.format.one_item_per_record else _steps(context, calls)
        answered = {responses[tool] for tool in calls if pairing.states[tool] != PairingState.OPEN}
        # An agent at work may record each result when it has it, while other calls of the response are running.
        last_turn = _last_turn_without_results(context) if context.live else max(pairing.turns)
        newest = responses[calls[-1]] if calls and pairing.turn_of(calls[-1]) == last_turn else (-1, -1)
        return cls(responses, answered, _turns_without_answers(context, open_turns, calls), newest)

    def is_last(self, tool: int) -> bool:
        """Return whether the model said nothing after the response that a call is part of."""
        return self.responses[tool] == self.newest


def _last_turn_without_results(context: ThreadContext) -> int:
    """Return the turn of the last record that holds anything other than results, -1 for none."""
    columns, pairing = context.columns, context.pairing
    for position in _backwards(pairing.path):
        kinds = (columns.block_kinds[row] for row in columns.block_rows(pairing.path[position]))
        if pairing.turns[position] >= 0 and any(kind not in _RESULTS for kind in kinds):
            return pairing.turns[position]
    return -1


def _steps(context: ThreadContext, calls: list[int]) -> dict[int, tuple[int, int]]:
    """Return for each call its message and the number of responses that begin before it in its record."""
    columns, pairing = context.columns, context.pairing
    responses: dict[int, tuple[int, int]] = {}
    newest_record, steps, next_row = -1, 0, 0
    for tool in calls:
        if context.format.inline_results:
            record, row = pairing.record_of(tool), pairing.block_rows[tool]
            if record != newest_record:
                newest_record, steps, next_row = record, 0, columns.first_block[record]
            rows_before = range(next_row, row)
            steps += sum(
                columns.block_kinds[other] == BlockKind.OTHER
                and bool(columns.block_flags[other] & BlockFlag.RESPONSE_START)
                for other in rows_before
            )
            next_row = row
        responses[tool] = pairing.message_of(tool), steps
    return responses


def _runs(context: ThreadContext, calls: list[int]) -> dict[int, tuple[int, int]]:
    """Return the response of each call where every call is a record of its own.

    A call belongs to the response of the previous call when no content lies between the two. A response whose results
    come after the later call continues as well, whatever lies between: a program sends the results before the model
    answers again.
    """
    pairing, columns = context.pairing, context.columns
    responses: dict[int, tuple[int, int]] = {}
    response, previous_position, last_result = 0, -1, -1
    for tool in calls:
        call_position, peer = pairing.path_positions[tool], pairing.counterparts[tool]
        between = range(previous_position + 1, call_position) if previous_position >= 0 else ()
        if last_result < call_position and any(columns.blocks[pairing.path[position]] for position in between):
            response, last_result = response + 1, -1
        if peer >= 0 and pairing.states[peer] == PairingState.PAIRED:
            last_result = max(last_result, pairing.path_positions[peer])
        responses[tool] = (pairing.turn_of(tool), response)
        previous_position = call_position
    return responses


def _turns_without_answers(context: ThreadContext, open_turns: set[int], calls: list[int]) -> set[int]:
    """Return the turns of several messages in a row in which no call was answered."""
    pairing = context.pairing
    messages: dict[int, set[int]] = {turn: set() for turn in open_turns}
    for tool in calls:
        messages[pairing.turn_of(tool)].add(pairing.message_of(tool))
    unanswered = open_turns - {pairing.turn_of(tool) for tool in calls if pairing.states[tool] != PairingState.OPEN}
    assistants = set(pairing.assistant_turns)
    return {
        turn
        for turn in unanswered
        if (len(messages[turn]) > 1 and not context.format.one_item_per_record)
        or (turn - 1 in unanswered and turn - 1 in assistants)
        or (turn + 1 in unanswered and turn + 1 in assistants)
    }


def _results_elsewhere(context: ThreadContext) -> dict[str, OpenCallKind]:
    """Map ids of results that the log holds off the path to the kind of a call that lacks them."""
    columns, kinds_by_id = context.columns, dict[str, OpenCallKind]()
    for record in context.thread.stranded_results:
        for row in columns.block_rows(record):
            kinds_by_id[columns.call_ids[row] or ""] = OpenCallKind.RESULT_OFF_PATH
    boundary = last_compaction(context)
    if boundary >= 0:
        ids = {context.call_id(tool) for tool in context.pairing.unanswered}
        for row, record in context.blocks_off_path(BlockKind.RESULT, ids):
            if record < boundary:
                kinds_by_id.setdefault(columns.call_ids[row] or "", OpenCallKind.COMPACTED)
    return kinds_by_id
