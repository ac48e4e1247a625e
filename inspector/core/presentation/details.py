"""The details of a record: its blocks as typed pieces that a front end can draw.

The input of a call becomes its command, the file written, the change, and a table of the other members. Members are
recognised by their names, because the tools of different agents name the same thing alike (`summarize_call`).
"""

import difflib
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from inspector.core.analysis.tool_effects import ToolEffect, describe_call, target_files, tool_effect
from inspector.core.formats import FORMATS
from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView, RecordView
from inspector.core.presentation.detail_pieces import (
    BlockDetails,
    DetailPiece,
    PieceKind,
    RecordDetails,
    block_details_from_pieces,
    record_details_from_parts,
)
from inspector.core.presentation.formatting import FILE_CONTENT_KEYS, NEW_TEXT_KEYS, OLD_TEXT_KEYS
from inspector.core.providers.agent_texts import split_injected_text, strip_user_envelope
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.media import image_size, locate_media
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, pointer_span
from inspector.core.storage.json_text import parse_json, pretty_json

_BY_PERSON = ("user", "human", "system", "developer")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_NO_MEDIA = (BlockKind.TEXT, BlockKind.THINKING, *CALL_KINDS)


def details_of_record(
    format_name: str, view: RecordView, raw: bytes, reads: dict[str, str] | None = None
) -> RecordDetails:
    """Return the details of a record that its format has parsed into `view`.

    `reads` maps the ids of calls in other records to the files that these calls read. Never raises: a block that cannot
    be split into pieces is shown as its text.
    """
    format = FORMATS.get(format_name)
    spelling = BlockSchema() if format is None else format.block_schema
    parts = []
    read_files = dict(reads or {})
    for block in view.blocks:
        if block.kind in CALL_KINDS and block.call_id:
            read_files[block.call_id] = file_read_by(block.text, block.name)
        parts.append(_part(spelling, view, block, raw, read_files.get(block.call_id, "")))
    return record_details_from_parts(view, tuple(parts))


def _part(spelling: BlockSchema, view: RecordView, block: BlockView, raw: bytes, read: str) -> BlockDetails:
    match block.kind:
        case BlockKind.TEXT:
            return block_details_from_pieces(block, message_pieces(block.text, view.role not in _BY_PERSON))
        case BlockKind.THINKING:
            return block_details_from_pieces(block, (DetailPiece(PieceKind.THINKING, block.text),))
        case BlockKind.CALL | BlockKind.SERVER_CALL:
            return block_details_from_pieces(block, input_pieces(block.text, block.name), block.text)
    images = _images(spelling, block, raw)
    if block.kind in _RESULTS:
        text = _without_named_images(block.text) if images else block.text
        pieces = output_pieces(text, "" if block.is_error else read) if text or not images else ()
        return block_details_from_pieces(block, (*pieces, *images))
    if images:
        return block_details_from_pieces(block, images)
    json_text = indented_json(block.text)
    kind = PieceKind.JSON if json_text else PieceKind.PROSE
    return block_details_from_pieces(block, (DetailPiece(kind, json_text or block.text),))


def _without_named_images(text: str) -> str:
    """Remove the placeholders of images at the end of a text, since the images themselves are shown."""
    end = len(text.rstrip())
    while end and text[end - 1] == "]":
        start = text.rfind("[", 0, end)
        if not text.startswith("[image", start) or "]" in text[start : end - 1]:
            break
        end = start
        while end and text[end - 1].isspace():
            end -= 1
    return text if end == len(text.rstrip()) else text[:end]


def _images(spelling: BlockSchema, block: BlockView, raw: bytes) -> tuple[DetailPiece, ...]:
    """Return the images in a block that can be shown: data inside the record, in a format known by its header."""
    if block.kind in _NO_MEDIA:
        return ()
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        start, end = pointer_span(raw, block.pointer)
        value = parse_json(raw[start:end])
        media_items = (media for _, media in locate_media(value, spelling))
        return tuple(
            DetailPiece(PieceKind.IMAGE, media.data, media.label.strip("[]"))
            for media in media_items
            if media.is_image and media.data and image_size(media.data) != (0, 0)
        )
    return ()


def indented_json_at(raw: bytes, pointer: str) -> str:
    """Return the value at a pointer into a record as indented JSON; numbers and escapes keep their spelling."""
    exact = bytes_at_pointer(raw, pointer)
    with suppress(msgspec.DecodeError):
        exact = msgspec.json.format(exact, indent=2)
    return exact.decode("utf-8", "backslashreplace")


def bytes_at_pointer(raw: bytes, pointer: str) -> bytes:
    """Return the bytes of the value at a pointer into a record, or the whole record where there is no such value."""
    with suppress(TruncatedJson, PointerNotFound):
        start, end = pointer_span(raw, pointer)
        return raw[start:end]
    return raw


_COMMANDS = ("command", "cmd", "commands", "script", "chars")
_CODE = ("code",)
_SHORT = 160  # characters of a value that has a row of the table
_COMPARED = 400  # lines of an edit that are compared; of longer ones, all old lines precede all new ones
_LONGEST = 2_000_000


def input_pieces(text: str, tool_name: str) -> tuple[DetailPiece, ...]:
    """Split the input of a call, usually a JSON object, into pieces; `tool_name` names the tool that was called."""
    if len(text) <= _LONGEST and text.startswith("{"):
        try:
            value = parse_json(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            value = None
        if isinstance(value, dict):
            return _of_members(value) if value else ()
    if contains_diff(text):
        return (DetailPiece(PieceKind.DIFF, text),)
    if tool_effect(tool_name) == ToolEffect.SHELL and not text.startswith(("{", "[")):
        return (DetailPiece(PieceKind.SHELL, text),)
    json_text = indented_json(text)
    return (
        (DetailPiece(PieceKind.JSON, json_text),)
        if json_text
        else (DetailPiece(PieceKind.PROSE, text),)
        if text
        else ()
    )


def file_read_by(text: str, tool_name: str) -> str:
    """Return the file that a call reads, which decides how its result is shown; "" for any other call."""
    if tool_effect(tool_name) not in (ToolEffect.READ_ONLY, ToolEffect.NETWORK) and tool_name.lower() not in (
        "task",
        "agent",
    ):
        return ""
    if tool_effect(tool_name) != ToolEffect.READ_ONLY:
        return "answer.md"  # content from the network, or from a subagent, is usually Markdown
    try:
        value = parse_json(text.encode("utf-8", "replace")) if len(text) <= _LONGEST else None
    except ValueError:
        return ""
    files = target_files(value) if isinstance(value, dict) and "pattern" not in value else []
    return files[0] if len(files) == 1 and "." in files[0].rpartition("/")[2] else ""


def _of_members(value: dict[str, Any]) -> tuple[DetailPiece, ...]:
    file = next(iter(target_files(value)), "")
    members, changes = dict(value), _changes(value, file)
    if changes:
        for key in (*OLD_TEXT_KEYS, *NEW_TEXT_KEYS, "edits"):
            members.pop(key, None)
    pieces = [*_command(members), *changes]
    for key in list(members):
        if isinstance(members[key], str) and (piece := _long(key, members[key], file)) is not None:
            pieces.append(piece)
            del members[key]
        elif isinstance(members[key], dict | list) and len(shown := pretty_json(members[key])) > _SHORT:
            pieces.append(DetailPiece(PieceKind.JSON, shown, key))
            del members[key]
    titles = {piece.title for piece in pieces}
    rows = tuple(
        (key, shown) for key, member in members.items() if (shown := _in_a_row(member)) not in titles or not shown
    )
    return (*pieces, *((DetailPiece(PieceKind.TABLE, rows=rows),) if rows else ()))


def _command(members: dict[str, Any]) -> list[DetailPiece]:
    """Take the command out of the members and return its piece."""
    key = next((key for key in _COMMANDS if isinstance(members.get(key), str | list) and members[key]), "")
    if not key or (isinstance(members[key], str) and contains_diff(members[key])):
        return []
    line = members[key] if isinstance(members[key], str) else describe_call({key: members[key]}, ToolEffect.SHELL)
    if isinstance(members[key], list) and contains_diff("\n".join(map(str, members[key]))):
        return [DetailPiece(PieceKind.DIFF, "\n".join(map(str, members.pop(key))))]
    # An editor names what it does (view, create) under the key of a command.
    if " " not in line and any(isinstance(members.get(path_key), str) for path_key in ("path", "file_path")):
        return []
    del members[key]
    return [DetailPiece(PieceKind.SHELL, line)]


def _long(key: str, text: str, file: str) -> DetailPiece | None:
    """Return the piece of a member that is a file, a change, code, or too long for a table row; else None."""
    if contains_diff(text):
        return DetailPiece(PieceKind.DIFF, text, file)
    if key in FILE_CONTENT_KEYS and file:
        return DetailPiece(PieceKind.CODE, text, file)
    if key in _CODE:
        return DetailPiece(PieceKind.CODE, text, "code.py")
    if "\n" in text.strip() or len(text) > _SHORT:
        json_text = indented_json(text)
        return DetailPiece(PieceKind.JSON, json_text, key) if json_text else DetailPiece(PieceKind.MARKDOWN, text, key)
    return None


def _in_a_row(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(pretty_json(value).split())


def _changes(value: dict[str, Any], file: str) -> list[DetailPiece]:
    """Return what an edit removes and adds, as a diff."""
    edits = value.get("edits")
    diffs = []
    for edit in edits if isinstance(edits, list) else [value]:
        old, new = (
            (_first(edit, keys) for keys in (OLD_TEXT_KEYS, NEW_TEXT_KEYS)) if isinstance(edit, dict) else (None, None)
        )
        if old is None and new is None:
            return []
        diffs.append(_compared((old or "").split("\n"), (new or "").split("\n")))
    return [DetailPiece(PieceKind.DIFF, "\n".join(diffs), file)]


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


_DIFF = re.compile(r"\A\s*(?:diff --git |\*\*\* Begin Patch|(?:Index: .+\n=+\n)?--- .+\n\+\+\+ .+\n@@)")
_PATCH_WITHIN = re.compile(r"^\*\*\* Begin Patch$|^@@ -\d", re.MULTILINE)
_NUMBERED = re.compile(r" *\d+(?:→|\t|\| ?|: )")
# Possessive, and within a line: a text of nothing but marks, or of blank lines, is passed over once.
_TABLE_RULE = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)+", re.MULTILINE)
_FENCED = re.compile(
    r"^(`{3,}+|~{3,}+)[ \t]*+([\w+#.-]*+)[^\n]*+\n(.*?)(?:^\1[`~]*+[ \t]*+$\n?|\Z)", re.MULTILINE | re.DOTALL
)
_MOST_TABLES = 20  # Qt takes half a second for a thousand small ones
_OUTPUTS = ("output", "stdout")
_ROW = 400  # characters of a row about an output
_LONGEST_JSON = 1_000_000  # characters that are parsed to be indented


def indented_json(text: str) -> str:
    """Return a text that is a JSON object or array with indentation; "" for any other text."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > _LONGEST_JSON:
        return ""
    try:
        value = parse_json(text.encode())
    except ValueError:
        return ""
    return pretty_json(value) if value else ""


def is_diff(text: str) -> bool:
    """Return whether a text is a diff, in the unified format or in that of Codex."""
    return _DIFF.match(text) is not None


def contains_diff(text: str) -> bool:
    """Return whether a text of an input contains such a diff, possibly with other text around it."""
    return is_diff(text) or _PATCH_WITHIN.search(text) is not None


def message_pieces(text: str, by_model: bool) -> tuple[DetailPiece, ...]:
    """Split the text of a message into pieces.

    A model writes Markdown. The text of a person is prose, and what the program added to it is CONTEXT.
    """
    if by_model:
        return tuple(_markdown(text)) or (DetailPiece(PieceKind.PROSE),)
    kinds = {False: PieceKind.PROSE, True: PieceKind.CONTEXT}
    return tuple(DetailPiece(kinds[injected], part) for injected, part in split_injected_text(text)) or (
        DetailPiece(PieceKind.PROSE),
    )


def text_typed_by_user(text: str) -> tuple[str, bool]:
    """Return what the person typed of a message, and whether they typed nothing.

    If they typed nothing, the text is what the program added.
    """
    parts = split_injected_text(text)
    own = " ".join(strip_user_envelope(part) for injected, part in parts if not injected)
    return own or text, bool(parts) and not own


def _markdown(text: str) -> Iterator[DetailPiece]:
    """Yield Markdown with its fenced code as separate pieces."""
    kind = PieceKind.MARKDOWN if len(_TABLE_RULE.findall(text)) <= _MOST_TABLES else PieceKind.PROSE
    at = 0
    for fence in _FENCED.finditer(text):
        if text[at : fence.start()].strip():
            yield DetailPiece(kind, text[at : fence.start()])
        code = fence[3].removesuffix("\n")
        yield DetailPiece(PieceKind.DIFF if fence[2] == "diff" else PieceKind.CODE, code, fence[2])
        at = fence.end()
    if text[at:].strip():
        yield DetailPiece(kind, text[at:])


def output_pieces(text: str, read: str = "") -> tuple[DetailPiece, ...]:
    """Split the output of a tool into pieces; `read` is the file that the call read, "" for any other call."""
    if is_diff(text):
        return (DetailPiece(PieceKind.DIFF, text, read),)
    if json_text := indented_json(text):
        return _packed(text) or (DetailPiece(PieceKind.JSON, json_text),)
    if read.endswith((".md", ".markdown")) and not has_line_numbers(text):
        return message_pieces(text, by_model=True)
    if read:
        return (DetailPiece(PieceKind.CODE, text, read, gutter=has_line_numbers(text)),)
    return (DetailPiece(PieceKind.TERMINAL, text),)


def _packed(text: str) -> tuple[DetailPiece, ...]:
    """Split output that a program wrapped in an object into its text and a table; empty for any other object."""
    value = parse_json(text.encode())
    key = next((key for key in _OUTPUTS if isinstance(value, dict) and isinstance(value.get(key), str)), "")
    if not key:
        return ()
    rows = tuple((name, " ".join(pretty_json(member).split())) for name, member in value.items() if name != key)
    table = (DetailPiece(PieceKind.TABLE, rows=rows),) if rows and max(len(row[1]) for row in rows) <= _ROW else ()
    return (DetailPiece(PieceKind.TERMINAL, value[key]), *table) if table or not rows else ()


def has_line_numbers(text: str) -> bool:
    """Return whether the content of a file is shown with its line numbers."""
    lines = text.split("\n", 4)[:4]
    return bool(_NUMBERED.match(lines[0])) and all(_NUMBERED.match(line) for line in lines[:-1] if line)


def line_number_width(line: str) -> int:
    """Return how many characters of a line are its number; 0 where it has none."""
    match = _NUMBERED.match(line)
    return match.end() if match else 0
