"""The short lists of the window, each a table of its columns."""

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple, TypeAlias

from inspector.core.evidence.evidence import Evidence
from inspector.core.formats.bases.store import at_home
from inspector.core.formats.bases.traces import Trace
from inspector.core.scene.finding import Finding
from inspector.core.showing.answers import Acceptance, OfferedResult, SessionSummary
from inspector.core.showing.copies import ConvertNote
from inspector.core.showing.machine_answers import LookupPlace
from inspector.core.showing.outline import Numbers
from inspector.gui.answers.evidence_book import EvidenceBook
from inspector.gui.answers.opened_log import OpenedLog, number_in
from inspector.gui.basics import theme, words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Table
from inspector.gui.models.roles import Role
from inspector.gui.models.table_model import Made

_CHARS = 300
_LINES = ("888,888",)
_FOLDERS = 2


def _tail(path: str) -> str:
    """The end of a path tells folders apart."""
    parts = PurePath(path).parts
    return str(PurePath("…", *parts[-_FOLDERS:])) if len(parts) > _FOLDERS + 1 else path


def _named(path: str) -> str:
    """A file with its folder."""
    return " · ".join(filter(None, (hiding.display_name(path), PurePath(hiding.display_path(path)).parent.name)))


# the places that a pasted text is about

PLACES = Table[LookupPlace](
    (
        Column(
            "Session",
            lambda place: one_line(_named(place.path), _CHARS),
            ("rollout-2026-11-21T10-00-00-3f1c9a52-7d4e",),
            padding=20,
        ),
        Column("Place", lambda place: words.place(place.place), ("record 888,888",), padding=20, muted=True),
        Column("What is there", lambda place: one_line(place.sentence, _CHARS)),
        Column("How", lambda place: words.tr(words.FOUND[place.how]), words.FOUND.values(), padding=24, muted=True),
    ),
    tip=lambda place: (
        f"{one_line(at_home(hiding.display_path(place.path)), 2 * _CHARS)}\n{one_line(place.sentence, 2 * _CHARS)}"
    ),
)


# the traces of one call, the strongest first


def _where(trace: Trace) -> str:
    if trace.record is None:
        return words.tr("beside the log")
    return words.place(trace.place) if trace.place else words.numbered(trace.record, trace.line)


TRACES = Table[Trace](
    (
        Column("Place", _where, ("beside the log",), padding=20, muted=True),
        Column("What shows it", lambda trace: one_line(trace.sentence, 400)),
    ),
    tip=lambda trace: one_line(trace.sentence, 800),
    accessible_text=lambda trace: f"{_where(trace)}: {one_line(trace.sentence, 400)}",
)


# the unanswered calls that may have changed something


class OpenCall(NamedTuple):
    """A call by the `position` of its finding, and what the log shows of it."""

    position: int
    finding: Finding
    evidence: Evidence


def _called(call: OpenCall) -> str:
    tool, command = call.finding.tool or words.tr("an unnamed tool"), call.evidence.command
    return one_line(f"{tool}: {command}" if command else tool, _CHARS)


def _explained(call: OpenCall) -> str:
    evidence = call.evidence
    lines = (one_line(evidence.command, 2 * _CHARS), one_line(evidence.folder, _CHARS), evidence.sentence)
    return "\n".join(filter(None, lines))


def open_calls(log: OpenedLog | None, book: EvidenceBook | None) -> Sequence[OpenCall]:
    """The rows of OPEN_CALLS."""
    if log is None or book is None:
        return ()

    def made(position: int) -> OpenCall:
        return OpenCall(position, log.findings[position], book[bisect_left(book.positions, position)])

    return Made(book.side_effect_positions, made)


OPEN_CALLS = Table[OpenCall](
    (
        Column(
            "Did it run?",
            lambda call: words.tr(words.RAN[call.evidence.verdict]),
            words.RAN.values(),
            padding=40,
            icon_key=lambda call: words.RAN_ICON[call.evidence.verdict],
            colours=theme.RAN,
        ),
        Column("Line", lambda call: f"{words.number(call.finding.place):,}", _LINES, align_right=True),
        Column("Call", _called),
        Column(
            "Folder", lambda call: one_line(_tail(call.evidence.folder), _CHARS), ("…/projects/website",), muted=True
        ),
    ),
    tip=_explained,
    roles={Role.POSITION: lambda call: call.position},
)


# what every provider would answer to a session, by profile

Answer: TypeAlias = tuple[str, Acceptance]


def _provider(answer: Answer) -> str:
    name = words.profile(answer[0])
    return name[:1].upper() + name[1:]


def _accepts(answer: Answer) -> str:
    of = answer[1]
    return words.tr(words.ACCEPTS[of.accepts]) + (f" ({of.refusals:,})" if of.refusals > 1 else "")


def _why(answer: Answer) -> str:
    of = answer[1]
    not_run = f"{words.tr('Checks that did not run:')} {', '.join(of.not_run)}" if of.not_run else ""
    return one_line(of.message or not_run, _CHARS)


ACCEPTANCE = Table[Answer](
    (
        Column("Provider", _provider, words.PROFILE.values(), padding=24),
        Column(
            "Answer",
            _accepts,
            (words.ACCEPTS[None],),
            padding=50,
            icon_key=lambda answer: words.ACCEPTS_ICON[answer[1].accepts],
            colours=theme.ANSWER,
        ),
        Column(
            "Place",
            lambda answer: words.place(answer[1].place) if answer[1].place else "",
            ("record 8,888",),
            padding=24,
        ),
        Column("Why", _why),
    ),
    tip=lambda answer: one_line(answer[1].error, 2 * _CHARS),
)


# the results that other logs hold for open calls


def _from(offer: OfferedResult) -> str:
    where = words.numbered(offer.at.record, offer.at.line)
    return one_line(f"{hiding.display_name(offer.path)}, {where}", _CHARS)


OFFERS = Table[OfferedResult](
    (
        Column("Line", lambda offer: f"{words.number(offer.place):,}", _LINES, align_right=True),
        Column("Call", lambda offer: one_line(offer.tool or offer.call_id, _CHARS), ("mcp__server__tool",)),
        Column("Result", lambda offer: one_line(offer.text, _CHARS)),
        Column("From", _from, ("3f1c9a52-7d4e-4b60-9a51.jsonl, line 8,888",), padding=0, muted=True),
    ),
    tip=lambda offer: f"{one_line(offer.sentence, 2 * _CHARS)}\n{one_line(offer.text, _CHARS)}",
    accessible_text=lambda offer: (
        f"{words.number(offer.place):,}, {one_line(offer.tool or offer.call_id, _CHARS)}: "
        f"{one_line(offer.sentence, 2 * _CHARS)}"
    ),
)


# what a conversion cannot carry over as it is, with the line of each


class Note(NamedTuple):
    """`number` is that of its record, None where it stands in none."""

    note: ConvertNote
    number: int | None


NOTES = Table[Note](
    (
        Column(
            "What happens",
            lambda row: words.tr(words.NOTE[row.note.action]),
            words.NOTE.values(),
            padding=40,
            icon_key=lambda row: words.NOTE_ICON[row.note.action],
            colours=theme.NOTE,
        ),
        Column("Line", lambda row: "" if row.number is None else f"{row.number:,}", _LINES, align_right=True),
        Column("Block", lambda row: one_line(row.note.what, _CHARS), ("encrypted reasoning",), padding=20),
        Column("What it says", lambda row: one_line(row.note.text, _CHARS), muted=True),
    ),
    tip=lambda row: one_line(row.note.text, _CHARS),
)


def noted(notes: tuple[ConvertNote, ...], lines: Numbers) -> list[Note]:
    """The rows of NOTES; `lines` are the lines of the log's records, and may be empty."""
    return [Note(note, None if note.record is None else number_in(lines, note.record)) for note in notes]


# the sessions of a log, worst first

_WORST_FIRST = ("broken", "unreadable", "unexplained", "not-judged", "heals-itself", "waiting", "healthy")
_TITLE_CHARS = 120


class Session(NamedTuple):
    """A session and its place in the overview."""

    position: int
    summary: SessionSummary

    @property
    def title(self) -> str:
        return one_line(self.summary.title or self.summary.id, _TITLE_CHARS)

    @property
    def caption(self) -> str:
        title = self.title or str(self.summary.number)
        return f"{words.tr('Session')} {title}" if title.isdigit() else title


SESSIONS = Table[Session](
    (Column("Session", lambda row: row.caption),),
    tip=lambda row: one_line(row.summary.sentence, _CHARS),
    accessible_text=lambda row: f"{words.VERDICT.get(row.summary.verdict, row.summary.verdict)}: {row.title}",
    roles={
        Role.POSITION: lambda row: row.position,
        Role.MARK: lambda row: row.summary.verdict,
        Role.COUNT: lambda row: row.summary.errors,
    },
)


def worst_first(sessions: tuple[SessionSummary, ...]) -> list[Session]:
    """The rows of SESSIONS."""

    def rank(row: Session) -> tuple[int, int]:
        verdict = row.summary.verdict
        return _WORST_FIRST.index(verdict) if verdict in _WORST_FIRST else len(_WORST_FIRST), row.position

    return sorted((Session(number, session) for number, session in enumerate(sessions)), key=rank)
