"""The check of a log: it pairs every thread, applies every rule, and gives the verdict.

Findings are worded in `findings`. Where a log may be sent to several providers, what only the others refuse is reported
as well.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple, overload

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis import damage
from inspector.core.analysis.finding import Severity
from inspector.core.analysis.lost_results import LostResults, find_lost_results
from inspector.core.analysis.open_calls import OpenCallKind, open_calls_of_kind
from inspector.core.analysis.thread_context import CheckedThread, RecordCache, RuleMatch, ThreadContext, pair_thread
from inspector.core.check.findings import Findings, severity_of_match
from inspector.core.check.resume import resume_outcome
from inspector.core.check.session_with_invalid_characters import session_with_invalid_characters
from inspector.core.discovery.unread_files import explain_unread_source
from inspector.core.formats import UNKNOWN_FORMAT, format_of_log
from inspector.core.formats.base.agent_behavior import ResumeBehavior, agent_of
from inspector.core.formats.base.format import Format
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, SubagentLogReference
from inspector.core.model.views import BlockKind
from inspector.core.providers.error_parser import ServiceErrorKind
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, profile_named
from inspector.core.rules import INVALID_CHARACTER_RULES, RULES, rules_that_may_match
from inspector.core.rules.rule import RepairStage
from inspector.core.translation import tr, tr_plural

_MANY_SESSIONS = 1000


class Verdict(IntEnum):
    """The verdict on a session. A higher value matters more to the person."""

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
        """Whether the session does not go on as it is stored."""
        return self in (Verdict.BROKEN, Verdict.UNEXPLAINED, Verdict.HEALS_ITSELF)


class LazyCheckedThreads(Sequence[CheckedThread]):
    """The threads of a session without findings, checked again whenever they are asked for.

    What a check keeps of a thread is several times as large as a short conversation. Most sessions of a log with very
    many are never looked at again.
    """

    __slots__ = ("_check", "_session")

    def __init__(self, check: Callable[[Session], list[CheckedThread]], session: Session) -> None:
        self._check, self._session = check, session

    def __len__(self) -> int:
        return len(self._session.threads)

    @overload
    def __getitem__(self, at: int) -> CheckedThread: ...

    @overload
    def __getitem__(self, at: slice) -> list[CheckedThread]: ...

    def __getitem__(self, at: int | slice) -> CheckedThread | list[CheckedThread]:
        return self._check(self._session)[at]

    def __iter__(self) -> Iterator[CheckedThread]:
        return iter(self._check(self._session))


class SessionReport(Struct):
    """What is known of one session.

    `calls` and `results` count distinct ids, on the path or not. `dangling` counts the calls without a result, and
    `orphans` the results without a call. `not_run` are the checks that the rules of the profile need and that did not
    run. `error_kind` is the subject of the recorded error where the history did not cause it. `assumed` is true where
    neither the log nor the person names the provider. `profile` is that of the provider by whose rules it was checked,
    None for a log that was not judged, and `unsupported_agent` the agent that wrote it, where its head shows that.
    `lost_results` are results outside of the conversation, of calls that are unanswered or have a placeholder;
    `recoverable` counts those of unanswered calls that are certain.
    """

    session: Session
    threads: Sequence[CheckedThread]
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
    error_kind: ServiceErrorKind | None = None
    assumed: bool = False
    profile: Profile | None = None
    unsupported_agent: str = ""
    lost_results: LostResults = {}
    recoverable: int = 0

    def count(self, severity: Severity) -> int:
        return self.findings.count_severity(severity)


class Report(Struct):
    """What is known of a log."""

    log: Log
    format: Format
    sessions: list[SessionReport]
    checks_run: list[str]
    checks_skipped: dict[str, str]
    subagents: list[SubagentLogReference] = []

    @property
    def verdict(self) -> Verdict:
        return max((session.verdict for session in self.sessions), default=Verdict.HEALTHY)

    @property
    def lost_results(self) -> LostResults:
        """The results outside of the conversation, of all sessions."""
        return {place: result for session in self.sessions for place, result in session.lost_results.items()}

    @property
    def is_judged(self) -> bool:
        """Whether the meaning of the records is known."""
        return self.verdict != Verdict.NOT_JUDGED

    def fails(self, level: Severity) -> bool:
        """Return whether a finding has at least this severity, or an error has no explanation."""
        has_severe_finding = any(kind.severity >= level for session in self.sessions for kind in session.findings.kinds)
        return has_severe_finding or self.verdict == Verdict.UNEXPLAINED


def check(
    log: Log,
    profile_name: str = "",
    live: bool = False,
    include_side_threads: bool = True,
    release: bool = False,
    error: str = "",
) -> Report:
    """Check an open log.

    `error` is what a provider answered to a request with its sessions, for rules that find nothing without it.

    Without `include_side_threads` only the thread that a resume continues is checked. With `release`, for a caller that
    looks at findings alone, the threads of sessions without findings are not kept where there are many sessions: see
    `LazyCheckedThreads`.
    """
    format = format_of_log(log)
    if format is UNKNOWN_FORMAT:
        unknown = dict.fromkeys(RULES, tr("the format of the log is unknown"))
        return Report(log, format, [_not_judged(log)], [], unknown)
    skipped = partly_applied_rules(log)
    sessions = []
    seen: dict[ResumeBehavior, ResumeBehavior] = {}
    no_findings: Findings | None = None

    def check_again(session: Session) -> list[CheckedThread]:
        profile = profile_named(profile_name or session.profile)
        at_work = live or session.agent_active
        return check_threads(format, log.columns, log.raw, session, profile, at_work, include_side_threads, {})

    for session in log.sessions:
        session.pasted_error = error
        report = _report(log, format, session, profile_name, live, include_side_threads)
        if release and len(log.sessions) > _MANY_SESSIONS and not report.findings:
            no_findings = report.findings if no_findings is None else no_findings
            report.threads, report.findings = LazyCheckedThreads(check_again, session), no_findings
            report.on_resume = seen.setdefault(report.on_resume, report.on_resume)
        session.pasted_error = ""  # a later check of the log knows nothing of it
        sessions.append(report)
    subagents = format.subagents(log) if include_side_threads else []
    return Report(log, format, sessions, [code for code in RULES if code not in skipped], skipped, subagents)


def partly_applied_rules(log: Log) -> dict[str, str]:
    """Return the rules that did not see every byte of a log, each with the reason."""
    if log.deeply_checked:
        return {}
    reason = tr("the fast check reads only decoded text, but --deep checks every byte")
    return dict.fromkeys(INVALID_CHARACTER_RULES, reason)


def check_threads(
    format: Format,
    columns: Columns,
    raw: ReadRecord,
    session: Session,
    profile: Profile,
    live: bool = False,
    include_side_threads: bool = True,
    record_cache: RecordCache | None = None,
    log: Log | None = None,
) -> list[CheckedThread]:
    """Pair every thread of a session and apply every rule to it.

    Without `include_side_threads` only the main thread is checked. `record_cache` holds what an earlier check read of
    these very records (ThreadContext.cached_read). `log` is the log that holds the session, as read: without it, what
    its agent reads of damaged records is not known.
    """
    checked_threads = []
    for thread in session.threads if include_side_threads else session.threads[:1]:
        pairing = pair_thread(format, columns, thread, profile)
        context = ThreadContext(format, columns, raw, session, thread, pairing, profile, live, record_cache)
        context.log = log
        is_sound = thread.is_side and pairing.is_clean and not thread.damaged_links
        hits = [] if is_sound else [hit for rule in rules_that_may_match(context) for hit in rule.find(context)]
        _leave_inherited(hits, columns)
        checked_threads.append(CheckedThread(context, _without_explained_matches(hits, context) if hits else hits))
        if hits:
            context.number_messages_as_sent()
        context.clear_view_cache()
    return checked_threads


def _leave_inherited(hits: list[RuleMatch], columns: Columns) -> None:
    """Offer no repair of what is in another log, which the agent reads before this one.

    A damaged line there is only noted: the agent skips it, and what it held is no part of this log.
    """
    if hits and columns.has_mark(RecordMark.INHERITED):
        for hit in hits:
            if columns.marks[hit.record] & RecordMark.INHERITED:
                hit.strategies, hit.default = ("leave",), "leave"
                if RULES[hit.rule].stage == RepairStage.BYTES:
                    hit.severity = Severity.INFO


def _without_explained_matches(hits: list[RuleMatch], context: ThreadContext) -> list[RuleMatch]:
    """Return the matches without those that a damaged record explains.

    Such a match only seems wrong: the damaged record holds the other half, and can be salvaged whole.
    """
    salvaged = b"\n".join(raw for damaged in damage.damaged_places(context) for raw in damaged.records)
    if not salvaged:
        return hits
    return [hit for hit in hits if not _is_explained(hit, context, salvaged)]


def _is_explained(hit: RuleMatch, context: ThreadContext, salvaged: bytes) -> bool:
    if hit.parent_missing:
        wanted_id = context.columns.parents[hit.record]
    elif hit.tool >= 0 and context.pairing.counterparts[hit.tool] < 0:
        wanted_id = context.call_id(hit.tool)
    else:
        return False
    return bool(wanted_id) and f'"{wanted_id}"'.encode() in salvaged


def quick_verdict(log: Log, live: Container[int] = ()) -> Verdict:
    """Return the verdict that `check` would give without side threads.

    No finding is worded, and no other provider is considered. `live` holds the numbers of the sessions whose agents are
    known to run.
    """
    format = format_of_log(log)
    if format is UNKNOWN_FORMAT:
        return Verdict.NOT_JUDGED
    checked_sessions = (
        _threads(log, format, session, session.profile, session.number in live) for session in log.sessions
    )
    return max((verdict_of(session)[0] for session in checked_sessions), default=Verdict.HEALTHY)


def _threads(
    log: Log, format: Format, session: Session, profile: str, live: bool = False, sides: bool = False
) -> list[CheckedThread]:
    format.describe(log, session)
    return check_threads(format, log.columns, log.raw, session, profile_named(profile), live, sides, {}, log)


class ThreadReadByAgent(NamedTuple):
    """The main thread of a session as its agent reads it: its context, its matches, and the rules in error.

    `losses` describe what the agent does not read of lines that it reads in part.
    """

    context: ThreadContext
    matches: list[RuleMatch]
    errors: set[str]
    losses: tuple[str, ...] = ()


def as_read_by_agent(context: ThreadContext, matches: list[RuleMatch], errors: set[str]) -> ThreadReadByAgent:
    """Return a checked main thread as its agent reads it. `errors` are those of all threads."""
    format = context.format
    memory, half_pairs = agent_of(format).session_in_memory(context.session, context.columns, context.raw), None
    if memory is None and (read := session_with_invalid_characters(context, errors)):
        memory, half_pairs = read
    if memory is None:
        return ThreadReadByAgent(context, matches, errors)
    checked = check_threads(
        format, memory.columns, memory.raw, memory.session, context.profile, context.live, include_side_threads=False
    )[0]
    checked.context.half_pairs = half_pairs
    elsewhere = errors - rules_reporting_errors(context, matches)
    return ThreadReadByAgent(
        checked.context,
        checked.matches,
        elsewhere | rules_reporting_errors(checked.context, checked.matches),
        memory.losses,
    )


def rules_reporting_errors(context: ThreadContext, matches: list[RuleMatch]) -> set[str]:
    """Return the rules that report an error in a checked thread."""
    return {hit.rule for hit in matches if severity_of_match(hit, context) == Severity.ERROR}


def outcome_on_resume(context: ThreadContext, matches: list[RuleMatch], errors: set[str]) -> ResumeBehavior:
    """Return what the agent does with a checked session on resume. See `resume_outcome`."""
    return outcome_as_read(as_read_by_agent(context, matches, errors), errors)


def outcome_as_read(read: ThreadReadByAgent, errors: set[str]) -> ResumeBehavior:
    """Return what the agent does with a session that it reads so. `errors` are the rules in error in the log."""
    behavior = resume_outcome(read.context, read.matches, read.errors)
    is_changed = behavior.outcome == "as-is" and errors != read.errors
    outcome = "mends" if is_changed else behavior.outcome
    return replace(behavior, outcome=outcome, losses=tuple(dict.fromkeys((*read.losses, *behavior.losses))))


def verdict_of(threads: Sequence[CheckedThread], recoverable: int = 0) -> tuple[Verdict, ResumeBehavior]:
    """Return the verdict on a checked session, and what its agent does on resume.

    `recoverable` is the number of unanswered calls whose result the log holds outside of the conversation.
    """
    main = threads[0].context
    rule_severities = {
        (hit.rule, severity_of_match(hit, checked.context)) for checked in threads for hit in checked.matches
    }
    errors = {rule for rule, severity in rule_severities if severity == Severity.ERROR}
    on_resume = with_unsent_results_as_losses(outcome_on_resume(main, threads[0].matches, errors), recoverable)
    unanswered = len(main.pairing.unanswered)
    if errors:
        return Verdict.HEALS_ITSELF if on_resume.recovers else Verdict.BROKEN, on_resume
    if any(RULES[rule].of_error for rule, _ in rule_severities):
        return Verdict.UNEXPLAINED, on_resume
    if unanswered and len(open_calls_of_kind(main, OpenCallKind.PENDING)) == unanswered:
        return Verdict.WAITING, on_resume
    return Verdict.HEALTHY, on_resume


def _report(log: Log, format: Format, session: Session, profile_name: str, live: bool, sides: bool) -> SessionReport:
    threads = _threads(log, format, session, profile_name or session.profile, live or session.agent_active, sides)
    main = threads[0].context
    profile = main.profile
    lost_results = _lost_results(log, format, threads)
    recoverable = _count_recoverable(threads, lost_results)
    verdict, on_resume = verdict_of(threads, recoverable)
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
        findings=Findings(log, threads, verdict in (Verdict.BROKEN, Verdict.HEALS_ITSELF), lost_results),
        verdict=verdict,
        on_resume=on_resume,
        recorded_error=main.last_error[1].strip(),
        calls=len(calls),
        results=len(results),
        messages=len({number for number in main.pairing.messages if number >= 0}),
        dangling=len(calls - results),
        orphans=len(results - calls),
        not_run=profile.unchecked_rules(partly_applied_rules(log)),
        error_kind=main.last_error_kind,
        assumed=assumed,
        profile=profile,
        lost_results=lost_results,
        recoverable=recoverable,
    )


def _lost_results(log: Log, format: Format, threads: list[CheckedThread]) -> LostResults:
    """Return the results outside of the conversation, of calls that are unanswered or have a placeholder."""
    pairings = [judged.context.pairing for judged in threads]
    unanswered = [pairing.block_rows[tool] for pairing in pairings for tool in pairing.unanswered]
    return find_lost_results(format, log, [*unanswered, *_rows_with_placeholders(threads)])


def _count_recoverable(threads: list[CheckedThread], lost_results: LostResults) -> int:
    """Return how many unanswered calls have their result outside of the conversation for certain."""
    if not lost_results:
        return 0
    unanswered = {
        judged.context.tool_location(tool) for judged in threads for tool in judged.context.pairing.unanswered
    }
    return sum(place in unanswered and result.is_certain for place, result in lost_results.items())


def with_unsent_results_as_losses(behavior: ResumeBehavior, recoverable: int) -> ResumeBehavior:
    """Return what an agent does that goes on with words of its own in the place of results that the log holds."""
    if not recoverable or behavior.outcome not in ("mends", "as-is"):
        return behavior
    lost = tr_plural(
        "the result of a call, which is stored outside the conversation",
        "the results of {number:,} calls, which are stored outside the conversation",
        recoverable,
    )
    return replace(behavior, losses=(*behavior.losses, lost))


def _rows_with_placeholders(threads: list[CheckedThread]) -> Iterator[int]:
    """Yield the block rows of the calls whose result is a placeholder."""
    for context in (judged.context for judged in threads):
        columns, pairing = context.columns, context.pairing
        for tool, row in enumerate(pairing.block_rows) if columns.has_flag(BlockFlag.PLACEHOLDER) else ():
            if columns.block_kinds[row] == BlockKind.RESULT and columns.block_flags[row] & BlockFlag.PLACEHOLDER:
                call = pairing.counterparts[tool]
                if call >= 0:
                    yield pairing.block_rows[call]


def _distinct_ids(columns: Columns, session: Session) -> tuple[set[str | None], set[str | None]]:
    """Return the distinct ids of calls and of results in the session, on the path or not."""
    if not session.records:
        return set(), set()
    low, high = session.records.start, session.records.stop
    calls = columns.call_ids_of_kind(BlockKind.CALL, low, high)
    results = columns.call_ids_of_kind(BlockKind.RESULT, low, high) | columns.call_ids_of_kind(
        BlockKind.TOLD_RESULT, low, high
    )
    return calls - {None, ""}, results - {None, ""}


def _not_judged(log: Log) -> SessionReport:
    behavior, unread = ResumeBehavior("unknown", "unknown"), explain_unread_source(log.source)
    return SessionReport(
        log.sessions[0],
        [],
        Findings(log, ()),
        Verdict.NOT_JUDGED,
        behavior,
        "",
        calls=0,
        results=0,
        messages=0,
        unsupported_agent=unread.detail if unread.kind == "format" else "",
    )


def other_profiles(format: Format, assumed: bool) -> list[Profile]:
    """Return the profiles of the other providers that a log may be sent to.

    API messages may be sent to any provider. The log of an agent may be sent to its own provider, or to one of those
    that it supports where the provider is only assumed.
    """
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
    """Return as warnings what only other profiles than the session's own refuse.

    `threads` were checked for the session's own profile. `judge_as` checks the session for another one.
    """
    known = {(hit.record, hit.ordinal) for judged in threads for hit in judged.matches}
    readings: dict[tuple[bool, Role], list[Profile]] = {}
    in_a_row = any(
        _has_assistants_in_a_row(checked.context.columns, checked.context.thread.path) for checked in threads
    )
    if not in_a_row and all(judged.context.pairing.is_clean for judged in threads):
        return []  # A history without a flaw reads the same to all of them.
    for profile in others:
        if profile.turn_rules_for(in_a_row) != own.turn_rules_for(in_a_row):
            readings.setdefault(profile.turn_rules_for(in_a_row), []).append(profile)
    warnings = []
    # A provider that joins neighbouring messages of the assistant finds anomalies only where one that does not join
    # them finds some, too. A stand-in for one of several calls with one id can only add a warning, in a log that is
    # broken anyway.
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
                warnings.append(CheckedThread(judged.context, theirs))
        if not joins and not new:
            exhausted.add(results_as)
    return warnings


def _is_told_of_others(hit: RuleMatch) -> bool:
    """Return whether a match is reported for other profiles.

    A rule whose outcome depends on the profile is not: otherwise every id would be a warning.
    """
    return hit.severity is None and not RULES[hit.rule].by_profile


def _has_assistants_in_a_row(columns: Columns, path: array[int]) -> bool:
    """Return whether two messages of the assistant follow one another.

    Only then does it matter which providers join such messages.
    """
    roles = bytes(map(columns.roles.__getitem__, path)).translate(None, bytes((Role.OPAQUE, Role.LINK)))
    return bytes((Role.ASSISTANT, Role.ASSISTANT)) in roles
