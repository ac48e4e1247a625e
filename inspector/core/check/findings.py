"""The findings of a session, and the locations of records.

Findings are stored as the matches of the rules, and worded when they are read. There may be a hundred thousand of them;
a report shows fifty, and a repair reads none.

A record is located by its line where it has one to itself. Where a whole document, a conversation or the history of a
compaction is one line, the location is the number of the message in its array, and the pointer from the beginning of
that line.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, overload

from inspector.core.analysis.finding import PLACEHOLDER_RULE, RECOVER_STRATEGY, Finding, RefusalTextValues, Severity
from inspector.core.analysis.lost_results import LostResults
from inspector.core.analysis.thread_context import CheckedThread, RuleMatch, ThreadContext
from inspector.core.analysis.unmatched_results import recorded_tool_name
from inspector.core.check import strategy_costs
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.locations import locate_record, needs_log_bytes
from inspector.core.model.session import LineNumbers, Log
from inspector.core.model.views import RecordLocation
from inspector.core.providers.registry import hit_value_if_decisive, profiles_refusing
from inspector.core.rules import RULES
from inspector.core.translation import tr

ANSWER_STRATEGY = "answer"


class FindingGroupKey(NamedTuple):
    """What many findings have in common. `tool` is "" where no tool is named."""

    severity: Severity
    rule: str
    tool: str


class FindingGroup(NamedTuple):
    """The findings of one kind: the index of the first, their number, and the line of the last if it has one."""

    severity: Severity
    rule: str
    first: int
    size: int
    last_line: int | None


class Findings(Sequence[Finding]):
    """The findings of a session, worst first, then in the order of the log.

    A finding is worded again whenever it is read. The findings stay complete when the log is closed.
    """

    def __init__(
        self,
        log: Log,
        threads: Collection[CheckedThread],
        explained: bool = False,
        lost_results: LostResults | None = None,
    ) -> None:
        """Collect the matches of these threads, without recorded errors if others explain them (`explained`).

        `lost_results` are results outside of the conversation, by their calls.
        """
        seen: dict[tuple[str, str], int] = {}
        matches = [(hit, checked.context) for checked in threads for hit in checked.matches]
        if explained:
            matches = [(hit, context) for hit, context in matches if not RULES[hit.rule].of_error]
        numbers = [_ordinal(hit, context, seen) for hit, context in matches]
        severities = [severity_of_match(hit, context) for hit, context in matches]
        order = sorted(range(len(matches)), key=lambda index: matches[index][0].record)
        line_of = LineNumbers(log).line_of
        lines = {record: line_of(record) or 0 for record in (matches[index][0].record for index in order)}
        order.sort(key=lambda index: -severities[index])
        self._log, self._lost_results = log, lost_results or {}
        self._hits = [matches[index][0] for index in order]
        self._scenes = [matches[index][1] for index in order]
        self._numbers = array("I", (numbers[index] for index in order))
        self._lines = array("Q", (lines[hit.record] for hit in self._hits))
        self._severities = bytes(severities[index] for index in order)
        # Locations that need the bytes of the log are computed now, while it is open.
        self._places = [self._place(index) for index in range(len(order))] if needs_log_bytes(log) else []

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, at: int) -> Finding: ...

    @overload
    def __getitem__(self, at: slice) -> list[Finding]: ...

    def __getitem__(self, at: int | slice) -> Finding | list[Finding]:
        if isinstance(at, slice):
            return [self._worded(each) for each in range(*at.indices(len(self)))]
        return self._worded(range(len(self))[at])

    def __iter__(self) -> Iterator[Finding]:
        return map(self._worded, range(len(self)))

    def count_severity(self, severity: Severity) -> int:
        """Return how many findings have this severity."""
        return self._severities.count(severity)

    def count_rules(self, severity: Severity) -> Counter[str]:
        """Return how many findings of this severity each rule has, in the order of the first of each."""
        return Counter(hit.rule for hit, each in zip(self._hits, self._severities, strict=True) if each == severity)

    def default_strategies(self) -> Iterator[str]:
        """Yield the default strategy of each error."""
        for at, (hit, context) in enumerate(zip(self._hits, self._scenes, strict=True)):
            if self._severities[at] == Severity.ERROR:
                yield self._default_at(at, self._lost_result(hit, context) if self._lost_results else None)

    def _default_at(self, at: int, lost: LostResult | None) -> str:
        default = _default_of(self._hits[at], Severity(self._severities[at]))
        return recover_if_certain(default, lost) if RULES[self._hits[at].rule].adopts else default

    def groups(self) -> list[FindingGroup]:
        """Return the findings grouped by kind, in the order of the first of each."""
        rows: dict[tuple[int, str, str], list[int]] = {}
        for at, (severity, hit, context) in enumerate(zip(self._severities, self._hits, self._scenes, strict=True)):
            rows.setdefault((severity, hit.rule, _tool(hit, context) or ""), []).append(at)
        return [
            FindingGroup(Severity(severity), rule, at[0], len(at), self._lines[at[-1]] or None)
            for (severity, rule, _), at in rows.items()
        ]

    @cached_property
    def kinds(self) -> list[FindingGroupKey]:
        """The kinds of the findings without duplicates, in the order in which they first appear."""
        rows = zip(self._severities, self._hits, self._scenes, strict=True)
        kinds = ((severity, hit.rule, _tool(hit, context) or "") for severity, hit, context in rows)
        return [FindingGroupKey(Severity(severity), *rest) for severity, *rest in dict.fromkeys(kinds)]

    def finding_id_at(self, at: int) -> str:
        return _identity(self._hits[at], self._scenes[at], self._numbers[at])

    def block_pointers(self) -> Iterator[tuple[int, str]]:
        """Yield the record of every finding, and the pointer to its block ("" for the record itself)."""
        return ((hit.record, _pointer(hit, context)) for hit, context in zip(self._hits, self._scenes, strict=True))

    def _place(self, at: int) -> RecordLocation:
        hit = self._hits[at]
        return locate_record(self._log, hit.record, self._lines[at] or None, _pointer(hit, self._scenes[at]))

    def _lost_result(self, hit: RuleMatch, context: ThreadContext) -> LostResult | None:
        """Return the result outside of the conversation, of an unanswered call or of one with a placeholder."""
        if RULES[hit.rule].adopts:
            return self._lost_results.get((hit.record, hit.ordinal))
        if hit.rule != PLACEHOLDER_RULE:
            return None
        return self._lost_results.get(context.tool_location(context.pairing.counterparts[hit.tool]))

    def _worded(self, at: int) -> Finding:
        hit, context, severity = self._hits[at], self._scenes[at], Severity(self._severities[at])
        rule = RULES[hit.rule]
        aside = (
            tr(" The call is in a side thread, which the agent does not continue on resume.")
            if context.thread.is_side
            else ""
        )
        lost = self._lost_result(hit, context) if self._lost_results else None
        strategies, default = hit.strategies or rule.strategies, self._default_at(at, lost)
        if lost is not None and not rule.adopts:
            aside = tr(
                " {sentence} To recover the result, remove the placeholder.{aside}", sentence=lost.sentence, aside=aside
            )
        elif lost is not None:
            strategies = (RECOVER_STRATEGY, *strategies)
            aside = f" {lost.sentence}{aside}"
        return Finding(
            id=self.finding_id_at(at),
            rule=hit.rule,
            slug=rule.slug,
            severity=severity,
            message=hit.message + aside,
            place=self._places[at] if self._places else self._place(at),
            call_id=context.match_id(hit) or None,
            tool=_tool(hit, context),
            refusal_values=None if severity == Severity.INFO else _refusal_values(hit, context),
            strategies=strategy_costs.sort_by_cost(strategies, hit.rule),
            default=default,
            adopts=rule.adopts,
            recovers=lost.place if lost is not None and rule.adopts else "",
        )


def severity_of_match(hit: RuleMatch, context: ThreadContext) -> Severity:
    """Return the severity of a match.

    ERROR where the session's own profile refuses it or the agent loses records. WARNING where another profile refuses
    it, else INFO. In a side thread it is always INFO.
    """
    if context.thread.is_side:
        return Severity.INFO
    if hit.severity is not None:
        return hit.severity
    key = hit.rule, hit_value_if_decisive(hit.rule, hit.value), hit.case
    known = context.severity_cache.get(key)
    if known is None:
        known = context.severity_cache[key] = _severity_of(key, context)
    return known


def _severity_of(key: tuple[str, str, str], context: ThreadContext) -> Severity:
    loses = RULES[key[0]].loses_records or key[0] in agent_of(context.format).lossy_rules
    if loses or context.profile.refuses(*key):
        return Severity.ERROR
    return Severity.WARNING if profiles_refusing(*key) else Severity.INFO


def finding_id(hit: RuleMatch, context: ThreadContext, seen: dict[tuple[str, str], int]) -> str:
    """Return the id of a finding: rule, session, subject and ordinal.

    The subject is the call id, or the stable number of the record where there is none. The ordinal counts the findings
    of the same rule and subject.
    """
    return _identity(hit, context, _ordinal(hit, context, seen))


def _identity(hit: RuleMatch, context: ThreadContext, number: int) -> str:
    return f"{hit.rule}:{context.session.number}:{_subject(hit, context)}:{number}"


def _subject(hit: RuleMatch, context: ThreadContext) -> str:
    return context.match_id(hit) or f"@{context.columns.stable_numbers[hit.record]}"


def _ordinal(hit: RuleMatch, context: ThreadContext, seen: dict[tuple[str, str], int]) -> int:
    key = hit.rule, _subject(hit, context)
    number = seen.get(key, 0)
    seen[key] = number + 1
    return number


def recover_if_certain(strategy: str, lost: LostResult | None) -> str:
    """Return the strategy for a call: a real result wins over a placeholder, whatever a preset imitates."""
    return RECOVER_STRATEGY if strategy == ANSWER_STRATEGY and lost is not None and lost.is_certain else strategy


def _default_of(hit: RuleMatch, severity: Severity) -> str:
    """Return the strategy of the default preset: only an error for this session is repaired by default."""
    if severity != Severity.ERROR:
        return "leave"
    return hit.default or RULES[hit.rule].strategy


def _tool(hit: RuleMatch, context: ThreadContext) -> str | None:
    return recorded_tool_name(context, hit.tool) or None if hit.tool >= 0 else None


def _pointer(hit: RuleMatch, context: ThreadContext) -> str:
    return context.format.pointer(context.columns, hit.record, hit.ordinal) if hit.ordinal >= 0 else ""


def _refusal_values(hit: RuleMatch, context: ThreadContext) -> RefusalTextValues:
    return RefusalTextValues(
        context.profile.name, context.message_number(hit.record), max(hit.ordinal, 0), hit.case, hit.value
    )
