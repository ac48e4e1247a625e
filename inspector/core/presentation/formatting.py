"""Calls and times as short text for a person.

A call is summarised in a line: what was run, read, changed or searched for, instead of its input as JSON. The summary
is chosen by the names of the input's members, because the tools of different agents name the same thing alike. An input
with none of these members is summarised member by member.

A time is what the log wrote: an ISO text, or seconds, milliseconds, micro- or nanoseconds since 1970. A number is shown
as ISO in UTC; a text stays as it is, in the time zone in which it was written.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from inspector.core.analysis.tool_effects import ToolEffect, describe_call, patched_files, target_files
from inspector.core.lazy import lazy_regex
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

OLD_TEXT_KEYS, NEW_TEXT_KEYS = ("old_string", "old_str", "oldString"), ("new_string", "new_str", "newString")
FILE_CONTENT_KEYS = ("content", "file_text", "contents")
_PATTERN_KEYS = ("pattern", "regex", "query", "search_term", "search")
_PATH_KEYS = ("path", "include", "glob", "directory", "dir_path", "file_pattern")
_COMMAND_KEYS = ("command", "cmd", "commands", "script", "code", "chars")
_SUMMARY_KEYS = ("description", "title", "skill", "question", "url", "prompt", "thought")
_LONGEST = 100_000  # characters of an input that are examined, since rows are summarised while they are painted
_SHORT = 60  # characters shown of a member


def summarize_call(text: str, folder: str = "") -> str:
    """Summarise a call in a line; `text` is its input, usually JSON, and files are named relative to `folder`."""
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
        return tr("{pattern}  in {where}", pattern=pattern, where=where) if where and where != pattern else pattern
    if files:
        return "  ".join(filter(None, (", ".join(files), _lines(given) or _part(given))))
    if any(key in given for key in _COMMAND_KEYS):
        return describe_call({key: given[key] for key in _COMMAND_KEYS if key in given}, ToolEffect.SHELL)
    return _first(given, _SUMMARY_KEYS) or ", ".join(_json_members(given))


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := given.get(key), str) and value), "")


def _within(path: str, folder: str) -> str:
    """Return a path relative to a folder that contains it; any other path unchanged."""
    inside = path.removeprefix(folder.rstrip("/") + "/") if folder else path
    return inside if inside != folder else str(PurePosixPath(folder).name)


def _lines(given: dict[str, Any]) -> str:
    """Return how many lines a change of a file adds and removes, "" for any other call."""
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
    """Return how many lines are new and how many are gone, whatever their order.

    An alignment of many equal lines would block painting.
    """
    before, after = Counter(old), Counter(new)
    return (after - before).total(), (before - after).total()


def _part(given: dict[str, Any]) -> str:
    """Return which lines of a file are read, "" for all of it."""
    start, count = given.get("offset"), given.get("limit")
    if not isinstance(start, int) and not isinstance(count, int):
        return ""
    first = start if isinstance(start, int) else 1
    return (
        tr("from line {first}", first=first)
        if not isinstance(count, int)
        else tr("lines {first}–{last}", first=first, last=first + count - 1)
    )


def _json_members(given: dict[str, Any]) -> Iterator[str]:
    for key, value in given.items():
        if isinstance(value, list | dict):
            yield f"{key}: {len(value)}"
        elif value is not None and value != "":
            text = str(value)
            yield f"{key}: {text[:_SHORT]}…" if len(text) > _SHORT else f"{key}: {text}"


_NUMBER = lazy_regex(r"\d{9,19}(?:\.\d+)?")
_FRACTION = lazy_regex(r"\.(\d{6})\d+")
_YEAR_2286 = 10_000_000_000  # seconds; a larger number is in a smaller unit
LONG_WAIT_SECONDS = 60  # a wait from which on it is shown


def to_iso(time: str) -> str:
    """Return a time as ISO 8601; a text that is not a time stays as it is."""
    if not _NUMBER.fullmatch(time):
        return time
    seconds = float(time)
    while seconds >= _YEAR_2286:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of_day(time: str) -> str:
    """Return the time of day; a text that is not a time is returned unchanged, cut to 19 characters."""
    time = to_iso(time)
    return time[11:19] if len(time) >= 19 and time[4:5] == "-" and time[10:11] in ("T", " ") else time[:19]


def matches_time_filter(time: str, wanted: str, after: bool) -> bool:
    """Return whether a time is at or after (or, without `after`, before) a date or time of day that a person typed.

    A text that is not a time never matches.
    """
    time = to_iso(time)
    if len(time) < 16 or time[4] != "-" or time[10] not in "T ":
        return False
    written = time[11:19] if wanted[2:3] == ":" else time[:19]
    written, wanted = written[: len(wanted)].replace(" ", "T"), wanted.replace(" ", "T")
    return written >= wanted if after else written < wanted


def to_timestamp(time: str) -> float | None:
    """Return the seconds since 1970, None for a text that is not a time; a text without a time zone is taken as UTC."""
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(_FRACTION.sub(r".\1", to_iso(time)))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def seconds_between(before: str, after: str) -> float | None:
    """Return the seconds from one time to another, None where either is not a time or they run backwards."""
    start, end = to_timestamp(before), to_timestamp(after)
    return None if start is None or end is None or end < start else end - start


def format_duration(seconds: float, units: int = 2) -> str:
    """Format a duration in its largest units: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 1 h"."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    rest, parts = round(seconds), list[str]()
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        if count or parts:
            parts.append(f"{count} {unit}" if count else "")
    return " ".join(filter(None, parts[:units]))
