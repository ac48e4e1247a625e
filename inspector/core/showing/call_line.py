"""A call in a line, as a person would tell it: what was run, read, changed or looked for, instead of its input as JSON.

What is told is chosen by the members of the input, for tools of different agents that do the same name them alike. An
input that has none of those is told member by member.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from inspector.core.bytes.json_text import parse_json
from inspector.core.evidence.effects import ToolEffect, describe_call, patched_files, target_files

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
