"""Results that other logs of the same conversation hold for open calls, and the strategy `adopt`.

A result belongs to a call only when id, tool and input are the same. Two logs belong to one conversation when they
share the session's id, or records, or an id of the call that no two calls share by chance. Where an id is reused in
every turn (call_0), both logs must have the same number of calls with it: then they correspond one by one.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.evidence_search import evidence_queries
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.check.check import Report, SessionReport
from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.writer import CallContext, Writer
from inspector.core.model.columnar_index import BlockFlag
from inspector.core.model.session import LineNumbers
from inspector.core.model.views import BlockKind
from inspector.core.repair.choices import ResultOffer, find_result_offer
from inspector.core.repair.strategy_task import StrategyTask
from inspector.core.storage.json_text import dump_json
from inspector.core.translation import tr

# A run of letters and digits in an id that was drawn at random: no two calls or sessions share it.
_RANDOM_ID = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{10,}")
_MAX_TEXT_LENGTH = 400
_Key: TypeAlias = tuple[str, str, bytes]


def find_result_offers(report: Report, other_reports: Iterable[Report]) -> dict[tuple[int, str], ResultOffer]:
    """Return the results that other checked logs hold for the open calls of a log.

    Where several logs hold a result for one call, the first is taken. The sources of the logs must be open.
    """
    offers: dict[tuple[int, str], ResultOffer] = {}
    open_calls = _calls_of(report, unanswered_call_ids(report))
    for other in other_reports if open_calls else ():
        relation = _LogRelation(report, other)
        other_calls = _calls_of(other, {call_id for call_id, _, _ in open_calls})
        new: dict[tuple[int, str], ResultOffer] = {}
        for key in open_calls.keys() & other_calls.keys():
            for mine, match in _matching_calls(key[0], open_calls[key], other_calls[key]):
                place = (mine.call.record, mine.call.id)
                if place not in offers and (offer := _offer(report, other, mine, match, relation)) is not None:
                    new[place] = offer
        numbers = LineNumbers(other.log)
        for place, offer in sorted(new.items(), key=lambda item: item[1].record):
            offers[place] = replace(offer, line=numbers.line_of(offer.record))
    return offers


def is_random_id(id: str) -> bool:
    """Return whether no two calls or sessions share such an id by chance."""
    return _RANDOM_ID.search(id) is not None


class _CallInLog(Struct):
    """A call of a log: what it asks, its tool number, and its session and context."""

    call: EvidenceQuery
    tool: int
    context: ThreadContext
    session: SessionReport

    @property
    def result(self) -> int:
        return self.context.pairing.counterparts[self.tool]


class _LogRelation:
    """The evidence that two logs belong to one conversation."""

    def __init__(self, report: Report, other: Report) -> None:
        self._ours, self._theirs = report.log.columns, other.log.columns

    def evidence_for(self, mine: _CallInLog, match: _CallInLog) -> str:
        """Return how a call and its counterpart are known to be the same, "" where they are not."""
        own, other = mine.session.session, match.session.session
        ids = {own.id, *own.other_session_ids} & {other.id, *other.other_session_ids}
        if any(map(is_random_id, ids)):
            return tr("the same session id")
        if mine.call.uuid and mine.call.uuid == match.call.uuid:
            return tr("the call is in the same record in both logs")
        if self._common:
            return tr("{common} records have the same ids in both logs", common=self._common)
        return tr("the same call id, tool and input") if is_random_id(mine.call.id) else ""

    @cached_property
    def _common(self) -> int:
        return len(set(filter(None, self._ours.uuids)) & set(filter(None, self._theirs.uuids)))


def unanswered_call_ids(report: Report) -> set[str]:
    """Return the ids of the unanswered calls of a log."""
    scenes = [judged.context for session in report.sessions for judged in session.threads]
    return {context.call_id(tool) for context in scenes for tool in context.pairing.unanswered} - {""}


def _calls_of(report: Report, ids: set[str]) -> dict[_Key, list[_CallInLog]]:
    """Return the calls of a log with any of these ids, by id, tool and input, in the order of the log."""
    columns, calls_by_key = report.log.columns, dict[_Key, list[_CallInLog]]()
    rows = [
        row
        for row, call_id in enumerate(columns.call_ids)
        if call_id in ids and columns.block_kinds[row] == BlockKind.CALL
    ]
    calls = dict(
        zip(rows, evidence_queries(report.format, columns, report.log.raw, rows, report.log.faults), strict=True)
    )
    for session in report.sessions:
        seen: set[int] = set()
        for judged in session.threads:
            context = judged.context
            for row, tool in _tools_of_rows(context, rows):
                if row not in seen:
                    seen.add(row)
                    call = calls[row]
                    key = (call.id, call.name, _canonical_json(call.input))
                    calls_by_key.setdefault(key, []).append(_CallInLog(call, tool, context, session))
    return calls_by_key


def _tools_of_rows(context: ThreadContext, rows: list[int]) -> list[tuple[int, int]]:
    return [(row, tool) for row in rows if (tool := context.tool_by_block_row.get(row, -1)) >= 0]


def _canonical_json(given: Any) -> bytes:
    """Return an input as JSON that is the same for every order of its members."""
    if isinstance(given, dict):
        given = {key: given[key] for key in sorted(given)}
    return dump_json(given)


def _matching_calls(
    call_id: str, ours: list[_CallInLog], theirs: list[_CallInLog]
) -> list[tuple[_CallInLog, _CallInLog]]:
    """Return the open calls, each with its counterpart in the other log.

    A call with a random id is the same one wherever it is.
    """
    if len(ours) == len(theirs):
        return [(mine, match) for mine, match in zip(ours, theirs, strict=True) if mine.result < 0]
    answered = [each for each in theirs if each.result >= 0]
    if not answered or not is_random_id(call_id):
        return []
    return [(mine, answered[-1]) for mine in ours if mine.result < 0]


def _offer(
    report: Report, other: Report, mine: _CallInLog, match: _CallInLog, relation: _LogRelation
) -> ResultOffer | None:
    """Return the result of the counterpart of an open call.

    None where it has no real result, or where nothing shows that the logs belong together.
    """
    columns, context, format = other.log.columns, match.context, other.format
    if match.result < 0:
        return None
    row = context.pairing.block_rows[match.result]
    is_placeholder = columns.block_flags[row] & BlockFlag.PLACEHOLDER or columns.block_kinds[row] != BlockKind.RESULT
    matched_by = "" if is_placeholder else relation.evidence_for(mine, match)
    if not matched_by:
        return None
    record, ordinal = context.tool_location(match.result)
    raw, pointer = other.log.raw(record), format.pointer(columns, record, ordinal)
    view = next((view for view in format.view(raw).blocks if view.pointer == pointer), None)
    if view is None:
        return None
    if format.name == report.format.name:
        block: bytes | None = format.block_bytes(columns, record, raw, ordinal)
    else:
        failed = view.is_error or bool(columns.block_flags[row] & BlockFlag.ERROR)
        block = _encoded_result(report, mine.call, view.text, failed)
    if not block:
        return None
    whole, text = format.name == report.format.name, view.text[:_MAX_TEXT_LENGTH]
    return ResultOffer(block, whole, other.log.source.path, record, matched_by, text=text)


def _encoded_result(report: Report, call: EvidenceQuery, text: str, failed: bool) -> bytes | None:
    """Return a text as a result in the target's format, None where a text alone is not enough."""
    asked = CallContext(call.id, call.name, report.log.raw(call.record), call.pointer)
    format = report.format
    if not isinstance(format, Writer) or not (failed or format.text_is_enough(asked, text)):
        return None
    return format.result_block(asked, text, failed)


def adopt_result(task: StrategyTask) -> None:
    """Put the result of the other log in the place of the missing one."""
    context, tool = task.context, task.hit.tool
    offer = find_result_offer(task.draft.offers, context, tool)
    assert offer is not None, "it is chosen only where a result was found"
    task.placer.place_result(context, tool, offer.block, task.reason(tr("copied: {sentence}", sentence=offer.sentence)))
