"""The classification of results that are not in the right place, and the matching of results by other ids of a call."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from enum import IntEnum

from msgspec import Struct

from inspector.core.analysis.compactions import cut_exchanges_by_tool_block, is_next_to_compaction, last_compaction
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import BlockFlag
from inspector.core.model.views import UNNAMED_TOOL, BlockKind
from inspector.core.providers.block_schema import alternative_call_ids
from inspector.core.storage.json_text import parse_json

_CALL = int(BlockKind.CALL)
_ILLEGAL = lazy_regex(r"[^a-zA-Z0-9_-]")


class UnmatchedResultKind(IntEnum):
    """The reason why a result is unmatched: it has no call, is far from it, or is not its only result."""

    ORPHAN = 1
    CALL_OFF_PATH = 2
    COMPACTED = 3
    WRONG_ID = 4
    ALTERNATIVE_ID = 5
    BEFORE_CALL = 6
    DISPLACED = 7
    LATE = 8
    AFTER_TEXT = 9
    REPEATED = 10
    STALE = 11
    CONFLICTING = 12


def unmatched_results_of_kind(context: ThreadContext, kind: UnmatchedResultKind) -> Sequence[int]:
    """Return the unmatched results of one kind, as tool block numbers."""
    return _unmatched_results(context).get(kind, ())


@cached_on_thread
def _unmatched_results(context: ThreadContext) -> dict[UnmatchedResultKind, list[int]]:
    results_by_kind: dict[UnmatchedResultKind, list[int]] = {}
    if context.thread.ignored_results:
        results_by_kind[UnmatchedResultKind.DISPLACED] = [
            tool for tool in _ignored_results(context) if context.pairing.states[tool] == PairingState.PAIRED
        ]
    if not context.pairing.unexpected_results:
        return results_by_kind
    misplaced = {*context.pairing.in_wrong_role, *(tool for tool in cut_exchanges_by_tool_block(context) if tool >= 0)}
    orphans = [
        tool for tool in context.pairing.unexpected_results if context.pairing.states[tool] == PairingState.ORPHAN
    ]
    duplicates = [tool for tool in orphans if call_of_result(context, tool) >= 0]
    kinds = _orphan_kinds(
        context, [tool for tool in orphans if tool not in {*call_by_other_id_result(context), *duplicates}]
    )
    kinds |= dict.fromkeys(call_by_other_id_result(context), UnmatchedResultKind.ALTERNATIVE_ID)
    kinds |= {tool: _duplicate_kind(context, tool) for tool in duplicates}
    for tool in context.pairing.unexpected_results:
        if tool in misplaced:
            continue
        results_by_kind.setdefault(kinds.get(tool) or _kind_of(context, tool), []).append(tool)
    return results_by_kind


def _ignored_results(context: ThreadContext) -> list[int]:
    """Return results that the agent ignores although they are in the right place."""
    records, columns, rows = set(context.thread.ignored_results), context.columns, context.pairing.block_rows
    records -= {cut.result for cut in context.thread.cut_exchanges}
    return [tool for tool, row in enumerate(rows) if columns.record_of_block(row) in records]


def _kind_of(context: ThreadContext, tool: int) -> UnmatchedResultKind:
    pairing = context.pairing
    state = pairing.states[tool]
    if state == PairingState.BEFORE_CALL:
        return UnmatchedResultKind.BEFORE_CALL
    if state == PairingState.AFTER_OTHER_CONTENT:
        return UnmatchedResultKind.AFTER_TEXT
    if state == PairingState.DUPLICATE:
        return _duplicate_kind(context, tool)
    call_turn, turn = pairing.turn_of(pairing.counterparts[tool]), pairing.turn_of(tool)
    next_turn = bisect_left(pairing.assistant_turns, call_turn + 1)
    is_late = next_turn < len(pairing.assistant_turns) and pairing.assistant_turns[next_turn] < turn
    return UnmatchedResultKind.LATE if is_late else UnmatchedResultKind.DISPLACED


def _duplicate_kind(context: ThreadContext, tool: int) -> UnmatchedResultKind:
    kept = context.pairing.counterparts[call_of_result(context, tool)]
    if context.is_placeholder(tool) or context.is_blank_result(tool) > context.is_blank_result(kept):
        return UnmatchedResultKind.STALE
    return (
        UnmatchedResultKind.REPEATED
        if context.result_text(tool) == context.result_text(kept)
        else UnmatchedResultKind.CONFLICTING
    )


def _orphan_kinds(context: ThreadContext, orphans: list[int]) -> dict[int, UnmatchedResultKind]:
    if not orphans:
        return {}
    if context.session.missing_part_reason:
        return dict.fromkeys(orphans, UnmatchedResultKind.ORPHAN)
    calls_elsewhere = _calls_off_path(context, {context.call_id(tool) for tool in orphans})
    kinds: dict[int, UnmatchedResultKind] = {}
    in_turn: dict[int, list[int]] = {}
    for tool in orphans:
        record = calls_elsewhere.get(context.call_id(tool), -1) if context.call_id(tool) else -1
        if record >= 0:
            kinds[tool] = (
                UnmatchedResultKind.COMPACTED
                if record < last_compaction(context)
                else UnmatchedResultKind.CALL_OFF_PATH
            )
        elif is_next_to_compaction(context, tool, -1):
            kinds[tool] = UnmatchedResultKind.COMPACTED
        else:
            kinds[tool] = UnmatchedResultKind.ORPHAN
            in_turn.setdefault(context.pairing.turn_of(tool), []).append(tool)
    open_in_turn: dict[int, list[int]] = {}
    for call in context.pairing.unanswered:
        if call in calls_with_other_id_result(context):
            continue
        open_in_turn.setdefault(context.pairing.turn_of(call), []).append(call)
    for turn, tools in in_turn.items():
        if len(tools) == len(open_in_turn.get(turn - 1, ())):
            kinds |= dict.fromkeys(tools, UnmatchedResultKind.WRONG_ID)
    return kinds


@cached_on_thread
def open_call_by_wrong_id_result(context: ThreadContext) -> dict[int, int]:
    """Map each result with a wrong id to an open call of the turn before it.

    The first such result of a turn belongs to the first open call, and so on.
    """
    open_calls: dict[int, deque[int]] = {}
    for call in context.pairing.unanswered:
        if call not in calls_with_other_id_result(context):
            open_calls.setdefault(context.pairing.turn_of(call), deque()).append(call)
    mismatched = unmatched_results_of_kind(context, UnmatchedResultKind.WRONG_ID)
    return {result: open_calls[context.pairing.turn_of(result) - 1].popleft() for result in mismatched}


def _calls_off_path(context: ThreadContext, ids: set[str]) -> dict[str, int]:
    """Return the first record off the path with a call of each of these ids."""
    records: dict[str, int] = {}
    for row, record in context.blocks_off_path(BlockKind.CALL, ids):
        records.setdefault(context.columns.call_ids[row] or "", record)
    return records


class OtherIdMatches(Struct):
    """The results without a call that carry another id of one, mapped to that call.

    `answers` holds the results that answer a call, `duplicates` further results of an answered call.

    A call may carry two ids (the item's `fc_...` and the `call_...` that binds it), and programs have answered to
    either (NousResearch/hermes-agent#58168, #93329). Some programs join both with a bar (hermes-agent#63000, pi). Some
    write an id in the characters that a provider takes on one side only, or with a blank before it (hermes-agent#9999).
    """

    answers: dict[int, int] = {}
    duplicates: dict[int, int] = {}


@cached_on_thread
def match_by_other_ids(context: ThreadContext) -> OtherIdMatches:
    """Match the orphan results of a thread with calls by other ids, where exactly one call has that id.

    An open call is answered if exactly one result claims it. For an answered call, a claimant before its first result
    takes the place of that result, and a claimant after it is a duplicate. Only calls in the turn right before the
    result count.
    """
    if not context.pairing.unexpected_results:
        return OtherIdMatches()
    claims = _claims(context)
    calls_by_result: dict[int, list[int]] = {}
    for call in context.pairing.unanswered if claims else ():
        results = _claimants(context, call, claims)
        if len(results) == 1:
            calls_by_result.setdefault(results.pop(), []).append(call)
    turns = {context.pairing.turn_of(result) - 1 for results in claims.values() for result in results}
    for call in _answered(context, turns) if claims else ():
        for result in _claimants(context, call, claims):
            if context.pairing.turn_of(result) == context.pairing.turn_of(call) + 1:
                calls_by_result.setdefault(result, []).append(call)
    matches = OtherIdMatches()
    for result, calls in sorted(calls_by_result.items()):
        first_result = context.pairing.counterparts[calls[0]]
        taken = calls[0] in matches.answers.values() or 0 <= first_result < result
        if len(calls) == 1:
            (matches.duplicates if taken else matches.answers)[result] = calls[0]
    return matches


def call_by_other_id_result(context: ThreadContext) -> dict[int, int]:
    """Return the results that name their call by another id, with that call."""
    return match_by_other_ids(context).answers


@cached_on_thread
def calls_with_other_id_result(context: ThreadContext) -> frozenset[int]:
    """Return the calls that are answered by a result with another of their ids."""
    return frozenset(call_by_other_id_result(context).values())


def call_of_result(context: ThreadContext, result: int) -> int:
    """Return the call that a result is bound to, or duplicates the result of by another id; -1 for none."""
    peer = context.pairing.counterparts[result]
    return peer if peer >= 0 else match_by_other_ids(context).duplicates.get(result, -1)


def _claims(context: ThreadContext) -> dict[str, list[int]]:
    """Return the orphans by every spelling of the id that they carry."""
    pairing = context.pairing
    claims: dict[str, list[int]] = {}
    for result in pairing.unexpected_results:
        if pairing.states[result] == PairingState.ORPHAN and context.call_id(result):
            for spelling in _spellings(context.call_id(result)):
                claims.setdefault(spelling, []).append(result)
    return claims


def _claimants(context: ThreadContext, call: int, claims: dict[str, list[int]]) -> set[int]:
    names = _names(context, call)
    return {result for name in names for result in claims.get(name, ()) if _fits(context, call, result)}


def _answered(context: ThreadContext, turns: set[int]) -> Iterator[int]:
    """Yield the calls of some turns that have a result."""
    pairing, kinds = context.pairing, context.columns.block_kinds
    for tool, position in enumerate(pairing.path_positions):
        if (
            pairing.turns[position] in turns
            and pairing.counterparts[tool] > tool
            and kinds[pairing.block_rows[tool]] == _CALL
        ):
            yield tool


def _fits(context: ThreadContext, call: int, result: int) -> bool:
    """Return whether a result comes after the call and has the same call type."""
    flags, rows = context.columns.block_flags, context.pairing.block_rows
    return (
        call < result and flags[rows[call]] & BlockFlag.CALL_TYPE_MASK == flags[rows[result]] & BlockFlag.CALL_TYPE_MASK
    )


def _names(context: ThreadContext, call: int) -> set[str]:
    """Return every id by which a result may name this call."""
    record, ordinal = context.tool_location(call)
    recorded_id = context.call_id(call)
    block = parse_json(context.format.block_bytes(context.columns, record, context.raw(record), ordinal))
    ids = {recorded_id, *alternative_call_ids(block, context.format.block_schema)} - {""}
    return {name for call_id in ids for name in _spellings(call_id)} | {_ILLEGAL.sub("_", call_id) for call_id in ids}


def _spellings(call_id: str) -> set[str]:
    return {call_id, call_id.strip(), *(part for part in call_id.split("|") if part)}


def recorded_tool_name(context: ThreadContext, tool: int) -> str:
    """Return the tool name in a block. A result without one has the name of its call.

    Return "" where neither has a name.
    """
    names, rows = context.columns.names, context.pairing.block_rows
    name = names[rows[tool]]
    if name is None and (call := call_of_result(context, tool)) >= 0:
        name = names[rows[call]]
    return name or ""


def tool_label(context: ThreadContext, tool: int) -> str:
    """Return the name of the tool as it appears in a sentence."""
    return recorded_tool_name(context, tool) or UNNAMED_TOOL
