"""The size of the context at each answer of a session, for the strip above the tree, and a sentence that sums it up.

Tokens are those that the log recorded, or without such records an estimate. Of a long session, only some answers are
read, evenly spaced and around each compaction, so that the costs do not grow with the log.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice

from inspector.core.analysis.context_usage import measure_context
from inspector.core.analysis.finding import Severity
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.presentation.engine_results import ContextSeries
from inspector.core.presentation.outline import Numbers
from inspector.core.providers.token_estimates import find_model
from inspector.core.translation import tr, tr_plural

_MOST_READ = 1000  # answers; a strip has hardly more pixels
_MOST_ESTIMATED = 20_000_000  # bytes of a path; an estimate reads all of it
_NEAR = 0.8  # of the window, from which trimming is suggested
_NOT_SENT = RecordMark.SIDE_THREAD | RecordMark.API_ERROR | RecordMark.NOT_SENT | RecordMark.TRANSIENT
_MAY_NAME_MODEL = (Role.ASSISTANT, Role.OPAQUE, Role.LINK)
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)


def context_series(report: Report, session: int) -> ContextSeries:
    """Return the series of a session by its number; an empty one for a session that was not judged."""
    checked = next((each for each in report.sessions if each.session.number == session), None)
    if checked is None or not checked.threads:
        return ContextSeries()
    context = checked.threads[0].context
    series = ContextSeries()
    columns = context.columns
    own = [record for record in checked.session.records if not columns.marks[record] & _NOT_SENT]
    series.compactions = array("i", (r for r in own if columns.marks[r] & RecordMark.COMPACTION))
    series.failures = array("i", _failures(columns, own))
    _read_tokens(series, context, own)
    series.is_recorded = bool(series.tokens)
    if not series.is_recorded:
        _estimate_tokens(series, context)
    if not series.tokens:
        return series
    starts = _turn_starts(columns, own)
    series.turns = array("i", (bisect_right(starts, record) for record in series.records))
    series.broken = _break_of(checked, context)
    series.broken_turn = bisect_right(starts, series.broken) if series.broken >= 0 else 0
    series.near_limit = bool(series.limit) and series.tokens[-1] >= _NEAR * series.limit
    series.summary = _summary(series)
    return series


def _failures(columns: Columns, own: list[int]) -> Iterator[int]:
    for record in own:
        for row in columns.block_rows(record):
            if columns.block_flags[row] & BlockFlag.ERROR and columns.block_kinds[row] in _RESULTS:
                yield record
                break


def _turn_starts(columns: Columns, own: list[int]) -> list[int]:
    """Return the records with which a person begins a turn: the first message of the user, or one after an answer."""
    starts, answered = [], True
    for record in own:
        if columns.roles[record] == Role.ASSISTANT:
            answered = True
        elif answered and columns.roles[record] == Role.USER and not columns.marks[record] & RecordMark.COMPACTION:
            kinds = [columns.block_kinds[row] for row in columns.block_rows(record)]
            if kinds and not any(kind in _RESULTS for kind in kinds):
                starts.append(record)
                answered = False
    return starts


def _read_tokens(series: ContextSeries, context: ThreadContext, own: list[int]) -> None:
    """Read what the log recorded, in the answers or in metadata between them."""
    columns = context.columns
    answers = [record for record in own if columns.roles[record] == Role.ASSISTANT]
    for record, view in _views(context, _chosen(answers, series.compactions)):
        _add(series, record, view)
    if not series.tokens:
        metadata = (record for record in own if columns.roles[record] in (Role.OPAQUE, Role.LINK))
        measured = [r for r in metadata if b"token" in (raw := context.raw(r)) or b"usage" in raw]
        for record, view in _views(context, _chosen(measured, series.compactions)):
            _add(series, record, view)
    # Codex names the model in metadata before each turn.
    named_in = (r for r in reversed(own) if columns.roles[r] in _MAY_NAME_MODEL and b'"model' in context.raw(r))
    views = _views(context, islice(named_in, _MOST_READ))
    named = (view.model for _, view in views if view.model and not view.model.startswith("<"))
    known = find_model(next(named, "") or context.session.model or "")
    if known is not None:
        series.limit, series.model, series.source = known.window, known.name, known.source


def _chosen(records: list[int], compactions: Numbers) -> list[int]:
    """Return at most about `_MOST_READ` records: evenly spaced, those around each compaction, and the last."""
    if len(records) <= _MOST_READ:
        return records
    step = -(-len(records) // _MOST_READ)
    chosen = {*range(0, len(records), step), len(records) - 1}
    for compaction in compactions[:_MOST_READ]:
        at = bisect_right(records, compaction)
        chosen |= {max(at - 1, 0), min(at, len(records) - 1)}
    return [records[at] for at in sorted(chosen)]


def _views(context: ThreadContext, records: list[int] | Iterator[int]) -> Iterator[tuple[int, RecordView]]:
    for record in records:
        yield record, safe_view(context.format, context.raw(record), context.session.faults)


def _add(series: ContextSeries, record: int, view: RecordView) -> None:
    if not view.tokens_in:
        return
    tokens = view.tokens_in + (view.tokens_out or 0)
    if series.records and series.tokens[-1] == tokens:
        return  # the fragments of one message have the same measurement
    series.records.append(record)
    series.tokens.append(tokens)


def _estimate_tokens(series: ContextSeries, context: ThreadContext) -> None:
    """Estimate the context after each answer on the path."""
    columns, path = context.columns, context.thread.path
    if sum(columns.ends[record] - columns.starts[record] for record in path) > _MOST_ESTIMATED:
        return
    usage = measure_context(context)
    sums = accumulate((block.tokens for block in usage.blocks), initial=usage.system_tokens)
    next(sums, None)
    for block, tokens in zip(usage.blocks, sums, strict=True):
        if columns.roles[block.record] != Role.ASSISTANT:
            continue
        total = usage.unrecorded + round(usage.scale * tokens)
        if series.records and series.records[-1] == block.record:
            series.tokens[-1] = total
        elif not series.records or block.record > series.records[-1]:
            series.records.append(block.record)
            series.tokens.append(total)


def _break_of(checked: SessionReport, context: ThreadContext) -> int:
    errors = (
        finding.place.record
        for finding in checked.findings
        if finding.severity == Severity.ERROR and not finding.log and finding.place is not None
    )
    first = min((record for record in errors if record is not None), default=-1)
    if first < 0 and checked.verdict in (Verdict.BROKEN, Verdict.UNEXPLAINED):
        first = context.last_error[0]
    return first


def _summary(series: ContextSeries) -> str:
    tokens, turn = series.tokens[-1], series.turns[-1]
    if series.limit:
        size = (
            tr("Context: {tokens:,} of {limit:,} tokens at turn {turn:,}", tokens=tokens, limit=series.limit, turn=turn)
            if series.is_recorded
            else tr(
                "Context: about {tokens:,} of {limit:,} tokens (estimated) at turn {turn:,}",
                tokens=tokens,
                limit=series.limit,
                turn=turn,
            )
        )
    elif series.is_recorded:
        size = tr("Context: {tokens:,} tokens at turn {turn:,}", tokens=tokens, turn=turn)
    else:
        size = tr("Context: about {tokens:,} tokens (estimated) at turn {turn:,}", tokens=tokens, turn=turn)
    parts = [size]
    if series.compactions:
        parts.append(tr_plural("compacted once", "compacted {number:,} times", len(series.compactions)))
    if series.broken >= 0:
        parts.append(tr("broken at turn {turn:,}", turn=series.broken_turn))
    return "; ".join(parts)
