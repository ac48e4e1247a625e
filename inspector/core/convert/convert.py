"""Converting one session of a judged log, or of its planned repair: TARGETS is the table of what it can become.

Merged; to be rewritten:
`convert_report`: What a conversion did to the blocks of a history, as text and as JSON.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext, pair_thread
from inspector.core.check.check import Report, Verdict
from inspector.core.convert.anthropic import AnthropicTarget
from inspector.core.convert.markdown import MarkdownTarget
from inspector.core.convert.openai import OpenAITarget
from inspector.core.convert.reader import read_turns
from inspector.core.convert.turns import ConversionNotes, ConversionTarget, HistoryMetadata
from inspector.core.errors import NotJudged, NotVerified, UnknownName
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, session_index
from inspector.core.presentation.results import ConvertNote, ConvertPreview
from inspector.core.providers.registry import profile_named
from inspector.core.repair.plan import Plan
from inspector.core.report.json import encode_document
from inspector.core.report.sentences import MAX_ROWS, omitted_rows_line, place_text
from inspector.core.storage.source import Source

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


# What a conversion did to the blocks of a history, as text and as JSON.

_MOST_SHOWN = 1000


def note_places(conversion: Conversion, log: Log) -> list[str]:
    """Where the first blocks stand that are not as they were, as far as `convert_lines` tells them one by one."""
    places, slots = Locator(log), conversion.scene.columns.stable_numbers
    noted = [slots[note.record] for note in conversion.notes.all if note.record is not None][:MAX_ROWS]
    return [
        place_text(places.locate(slot)) if slot < len(log.columns) else "in what the repair added" for slot in noted
    ]


def convert_lines(conversion: Conversion, places: list[str]) -> Iterator[str]:
    """Every kind of thing that is not as it was, with how often; then the first ones, one by one."""
    counted = conversion.notes.counts()
    if not counted:
        yield "  Every block was carried over as it is."
    for (action, what, why), number in counted.items():
        yield f"  {action:8} {number:,} × {what}: {why}"
    placed = [note for note in conversion.notes.all if note.record is not None]
    for note, place in zip(placed[:MAX_ROWS], places, strict=True):
        shown = " ".join(note.text.split())[:100]
        yield f"    {place}: {note.what} {note.action}{': ' if shown else ''}{shown}"
    yield from omitted_rows_line(len(placed))


def convert_preview(conversion: Conversion, source: Source) -> ConvertPreview:
    """The conversion as the window shows it: it is carried out, and what it makes is only measured."""
    size = sum(map(len, conversion.chunks()))
    counted, notes = conversion.notes.counts(), conversion.notes.all
    return ConvertPreview(
        name=conversion.target.output_name(source),
        bytes=size,
        sound=conversion.sound,
        counts=tuple((*key, number) for key, number in counted.items()),
        notes=tuple(ConvertNote(note.action, note.what, note.record, note.text) for note in notes[:_MOST_SHOWN]),
        noted=len(notes),
    )


def convert_json(conversion: Conversion | None, path: str, **more: Any) -> bytes:
    """The whole report."""
    told = {"path": path, **more}
    if conversion is not None:
        about = conversion.metadata
        told |= {"to": conversion.target.name, "session": about.session, "from": conversion.scene.format.name}
        told["notes"] = [msgspec.to_builtins(note) for note in conversion.notes.all]
        told["counts"] = [
            {"action": action, "what": what, "why": why, "number": number}
            for (action, what, why), number in conversion.notes.counts().items()
        ]
    return encode_document(told)
