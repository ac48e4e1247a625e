"""Converting one session of a judged log, or of its planned repair: TARGETS is the table of what it can become."""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.convert.anthropic import AnthropicTarget
from inspector.core.convert.markdown import MarkdownTarget
from inspector.core.convert.neutral import ConversionNotes, HistoryMetadata
from inspector.core.convert.openai import OpenAITarget
from inspector.core.convert.reading import read_turns
from inspector.core.convert.target import ConversionTarget
from inspector.core.errors import NotJudged, NotVerified, UnknownName
from inspector.core.index.session import session_index
from inspector.core.judging.check import Report, Verdict
from inspector.core.profiles import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.scene import ThreadContext, pair_thread

TARGETS: dict[str, ConversionTarget] = {
    target.name: target for target in (OpenAITarget(), AnthropicTarget(), MarkdownTarget())
}


class Conversion(Struct):
    """One session on its way into a target. `sound`: nothing is wrong with its history.

    `notes` are complete when `pieces` has come to its end.
    """

    target: ConversionTarget
    scene: ThreadContext
    metadata: HistoryMetadata
    sound: bool
    notes: ConversionNotes

    def chunks(self) -> Iterator[bytes]:
        """The converted history, piece by piece; the notes begin anew."""
        self.notes.all.clear()
        return self.target.render(read_turns(self.scene, self.notes), self.metadata, self.notes)

    @property
    def must_verify(self) -> bool:
        """Whether what was written has to be sound: the history is, and no other half of a pair lies elsewhere."""
        return self.sound and all(note.action != "open" for note in self.notes.all)


def target_named(name: str) -> ConversionTarget:
    """Raises UnknownName."""
    if name not in TARGETS:
        raise UnknownName(f"There is nothing called {name} to convert to; there are {', '.join(TARGETS)}.")
    return TARGETS[name]


def prepare_conversion(report: Report, target: str, session: str = "", plan: Plan | None = None) -> Conversion:
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
    scene, sound = judged.threads[0].context, judged.verdict not in (Verdict.BROKEN, Verdict.HEALS_ITSELF)
    if plan is not None and not plan.changes_nothing:
        draft, planned = plan.draft, plan.sessions[number]
        profile = profile_named(planned.profile)
        pairing = pair_thread(draft.format, draft.columns, planned.main_thread, profile)
        scene = ThreadContext(
            draft.format, draft.columns, draft.raw, planned, planned.main_thread, pairing, profile, live=False
        )
        sound = True
    known = judged.session
    system = report.format.system_prompt(report.log, known)
    about = HistoryMetadata(known.title, report.format.label, known.agent, known.id, system)
    return Conversion(chosen, scene, about, sound, ConversionNotes())


def _number(report: Report, session: str) -> int:
    """The number of the session that is meant. Raises UnknownName."""
    known = [each.session for each in report.sessions]
    if session or len(known) < 2:
        return session_index(session, known) if session else 0
    last = len(known) - 1
    raise UnknownName(f"This log holds {len(known)} sessions: say which by its id, or a number from 0 to {last}.")
