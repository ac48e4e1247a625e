"""A call in a line, as a person would tell it: what was run, read, changed or looked for, instead of its input as JSON.

What is told is chosen by the members of the input, for tools of different agents that do the same name them alike. An
input that has none of those is told member by member.

Merged; to be rewritten:
`times`: Times of a log as a person reads them: the session's clock, and how long something took.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from inspector.core.analysis.tool_effects import ToolEffect, describe_call, patched_files, target_files
from inspector.core.storage.json_text import parse_json

OLD_TEXT_KEYS, NEW_TEXT_KEYS = ("old_string", "old_str", "oldString"), ("new_string", "new_str", "newString")
FILE_CONTENT_KEYS = ("content", "file_text", "contents")
_PATTERN_KEYS = ("pattern", "regex", "query", "search_term", "search")
_PATH_KEYS = ("path", "include", "glob", "directory", "dir_path", "file_pattern")
_COMMAND_KEYS = ("command", "cmd", "commands", "script", "code", "chars")
_SUMMARY_KEYS = ("description", "title", "skill", "question", "url", "prompt", "thought")
_LONGEST = 100_000  # characters of an input that are looked at: a row is painted in between
_SHORT = 60  # characters of a member that is told by its name


def summarize_call(text: str, folder: str = "") -> str:
    """What a call did; `text` is its input, mostly JSON. Files in `folder` are named from there."""
    if len(text) > _LONGEST or not text.startswith(("{", "[")):
        return ", ".join(patched_files(text[:_LONGEST])) or text
    try:
        given = parse_json(text.encode())
    except ValueError:
        return text
    return _told(given, folder) or text if isinstance(given, dict) else text


def _told(given: dict[str, Any], folder: str) -> str:
    files = [_within(path, folder) for path in target_files(given)]
    if (pattern := _first(given, _PATTERN_KEYS)) and not _first(given, OLD_TEXT_KEYS):
        where = _within(_first(given, _PATH_KEYS), folder)
        return f"{pattern}  in {where}" if where and where != pattern else pattern
    if files:
        return "  ".join(filter(None, (", ".join(files), _lines(given) or _part(given))))
    if any(key in given for key in _COMMAND_KEYS):
        return describe_call({key: given[key] for key in _COMMAND_KEYS if key in given}, ToolEffect.SHELL)
    return _first(given, _SUMMARY_KEYS) or ", ".join(_json_members(given))


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := given.get(key), str) and value), "")


def _within(path: str, folder: str) -> str:
    """A path as it is named from a folder that it lies in."""
    inside = path.removeprefix(folder.rstrip("/") + "/") if folder else path
    return inside if inside != folder else str(PurePosixPath(folder).name)


def _lines(given: dict[str, Any]) -> str:
    """How many lines a change of a file adds and takes away, "" where it is none."""
    edits = given.get("edits")
    added = removed = 0
    for edit in edits if isinstance(edits, list) else [given]:
        if isinstance(edit, dict) and any(key in edit for key in (*OLD_TEXT_KEYS, *NEW_TEXT_KEYS)):
            more, less = _changed(_first(edit, OLD_TEXT_KEYS).splitlines(), _first(edit, NEW_TEXT_KEYS).splitlines())
            added, removed = added + more, removed + less
    if whole := _first(given, FILE_CONTENT_KEYS):
        added += len(whole.splitlines())
    return " ".join(f"{sign}{count}" for sign, count in (("+", added), ("−", removed)) if count)


def _changed(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines are new and gone, whatever their order: an alignment of many alike would stop the painting."""
    before, after = Counter(old), Counter(new)
    return (after - before).total(), (before - after).total()


def _part(given: dict[str, Any]) -> str:
    """Which lines of a file are read, "" for all of it."""
    start, count = given.get("offset"), given.get("limit")
    if not isinstance(start, int) and not isinstance(count, int):
        return ""
    first = start if isinstance(start, int) else 1
    return f"from line {first}" if not isinstance(count, int) else f"lines {first}–{first + count - 1}"


def _json_members(given: dict[str, Any]) -> Iterator[str]:
    for key, value in given.items():
        if isinstance(value, list | dict):
            yield f"{key}: {len(value)}"
        elif value is not None and value != "":
            said = str(value)
            yield f"{key}: {said[:_SHORT]}…" if len(said) > _SHORT else f"{key}: {said}"


# Times of a log as a person reads them: the session's clock, and how long something took.
#
# A time is what the log wrote: an ISO text, or seconds, milliseconds, micro- or nanoseconds since 1970. A number is
# shown
# as ISO in UTC; a text stays as it is, in the zone that it was written in.

_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?")
_FRACTION = re.compile(r"\.(\d{6})\d+")
_YEAR_2286 = 10_000_000_000  # seconds; a larger number counts something smaller
LONG_WAIT_SECONDS = 60  # seconds: a wait that is told


def to_iso(time: str) -> str:
    """A time as ISO 8601; what is no time stays as it is."""
    if not _NUMBER.fullmatch(time):
        return time
    seconds = float(time)
    while seconds >= _YEAR_2286:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of_day(time: str) -> str:
    """The time of day; anything else unchanged."""
    time = to_iso(time)
    return time[11:19] if len(time) >= 19 and time[4:5] == "-" and time[10:11] in ("T", " ") else time[:19]


def matches_time(time: str, wanted: str, after: bool) -> bool:
    """Whether a time is at or after, or else before, a date or a time of day as a person writes it; else False."""
    time = to_iso(time)
    if len(time) < 16 or time[4] != "-" or time[10] not in "T ":
        return False
    told = time[11:19] if wanted[2:3] == ":" else time[:19]
    told, wanted = told[: len(wanted)].replace(" ", "T"), wanted.replace(" ", "T")
    return told >= wanted if after else told < wanted


def to_timestamp(time: str) -> float | None:
    """Seconds since 1970, None for what is no time. A text without a zone is taken for UTC."""
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(_FRACTION.sub(r".\1", to_iso(time)))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None


def seconds_between(before: str, after: str) -> float | None:
    """Seconds from one time to another, None where either is none, or they run backwards."""
    start, end = to_timestamp(before), to_timestamp(after)
    return None if start is None or end is None or end < start else end - start


def format_duration(seconds: float, units: int = 2) -> str:
    """How long, in the largest units: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 1 h"."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    whole, told = round(seconds), list[str]()
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, whole = divmod(whole, size)
        if count or told:
            told.append(f"{count} {unit}" if count else "")
    return " ".join(filter(None, told[:units]))
