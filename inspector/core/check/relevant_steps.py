"""The steps of a history on which it depends what a resume comes to.

A step is a response of the model with all that is said to it, up to the next response. What is sent of one in which all
is in order is what stands there, and nothing of it is lost: so the agent need not be asked about it
(`Sender.apart_by_step`). Most of a log is such steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, compress
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.analysis.pairing import Pairing
from inspector.core.analysis.thread import Match, ThreadContext
from inspector.core.model.columns import Columns, Role
from inspector.core.model.session import Thread

_ASSISTANT = int(Role.ASSISTANT)
_SPEAKERS = (int(Role.USER), int(Role.TOOL), _ASSISTANT)
# Of a path, from the first position to the last.
_Span: TypeAlias = tuple[int, int]
_ROUNDS = 8  # each may bring in what the next one finds parts of elsewhere; in a log that somebody made, without end


def relevant_steps(scene: ThreadContext, hits: Iterable[Match], extra_records: Iterable[int] = ()) -> Thread | None:
    """The thread with those steps alone that hold an anomaly, or a part of what stands in one of these.

    `also` are records whose steps are kept, too. What lies between the parts stays with them, as do the first and the
    last step. None where hardly any is left out, and where it is for the agent to say who speaks first, or whether what
    the wrong one says divides messages.
    """
    columns, pairing, path = scene.columns, scene.pairing, scene.pairing.path
    kept, odd = bytearray(len(path)), list(_anomalous_spans(scene, hits))
    positions = map(scene.path_positions.get, extra_records)
    _, begun = _whole_steps(columns, path, 0, 0)
    if pairing.first_role != Role.USER or pairing.in_wrong_role or any(low < begun for low, _ in odd):
        return None
    spans = [(0, 0), (len(path) - 1, len(path) - 1), *odd, *((place, place) for place in positions if place >= 0)]
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
    return replace(scene.thread, path=array("I", compress(path, kept)))


def _united(spans: Iterable[_Span]) -> Iterator[_Span]:
    """The same positions in spans that do not overlap, in order."""
    low, high = 0, -1
    for first, last in sorted(spans):
        if first > high:
            if high >= low:
                yield low, high
            low = first
        high = max(high, last)
    if high >= low:
        yield low, high


def _anomalous_spans(scene: ThreadContext, hits: Iterable[Match]) -> Iterator[_Span]:
    """Where something is odd; of all calls and results under an id of something odd, from the first to the last."""
    pairing, ids, positions = scene.pairing, scene.columns.call_ids, scene.path_positions
    places = [position for _, position in pairing.blank_blocks] + [positions.get(hit.record) for hit in hits]
    yield from ((place, place) for place in places if place >= 0)
    lists = (
        pairing.unanswered,
        pairing.unexpected_results,
        pairing.reused_ids,
        pairing.repeated_ids,
        pairing.calls_without_id,
    )
    odd = set(chain(*lists, pairing.calls_with_bad_input))
    named = {ids[pairing.block_rows[tool]] for tool in odd} | {scene.match_id(hit) for hit in hits}
    spans: dict[str | None, _Span] = {}
    for tool, call_id in enumerate(map(ids.__getitem__, pairing.block_rows)):
        if call_id in named:
            place = pairing.path_positions[tool]
            low, _ = spans.get(call_id, (place, place))
            spans[call_id] = low, place
    yield from spans.values()


def _fragment_spans(columns: Columns, path: array[int], kept: bytearray) -> Iterable[_Span]:
    """Of each message with a fragment in what is kept, where its first and its last one stand."""
    groups = list(map(columns.groups.__getitem__, path))
    wanted = set(compress(groups, kept)) - {None}
    spans: dict[str | None, _Span] = {}
    for position, group in enumerate(groups):
        if group in wanted:
            low, _ = spans.get(group, (position, position))
            spans[group] = low, position
    return spans.values()


def _paired_spans(pairing: Pairing, kept: bytearray) -> Iterator[_Span]:
    """Of each call or result in what is kept, where it and the one that it is bound to stand."""
    at = pairing.path_positions
    for place, peer in zip(at, pairing.counterparts, strict=True):
        if peer >= 0 and kept[place] and not kept[at[peer]]:
            yield min(place, at[peer]), max(place, at[peer])


def _whole_steps(columns: Columns, path: array[int], low: int, high: int) -> _Span:
    """Where the step begins in which `low` stands, and the one behind that of `high`."""
    high += 1
    while low and not _begins(columns, path, low):
        low -= 1
    while high < len(path) and not _begins(columns, path, high):
        high += 1
    return low, high


def _begins(columns: Columns, path: array[int], position: int) -> bool:
    """Whether a response of the model begins there: behind what the person or a tool says."""
    roles = columns.roles
    if roles[path[position]] != _ASSISTANT:
        return False
    before = (roles[path[at]] for at in range(position - 1, -1, -1))
    return next(filter(_SPEAKERS.__contains__, before), _ASSISTANT) != _ASSISTANT
