"""Planning a repair: findings and choices become edits, pass by pass, until the outcome verifies or nothing more helps.

Each pass carries out the strategies of the earliest stage that has something to do and then judges the draft anew, so
that a later stage never works on what an earlier one has changed. Pure: nothing is written.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

from msgspec import Struct

from inspector.core.bytes.spans import CutShort, NothingThere
from inspector.core.errors import NotVerified, ReadOnlyFormat
from inspector.core.formats import RAW
from inspector.core.formats.bases.agent import modes_of
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Role
from inspector.core.index.session import Session
from inspector.core.judging.check import Report, Verdict, comes_to, judge, skipped_checks
from inspector.core.judging.findings import finding_id, severity_of
from inspector.core.judging.resume.outcome import withheld
from inspector.core.profiles import PROFILES, profile_named
from inspector.core.profiles.profile import Profile
from inspector.core.repair.choices import Choices
from inspector.core.repair.choosable import check_names
from inspector.core.repair.circles import Circles
from inspector.core.repair.deeds import DEEDS
from inspector.core.repair.draft import Draft
from inspector.core.repair.effects import effects_of
from inspector.core.repair.first_change import first_change
from inspector.core.repair.offers import Offers
from inspector.core.repair.references import mend_references, settle
from inspector.core.repair.stages import first_of_each_exchange
from inspector.core.repair.taken import Taken
from inspector.core.repair.task import Task
from inspector.core.repair.undo import is_undone, says_the_same
from inspector.core.repair.unmet import Unmet, unmet
from inspector.core.repair.untold import untold
from inspector.core.repair.zone import Placer
from inspector.core.rules import RULES
from inspector.core.scene import Hit, Judged, Memo, Scene
from inspector.core.scene.finding import Severity

# Edits a draft whose findings are mended, given the main thread of each of its sessions.
Also: TypeAlias = Callable[[Draft, list[Scene]], None]

_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)
_MOST_PASSES = 200


class Plan(Struct):
    """A planned repair. `refusals` maps each profile to None, or to what it would still refuse.

    `on_resume` says what the agent does with the outcome. `chosen` is the strategy of every finding that was met;
    `verified` tells whether the target profile accepts the outcome, and `reason` says why not. `caveat` is what is to
    be known of the presets that were asked for. `effects` are sentences, by the session's number, on what the repair
    entails for the prompt cache and for reasoning. `unmet` are strategies that were named and met nothing, or nothing
    that they fit. `live` are the numbers of the sessions whose agents run: their calls at the end wait for results.
    `verdict` is that on a verified outcome, None where only its own provider can tell.
    """

    draft: Draft
    sessions: list[Session]
    refusals: dict[str, str | None]
    chosen: dict[str, str]
    verified: bool
    reason: str
    touched: dict[int, list[str]]
    caveat: str = ""
    on_resume: str = ""
    effects: dict[int, list[str]] = {}
    live: frozenset[int] = frozenset()
    unmet: list[Unmet] = []
    verdict: Verdict | None = None

    @property
    def changes_nothing(self) -> bool:
        edits = self.draft.record_edits()
        return not (edits.replaced or edits.deleted or edits.after or edits.before)

    @property
    def not_run(self) -> tuple[str, ...]:
        """The checks that some profile's answer would need and that did not run."""
        return tuple(sorted({rule for profile in self.refusals for rule in self.unjudged(profile)}))

    def unjudged(self, profile: str) -> tuple[str, ...]:
        """The checks that a profile's rules need and that did not run."""
        return PROFILES[profile].unjudged(skipped_checks(self.draft.log))


def plan(report: Report, choices: Choices, also: Also | None = None, offers: Offers | None = None) -> Plan:
    """Plan the repair of a judged log, and `also` what is to be done to the repaired history.

    `offers` are results that other logs hold: they answer their calls unless something else was chosen.
    Raises UnknownName, ReadOnlyFormat, NotVerified.
    """
    if report.format is RAW:
        raise ReadOnlyFormat(RAW.why_read_only)
    check_names(choices)
    choices.check_sessions([each.session for each in report.sessions])
    format = report.format
    if not isinstance(format, Writer):
        raise ReadOnlyFormat(format.why_read_only)
    if not modes_of(format, report.log):
        raise ReadOnlyFormat(format.refuses(report.log, "copy"))
    try:
        return _Planner(report, format, choices, offers).run(also)
    except (CutShort, NothingThere) as error:
        raise NotVerified(
            f"A record has a shape that cannot be edited safely ({error}), so nothing is changed."
        ) from error


class _Planner:
    def __init__(self, report: Report, format: Writer, choices: Choices, offers: Offers | None) -> None:
        self.report, self.choices = report, choices
        # What is wrong in a side thread is only noted: unless the person asks for more, it needs no second look.
        self._sides = bool(choices.rules or choices.findings or choices.sessions)
        self.draft = Draft(report.log, format, offers)
        self.taken = Taken(choices, self.draft)
        self.sessions = [each.session for each in report.sessions]
        # What an agent at work waits for is not answered in its place, also not in a later pass.
        self.live = frozenset(each.session.number for each in report.sessions if each.threads[0].scene.live)
        own = [judged for each in report.sessions for judged in each.threads]
        self.memo: Memo = {key: known for judged in own for key, known in judged.scene.memo.items()}
        self.judged = own if not choices.profile else self._judge()
        self.circles = Circles(self.draft, self.judged)

    def profile(self, session: Session) -> Profile:
        return profile_named(self.choices.profile or session.profile)

    def run(self, also: Also | None) -> Plan:
        for _ in range(_MOST_PASSES):
            if not self._pass():
                break
            self._look_again()
            self.circles.look(self.judged)
        else:
            raise NotVerified(f"After {_MOST_PASSES} passes there is still something to repair: nothing is changed.")
        self.draft.losses += untold(self.draft)
        if also is not None:
            also(self.draft, [each.scene for each in self._mains()])
            self._look_again()
        if mend_references(self.draft) | settle(self.draft):
            self._look_again()
        errors = list(self._errors(self.judged))
        reason = "nothing of the conversation would be left" if self._emptied() else ""
        if errors:
            hit, scene = errors[0]
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            reason = f"{scene.profile.label} would still refuse it: {hit.rule} {hit.message}{more}"
            reason += self.choices.preset_of(scene.session).blames(hit.rule)
        reason = reason or self._withheld()
        caveats = filter(None, (self.choices.preset_of(each).caveat for each in self.sessions))
        return Plan(
            draft=self.draft,
            sessions=self.sessions,
            refusals=self._refusals(),
            chosen=self.taken.chosen,
            verified=not reason,
            reason=reason,
            touched=self._touched(),
            caveat=" ".join(dict.fromkeys(caveats)),
            on_resume=self._on_resume(),
            effects=self._effects(),
            live=self.live,
            unmet=list(unmet(self.choices, self.taken, self.sessions)),
            verdict=None if reason else self._verdict(),
        )

    def _mains(self) -> list[Judged]:
        """How the main thread of each session reads to its own provider; how others read it stands behind that."""
        found: dict[int, Judged] = {}
        for each in self.judged:
            if each.scene.thread is each.scene.session.main:
                found.setdefault(each.scene.session.number, each)
        return list(found.values())

    def _withheld(self) -> str:
        """What the agent would not send of the planned results, "" when it sends all, or nothing is planned."""
        reasons = self.draft.reasons
        if not reasons:
            return ""
        edited = [record for record, slot in enumerate(self.draft.columns.slots) if slot in reasons]
        read = [each.threads[0].scene for each in self.report.sessions]
        read += read[-1:] * len(self.sessions)  # one more may begin with what stood in a damaged line
        told = (withheld(each.scene, each.hits, edited, read[each.scene.session.number]) for each in self._mains())
        return next(filter(None, told), "")

    def _on_resume(self) -> str:
        """What the agent does with the outcome; of several sessions, with the first one."""
        mains = self._mains()
        return comes_to(self.draft.format, mains[:1])[1].sentence if mains else ""

    def _verdict(self) -> Verdict | None:
        """What a reading of the outcome would come to, None where it was judged for another provider than its own."""
        mains = self._mains()
        if any(each.scene.profile.name != each.scene.session.profile for each in mains):
            return None
        return max((comes_to(self.draft.format, [each])[0] for each in mains), default=Verdict.HEALTHY)

    def _effects(self) -> dict[int, list[str]]:
        """What the repair entails, by the session's number; nothing for what it left alone."""
        mains = (each.scene for each in self._mains())
        found = {scene.session.number: effects_of(self.draft, scene) for scene in mains}
        return {number: said for number, said in found.items() if said}

    def _emptied(self) -> bool:
        """Whether a session that held messages would hold none."""
        roles = self.report.log.columns.roles
        before = [any(roles[record] in _SPEAKERS for record in each.session.main.path) for each in self.report.sessions]
        return any(
            had and not any(self.draft.columns.roles[record] in _SPEAKERS for record in session.main.path)
            for had, session in zip(before, self.sessions, strict=False)
        )

    def _look_again(self) -> None:
        """Divide the draft into sessions and judge them anew; what was known of each from the whole log stays known."""
        self.judged = []  # As large as an index: it goes before the next one comes.
        known = self.sessions
        self.sessions = self.draft.format.sessions(self.draft.log, self.draft.columns, self.draft.raw)
        for old, new in zip(known, self.sessions, strict=False):
            new.agent, new.version, new.title, new.other_ids = old.agent, old.version, old.title, old.other_ids
        for read, new in zip(self.report.sessions, self.sessions, strict=False):
            new.main.changed = cache(partial(first_change, self.draft, read.session.main.path, new.main.path))
        self.judged = self._judge()

    def _judge(self) -> list[Judged]:
        for known in [each for each in self.memo if each[1] in self.draft.texts]:
            del self.memo[known]
        return [
            judged for each in self.sessions for judged in self._judge_one(each, self.profile(each), sides=self._sides)
        ]

    def _judge_one(self, session: Session, profile: Profile, sides: bool) -> list[Judged]:
        draft = self.draft
        live = session.number in self.live
        return judge(draft.format, draft.columns, draft.raw, session, profile, live, sides, self.memo)

    def _pass(self) -> bool:
        """Carry out what is to be done first; False when nothing was left to do."""
        placer = Placer(self.draft)
        seen: dict[tuple[str, str], int] = {}
        session = None
        for judged in self.judged:
            if judged.scene.session is not session:
                session, seen = judged.scene.session, {}
            tasks = self._tasks(judged, seen, placer)
            for task in first_of_each_exchange([each for each in tasks if not self.circles.waits(each)]):
                self.circles.note(task)
                DEEDS[RULES[task.hit.rule].deed(task.strategy)](task)
            placer.finish(judged.scene)
            judged.scene.forget()
        if not self.draft.has_pending:
            return False
        self.draft.commit()
        return True

    def _tasks(self, judged: Judged, seen: dict[tuple[str, str], int], placer: Placer) -> Iterator[Task]:
        for hit in judged.hits:
            identity = finding_id(hit, judged.scene, seen)
            strategy = self.taken.of(identity, hit, judged.scene)
            if strategy != "leave":
                wording = self.choices.words_of(judged.scene.session)
                task = Task(self.draft, judged.scene, hit, identity, strategy, placer, wording)
                if strategy != "undo-placeholder" or self._undoes(task):
                    yield task

    def _undoes(self, task: Task) -> bool:
        """A placeholder goes once, and one in our own words only when it is chosen by itself."""
        return not is_undone(task) and (bool(self.taken.for_finding(task.finding)) or not says_the_same(task))

    def _errors(self, judged: list[Judged]) -> Iterator[tuple[Hit, Scene]]:
        for each in judged:
            for hit in each.hits:
                if severity_of(hit, each.scene) == Severity.ERROR:
                    yield hit, each.scene

    def _refusals(self) -> dict[str, str | None]:
        """What every profile would say of the outcome, where the format is that of a provider's own messages."""
        found: dict[str, str | None] = {}
        for name, profile in PROFILES.items():
            asked = self.draft.format.api or any(self.profile(session) is profile for session in self.sessions)
            if not asked:
                continue
            found[name] = None
            for session in self.sessions:
                own = self.profile(session) is profile
                judged = (
                    [each for each in self.judged if each.scene.session is session]
                    if own
                    else self._judge_one(session, profile, sides=True)
                )
                refused = next(self._errors(judged), None)
                if refused is not None:
                    hit, scene = refused
                    call_id = scene.id_of(hit)
                    text = profile.refusal(
                        hit.rule, scene.message_of(hit.record), max(hit.ordinal, 0), call_id, hit.case
                    )
                    found[name] = text or f"{hit.rule}: {hit.message}"
                    break
        return found

    def _touched(self) -> dict[int, list[str]]:
        """The findings that each edited slot mends."""
        return {
            slot: list(dict.fromkeys(reason.finding for reason in reasons if reason.finding))
            for slot, reasons in self.draft.reasons.items()
        }
