"""What a row of a list of logs says: its columns, and by what each is sorted."""

from enum import IntEnum
from typing import NamedTuple

from PySide6.QtCore import QDateTime, QLocale

from inspector.core.formats.bases.store import at_home
from inspector.core.showing.machine_answers import LogVerdict
from inspector.core.showing.sizes import format_bytes
from inspector.core.stores.log_entry import LogEntry
from inspector.gui.basics import words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Table
from inspector.gui.models.roles import Role

_LONGEST, _ROOM = 200, 24
# The worst first. A log that is judged healthy stays where it was, so that the list does not run under the pointer.
_RANKS = {"broken": 0, "unreadable": 1, "unexplained": 2, "not-judged": 3, "heals-itself": 4, "waiting": 5}
OTHERS = 6


_HINTS = (
    "What judging the log came to: the worst first, then those that lost the most",
    "What was sent, and what it is about",
    "What has likely happened; logs with the same cause stand together when this is sorted",
    "The folder that the agent worked in",
    "The program that wrote the log, and its version",
    "When the log was last written",
    "Of the file",
)


class LogColumn(IntEnum):
    """The columns of a list of logs, from the left."""

    VERDICT = 0
    TITLE = 1
    CAUSE = 2
    PROJECT = 3
    AGENT = 4
    CHANGED = 5
    SIZE = 6


# What judging a log tells, and not its head.
JUDGED = (LogColumn.VERDICT, LogColumn.CAUSE, LogColumn.AGENT)
_FOLDED = {True: "▾", False: "▸"}
_BELOW = "      "


class Listed(NamedTuple):
    """A row: a log by its place in the survey, with its verdict once there is one, or a ticket of several logs.

    `ticket` is the path of that which it belongs to, "" for none. Of a ticket of several `logs` the log and the verdict
    tell the worst, and what they come to together; those rows are below it where it is `unfolded`.
    """

    number: int
    log: LogEntry
    verdict: LogVerdict | None
    group: str = ""
    logs: int = 0
    unfolded: bool = False
    indented: bool = False


def _said(row: Listed) -> str:
    return verdict_words(row.verdict)


def _cause(row: Listed) -> str:
    return row.verdict.cause if row.verdict else ""


def _title(row: Listed) -> str:
    """Of what was sent its name, and what lies in it."""
    own = one_line(row.log.title, _LONGEST) or _name(row.log.path)
    if row.logs:
        return f"{_FOLDED[row.unfolded]} {_name(row.group)} · {words.counted(row.logs, 'log', 'logs')}"
    if row.indented:
        return f"{_BELOW}{own}"
    return " · ".join(dict.fromkeys((_name(row.group), own))) if row.group else own


def _name(path: str) -> str:
    return one_line(hiding.display_name(path), _LONGEST)


def _agent(row: Listed) -> str:
    return one_line(f"{row.log.agent} {row.verdict.version if row.verdict else ''}".strip(), _LONGEST)


def _changed(row: Listed) -> str:
    return QLocale.system().toString(QDateTime.fromSecsSinceEpoch(int(row.log.modified)), "yyyy-MM-dd HH:mm")


def _project(row: Listed) -> str:
    return one_line(at_home(row.log.project), _LONGEST)


def _size(row: Listed) -> str:
    return format_bytes(row.log.size) if row.log.size else ""


def rank(row: Listed) -> int:
    return _RANKS.get(row.verdict.verdict, OTHERS) if row.verdict else OTHERS


def worst(row: Listed) -> tuple[int, int]:
    """The worst first: by the verdict, then by how much is lost."""
    return rank(row), -row.verdict.lost if row.verdict and rank(row) != OTHERS else 0


def _why(row: Listed) -> str:
    return one_line(row.verdict.sentence if row.verdict else hiding.display_path(row.log.path), 300)


def _where(row: Listed) -> str:
    return one_line(row.log.project or hiding.display_path(row.log.path), 300)


LOGS = Table[Listed](
    (
        Column("Verdict", _said, ("⬤ Not checked yet",), _ROOM, _HINTS[0], tip=_why, key=worst),
        Column("Session", _title, hint=_HINTS[1], key=lambda row: _title(row).casefold()),
        Column("Likely cause", _cause, ("Claude Code was stopped while a command ran",), _ROOM, _HINTS[2], tip=_cause,
               key=lambda row: (not _cause(row), _cause(row))),
        Column("Project", _project, ("~/projects/transcript-inspector",), _ROOM, _HINTS[3], tip=_where,
               key=lambda row: row.log.project.casefold()),
        Column("Agent", _agent, ("Anthropic Messages JSON",), _ROOM, _HINTS[4], muted=True, tip=_agent,
               key=lambda row: row.log.agent.casefold()),
        Column("Last change", _changed, ("2026-08-28 08:58",), _ROOM, _HINTS[5], muted=True,
               key=lambda row: row.log.modified, descending_first=True),
        Column("Size", _size, ("888.8 MB",), _ROOM, _HINTS[6], align_right=True,
               key=lambda row: row.log.size, descending_first=True),
    ),
    tip=lambda row: one_line(hiding.display_path(row.log.path), 300),
    accessible_text=lambda row: f"{_said(row)}: {_title(row)}, {_agent(row)}, {_changed(row)}",
    accessible_column=LogColumn.TITLE,
    roles={
        Role.MARK: lambda row: row.verdict.verdict if row.verdict else "",
        Role.COUNT: lambda row: row.verdict.errors if row.verdict else 0,
    },
)  # fmt: skip


def verdict_words(verdict: LogVerdict | None) -> str:
    """A verdict in plain words, with the number of errors."""
    name = verdict.verdict if verdict else ""
    said = words.tr(words.VERDICT.get(name, name))
    return f"{said} · {verdict.errors:,}" if verdict and name == "broken" else said
