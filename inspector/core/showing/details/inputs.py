"""A call's input in pieces: the command, the file written, the change, and a short table of what else it was given.

What a member is, its name tells, for tools of different agents that do the same name them alike (`call_line`).
"""

import difflib
from typing import Any

from inspector.core.bytes.json_text import pretty, value_of
from inspector.core.evidence.effects import Effect, command_of, effect_of, files_of
from inspector.core.showing.call_line import NEW, OLD, WHOLE
from inspector.core.showing.details.pieces import Piece, PieceKind
from inspector.core.showing.details.texts import as_json, is_patch

_COMMANDS = ("command", "cmd", "commands", "script", "chars")
_CODE = ("code",)
_SHORT = 160  # characters of a value that has a row of the table
_COMPARED = 400  # lines of an edit that are compared; longer ones are told one after the other
_LONGEST = 2_000_000


def given(text: str, name: str) -> tuple[Piece, ...]:
    """The pieces of an input, which is mostly an object of JSON; `name` is that of the tool."""
    if len(text) <= _LONGEST and text.startswith("{"):
        try:
            value = value_of(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            value = None
        if isinstance(value, dict):
            return _of_members(value) if value else ()
    if is_patch(text):
        return (Piece(PieceKind.DIFF, text),)
    if effect_of(name) == Effect.SHELL and not text.startswith(("{", "[")):
        return (Piece(PieceKind.SHELL, text),)
    told = as_json(text)
    return (Piece(PieceKind.JSON, told),) if told else (Piece(PieceKind.PROSE, text),) if text else ()


def read_by(text: str, name: str) -> str:
    """The file that a call reads, which tells what its result is; "" for any other call."""
    if effect_of(name) not in (Effect.READ_ONLY, Effect.NETWORK) and name.lower() not in ("task", "agent"):
        return ""
    if effect_of(name) != Effect.READ_ONLY:
        return "answer.md"  # what comes from the network, or from a subagent, was written to be read
    try:
        value = value_of(text.encode("utf-8", "replace")) if len(text) <= _LONGEST else None
    except ValueError:
        return ""
    files = files_of(value) if isinstance(value, dict) and "pattern" not in value else []
    return files[0] if len(files) == 1 and "." in files[0].rpartition("/")[2] else ""


def _of_members(value: dict[str, Any]) -> tuple[Piece, ...]:
    file = next(iter(files_of(value)), "")
    told, changes = dict(value), _changes(value, file)
    if changes:
        for key in (*OLD, *NEW, "edits"):
            told.pop(key, None)
    found = [*_command(told), *changes]
    for key in list(told):
        if isinstance(told[key], str) and (piece := _long(key, told[key], file)) is not None:
            found.append(piece)
            del told[key]
        elif isinstance(told[key], dict | list) and len(shown := pretty(told[key])) > _SHORT:
            found.append(Piece(PieceKind.JSON, shown, key))
            del told[key]
    titles = {piece.title for piece in found}
    rows = tuple((key, shown) for key, each in told.items() if (shown := _in_a_row(each)) not in titles or not shown)
    return (*found, *((Piece(PieceKind.TABLE, rows=rows),) if rows else ()))


def _command(told: dict[str, Any]) -> list[Piece]:
    """The command, taken out of the members."""
    key = next((key for key in _COMMANDS if isinstance(told.get(key), str | list) and told[key]), "")
    if not key or (isinstance(told[key], str) and is_patch(told[key])):
        return []
    line = told[key] if isinstance(told[key], str) else command_of({key: told[key]}, Effect.SHELL)
    if isinstance(told[key], list) and is_patch("\n".join(map(str, told[key]))):
        return [Piece(PieceKind.DIFF, "\n".join(map(str, told.pop(key))))]
    # An editor names what it does (view, create) under the key of a command.
    if " " not in line and any(isinstance(told.get(each), str) for each in ("path", "file_path")):
        return []
    del told[key]
    return [Piece(PieceKind.SHELL, line)]


def _long(key: str, text: str, file: str) -> Piece | None:
    """The piece of a member, where it is too long for a row of the table, or a file, a change or code; else None."""
    if is_patch(text):
        return Piece(PieceKind.DIFF, text, file)
    if key in WHOLE and file:
        return Piece(PieceKind.CODE, text, file)
    if key in _CODE:
        return Piece(PieceKind.CODE, text, "code.py")
    if "\n" in text.strip() or len(text) > _SHORT:
        told = as_json(text)
        return Piece(PieceKind.JSON, told, key) if told else Piece(PieceKind.MARKDOWN, text, key)
    return None


def _in_a_row(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(pretty(value).split())


def _changes(value: dict[str, Any], file: str) -> list[Piece]:
    """What an edit takes away and puts there, as a diff."""
    edits = value.get("edits")
    found = []
    for edit in edits if isinstance(edits, list) else [value]:
        old, new = (_first(edit, keys) for keys in (OLD, NEW)) if isinstance(edit, dict) else (None, None)
        if old is None and new is None:
            return []
        found.append(_compared((old or "").split("\n"), (new or "").split("\n")))
    return [Piece(PieceKind.DIFF, "\n".join(found), file)]


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
