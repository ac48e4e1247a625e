"""Asking a format what can go wrong in it alone: whoever asks goes on without an answer, and the fault is told.

A sentence says what failed and where in the program, and holds nothing of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.bytes.json_text import is_valid_json
from inspector.core.errors import InspectorError, error_location
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.store import Headline
from inspector.core.index.views import RecordView

if TYPE_CHECKING:
    from pathlib import Path

UNREADABLE = "unreadable record"


def score_of(format: Format, head: Head) -> float:
    """How sure the format is of a log; not at all where it fails, which `head.faults` tells."""
    try:
        return format.score(head)
    except InspectorError:
        raise
    except Exception as error:
        _note(head.faults, format, "tell whether this log is its own", error)
        return 0.0


def gathers_at(format: Format, path: Path, faults: list[str]) -> bool:
    """Whether a log of the format lies at `path` in many files or rows; it does not where the format fails."""
    try:
        return isinstance(format, Gathering) and format.claims(path)
    except Exception as error:
        _note(faults, format, "tell whether a log of many files is its own", error)
        return False


def headline_of(format: Format, head: Head) -> Headline:
    """Project and title; none where they cannot be read, which `head.faults` tells unless it is the system's doing."""
    try:
        return format.metadata(head)
    except OSError:
        return Headline()
    except Exception as error:
        _note(head.faults, format, "tell what this log is about", error)
        return Headline()


def first_words_of(format: Format, raw: bytes, faults: list[str]) -> str:
    """The first line that a record says, "" where that fails. That a sound one cannot be shown is a fault."""
    try:
        return format.first_words(raw)
    except Exception as error:
        if is_valid_json(raw):
            _note(faults, format, "show a record of this log", error)
        return ""


def view_of(format: Format, raw: bytes, faults: list[str]) -> RecordView:
    """A record for showing; where that fails, one that says so. That a sound one cannot be shown is a fault."""
    try:
        return format.view(raw)
    except Exception as error:
        if is_valid_json(raw):
            _note(faults, format, "show a record of this log", error)
        return RecordView("", UNREADABLE)


def _note(faults: list[str], format: Format, what: str, error: Exception) -> None:
    told = f"The format {format.name} could not {what} ({error_location(error)}). Please report this, with the log."
    if told not in faults:
        faults.append(told)
