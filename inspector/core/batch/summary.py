"""The summary of a check of many logs: how many sessions have which verdict, cause, agent and version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from inspector.core.check.check import Verdict
from inspector.core.discovery.stores import agent_name
from inspector.core.formats import FORMATS
from inspector.core.report.session_parts import fingerprint_cause_sentence
from inspector.core.report.tables import FileRow, LogResult, SessionRow
from inspector.core.translation import tr, tr_plural

_RANKS = {verdict.word: verdict.value for verdict in Verdict}


class SummaryGroupKey(NamedTuple):
    """What the sessions of a group have in common. `fingerprint` is "" for sessions in which nothing is wrong."""

    verdict: str
    fingerprint: str
    format: str
    version: str


class GroupCount(Struct):
    """How many sessions and logs are in a group."""

    sessions: int = 0
    logs: int = 0


class SummaryState(Struct):
    """The counts of a summary, to be written or sent."""

    groups: list[tuple[SummaryGroupKey, GroupCount]] = []
    statuses: dict[str, int] = {}
    reasons: dict[str, int] = {}


class Summary:
    """Counts results. Rows are not kept, so that its size depends only on the number of groups."""

    def __init__(self) -> None:
        self.groups: dict[SummaryGroupKey, GroupCount] = {}
        self.statuses: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def add(self, result: LogResult) -> None:
        """Count the rows of a result."""
        for file in result.files:
            self._add_file(file)
        groups = [_group_of(session) for session in result.sessions]
        for group in groups:
            self.groups.setdefault(group, GroupCount()).sessions += 1
        logs = {(group, session.log) for group, session in zip(groups, result.sessions, strict=True)}
        for group, _ in logs:
            self.groups[group].logs += 1

    def _add_file(self, file: FileRow) -> None:
        self.statuses[file.status] += 1
        if file.reason:
            self.reasons[file.reason] += 1

    def state(self) -> SummaryState:
        """Return the counts."""
        return SummaryState([*self.groups.items()], self.statuses, self.reasons)

    def merge(self, state: SummaryState) -> None:
        """Add the counts of another summary."""
        for group, count in state.groups:
            total = self.groups.setdefault(group, GroupCount())
            total.sessions += count.sessions
            total.logs += count.logs
        self.statuses.update(state.statuses)
        self.reasons.update(state.reasons)

    def lines(self, before: dict[str, int] | None = None) -> Iterator[str]:
        """Yield the summary as lines, the worst groups first.

        `before` counts the logs by fingerprint of the last run on the same sources, None if there was none.
        """
        judged = self.statuses["judged"]
        yield tr_plural("{number:,} log was checked.", "{number:,} logs were checked.", judged)
        totals = Counter[str]()
        for group, count in self.groups.items():
            totals[group.verdict] += count.sessions
        for verdict, number in sorted(totals.items(), key=lambda item: -_RANKS[item[0]]):
            yield tr("{number:>9,}  {verdict}", number=number, verdict=verdict)
        yield from _table(sorted(self.groups.items(), key=_order), self.fingerprints(), before)
        others = self.statuses.total() - judged
        if others:
            yield tr_plural("{number:,} file was not checked:", "{number:,} files were not checked:", others)
            for reason, number in self.reasons.most_common():
                yield tr("{number:>9,}  {reason}", number=number, reason=reason)

    def fingerprints(self) -> dict[str, int]:
        """Return the number of logs by fingerprint."""
        numbers = Counter[str]()
        for group, count in self.groups.items():
            if group.fingerprint:
                numbers[group.fingerprint] += count.logs
        return dict(numbers)


def _group_of(session: SessionRow) -> SummaryGroupKey:
    return SummaryGroupKey(session.verdict, session.fingerprint, session.format, session.version)


def _order(item: tuple[SummaryGroupKey, GroupCount]) -> tuple[object, ...]:
    group, count = item
    return -_RANKS[group.verdict], -count.sessions, group


def _table(
    groups: Iterable[tuple[SummaryGroupKey, GroupCount]], now: dict[str, int], before: dict[str, int] | None
) -> Iterator[str]:
    rows = [(tr("sessions"), tr("logs"), tr("verdict"), tr("agent"), tr("cause"))]
    for group, count in groups:
        if not group.fingerprint:
            continue
        agent = f"{_label(group.format)} {group.version}".rstrip()
        cause = fingerprint_cause_sentence(group.fingerprint)
        more = now[group.fingerprint] - before.get(group.fingerprint, 0) if before is not None else 0
        if before is not None and group.fingerprint not in before:
            cause = tr("{cause} (new)", cause=cause)
        elif more > 0:
            cause = tr("{cause} ({number:,} more than last time)", cause=cause, number=more)
        rows.append((f"{count.sessions:,}", f"{count.logs:,}", group.verdict, agent, cause))
    if len(rows) == 1:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    yield ""
    for sessions, logs, verdict, agent, cause in rows:
        cells = (
            sessions.rjust(widths[0]), logs.rjust(widths[1]), verdict.ljust(widths[2]), agent.ljust(widths[3]), cause
        )  # fmt: skip
        yield "  ".join(cells)
    yield ""


def _label(name: str) -> str:
    format = FORMATS[name]
    return format.label if format.is_provider_api else agent_name(format)
