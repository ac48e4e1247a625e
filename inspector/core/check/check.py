"""Judging a log: pair every thread, ask every rule, word the findings, give the verdict.

Merged; to be rewritten:
`other_providers`: What other providers than a session's own would refuse: asked where a log may go to any of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container
from enum import IntEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, open_calls
from inspector.core.analysis.thread import CheckedThread, Match, RecordCache, ThreadContext, pair_thread
from inspector.core.check.findings import Findings, match_severity
from inspector.core.check.resume import resume_outcome
from inspector.core.formats import UNKNOWN_FORMAT, format_of
from inspector.core.formats.base.agent import RequestBuilder, ResumeBehavior, agent_of
from inspector.core.formats.base.format import Format
from inspector.core.lazy import LazyModule
from inspector.core.model.columns import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session, Subagent
from inspector.core.model.views import BlockKind
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, profile_named
from inspector.core.rules import RULES, UNDECODED, that_may_find

if TYPE_CHECKING:
    from inspector.core.analysis import damage
    from inspector.core.providers.error_parser import ProviderErrorKind
else:
    damage = LazyModule("inspector.core.analysis.damage")


class Verdict(IntEnum):
    """From the one that matters most to the person down."""

    UNREADABLE = 7
    BROKEN = 6
    UNEXPLAINED = 5
    NOT_JUDGED = 4
    HEALS_ITSELF = 3
    WAITING = 2
    HEALTHY = 1

    @property
    def word(self) -> str:
        return self.name.lower().replace("_", "-")

    @property
    def is_trouble(self) -> bool:
        """Whether it tells of a session that does not go on as it is stored."""
        return self in (Verdict.BROKEN, Verdict.UNEXPLAINED, Verdict.HEALS_ITSELF)


class SessionReport(Struct):
    """What is known of one session.

    `calls` and `results` are distinct ids, on the path or not; `dangling` and `orphans` those without the other.
    `not_run` are the checks that the profile's rules need and that did not run. `error_kind` is what the recorded error
    is about, where it is no fault of the history. `assumed`: neither the log nor the person says which provider it goes
    to.
    """

    session: Session
    threads: list[CheckedThread]
    findings: Findings
    verdict: Verdict
    on_resume: ResumeBehavior
    recorded_error: str
    calls: int
    results: int
    messages: int
    dangling: int = 0
    orphans: int = 0
    not_run: tuple[str, ...] = ()
    error_kind: ProviderErrorKind | None = None
    assumed: bool = False

    def count(self, severity: Severity) -> int:
        return self.findings.count_severity(severity)


class Report(Struct):
    """What is known of a log."""

    log: Log
    format: Format
    sessions: list[SessionReport]
    checks_run: list[str]
    checks_skipped: dict[str, str]
    subagents: list[Subagent] = []

    @property
    def verdict(self) -> Verdict:
        return max((session.verdict for session in self.sessions), default=Verdict.HEALTHY)

    @property
    def is_judged(self) -> bool:
        """Whether it is known what the records mean."""
        return self.verdict != Verdict.NOT_JUDGED

    def fails(self, level: Severity) -> bool:
        """Whether something as severe was found, or an error that nothing explains."""
        found = any(kind.severity >= level for session in self.sessions for kind in session.findings.kinds)
        return found or self.verdict == Verdict.UNEXPLAINED


def check(log: Log, profile_name: str = "", live: bool = False, include_side_threads: bool = True) -> Report:
    """Judge an open log; without `sides` only what a resume would continue."""
    format = format_of(log)
    if format is UNKNOWN_FORMAT:
        unknown = dict.fromkeys(RULES, "the format of the log is not known")
        return Report(log, format, [_not_judged(log)], [], unknown)
    skipped = skipped_checks(log)
    sessions = [_report(log, format, session, profile_name, live, include_side_threads) for session in log.sessions]
    beside = format.subagents(log) if include_side_threads else []
    return Report(log, format, sessions, [code for code in RULES if code not in skipped], skipped, beside)


def skipped_checks(log: Log) -> dict[str, str]:
    """The rules that were not asked of every byte of a log, each with the reason."""
    if log.deeply_checked:
        return {}
    why = "fast check: only text that it decodes was judged; --deep judges every byte"
    return dict.fromkeys(UNDECODED, why)


def check_threads(
    format: Format,
    columns: Columns,
    raw: ReadRecord,
    session: Session,
    profile: Profile,
    live: bool = False,
    include_side_threads: bool = True,
    record_cache: RecordCache | None = None,
) -> list[CheckedThread]:
    """Pair every thread of a session (without `sides`, the main one alone) and ask every rule.

    `memo` is what an earlier judgement of these very records has read of them (Scene.read_once).
    """
    found = []
    for thread in session.threads if include_side_threads else session.threads[:1]:
        pairing = pair_thread(format, columns, thread, profile)
        scene = ThreadContext(format, columns, raw, session, thread, pairing, profile, live, record_cache)
        sound = thread.is_side and pairing.is_clean and not thread.damaged_links
        hits = [] if sound else [hit for rule in that_may_find(scene) for hit in rule.find(scene)]
        found.append(CheckedThread(scene, _without_explained_matches(hits, scene) if hits else hits))
        if hits:
            scene.number_messages_as_sent()
        scene.clear_view_cache()
    return found


def _without_explained_matches(hits: list[Match], scene: ThreadContext) -> list[Match]:
    """Without what only seems wrong because a damaged record, which can be salvaged whole, holds the other half."""
    salvaged = b"\n".join(raw for each in damage.damages(scene) for raw in each.records)
    if not salvaged:
        return hits
    return [hit for hit in hits if not _is_explained(hit, scene, salvaged)]


def _is_explained(hit: Match, scene: ThreadContext, salvaged: bytes) -> bool:
    if hit.parent_missing:
        named = scene.columns.parents[hit.record]
    elif hit.tool >= 0 and scene.pairing.counterparts[hit.tool] < 0:
        named = scene.call_id(hit.tool)
    else:
        return False
    return bool(named) and f'"{named}"'.encode() in salvaged


def quick_verdict(log: Log, live: Container[int] = ()) -> Verdict:
    """What `check` without `sides` would come to: nothing is worded, and no other provider is asked.

    `live` are the numbers of the sessions whose agents are known to run.
    """
    format = format_of(log)
    if format is UNKNOWN_FORMAT:
        return Verdict.NOT_JUDGED
    threads = (_threads(log, format, each, each.profile, each.number in live) for each in log.sessions)
    return max((verdict_of(format, each)[0] for each in threads), default=Verdict.HEALTHY)


def _threads(
    log: Log, format: Format, session: Session, profile: str, live: bool = False, sides: bool = False
) -> list[CheckedThread]:
    format.describe(log, session)
    return check_threads(format, log.columns, log.raw, session, profile_named(profile), live, sides, {})


def verdict_of(format: Format, threads: list[CheckedThread]) -> tuple[Verdict, ResumeBehavior]:
    """The verdict on a judged session, and what its agent does on resume."""
    main = threads[0].context
    found = {(hit.rule, match_severity(hit, each.context)) for each in threads for hit in each.matches}
    errors = {rule for rule, severity in found if severity == Severity.ERROR}
    on_resume = resume_outcome(main, threads[0].matches, errors)
    unanswered = len(main.pairing.unanswered)
    if errors:
        heals = isinstance(format, RequestBuilder) and on_resume.recovers
        return Verdict.HEALS_ITSELF if heals else Verdict.BROKEN, on_resume
    if any(RULES[rule].of_error for rule, _ in found):
        return Verdict.UNEXPLAINED, on_resume
    if unanswered and len(open_calls(main, OpenCallKind.PENDING)) == unanswered:
        return Verdict.WAITING, on_resume
    return Verdict.HEALTHY, on_resume


def _report(log: Log, format: Format, session: Session, profile_name: str, live: bool, sides: bool) -> SessionReport:
    threads = _threads(log, format, session, profile_name or session.profile, live or session.agent_active, sides)
    main = threads[0].context
    profile = main.profile
    verdict, on_resume = verdict_of(format, threads)
    assumed = session.provider_assumed and not profile_name
    others = other_profiles(format, assumed)
    if others:
        threads += warnings_of_other_profiles(
            others,
            profile,
            threads,
            lambda other: check_threads(format, log.columns, log.raw, session, other, record_cache=main.record_cache),
        )
    calls, results = _distinct_ids(log.columns, session)
    return SessionReport(
        session=session,
        threads=threads,
        findings=Findings(log, threads, explained=verdict in (Verdict.BROKEN, Verdict.HEALS_ITSELF)),
        verdict=verdict,
        on_resume=on_resume,
        recorded_error=main.last_error[1].strip(),
        calls=len(calls),
        results=len(results),
        messages=len({number for number in main.pairing.messages if number >= 0}),
        dangling=len(calls - results),
        orphans=len(results - calls),
        not_run=profile.unchecked_rules(skipped_checks(log)),
        error_kind=main.last_error_kind,
        assumed=assumed,
    )


def _distinct_ids(columns: Columns, session: Session) -> tuple[set[str | None], set[str | None]]:
    """Distinct ids of calls and results in the session, on the path or not."""
    if not session.records:
        return set(), set()
    low, high = session.records.start, session.records.stop
    calls = columns.call_ids_of_kind(BlockKind.CALL, low, high)
    results = columns.call_ids_of_kind(BlockKind.RESULT, low, high) | columns.call_ids_of_kind(
        BlockKind.TOLD_RESULT, low, high
    )
    return calls - {None, ""}, results - {None, ""}


def _not_judged(log: Log) -> SessionReport:
    session = log.sessions[0]
    return SessionReport(
        session, [], Findings(log, ()), Verdict.NOT_JUDGED, ResumeBehavior("unknown", "unknown"), "", 0, 0, 0
    )


# What other providers than a session's own would refuse: asked where a log may go to any of them.


def other_profiles(format: Format, assumed: bool) -> list[Profile]:
    """Who else may be sent a log: API messages anyone; an agent's log its own provider, or those that it may mean."""
    return (
        list(PROFILES.values())
        if format.is_provider_api
        else [PROFILES[name] for name in agent_of(format).supported_profiles if assumed]
    )


def warnings_of_other_profiles(
    others: list[Profile],
    own: Profile,
    threads: list[CheckedThread],
    judge_as: Callable[[Profile], list[CheckedThread]],
) -> list[CheckedThread]:
    """What only others than the session's own profile, which judged `threads`, refuse: as warnings."""
    known = {(hit.record, hit.ordinal) for judged in threads for hit in judged.matches}
    readings: dict[tuple[bool, Role], list[Profile]] = {}
    in_a_row = any(_has_assistants_in_a_row(each.context.columns, each.context.thread.path) for each in threads)
    if not in_a_row and all(judged.context.pairing.is_clean for judged in threads):
        return []  # A history without a flaw reads the same to all of them.
    for profile in others:
        if profile.turn_rules_for(in_a_row) != own.turn_rules_for(in_a_row):
            readings.setdefault(profile.turn_rules_for(in_a_row), []).append(profile)
    found = []
    # Who also joins neighbouring messages of the assistant finds an anomaly nowhere else than who does not; all that a
    # stand-in for one of several calls with one id can add is a warning at a place in a log that is broken anyway.
    exhausted = {results_as for joins, results_as in (own.turn_rules_for(in_a_row),) if not joins}
    for (joins, results_as), profiles in sorted(readings.items()):
        if joins and results_as in exhausted:
            continue
        refused = {rule for profile in profiles for rule in profile.refusals}
        new = 0
        for judged in judge_as(profiles[0]):
            unknown = [hit for hit in judged.matches if (hit.record, hit.ordinal) not in known]
            theirs = [hit for hit in unknown if hit.rule in refused and _is_told_of_others(hit)]
            new += len(unknown)
            for hit in theirs:
                hit.severity = Severity.WARNING
                known.add((hit.record, hit.ordinal))
            if theirs:
                found.append(CheckedThread(judged.context, theirs))
        if not joins and not new:
            exhausted.add(results_as)
    return found


def _is_told_of_others(hit: Match) -> bool:
    """Not what is legal at one provider and not at another: told of all, every id would be a warning."""
    return hit.severity is None and not RULES[hit.rule].by_profile


def _has_assistants_in_a_row(columns: Columns, path: array[int]) -> bool:
    """Whether two messages of the assistant stand next to one another: else nothing tells who would join them."""
    roles = bytes(map(columns.roles.__getitem__, path)).translate(None, bytes((Role.OPAQUE, Role.LINK)))
    return bytes((Role.ASSISTANT, Role.ASSISTANT)) in roles
