"""Convert one session of a judged log, or of its planned repair. TARGETS is the table of targets.

What the conversion did to the blocks of the history is reported as text and as JSON.
"""

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType, field

from inspector.core.analysis.thread_context import ThreadContext, pair_thread
from inspector.core.check.check import Report, Verdict
from inspector.core.convert.anthropic import AnthropicTarget
from inspector.core.convert.history import ConversionNotes, ConversionTarget, HistoryMetadata
from inspector.core.convert.markdown import MarkdownTarget
from inspector.core.convert.openai import OpenAITarget
from inspector.core.convert.reader import read_turns
from inspector.core.errors import NotJudged, NotVerified, UnknownName
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, index_of_session
from inspector.core.presentation.engine_results import ConversionSummary, ConvertNote
from inspector.core.providers.registry import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.report.json import ReportDocument
from inspector.core.report.sentences import MAX_ROWS, omitted_rows_line, place_text
from inspector.core.storage.source import Source
from inspector.core.translation import tr

TARGETS: dict[str, ConversionTarget] = {
    target.name: target for target in (OpenAITarget(), AnthropicTarget(), MarkdownTarget())
}

_MOST_SHOWN = 1000


class Conversion(Struct):
    """One session to convert into a target. `sound` says that nothing is wrong with its history.

    `notes` are complete when `chunks` is exhausted.
    """

    target: ConversionTarget
    context: ThreadContext
    metadata: HistoryMetadata
    sound: bool
    notes: ConversionNotes

    def chunks(self) -> Iterator[bytes]:
        """Return the converted history in chunks. The notes start again from none."""
        self.notes.all.clear()
        return self.target.render(read_turns(self.context, self.notes), self.metadata, self.notes)

    @property
    def must_verify(self) -> bool:
        """Whether the output has to be sound: the history is sound, and no call or result lacks its other half."""
        return self.sound and all(note.action != "open" for note in self.notes.all)


def target_named(name: str) -> ConversionTarget:
    """Return the target with this name. Raises UnknownName."""
    if name not in TARGETS:
        raise UnknownName(
            tr(
                "There is no target format named {name}. The target formats are {targets}.",
                name=name,
                targets=", ".join(TARGETS),
            )
        )
    return TARGETS[name]


def prepare_conversion(report: Report, target: str, session: str = "", plan: Plan | None = None) -> Conversion:
    """Prepare the conversion of a session (by its id or number) from the log, or from its planned repair.

    Raises UnknownName, NotJudged, and NotVerified for a plan that does not verify.
    """
    conversion_target = target_named(target)
    if report.verdict == Verdict.NOT_JUDGED:
        raise NotJudged(tr("Not checked: the format is uncertain, so nothing was converted."))
    if plan is not None and not plan.verified:
        raise NotVerified(tr("Nothing was converted: {reason}", reason=plan.reason))
    number = _number(report, session)
    judged = report.sessions[number]
    context, sound = judged.threads[0].context, judged.verdict not in (Verdict.BROKEN, Verdict.HEALS_ITSELF)
    if plan is not None and not plan.changes_nothing:
        draft, planned = plan.draft, plan.sessions[number]
        profile = profile_named(planned.profile)
        pairing = pair_thread(draft.format, draft.columns, planned.main_thread, profile)
        context = ThreadContext(
            draft.format, draft.columns, draft.raw, planned, planned.main_thread, pairing, profile, live=False
        )
        sound = True
    converted_session = judged.session
    system = report.format.system_prompt(report.log, converted_session)
    about = HistoryMetadata(
        converted_session.title, report.format.label, converted_session.agent, converted_session.id, system
    )
    return Conversion(conversion_target, context, about, sound, ConversionNotes())


def _number(report: Report, session: str) -> int:
    """Return the number of the session that is named. Raises UnknownName."""
    sessions = [each.session for each in report.sessions]
    if session or len(sessions) < 2:
        return index_of_session(session, sessions) if session else 0
    last_number = len(sessions) - 1
    raise UnknownName(
        tr(
            "This log has {number} sessions. Choose one by its id, or by a number from 0 to {last_number}.",
            number=len(sessions),
            last_number=last_number,
        )
    )


def source_places(conversion: Conversion, log: Log) -> list[str]:
    """Return the places of the first notes that have a record, as many as `conversion_report_lines` lists."""
    places, slots = Locator(log), conversion.context.columns.stable_numbers
    noted = [slots[note.record] for note in conversion.notes.all if note.record is not None][:MAX_ROWS]
    return [
        place_text(places.locate(slot)) if slot < len(log.columns) else tr("in a record that the repair added")
        for slot in noted
    ]


def conversion_report_lines(conversion: Conversion, places: list[str]) -> Iterator[str]:
    """Yield every kind of change with its count, then the first changes one by one."""
    counted = conversion.notes.counts()
    if not counted:
        yield tr("  Every block was copied unchanged.")
    for (action, what, why), number in counted.items():
        yield f"  {action:8} {number:,} × {what}: {why}"
    placed = [note for note in conversion.notes.all if note.record is not None]
    for note, place in zip(placed[:MAX_ROWS], places, strict=True):
        shown = " ".join(note.text.split())[:100]
        yield f"    {place}: {note.what} {note.action}{': ' if shown else ''}{shown}"
    yield from omitted_rows_line(len(placed))


def conversion_summary(conversion: Conversion, source: Source) -> ConversionSummary:
    """Return the conversion as the window shows it. It is carried out, but its output is only measured."""
    size = sum(map(len, conversion.chunks()))
    counted, notes = conversion.notes.counts(), conversion.notes.all
    return ConversionSummary(
        name=conversion.target.output_name(source),
        bytes=size,
        sound=conversion.sound,
        counts=tuple((*key, number) for key, number in counted.items()),
        notes=tuple(notes[:_MOST_SHOWN]),
        noted=len(notes),
    )


class NoteCount(Struct):
    """How often the conversion did one thing to one kind of block for one reason."""

    action: str
    what: str
    why: str
    number: int


class ConvertDocument(ReportDocument, kw_only=True):
    """The report of `convert`. `reason` says why nothing was written (`output`)."""

    path: str
    verdict: str | None
    output: str | None
    output_verdict: str | None
    reason: str | None
    to: str | UnsetType = UNSET
    session: str | UnsetType = UNSET
    origin: str | UnsetType = field(default=UNSET, name="from")
    notes: list[ConvertNote] | UnsetType = UNSET
    counts: list[NoteCount] | UnsetType = UNSET


def add_conversion(document: ConvertDocument, conversion: Conversion) -> None:
    """Add to a report what was converted."""
    document.to, document.session = conversion.target.name, conversion.metadata.session
    document.origin, document.notes = conversion.context.format.name, conversion.notes.all
    document.counts = [NoteCount(*key, number) for key, number in conversion.notes.counts().items()]
