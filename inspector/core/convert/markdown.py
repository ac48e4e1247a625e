"""A Markdown page for a person: a heading for each turn, calls and results in fences. Nothing in it is interpreted.

Text that a reader of Markdown could take for more than words (HTML, addresses, images, headings, fences) is put in a
fence longer than any run of backticks in it. CommonMark 0.31, 4.5: nothing inside a fence is parsed.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

from inspector.core.convert.history import ConversionNotes, ConversionTarget, HistoryMetadata, Turn, TurnPart
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.media import Media
from inspector.core.translation import Translator

_TICKS = re.compile("`+")
# Plain words: no mark of Markdown, and no line that begins like a list, a rule or code.
_ADDRESS = re.compile(r"://|www\.|@")
_PLAIN = re.compile(r"(?!\s)(?:[^\\`*_{}\[\]<>#|~!&$\n\r\t]|\n(?![ \n=+-]|\d+[.)])|\n\n(?! |\n|[=+-]|\d+[.)]))+")
_LISTED = re.compile(r"[=+-]|\d+[.)]")
_english = Translator()  # the page is English
_UNNAMED_TOOL = "an unnamed tool"
_ROLE_TITLES = {Role.USER: "User", Role.ASSISTANT: "Assistant", Role.SYSTEM: "System"}


class MarkdownTarget(ConversionTarget):
    """A page in Markdown."""

    name = "markdown"
    summary = "a readable Markdown page"
    suffix = ".md"

    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        yield ("\n".join(_head(about)) + "\n").encode("utf-8", "replace")
        for number, turn in enumerate(turns, 1):
            lines = [f"## {number}. {_ROLE_TITLES.get(turn.role, 'User')}{_aside(turn)}", ""]
            for part in turn.parts:
                lines += _part(part, notes)
            yield ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _head(about: HistoryMetadata) -> Iterator[str]:
    yield "# Transcript"
    yield ""
    for label, value in (
        ("Title", about.title), ("Format", about.format), ("Agent", about.agent), ("Session", about.session),
    ):  # fmt: skip
        if value:
            yield f"- {label}: {inline_code(_english(value))}"
    yield ""
    if about.system:
        yield "## System"
        yield ""
        yield from _words(about.system)


def _aside(turn: Turn) -> str:
    told = [inline_code(each) for each in (turn.time, turn.model) if each]
    return f" ({', '.join(told)})" if told else ""


def _part(part: TurnPart, notes: ConversionNotes) -> Iterator[str]:
    if part.kind == BlockKind.CALL:
        yield f"### Call of {inline_code(part.name or _UNNAMED_TOOL)}{_id(part)}"
        yield ""
        yield from fenced_text(_indented(part.input), "json")
        if part.peer < 0:
            yield "No result was recorded for this call."
            yield ""
    elif part.kind == BlockKind.RESULT:
        flags = [", error"] if part.is_error else []
        flags += [", placeholder: no result was recorded"] if part.is_placeholder else []
        flags += [", its call is not in the history"] if part.peer < 0 else []
        yield f"### Result of {inline_code(part.name or _UNNAMED_TOOL)}{_id(part)}{''.join(flags)}"
        yield ""
        yield from fenced_text(_text(part, notes), "text")
    elif part.kind == BlockKind.THINKING:
        yield "### Reasoning"
        yield ""
        yield from fenced_text(part.text, "text")
    elif part.kind in (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT):
        noun = "Call" if part.kind == BlockKind.SERVER_CALL else "Result"
        yield f"### {noun} of {inline_code(part.name or 'a server tool')}, run by the provider"
        yield ""
        yield from fenced_text(part.text, "json")
    elif part.text.strip():
        yield from _words(_text(part, notes))


def _indented(text: bytes) -> str:
    """Return JSON on several lines, its values spelled as they are."""
    try:
        return msgspec.json.format(text, indent=2).decode("utf-8", "replace")
    except msgspec.DecodeError:
        return text.decode("utf-8", "replace")


def _id(part: TurnPart) -> str:
    return f" {inline_code(part.call_id)}" if part.call_id else ""


def _text(part: TurnPart, notes: ConversionNotes) -> str:
    for piece in part.pieces:
        if isinstance(piece, Media):
            notes.add("adapted", "media", "a text page cannot hold it, so a text names it", part, piece.label)
    return part.text


def _words(text: str) -> Iterator[str]:
    """Yield a text as it is where it is words alone, else in a fence."""
    text = text.strip("\n")
    if _PLAIN.fullmatch(text) and not _LISTED.match(text) and not _ADDRESS.search(text):
        yield text
        yield ""
    else:
        yield from fenced_text(text, "text")


def fenced_text(text: str, language: str) -> Iterator[str]:
    """Yield a text in a fence that nothing in the text can end."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + language
    yield text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    yield fence
    yield ""


def inline_code(text: str) -> str:
    """Return a short text as inline code, on one line."""
    text = " ".join(text.split()) or " "
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
