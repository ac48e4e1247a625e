"""A call's input in pieces: the command, the file written, the change, and a short table of what else it was given.

What a member is, its name tells, for tools of different agents that do the same name them alike (`call_line`).
"""

import difflib
from typing import Any

from inspector.core.bytes.json_text import parse_json, pretty_json
from inspector.core.evidence.effects import ToolEffect, describe_call, target_files, tool_effect
from inspector.core.showing.call_line import FILE_CONTENT_KEYS, NEW_TEXT_KEYS, OLD_TEXT_KEYS
from inspector.core.showing.details.pieces import DetailPiece, PieceKind
from inspector.core.showing.details.texts import indented_json, is_patch

_COMMANDS = ("command", "cmd", "commands", "script", "chars")
_CODE = ("code",)
_SHORT = 160  # characters of a value that has a row of the table
_COMPARED = 400  # lines of an edit that are compared; longer ones are told one after the other
_LONGEST = 2_000_000


def input_pieces(text: str, tool_name: str) -> tuple[DetailPiece, ...]:
    """The pieces of an input, which is mostly an object of JSON; `name` is that of the tool."""
    if len(text) <= _LONGEST and text.startswith("{"):
        try:
            value = parse_json(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            value = None
        if isinstance(value, dict):
            return _of_members(value) if value else ()
    if is_patch(text):
        return (DetailPiece(PieceKind.DIFF, text),)
    if tool_effect(tool_name) == ToolEffect.SHELL and not text.startswith(("{", "[")):
        return (DetailPiece(PieceKind.SHELL, text),)
    told = indented_json(text)
    return (DetailPiece(PieceKind.JSON, told),) if told else (DetailPiece(PieceKind.PROSE, text),) if text else ()


def file_read_by(text: str, tool_name: str) -> str:
    """The file that a call reads, which tells what its result is; "" for any other call."""
    if tool_effect(tool_name) not in (ToolEffect.READ_ONLY, ToolEffect.NETWORK) and tool_name.lower() not in (
        "task",
        "agent",
    ):
        return ""
    if tool_effect(tool_name) != ToolEffect.READ_ONLY:
        return "answer.md"  # what comes from the network, or from a subagent, was written to be read
    try:
        value = parse_json(text.encode("utf-8", "replace")) if len(text) <= _LONGEST else None
    except ValueError:
        return ""
    files = target_files(value) if isinstance(value, dict) and "pattern" not in value else []
    return files[0] if len(files) == 1 and "." in files[0].rpartition("/")[2] else ""


def _of_members(value: dict[str, Any]) -> tuple[DetailPiece, ...]:
    file = next(iter(target_files(value)), "")
    told, changes = dict(value), _changes(value, file)
    if changes:
        for key in (*OLD_TEXT_KEYS, *NEW_TEXT_KEYS, "edits"):
            told.pop(key, None)
    found = [*_command(told), *changes]
    for key in list(told):
        if isinstance(told[key], str) and (piece := _long(key, told[key], file)) is not None:
            found.append(piece)
            del told[key]
        elif isinstance(told[key], dict | list) and len(shown := pretty_json(told[key])) > _SHORT:
            found.append(DetailPiece(PieceKind.JSON, shown, key))
            del told[key]
    titles = {piece.title for piece in found}
    rows = tuple((key, shown) for key, each in told.items() if (shown := _in_a_row(each)) not in titles or not shown)
    return (*found, *((DetailPiece(PieceKind.TABLE, rows=rows),) if rows else ()))


def _command(told: dict[str, Any]) -> list[DetailPiece]:
    """The command, taken out of the members."""
    key = next((key for key in _COMMANDS if isinstance(told.get(key), str | list) and told[key]), "")
    if not key or (isinstance(told[key], str) and is_patch(told[key])):
        return []
    line = told[key] if isinstance(told[key], str) else describe_call({key: told[key]}, ToolEffect.SHELL)
    if isinstance(told[key], list) and is_patch("\n".join(map(str, told[key]))):
        return [DetailPiece(PieceKind.DIFF, "\n".join(map(str, told.pop(key))))]
    # An editor names what it does (view, create) under the key of a command.
    if " " not in line and any(isinstance(told.get(each), str) for each in ("path", "file_path")):
        return []
    del told[key]
    return [DetailPiece(PieceKind.SHELL, line)]


def _long(key: str, text: str, file: str) -> DetailPiece | None:
    """The piece of a member, where it is too long for a row of the table, or a file, a change or code; else None."""
    if is_patch(text):
        return DetailPiece(PieceKind.DIFF, text, file)
    if key in FILE_CONTENT_KEYS and file:
        return DetailPiece(PieceKind.CODE, text, file)
    if key in _CODE:
        return DetailPiece(PieceKind.CODE, text, "code.py")
    if "\n" in text.strip() or len(text) > _SHORT:
        told = indented_json(text)
        return DetailPiece(PieceKind.JSON, told, key) if told else DetailPiece(PieceKind.MARKDOWN, text, key)
    return None


def _in_a_row(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(pretty_json(value).split())


def _changes(value: dict[str, Any], file: str) -> list[DetailPiece]:
    """What an edit takes away and puts there, as a diff."""
    edits = value.get("edits")
    found = []
    for edit in edits if isinstance(edits, list) else [value]:
        old, new = (
            (_first(edit, keys) for keys in (OLD_TEXT_KEYS, NEW_TEXT_KEYS)) if isinstance(edit, dict) else (None, None)
        )
        if old is None and new is None:
            return []
        found.append(_compared((old or "").split("\n"), (new or "").split("\n")))
    return [DetailPiece(PieceKind.DIFF, "\n".join(found), file)]


def _first(edit: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((edit[key] for key in keys if isinstance(edit.get(key), str)), None)


def _compared(old: list[str], new: list[str]) -> str:
    if max(len(old), len(new)) > _COMPARED:
        return "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    lines: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lines += [f" {line}" for line in old[i:j]] if tag == "equal" else [f"-{line}" for line in old[i:j]]
        lines += [] if tag == "equal" else [f"+{line}" for line in new[k:m]]
    return "\n".join(lines)
