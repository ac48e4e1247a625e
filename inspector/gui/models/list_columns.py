"""The short lists of the window and the lists of a log, each declared as a table of columns."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import PurePath
from typing import NamedTuple, TypeAlias

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding
from inspector.core.formats.base.call_evidence import EvidenceItem
from inspector.core.formats.base.stores import with_tilde
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import (
    CHANGED,
    MOVED,
    ONLY_FIRST,
    ONLY_SECOND,
    Acceptance,
    ConvertNote,
    LogDifference,
    LookupPlace,
    PredefinedListRow,
    ResultInOtherLog,
    SessionSummary,
)
from inspector.core.presentation.formatting import format_duration
from inspector.core.presentation.outline import Numbers
from inspector.core.text import format_bytes
from inspector.core.translation import tr
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.models.base import ColumnSpec, ItemRole, LazySequence, TableSpec
from inspector.gui.worker.packed_answers import OpenedLog, PackedEvidence, record_display_number

_MAX_CHARS = 300
_WIDEST_LINE = ("888,888",)
_FOLDERS = 2


def _path_end(path: str) -> str:
    """Return the end of a path, which distinguishes folders."""
    parts = PurePath(path).parts
    return str(PurePath("…", *parts[-_FOLDERS:])) if len(parts) > _FOLDERS + 1 else path


def _file_with_folder(path: str) -> str:
    """Return a file name with its folder."""
    return " · ".join(filter(None, (hiding.display_name(path), PurePath(hiding.display_path(path)).parent.name)))


# The places that a pasted text is about.

LOOKUP_PLACES_TABLE = TableSpec[LookupPlace](
    (
        ColumnSpec(
            tr("Session"),
            lambda place: to_one_line(_file_with_folder(place.path), _MAX_CHARS),
            ("rollout-2026-11-21T10-00-00-3f1c9a52-7d4e",),
            padding=20,
        ),
        ColumnSpec(
            tr("Place"), lambda place: ui_text.location_label(place.place), ("record 888,888",), padding=20, muted=True
        ),
        ColumnSpec(tr("Content"), lambda place: to_one_line(place.sentence, _MAX_CHARS)),
        ColumnSpec(
            tr("How"),
            lambda place: tr(ui_text.LOOKUP_MATCH_WORDS[place.how]),
            ui_text.LOOKUP_MATCH_WORDS.values(),
            padding=24,
            muted=True,
        ),
    ),
    tip=lambda place: (
        to_one_line(with_tilde(hiding.display_path(place.path)), 2 * _MAX_CHARS)
        + f"\n{to_one_line(place.sentence, 2 * _MAX_CHARS)}"
    ),
)


# The traces of one call, the strongest first.


def _trace_place(trace: EvidenceItem) -> str:
    if trace.record is None:
        return tr("next to the log")
    return ui_text.location_label(trace.place) if trace.place else ui_text.record_label(trace.record, trace.line)


EVIDENCE_TABLE = TableSpec[EvidenceItem](
    (
        ColumnSpec(tr("Place"), _trace_place, (tr("next to the log"),), padding=20, muted=True),
        ColumnSpec(tr("Evidence"), lambda trace: to_one_line(trace.sentence, 400)),
    ),
    tip=lambda trace: to_one_line(trace.sentence, 800),
    accessible_text=lambda trace: f"{_trace_place(trace)}: {to_one_line(trace.sentence, 400)}",
)


# The unanswered calls that may have changed something.


class OpenCallRow(NamedTuple):
    """An open call: the position of its finding, the finding, and the evidence that it ran."""

    position: int
    finding: Finding
    evidence: Evidence


def _call_text(call: OpenCallRow) -> str:
    tool, command = call.finding.tool or tr("an unnamed tool"), call.evidence.command
    return to_one_line(f"{tool}: {command}" if command else tool, _MAX_CHARS)


def _evidence_tip(call: OpenCallRow) -> str:
    evidence = call.evidence
    lines = (to_one_line(evidence.command, 2 * _MAX_CHARS), to_one_line(evidence.folder, _MAX_CHARS), evidence.sentence)
    return "\n".join(filter(None, lines))


def open_side_effect_rows(log: OpenedLog | None, book: PackedEvidence | None) -> Sequence[OpenCallRow]:
    """Return the rows of OPEN_CALLS_TABLE."""
    if log is None or book is None:
        return ()

    def made(position: int) -> OpenCallRow:
        return OpenCallRow(position, log.findings[position], book[bisect_left(book.positions, position)])

    return LazySequence(book.side_effect_positions, made)


OPEN_CALLS_TABLE = TableSpec[OpenCallRow](
    (
        ColumnSpec(
            tr("Did it run?"),
            lambda call: tr(ui_text.EXECUTION_WORDS[call.evidence.verdict]),
            ui_text.EXECUTION_WORDS.values(),
            padding=40,
            icon_key=lambda call: ui_text.EXECUTION_ICONS[call.evidence.verdict],
            colours=theme.EXECUTION_COLOURS,
        ),
        ColumnSpec(
            tr("Line"),
            lambda call: f"{ui_text.location_display_number(call.finding.place):,}",
            _WIDEST_LINE,
            align_right=True,
        ),
        ColumnSpec(tr("Call"), _call_text),
        ColumnSpec(
            tr("Folder"),
            lambda call: to_one_line(_path_end(call.evidence.folder), _MAX_CHARS),
            ("…/projects/website",),
            muted=True,
        ),
    ),
    tip=_evidence_tip,
    roles={ItemRole.POSITION: lambda call: call.position},
)


# What each provider would answer to a session, by profile.

AcceptanceRow: TypeAlias = tuple[str, Acceptance]


def _provider_text(answer: AcceptanceRow) -> str:
    name = ui_text.profile_label(answer[0])
    return name[:1].upper() + name[1:]


def _acceptance_text(answer: AcceptanceRow) -> str:
    of = answer[1]
    return tr(ui_text.ACCEPTANCE_WORDS[of.accepts]) + (f" ({of.refusals:,})" if of.refusals > 1 else "")


def _refusal_text(answer: AcceptanceRow) -> str:
    of = answer[1]
    not_run = tr("Skipped checks: {not_run}", not_run=", ".join(of.not_run)) if of.not_run else ""
    return to_one_line(of.message or not_run, _MAX_CHARS)


ACCEPTANCE_TABLE = TableSpec[AcceptanceRow](
    (
        ColumnSpec(tr("Provider"), _provider_text, ui_text.PROFILE_NAMES.values(), padding=24),
        ColumnSpec(
            tr("Answer"),
            _acceptance_text,
            (ui_text.ACCEPTANCE_WORDS[None],),
            padding=50,
            icon_key=lambda answer: ui_text.ACCEPTANCE_ICONS[answer[1].accepts],
            colours=theme.ACCEPTANCE_COLOURS,
        ),
        ColumnSpec(
            tr("Place"),
            lambda answer: ui_text.location_label(answer[1].place) if answer[1].place else "",
            ("record 8,888",),
            padding=24,
        ),
        ColumnSpec(tr("Why"), _refusal_text),
    ),
    tip=lambda answer: to_one_line(answer[1].error, 2 * _MAX_CHARS),
)


# The results in other logs for open calls.


def _offer_origin(offer: ResultInOtherLog) -> str:
    where = ui_text.record_label(offer.at.record, offer.at.line)
    return to_one_line(f"{hiding.display_name(offer.path)}, {where}", _MAX_CHARS)


RESULT_OFFERS_TABLE = TableSpec[ResultInOtherLog](
    (
        ColumnSpec(
            tr("Line"),
            lambda offer: f"{ui_text.location_display_number(offer.place):,}",
            _WIDEST_LINE,
            align_right=True,
        ),
        ColumnSpec(
            tr("Call"), lambda offer: to_one_line(offer.tool or offer.call_id, _MAX_CHARS), ("mcp__server__tool",)
        ),
        ColumnSpec(tr("Result"), lambda offer: to_one_line(offer.text, _MAX_CHARS)),
        ColumnSpec(tr("From"), _offer_origin, ("3f1c9a52-7d4e-4b60-9a51.jsonl, line 8,888",), padding=0, muted=True),
    ),
    tip=lambda offer: f"{to_one_line(offer.sentence, 2 * _MAX_CHARS)}\n{to_one_line(offer.text, _MAX_CHARS)}",
    accessible_text=lambda offer: (
        f"{ui_text.location_display_number(offer.place):,}, {to_one_line(offer.tool or offer.call_id, _MAX_CHARS)}: "
        f"{to_one_line(offer.sentence, 2 * _MAX_CHARS)}"
    ),
)


# What a conversion cannot carry over as it is, with the line of each block.


class ConvertNoteRow(NamedTuple):
    """A note on a conversion. `number` is the number of its record, None when it has none."""

    note: ConvertNote
    number: int | None


CONVERT_NOTES_TABLE = TableSpec[ConvertNoteRow](
    (
        ColumnSpec(
            tr("What happens"),
            lambda row: tr(ui_text.CONVERT_NOTE_WORDS[row.note.action]),
            ui_text.CONVERT_NOTE_WORDS.values(),
            padding=40,
            icon_key=lambda row: ui_text.CONVERT_NOTE_ICONS[row.note.action],
            colours=theme.CONVERT_NOTE_COLOURS,
        ),
        ColumnSpec(
            tr("Line"), lambda row: "" if row.number is None else f"{row.number:,}", _WIDEST_LINE, align_right=True
        ),
        ColumnSpec(
            tr("Block"), lambda row: to_one_line(row.note.what, _MAX_CHARS), (tr("encrypted reasoning"),), padding=20
        ),
        ColumnSpec(tr("Content"), lambda row: to_one_line(row.note.text, _MAX_CHARS), muted=True),
    ),
    tip=lambda row: to_one_line(row.note.text, _MAX_CHARS),
)


def convert_note_rows(notes: tuple[ConvertNote, ...], lines: Numbers) -> list[ConvertNoteRow]:
    """Return the rows of CONVERT_NOTES_TABLE. `lines` are the lines of the log's records, and may be empty."""
    return [
        ConvertNoteRow(note, None if note.record is None else record_display_number(lines, note.record))
        for note in notes
    ]


# The sessions of a log, worst first.

_VERDICT_ORDER = ("broken", "unreadable", "unexplained", "not-judged", "heals-itself", "waiting", "healthy")
_TITLE_CHARS = 120


class SessionRow(NamedTuple):
    """A session and its position in the overview."""

    position: int
    summary: SessionSummary

    @property
    def title(self) -> str:
        return to_one_line(self.summary.title or self.summary.id, _TITLE_CHARS)

    @property
    def caption(self) -> str:
        title = self.title or str(self.summary.number)
        return tr("Session {title}", title=title) if title.isdigit() else title


SESSIONS_TABLE = TableSpec[SessionRow](
    (ColumnSpec(tr("Session"), lambda row: row.caption),),
    tip=lambda row: to_one_line(row.summary.sentence, _MAX_CHARS),
    accessible_text=lambda row: f"{ui_text.VERDICT_WORDS.get(row.summary.verdict, row.summary.verdict)}: {row.title}",
    roles={
        ItemRole.POSITION: lambda row: row.position,
        ItemRole.MARK: lambda row: row.summary.verdict,
        ItemRole.COUNT: lambda row: row.summary.errors,
    },
)


def session_rows(sessions: tuple[SessionSummary, ...]) -> list[SessionRow]:
    """Return the rows of SESSIONS_TABLE, worst first."""

    def rank(row: SessionRow) -> tuple[int, int]:
        verdict = row.summary.verdict
        return _VERDICT_ORDER.index(verdict) if verdict in _VERDICT_ORDER else len(_VERDICT_ORDER), row.position

    return sorted((SessionRow(number, session) for number, session in enumerate(sessions)), key=rank)


# The differences between two logs of one conversation.

_MAX_DIFFERENCE_CHARS = 300
_DIFFERENCE_LABELS = {
    ONLY_FIRST: tr("only here"),
    ONLY_SECOND: tr("only there"),
    CHANGED: tr("different"),
    MOVED: tr("elsewhere"),
}
_DIFFERENCE_MARKS = {ONLY_FIRST: "removed", ONLY_SECOND: "added", CHANGED: "changed", MOVED: "moved"}


def _difference_label(each: LogDifference) -> str:
    return tr(_DIFFERENCE_LABELS[each.kind])


def _difference_line(place: RecordLocation | None) -> str:
    return "" if place is None else f"{ui_text.location_display_number(place):,}"


def _difference_text(each: LogDifference) -> str:
    return to_one_line(f"{each.role}: {each.summary}" if each.role else each.summary, _MAX_DIFFERENCE_CHARS)


LOG_DIFFERENCES_TABLE = TableSpec[LogDifference](
    (
        ColumnSpec(
            tr("Where"), _difference_label, tuple(_DIFFERENCE_LABELS.values()), padding=40, colours=theme.CHANGE_COLOURS
        ),
        ColumnSpec(tr("Line"), lambda each: _difference_line(each.first), ("88,888",), align_right=True),
        ColumnSpec(
            tr("There"),
            lambda each: _difference_line(each.second),
            ("88,888",),
            align_right=True,
            hint=tr("Line in the other log"),
        ),
        ColumnSpec(tr("Message"), _difference_text),
    ),
    tip=_difference_text,
    roles={ItemRole.MARK: lambda each: _DIFFERENCE_MARKS[each.kind]},
)


# The lists of a log, such as turns and failed tools.

_MAX_ENTRY_CHARS = 300
_WIDEST_KINDS = ("assistant", "result")
_WIDEST_TOOLS = (tr("TodoWrite, MultiEdit"),)


class ContentListSpec(NamedTuple):
    """A list of a log. `name` is requested from the engine.

    The engine returns at most `most` rows. `empty` is shown when there are none.
    """

    name: str
    title: str
    empty: str
    table: TableSpec[PredefinedListRow]
    most: int = 2000


def _text_column(title: str) -> ColumnSpec[PredefinedListRow]:
    return ColumnSpec(title, lambda row: to_one_line(row.text, _MAX_ENTRY_CHARS), key=lambda row: row.text.casefold())


def _kind_column(title: str, widest: tuple[str, ...]) -> ColumnSpec[PredefinedListRow]:
    return ColumnSpec(
        title, lambda row: to_one_line(row.what, 80), widest, 20, muted=True, key=lambda row: row.what.casefold()
    )


def _measure_column(title: str, text: Callable[[PredefinedListRow], str], widest: str) -> ColumnSpec[PredefinedListRow]:
    return ColumnSpec(title, text, (widest,), 24, align_right=True, key=attrgetter("measure"), descending_first=True)


def _duration_text(row: PredefinedListRow) -> str:
    return format_duration(row.measure / 1000) if row.measure >= 0 else ""


_LINE_COLUMN = ColumnSpec[PredefinedListRow](
    tr("Line"),
    lambda row: f"{row.record:,}",
    ("888,888",),
    24,
    tr("Line in the log, or record number"),
    align_right=True,
    key=attrgetter("record"),
)
_DURATION_COLUMN = _measure_column("Took", _duration_text, "88 min 88 s")
_ROW_COUNT_COLUMN = ColumnSpec[PredefinedListRow](
    tr("Rows"),
    lambda row: f"{row.count:,}",
    ("88,888",),
    24,
    align_right=True,
    key=attrgetter("count"),
    descending_first=True,
)
CONTENT_LISTS = (
    ContentListSpec(
        "turns",
        "Turns",
        tr("This log has no turns."),
        TableSpec((_LINE_COLUMN, _text_column("Prompt"), _ROW_COUNT_COLUMN, _DURATION_COLUMN)),
    ),
    ContentListSpec(
        "largest",
        tr("Largest records"),
        tr("This log has no records."),
        TableSpec(
            (
                _measure_column("Size", lambda row: format_bytes(row.measure), "888.8 MB"),
                _kind_column("Kind", _WIDEST_KINDS),
                _text_column("Content"),
                _LINE_COLUMN,
            )
        ),
        most=200,
    ),
    ContentListSpec(
        "waits",
        tr("Longest waits"),
        tr("This log contains no timestamps."),
        TableSpec(
            (
                _measure_column("Wait", _duration_text, "88 min 88 s"),
                _kind_column("Kind", _WIDEST_KINDS),
                _text_column(tr("Next record")),
                _LINE_COLUMN,
            )
        ),
        most=200,
    ),
    ContentListSpec(
        "failed",
        tr("Failed tools"),
        tr("No results are marked as failed."),
        TableSpec((_LINE_COLUMN, _kind_column("Tool", _WIDEST_TOOLS), _text_column("Result"))),
    ),
    ContentListSpec(
        "files",
        tr("Files touched"),
        tr("No calls refer to a file."),
        TableSpec(
            (
                _measure_column("Calls", lambda row: f"{row.measure:,}", "88,888"),
                _text_column("File"),
                _kind_column("Tools", _WIDEST_TOOLS),
                _LINE_COLUMN,
            )
        ),
    ),
)
