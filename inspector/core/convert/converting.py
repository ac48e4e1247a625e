"""Converting one session of a judged log, or of its planned repair: TARGETS is the table of what it can become."""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.convert.anthropic import Anthropic
from inspector.core.convert.markdown import Markdown
from inspector.core.convert.neutral import About, Notes
from inspector.core.convert.openai import OpenAI
from inspector.core.convert.reading import turns_of
from inspector.core.convert.target import Target
from inspector.core.errors import NotJudged, NotVerified, UnknownName
from inspector.core.index.session import number_of
from inspector.core.judging.check import Report, Verdict
from inspector.core.profiles import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.scene import Scene, paired

TARGETS: dict[str, Target] = {target.name: target for target in (OpenAI(), Anthropic(), Markdown())}


class Conversion(Struct):
    """One session on its way into a target. `sound`: nothing is wrong with its history.

    `notes` are complete when `pieces` has come to its end.
    """

    target: Target
    scene: Scene
    about: About
    sound: bool
    notes: Notes

    def pieces(self) -> Iterator[bytes]:
        """The converted history, piece by piece; the notes begin anew."""
        self.notes.all.clear()
        return self.target.written(turns_of(self.scene, self.notes), self.about, self.notes)

    @property
    def has_to_verify(self) -> bool:
        """Whether what was written has to be sound: the history is, and no other half of a pair lies elsewhere."""
        return self.sound and all(note.action != "open" for note in self.notes.all)


def target_named(name: str) -> Target:
    """Raises UnknownName."""
    if name not in TARGETS:
        raise UnknownName(f"There is nothing called {name} to convert to; there are {', '.join(TARGETS)}.")
    return TARGETS[name]


def conversion(report: Report, target: str, session: str = "", plan: Plan | None = None) -> Conversion:
    """Prepare the conversion of a session (by its id or number) from the log, or from its planned repair.

    Raises UnknownName, NotJudged; NotVerified for a plan that does not verify.
    """
    chosen = target_named(target)
    if report.verdict == Verdict.NOT_JUDGED:
        raise NotJudged("Not judged: what the records mean is not certain, so nothing was converted.")
    if plan is not None and not plan.verified:
        raise NotVerified(f"Nothing was converted: {plan.reason}")
    number = _number(report, session)
    judged = report.sessions[number]
    scene, sound = judged.threads[0].scene, judged.verdict not in (Verdict.BROKEN, Verdict.HEALS_ITSELF)
    if plan is not None and not plan.changes_nothing:
        draft, planned = plan.draft, plan.sessions[number]
        profile = profile_named(planned.profile)
        pairing = paired(draft.format, draft.columns, planned.main, profile)
        scene = Scene(draft.format, draft.columns, draft.raw, planned, planned.main, pairing, profile, live=False)
        sound = True
    known = judged.session
    system = report.format.system_prompt(report.log, known)
    about = About(known.title, report.format.label, known.agent, known.id, system)
    return Conversion(chosen, scene, about, sound, Notes())


def _number(report: Report, session: str) -> int:
    """The number of the session that is meant. Raises UnknownName."""
    known = [each.session for each in report.sessions]
    if session or len(known) < 2:
        return number_of(session, known) if session else 0
    last = len(known) - 1
    raise UnknownName(f"This log holds {len(known)} sessions: say which by its id, or a number from 0 to {last}.")
