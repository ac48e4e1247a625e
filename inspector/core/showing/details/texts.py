"""What a text is: JSON, a diff, a file with line numbers, or what a terminal shows; and what a program put into it."""

import re
from collections.abc import Iterator

from inspector.core.bytes.json_text import parse_json, pretty_json
from inspector.core.known_texts.injected import split_injected, strip_user_envelope
from inspector.core.showing.details.pieces import DetailPiece, PieceKind

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
_ROW = 400  # characters of what is said of an output
_LONGEST_JSON = 1_000_000  # characters that are parsed to be indented


def indented_json(text: str) -> str:
    """A text that is a JSON object or array, indented; "" for any other."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > _LONGEST_JSON:
        return ""
    try:
        value = parse_json(text.encode())
    except ValueError:
        return ""
    return pretty_json(value) if value else ""


def is_diff(text: str) -> bool:
    """Whether a text is a change of files, in the unified form or in that of Codex."""
    return _DIFF.match(text) is not None


def is_patch(text: str) -> bool:
    """Whether a text of an input holds such a change, with something around it."""
    return is_diff(text) or _PATCH_WITHIN.search(text) is not None


def message_pieces(text: str, by_model: bool) -> tuple[DetailPiece, ...]:
    """What a message says: a model writes Markdown, a person what they like, with what the program adds to it."""
    if by_model:
        return tuple(_markdown(text)) or (DetailPiece(PieceKind.PROSE),)
    kinds = {False: PieceKind.PROSE, True: PieceKind.CONTEXT}
    return tuple(DetailPiece(kinds[injected], part) for injected, part in split_injected(text)) or (
        DetailPiece(PieceKind.PROSE),
    )


def typed_text(text: str) -> tuple[str, bool]:
    """What the person typed of a message, and whether that is nothing: then it is what the program put there."""
    parts = split_injected(text)
    own = " ".join(strip_user_envelope(part) for injected, part in parts if not injected)
    return own or text, bool(parts) and not own


def _markdown(text: str) -> Iterator[DetailPiece]:
    """Markdown, with its fenced code apart."""
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
    """What a tool answered; `read` is the file that it was to read, "" where it was to do something else."""
    if is_diff(text):
        return (DetailPiece(PieceKind.DIFF, text, read),)
    if told := indented_json(text):
        return _packed(text) or (DetailPiece(PieceKind.JSON, told),)
    if read.endswith((".md", ".markdown")) and not has_line_numbers(text):
        return message_pieces(text, by_model=True)
    if read:
        return (DetailPiece(PieceKind.CODE, text, read, gutter=has_line_numbers(text)),)
    return (DetailPiece(PieceKind.TERMINAL, text),)


def _packed(text: str) -> tuple[DetailPiece, ...]:
    """Output that a program packed into an object, with what it says of it; nothing where it is no such object."""
    value = parse_json(text.encode())
    key = next((key for key in _OUTPUTS if isinstance(value, dict) and isinstance(value.get(key), str)), "")
    if not key:
        return ()
    rows = tuple((name, " ".join(pretty_json(each).split())) for name, each in value.items() if name != key)
    table = (DetailPiece(PieceKind.TABLE, rows=rows),) if rows and max(len(row[1]) for row in rows) <= _ROW else ()
    return (DetailPiece(PieceKind.TERMINAL, value[key]), *table) if table or not rows else ()


def has_line_numbers(text: str) -> bool:
    """Whether a file is shown with the numbers of its lines."""
    lines = text.split("\n", 4)[:4]
    return bool(_NUMBERED.match(lines[0])) and all(_NUMBERED.match(line) for line in lines[:-1] if line)


def line_number_width(line: str) -> int:
    """How many characters of a line are its number."""
    found = _NUMBERED.match(line)
    return found.end() if found else 0
