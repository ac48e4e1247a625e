"""Planning a repair: findings and choices become edits, pass by pass, until the outcome verifies or nothing helps.

Each pass carries out the strategies of the earliest stage that has something to do, and then checks the draft again, so
that a later stage never works on what an earlier one has changed. Nothing is written.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.thread_context import CheckedThread, RecordCache, RuleMatch, ThreadContext
from inspector.core.check.check import Report, Verdict, check_threads, partly_applied_rules, verdict_of
from inspector.core.check.findings import finding_id, severity_of_match
from inspector.core.check.resume import unsent_result_reason
from inspector.core.errors import NotVerified, ReadOnlyFormat
from inspector.core.formats.base.agent_behavior import ResumeBehavior, save_modes_of
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columnar_index import BlockFlag, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, profile_named
from inspector.core.repair.cache_and_reasoning_effects import first_difference, repair_consequences
from inspector.core.repair.choices import Choices, ResultOffers
from inspector.core.repair.draft import Draft
from inspector.core.repair.insertion_point import ResultPlacer
from inspector.core.repair.strategies import equals_own_placeholder, is_placeholder_undone
from inspector.core.repair.strategy_functions import STRATEGY_FUNCTIONS
from inspector.core.repair.strategy_resolver import StrategyResolver, UnusedChoice, unused_choices, validate_choices
from inspector.core.repair.strategy_task import StrategyTask
from inspector.core.repair.tree_strategies import redirect_references_to_dropped, update_stored_counts
from inspector.core.repair.unreported_losses import unreported_losses
from inspector.core.rules import RULES
from inspector.core.rules.rule import RepairStage
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson
from inspector.core.translation import joined, tr, tr_plural

# Edits a draft whose findings are repaired, given the main thread of each of its sessions.
FinalEdits: TypeAlias = Callable[[Draft, list[ThreadContext]], None]

_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)
_MOST_PASSES = 200


class Plan(Struct):
    """A planned repair. `refusals` maps each profile to None, or to what it would still refuse.

    `on_resume` says what the agent does with the outcome. `chosen` is the strategy of every finding. `verified` is true
    where the target profile accepts the outcome, otherwise `reason` says why not. `caveat` is the caveat of the
    presets. `effects` are sentences, by session number, on the consequences for the prompt cache and for reasoning.
    `unused_choices` are named strategies that matched nothing, or did not fit. `live_sessions` are the numbers of the
    sessions whose agents run: their calls at the end wait for results. `unused_results` are results outside of the
    conversation that the repair does not use, by the number of the session and the id of the call. `verdict` is that on
    a verified outcome, None where only its own provider can give it.
    """

    draft: Draft
    sessions: list[Session]
    refusals: dict[str, str | None]
    chosen: dict[str, str]
    verified: bool
    reason: str
    findings_by_slot: dict[int, list[str]]
    caveat: str = ""
    on_resume: str = ""
    effects: dict[int, list[str]] = {}
    live_sessions: frozenset[int] = frozenset()
    unused_choices: list[UnusedChoice] = []
    unused_results: dict[tuple[int, str], LostResult] = {}
    verdict: Verdict | None = None

    @property
    def changes_nothing(self) -> bool:
        edits = self.draft.record_edits()
        return not (edits.replaced or edits.deleted or edits.inserted_after or edits.inserted_before)

    @property
    def results_kept(self) -> int:
        """The number of results that are no placeholders."""
        columns = self.draft.columns
        rows = columns.block_rows_of_kind(BlockKind.RESULT)
        return sum(not columns.block_flags[row] & BlockFlag.PLACEHOLDER for row in rows)

    @property
    def loses_nothing(self) -> bool:
        """Whether no loss is listed, and no result that the log holds elsewhere is left where it is."""
        return not (self.draft.losses or self.unused_results)

    def unused_certain_results(self, session: int) -> int:
        """Return how many results of a session (by number) the log certainly holds, and the repair does not use."""
        return count_certain_results(self.unused_results, session)

    @property
    def not_run(self) -> tuple[str, ...]:
        """The checks that the answer of some profile would need and that did not run."""
        return tuple(sorted({rule for profile in self.refusals for rule in self.skipped_checks_of(profile)}))

    def skipped_checks_of(self, profile: str) -> tuple[str, ...]:
        """Return the checks that the rules of a profile need and that did not run."""
        return PROFILES[profile].unchecked_rules(partly_applied_rules(self.draft.log))


def count_certain_results(results: Mapping[tuple[int, str], LostResult], session: int) -> int:
    """Return how many of these results are certain and of a session, by its number."""
    return sum(number == session and result.is_certain for (number, _), result in results.items())


def plan_repair(
    report: Report, choices: Choices, final_edits: FinalEdits | None = None, offers: ResultOffers | None = None
) -> Plan:
    """Plan the repair of a checked log.

    `final_edits` are applied to the repaired history. `offers` are results that other logs hold: they answer their
    calls unless something else was chosen. Raises UnknownName, ReadOnlyFormat, NotVerified.
    """
    format = require_writer(report)
    validate_choices(choices)
    choices.require_known_sessions([each.session for each in report.sessions])
    try:
        return _Planner(report, format, choices, offers).run(final_edits)
    except (TruncatedJson, PointerNotFound) as error:
        raise NotVerified(
            tr("Nothing is written, because the structure of a record cannot be edited safely ({error}).", error=error)
        ) from error


def require_writer(report: Report) -> Writer:
    """Return the format of a checked log. Raises ReadOnlyFormat for a log that cannot be written."""
    format = report.format
    if not isinstance(format, Writer):
        raise ReadOnlyFormat(format.read_only_reason)
    if not save_modes_of(format, report.log):
        raise ReadOnlyFormat(format.save_refusal(report.log, "copy"))
    return format


class _Planner:
    def __init__(self, report: Report, format: Writer, choices: Choices, offers: ResultOffers | None) -> None:
        self.report, self.choices = report, choices
        # What is wrong in a side thread is only noted: unless the person asks for more, it needs no second look.
        self._sides = bool(choices.rules or choices.findings or choices.sessions)
        self.draft = Draft(report.log, format, offers, report.lost_results)
        self.resolver = StrategyResolver(choices, self.draft)
        self.sessions = [each.session for each in report.sessions]
        # What an agent at work waits for is not answered in its place, also not in a later pass.
        self.live = frozenset(each.session.number for each in report.sessions if each.threads[0].context.live)
        own = [judged for each in report.sessions for judged in each.threads]
        self.memo: RecordCache = {key: known for judged in own for key, known in judged.context.record_cache.items()}
        self.judged = own if not choices.profile else self._judge()
        self.cycle_guard = CycleGuard(self.draft, self.judged)

    def profile(self, session: Session) -> Profile:
        return profile_named(self.choices.profile or session.profile)

    def run(self, also: FinalEdits | None) -> Plan:
        for _ in range(_MOST_PASSES):
            if not self._pass():
                break
            self._resplit_and_judge()
            self.cycle_guard.end_pass(self.judged)
        else:
            raise NotVerified(
                tr(
                    "Nothing was written, because there were still findings to repair after {most_passes} passes.",
                    most_passes=_MOST_PASSES,
                )
            )
        self.draft.losses += unreported_losses(self.draft)
        if also is not None:
            also(self.draft, [each.context for each in self._main_threads()])
            self._resplit_and_judge()
        if redirect_references_to_dropped(self.draft) | update_stored_counts(self.draft):
            self._resplit_and_judge()
        errors = list(self._errors(self.judged))
        reason = tr("no messages would be left") if self._emptied() else ""
        if errors:
            hit, context = errors[0]
            values = {"label": context.profile.label, "message": hit.message}
            reason = (
                tr("{label} would still reject the history: {message}", **values)
                if len(errors) == 1
                else tr_plural(
                    "{label} would still reject the history: {message} There is {number} more error.",
                    "{label} would still reject the history: {message} There are {number} more errors.",
                    len(errors) - 1,
                    **values,
                )
            )
            reason += self.choices.preset_of(context.session).reason_left(hit.rule)
            reason += self._other_log_advice(hit, context)
        reason = reason or self._withheld()
        caveats = filter(None, (self.choices.preset_of(each).caveat for each in self.sessions))
        return Plan(
            draft=self.draft,
            sessions=self.sessions,
            refusals=self._refusals(),
            chosen=self.resolver.chosen,
            verified=not reason,
            reason=reason,
            findings_by_slot=self._touched(),
            caveat=joined(" ", dict.fromkeys(caveats)),
            on_resume=self._on_resume(),
            effects=self._effects(),
            live_sessions=self.live,
            unused_choices=list(unused_choices(self.choices, self.resolver, self.sessions)),
            unused_results=self.resolver.unused_results,
            verdict=None if reason else self._verdict(),
        )

    def _other_log_advice(self, hit: RuleMatch, context: ThreadContext) -> str:
        """Return what to do about a match in another log, which this one continues, "" for one in this log."""
        path = self.report.log.source.attached_path(context.columns.starts[hit.record])
        if not path:
            return ""
        return tr(
            " The problem is in {path}, which this log continues. A repair never changes a log that is "
            "continued in another log. To copy the history into a new session and repair it there, run: "
            "transcript-inspector repair --new-session LOG",
            path=path,
        )

    def _main_threads(self) -> list[CheckedThread]:
        """Return the main thread of each session as checked for its own provider."""
        found: dict[int, CheckedThread] = {}
        for each in self.judged:
            if each.context.thread is each.context.session.main_thread:
                found.setdefault(each.context.session.number, each)
        return list(found.values())

    def _withheld(self) -> str:
        """Return what the agent would not send of the planned results, "" when it sends all or nothing is planned."""
        reasons = self.draft.reasons
        if not reasons:
            return ""
        edited = [record for record, slot in enumerate(self.draft.columns.stable_numbers) if slot in reasons]
        read = [each.threads[0].context for each in self.report.sessions]
        read += read[-1:] * len(self.sessions)  # one more may begin with what stood in a damaged line
        told = (
            unsent_result_reason(each.context, each.matches, edited, read[each.context.session.number])
            for each in self._main_threads()
        )
        return next(filter(None, told), "")

    def _on_resume(self) -> str:
        """Return what the agent does with the outcome; of several sessions, with the first one."""
        mains = self._main_threads()
        return self._verdict_of(mains[0])[1].sentence if mains else ""

    def _verdict_of(self, main: CheckedThread) -> tuple[Verdict, ResumeBehavior]:
        """Return the verdict on a planned session, and what its agent does, which sends no result that is left out."""
        return verdict_of([main], count_certain_results(self.resolver.unused_results, main.context.session.number))

    def _verdict(self) -> Verdict | None:
        """Return the verdict that a check of the outcome would give.

        None where the outcome was checked for another provider than its own.
        """
        mains = self._main_threads()
        if any(each.context.profile.name != each.context.session.profile for each in mains):
            return None
        return max((self._verdict_of(each)[0] for each in mains), default=Verdict.HEALTHY)

    def _effects(self) -> dict[int, list[str]]:
        """Return the consequences of the repair by session number, without sessions that have none."""
        mains = (each.context for each in self._main_threads())
        found = {context.session.number: repair_consequences(self.draft, context) for context in mains}
        return {number: said for number, said in found.items() if said}

    def _emptied(self) -> bool:
        """Return whether a session that held messages would hold none."""
        roles = self.report.log.columns.roles
        before = [
            any(roles[record] in _SPEAKERS for record in each.session.main_thread.path) for each in self.report.sessions
        ]
        return any(
            had and not any(self.draft.columns.roles[record] in _SPEAKERS for record in session.main_thread.path)
            for had, session in zip(before, self.sessions, strict=False)
        )

    def _resplit_and_judge(self) -> None:
        """Divide the draft into sessions and check them again.

        What was known of each session from the whole log is kept.
        """
        self.judged = []  # As large as an index: it goes before the next one comes.
        known = self.sessions
        self.sessions = self.draft.format.sessions(self.draft.log, self.draft.columns, self.draft.raw)
        for old, new in zip(known, self.sessions, strict=False):
            new.agent, new.version, new.title, new.other_session_ids = (
                old.agent,
                old.version,
                old.title,
                old.other_session_ids,
            )
        for read, new in zip(self.report.sessions, self.sessions, strict=False):
            new.main_thread.first_change = cache(
                partial(first_difference, self.draft, read.session.main_thread.path, new.main_thread.path)
            )
        self.judged = self._judge()

    def _judge(self) -> list[CheckedThread]:
        for known in [each for each in self.memo if each[1] in self.draft.texts]:
            del self.memo[known]
        return [
            judged for each in self.sessions for judged in self._judge_one(each, self.profile(each), sides=self._sides)
        ]

    def _judge_one(self, session: Session, profile: Profile, sides: bool) -> list[CheckedThread]:
        draft = self.draft
        live = session.number in self.live
        return check_threads(
            draft.format, draft.columns, draft.raw, session, profile, live, sides, self.memo, draft.log
        )

    def _pass(self) -> bool:
        """Carry out what is to be done first, and return whether anything was."""
        placer = ResultPlacer(self.draft)
        seen: dict[tuple[str, str], int] = {}
        session = None
        for judged in self.judged:
            if judged.context.session is not session:
                session, seen = judged.context.session, {}
            tasks = self._tasks(judged, seen, placer)
            for task in schedule_pass([each for each in tasks if not self.cycle_guard.is_blocked(each)]):
                self.cycle_guard.record_task(task)
                STRATEGY_FUNCTIONS[RULES[task.hit.rule].deed(task.strategy)](task)
            placer.flush(judged.context)
            judged.context.clear_view_cache()
        if not self.draft.has_pending:
            return False
        self.draft.commit()
        return True

    def _tasks(
        self, judged: CheckedThread, seen: dict[tuple[str, str], int], placer: ResultPlacer
    ) -> Iterator[StrategyTask]:
        for hit in judged.matches:
            identity = finding_id(hit, judged.context, seen)
            strategy = self.resolver.resolve(identity, hit, judged.context)
            if strategy != "leave":
                wording = self.choices.placeholder_text(judged.context.session)
                task = StrategyTask(self.draft, judged.context, hit, identity, strategy, placer, wording)
                if strategy != "undo-placeholder" or self._may_undo(task):
                    yield task

    def _may_undo(self, task: StrategyTask) -> bool:
        """Return whether a placeholder may be removed.

        Each one is removed once, and one in our own words only when that is chosen for the finding alone.
        """
        return not is_placeholder_undone(task) and (
            bool(self.resolver.choice_for_finding(task.finding)) or not equals_own_placeholder(task)
        )

    def _errors(self, judged: list[CheckedThread]) -> Iterator[tuple[RuleMatch, ThreadContext]]:
        for each in judged:
            for hit in each.matches:
                if severity_of_match(hit, each.context) == Severity.ERROR:
                    yield hit, each.context

    def _refusals(self) -> dict[str, str | None]:
        """Return what every profile would refuse; only API messages are checked for other profiles than their own."""
        found: dict[str, str | None] = {}
        judged_of: dict[int, list[CheckedThread]] = {}
        for each in self.judged:
            judged_of.setdefault(id(each.context.session), []).append(each)
        for name, profile in PROFILES.items():
            asked = self.draft.format.is_provider_api or any(
                self.profile(session) is profile for session in self.sessions
            )
            if not asked:
                continue
            found[name] = None
            for session in self.sessions:
                own = self.profile(session) is profile
                judged = judged_of.get(id(session), []) if own else self._judge_one(session, profile, sides=True)
                refused = next(self._errors(judged), None)
                if refused is not None:
                    hit, context = refused
                    call_id = context.match_id(hit)
                    text = profile.refusal_text(
                        hit.rule, context.message_number(hit.record), max(hit.ordinal, 0), call_id, hit.case
                    )
                    found[name] = text or f"{hit.rule}: {hit.message}"
                    break
        return found

    def _touched(self) -> dict[int, list[str]]:
        """Return the findings that each edited slot repairs."""
        return {
            slot: list(dict.fromkeys(reason.finding for reason in reasons if reason.finding))
            for slot, reasons in self.draft.reasons.items()
        }


def schedule_pass(tasks: list[StrategyTask]) -> Iterator[StrategyTask]:
    """Yield the tasks that can be carried out in one pass: those of the earliest stage of every exchange.

    A later stage waits while an earlier one works on the same exchange or one nearby, since that may change what is to
    be done. Exchanges further apart do not affect each other. A cut affects all that follows it.
    """
    staged = sorted(((_stage(task.hit.rule), task) for task in tasks), key=itemgetter(0))
    first = staged[0][0] if staged else RepairStage.BYTES
    # Up to the links a stage changes which records are on the path.
    records_first = first <= RepairStage.LINKS or any(
        _changes_whole_records(task) for stage, task in staged if stage == first
    )
    claimed: dict[int, int] = {}
    for stage, task in staged:
        if stage > first and (records_first or _changes_whole_records(task) or _ends_pass(task)):
            return
        if _cuts(task) and claimed:
            return
        if all(claimed.setdefault(turn, stage) == stage for turn in _affected_turns(task)):
            yield task
            if _cuts(task) or _ends_pass(task):
                return


def _changes_whole_records(task: StrategyTask) -> bool:
    """Return whether a task changes whole records.

    Others may be linked to them, so this is done when nothing else is.
    """
    return task.hit.tool < 0


def _ends_pass(task: StrategyTask) -> bool:
    """Return whether no other task may follow in the same pass."""
    return RULES[task.hit.rule].ends_pass


def _cuts(task: StrategyTask) -> bool:
    return task.strategy == "cut-tail"


@cache
def _stage(rule: str) -> int:
    stage = RULES[rule].stage
    assert stage is not None, "a class without a stage can only be left as it is"
    return int(stage)


def _affected_turns(task: StrategyTask) -> set[int]:
    """Return the turns that a task may touch: those of its call and result, and two on either side."""
    pairing, hit = task.context.pairing, task.hit
    turns = {pairing.turn_of(tool) for tool in (hit.tool, hit.peer) if tool >= 0}
    return {near for turn in turns for near in range(turn - 2, turn + 3)}


# How often a repair of one finding may leave as much to do as before. Copies of a record go one by one, and get fewer.
_MAX_FUTILE_ATTEMPTS = 3


class _SeenState(Struct):
    """When a state of the draft was first seen: the number of passes, losses and quarantined pieces."""

    passes: int
    losses: int
    quarantined: int


class CycleGuard:
    """Ends plans that go in a cycle, in which one repair reverts another and neither finishes.

    A placeholder for a call may be read as the second one of another call, and be removed again. The tasks of such a
    cycle wait, so that repairs of later stages have their turn: one that gives either call an id of its own ends the
    cycle.

    A repair can also bring back its own finding, with one more record each time. A task that is repeated and leaves no
    fewer findings waits for good. Where nothing else is left to do, the plan ends, and reports what is still refused.
    """

    def __init__(self, draft: Draft, judged: list[CheckedThread]) -> None:
        self._draft = draft
        self._seen: dict[int, _SeenState] = {}
        # Finding and strategy: of every pass, of this one, and of what went round.
        self._passes: list[set[tuple[str, str]]] = []
        self._carried_out: set[tuple[str, str]] = set()
        self._waiting: set[tuple[str, str]] = set()
        # How many findings there were behind a task when it was carried out last; how often there were no fewer.
        self._left: dict[tuple[str, str], int] = {}
        self._in_vain: Counter[tuple[str, str]] = Counter()
        self.end_pass(judged)

    def is_blocked(self, task: StrategyTask) -> bool:
        """Return whether a task was reverted and nothing has changed since, or was in vain too often."""
        done = task.finding, task.strategy
        return done in self._waiting or self._in_vain[done] > _MAX_FUTILE_ATTEMPTS

    def record_task(self, task: StrategyTask) -> None:
        """Note a task that is carried out in this pass."""
        self._carried_out.add((task.finding, task.strategy))

    def end_pass(self, judged: list[CheckedThread]) -> None:
        """End a pass: block its tasks if the draft is back in an earlier state."""
        draft, state = self._draft, hash(_state_fingerprint(self._draft, judged))
        self._note_progress(sum(len(each.matches) for each in judged))
        self._passes.append(self._carried_out)
        self._carried_out = set()
        before = self._seen.get(state)
        if before is None:
            self._seen[state] = _SeenState(len(self._passes), len(draft.losses), len(draft.quarantined))
            self._waiting = set()
            return
        self._waiting = set().union(*self._passes[before.passes :])
        # What was lost during the cycle is there again.
        del draft.losses[before.losses :]
        del draft.quarantined[before.quarantined :]

    def _note_progress(self, left: int) -> None:
        for done in self._carried_out:
            if left >= self._left.get(done, left + 1):
                self._in_vain[done] += 1
            self._left[done] = left


def _state_fingerprint(draft: Draft, judged: list[CheckedThread]) -> Hashable:
    """Return what is the same for two drafts at the same point of a cycle.

    Records that are added again get other ids, by which their children name them: only their length is the same.
    """
    texts, linked = draft.texts.items(), bool(draft.format.link_keys.parent)
    changed = frozenset((slot, len(text) if linked else text) for slot, text in texts if slot < draft.original_count)
    added = tuple(sorted(len(text) for slot, text in texts if slot >= draft.original_count))
    return bytes(draft.columns.roles), bytes(draft.columns.block_kinds), changed, added, _match_hash(judged)


def _match_hash(judged: Iterable[CheckedThread]) -> int:
    """Return a hash of all matches: there may be a hundred thousand of them."""
    found = 0
    for hit in chain.from_iterable(each.matches for each in judged):
        found = hash((found, hit.rule, hit.record, hit.ordinal, hit.tool, hit.peer, hit.message))
    return found
