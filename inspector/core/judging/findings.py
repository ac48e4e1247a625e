"""The findings of a session: kept as what the rules hit, and put into words when they are looked at.

There may be a hundred thousand of them, of which a report shows fifty and a repair asks for none.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

from inspector.core.formats.bases.agent import agent_of
from inspector.core.index.place import Place
from inspector.core.index.session import LineNumbers, Log
from inspector.core.judging.places import are_read, place_of
from inspector.core.later import Later
from inspector.core.profiles import of_value, refusing
from inspector.core.rules import RULES
from inspector.core.scene import Hit, Judged, Scene
from inspector.core.scene.finding import Asked, Finding, Severity
from inspector.core.scene.tool_names import name_of

if TYPE_CHECKING:
    from inspector.core.judging import costs
else:
    costs = Later("inspector.core.judging.costs")


class Kind(NamedTuple):
    """What many findings have in common; `tool` is "" where none is named."""

    severity: Severity
    rule: str
    tool: str


class Findings(Sequence[Finding]):
    """Findings, worst first, then in the order of the log, each worded anew whenever it is asked for.

    They stay whole when the log is closed.
    """

    def __init__(self, log: Log, threads: Collection[Judged], explained: bool = False) -> None:
        """What the rules hit in these threads; a recorded error is none where it is `explained` by the others."""
        seen: dict[tuple[str, str], int] = {}
        found = [(hit, each.scene) for each in threads for hit in each.hits]
        if explained:
            found = [(hit, scene) for hit, scene in found if not RULES[hit.rule].of_error]
        numbers = [_ordinal(hit, scene, seen) for hit, scene in found]
        severities = [severity_of(hit, scene) for hit, scene in found]
        order = sorted(range(len(found)), key=lambda at: found[at][0].record)
        line_of = LineNumbers(log).of
        lines = {record: line_of(record) or 0 for record in (found[at][0].record for at in order)}
        order.sort(key=lambda at: -severities[at])
        self._log = log
        self._hits = [found[at][0] for at in order]
        self._scenes = [found[at][1] for at in order]
        self._numbers = array("I", (numbers[at] for at in order))
        self._lines = array("Q", (lines[hit.record] for hit in self._hits))
        self._severities = bytes(severities[at] for at in order)
        # Where a place is read out of the log, that is done as long as it is open.
        self._places = [self._place(at) for at in range(len(order))] if are_read(log) else []

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

    def of(self, severity: Severity) -> int:
        """How many are of this severity."""
        return self._severities.count(severity)

    @cached_property
    def kinds(self) -> list[Kind]:
        """What they are, each kind once, in the order of the first of each."""
        told = zip(self._severities, self._hits, self._scenes, strict=True)
        kinds = ((severity, hit.rule, _tool(hit, scene) or "") for severity, hit, scene in told)
        return [Kind(Severity(severity), *rest) for severity, *rest in dict.fromkeys(kinds)]

    def id_of(self, at: int) -> str:
        return _identity(self._hits[at], self._scenes[at], self._numbers[at])

    def blocks(self) -> Iterator[tuple[int, str]]:
        """The record of each, and the pointer to its block, "" for the record itself."""
        return ((hit.record, _pointer(hit, scene)) for hit, scene in zip(self._hits, self._scenes, strict=True))

    def _place(self, at: int) -> Place:
        hit = self._hits[at]
        return place_of(self._log, hit.record, self._lines[at] or None, _pointer(hit, self._scenes[at]))

    def _worded(self, at: int) -> Finding:
        hit, scene, severity = self._hits[at], self._scenes[at], Severity(self._severities[at])
        rule = RULES[hit.rule]
        aside = " It is in a side thread, which a resume does not continue." if scene.thread.side else ""
        return Finding(
            id=self.id_of(at),
            rule=hit.rule,
            slug=rule.slug,
            severity=severity,
            message=hit.message + aside,
            place=self._places[at] if self._places else self._place(at),
            call_id=scene.id_of(hit) or None,
            tool=_tool(hit, scene),
            asked=None if severity == Severity.INFO else _asked(hit, scene),
            strategies=costs.cheapest_first(hit.strategies or rule.strategies, hit.rule),
            default=_default_of(hit, severity),
            adopts=rule.adopts,
        )


def severity_of(hit: Hit, scene: Scene) -> Severity:
    """ERROR where the session's own profile refuses it or the agent loses records; WARNING where another refuses it."""
    if scene.thread.side:
        return Severity.INFO
    if hit.severity is not None:
        return hit.severity
    key = hit.rule, of_value(hit.rule, hit.value), hit.case
    known = scene.severities.get(key)
    if known is None:
        known = scene.severities[key] = _severity_of(key, scene)
    return known


def _severity_of(key: tuple[str, str, str], scene: Scene) -> Severity:
    loses = RULES[key[0]].loses_records or key[0] in agent_of(scene.format).loses
    if loses or scene.profile.refuses(*key):
        return Severity.ERROR
    return Severity.WARNING if refusing(*key) else Severity.INFO


def finding_id(hit: Hit, scene: Scene, seen: dict[tuple[str, str], int]) -> str:
    """Rule, session, call id (or the record's own number where there is none) and the ordinal among those alike."""
    return _identity(hit, scene, _ordinal(hit, scene, seen))


def _identity(hit: Hit, scene: Scene, number: int) -> str:
    return f"{hit.rule}:{scene.session.number}:{_subject(hit, scene)}:{number}"


def _subject(hit: Hit, scene: Scene) -> str:
    return scene.id_of(hit) or f"@{scene.columns.slots[hit.record]}"


def _ordinal(hit: Hit, scene: Scene, seen: dict[tuple[str, str], int]) -> int:
    key = hit.rule, _subject(hit, scene)
    number = seen.get(key, 0)
    seen[key] = number + 1
    return number


def _default_of(hit: Hit, severity: Severity) -> str:
    """The strategy that the default preset takes: only what is an error to this session is mended unasked."""
    if severity != Severity.ERROR:
        return "leave"
    return hit.default or RULES[hit.rule].strategy


def _tool(hit: Hit, scene: Scene) -> str | None:
    return name_of(scene, hit.tool) or None if hit.tool >= 0 else None


def _pointer(hit: Hit, scene: Scene) -> str:
    return scene.format.pointer(scene.columns, hit.record, hit.ordinal) if hit.ordinal >= 0 else ""


def _asked(hit: Hit, scene: Scene) -> Asked:
    return Asked(scene.profile.name, scene.message_of(hit.record), max(hit.ordinal, 0), hit.case, hit.value)
