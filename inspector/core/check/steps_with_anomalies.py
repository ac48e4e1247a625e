"""The steps of a history that decide the outcome of a resume.

A step is a response of the model with everything that follows it, up to the next response. A step that is in order is
sent as it is, and nothing of it is lost. The request of the agent need not be built for it (`steps_are_independent` of
the format). Most steps of a log are in order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, compress
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.analysis.pairing import PathPairing
from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.model.session import Thread

_ASSISTANT = int(Role.ASSISTANT)
_SPEAKERS = (int(Role.USER), int(Role.TOOL), _ASSISTANT)
# The first and the last position on a path.
_Span: TypeAlias = tuple[int, int]
# A round may add steps of which the next round finds parts elsewhere. In a contrived log this would never end.
_ROUNDS = 8


def thread_of_steps_with_anomalies(
    context: ThreadContext, hits: Iterable[RuleMatch], extra_records: Iterable[int] = ()
) -> Thread | None:
    """Return the thread with only those steps that hold an anomaly, or a part of one.

    The steps of `extra_records` are kept, too. What lies between the parts stays with them, and so do the first and the
    last step. None where hardly any step would be left out, and where the agent decides who speaks first or whether a
    message in the wrong role divides messages.
    """
    columns, pairing, path = context.columns, context.pairing, context.pairing.path
    kept, anomalous = bytearray(len(path)), list(_anomalous_spans(context, hits))
    positions = map(context.path_positions.get, extra_records)
    _, second_step = _whole_steps(columns, path, 0, 0)
    if pairing.first_role != Role.USER or pairing.in_wrong_role or any(low < second_step for low, _ in anomalous):
        return None
    spans = [(0, 0), (len(path) - 1, len(path) - 1), *anomalous, *((place, place) for place in positions if place >= 0)]
    for _ in range(_ROUNDS):
        for low, high in _united(spans):
            if kept.find(0, low, high + 1) >= 0:
                low, high = _whole_steps(columns, path, low, high)
                kept[low:high] = b"\1" * (high - low)
        joined = chain(_fragment_spans(columns, path, kept), _paired_spans(pairing, kept))
        spans = [(low, high) for low, high in _united(joined) if kept.find(0, low, high + 1) >= 0]
        if not spans:
            break
    else:
        return None
    if 2 * kept.count(1) > len(path):
        return None
    return replace(context.thread, path=array("I", compress(path, kept)))


def _united(spans: Iterable[_Span]) -> Iterator[_Span]:
    """Yield the same positions in spans that do not overlap, in order."""
    low, high = 0, -1
    for first, last in sorted(spans):
        if first > high:
            if high >= low:
                yield low, high
            low = first
        high = max(high, last)
    if high >= low:
        yield low, high


def _anomalous_spans(context: ThreadContext, hits: Iterable[RuleMatch]) -> Iterator[_Span]:
    """Yield the spans of the anomalies.

    Calls and results that share an id with an anomaly form one span, from the first to the last of them.
    """
    pairing, ids, positions = context.pairing, context.columns.call_ids, context.path_positions
    places = [position for _, position in pairing.blank_blocks] + [positions.get(hit.record) for hit in hits]
    handled = map(context.columns.record_of_block, context.thread.agent_handled_rows)
    places += map(positions.get, handled)
    yield from ((place, place) for place in places if place >= 0)
    lists = (
        pairing.unanswered,
        pairing.unexpected_results,
        pairing.reused_ids,
        pairing.repeated_ids,
        pairing.calls_without_id,
    )
    odd_blocks = set(chain(*lists, pairing.calls_with_bad_input))
    odd_ids = {ids[pairing.block_rows[tool]] for tool in odd_blocks} | {context.match_id(hit) for hit in hits}
    spans: dict[str | None, _Span] = {}
    for tool, call_id in enumerate(map(ids.__getitem__, pairing.block_rows)):
        if call_id in odd_ids:
            place = pairing.path_positions[tool]
            low, _ = spans.get(call_id, (place, place))
            spans[call_id] = low, place
    yield from spans.values()


def _fragment_spans(columns: Columns, path: array[int], kept: bytearray) -> Iterable[_Span]:
    """Return the span of every message that has a fragment in what is kept."""
    groups = list(map(columns.groups.__getitem__, path))
    wanted = set(compress(groups, kept)) - {None}
    spans: dict[str | None, _Span] = {}
    for position, group in enumerate(groups):
        if group in wanted:
            low, _ = spans.get(group, (position, position))
            spans[group] = low, position
    return spans.values()


def _paired_spans(pairing: PathPairing, kept: bytearray) -> Iterator[_Span]:
    """Yield the span between each call or result in what is kept and its counterpart outside of it."""
    positions = pairing.path_positions
    for place, peer in zip(positions, pairing.counterparts, strict=True):
        if peer >= 0 and kept[place] and not kept[positions[peer]]:
            yield min(place, positions[peer]), max(place, positions[peer])


def _whole_steps(columns: Columns, path: array[int], low: int, high: int) -> _Span:
    """Return where the step that holds `low` begins, and where the step after that of `high` begins."""
    high += 1
    while low and not _begins(columns, path, low):
        low -= 1
    while high < len(path) and not _begins(columns, path, high):
        high += 1
    return low, high


def _begins(columns: Columns, path: array[int], position: int) -> bool:
    """Return whether a response of the model begins at a position: after words of the person or of a tool."""
    roles = columns.roles
    if roles[path[position]] != _ASSISTANT:
        return False
    before = (roles[path[at]] for at in range(position - 1, -1, -1))
    return next(filter(_SPEAKERS.__contains__, before), _ASSISTANT) != _ASSISTANT
