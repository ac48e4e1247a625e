"""Output to the terminal: no text of a log can send control sequences to it."""

import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.report.sentences import SEVERITY_NAMES, USUAL_WIDTH, VERDICT_HEADINGS, escape_character

if TYPE_CHECKING:
    import click
else:
    click = LazyModule("click")

# C0 without tab and line feed, DEL, C1, and the marks that turn the direction of text; also lone surrogates,
# which represent bytes in the name of a file: streams refuse them, or terminals read them as C1.
_CONTROL_RANGES = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_CONTROLS = lazy_regex(f"[{_CONTROL_RANGES}]")
# The same in UTF-8, but for those below U+0020, which JSON escapes itself.
_CONTROLS_IN_JSON = rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]"

_VERDICT_COLORS = {"broken": "red", "unreadable": "red", "unexplained": "red", "healthy": "green"}  # others are yellow
_HEADING_COLORS = {
    heading: _VERDICT_COLORS.get(verdict.word, "yellow") for verdict, heading in VERDICT_HEADINGS.items()
}
# What a report on a log in text has colors for: the severity of a finding, places, labels, and verdicts.
_COLORED = lazy_regex(
    rf"^(?P<error>{SEVERITY_NAMES[Severity.ERROR]}\[\w+\])|^(?P<warning>{SEVERITY_NAMES[Severity.WARNING]}\[\w+\])"
    rf"|^(?P<note>{SEVERITY_NAMES[Severity.INFO]}\[\w+\])"
    r"|^(?P<place>  -->|   [|=])|^(?P<label>  [A-Z][a-z]{2,5}  )"
    rf"|(?<=\S  )(?P<verdict>{'|'.join(_HEADING_COLORS)})(?=  )",
    re.MULTILINE,
)
_COLORS = {"error": "red", "warning": "yellow", "note": "cyan", "place": "blue", "label": "cyan"}

_CHUNK_BYTES = 1024 * 1024


def print_text(text: str, err: bool = False, nl: bool = True) -> None:
    """Print text with control characters escaped."""
    click.echo(escape_controls(text), err=err, nl=nl)


def print_json(text: bytes | bytearray, err: bool = False) -> None:
    """Print JSON with control characters escaped; its value stays the same.

    Bytes of a log may have carriage returns between two values: they are printed as line feeds.
    """
    for piece in _chunks(text):
        plain = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        click.echo(re.sub(_CONTROLS_IN_JSON, lambda sign: b"\\u%04x" % ord(sign[0].decode()), plain), nl=False, err=err)


def _chunks(text: bytes | bytearray) -> Iterator[bytes]:
    """Yield a text in pieces, since a report may be as large as a log.

    Each piece ends after a comma, so that no character is cut in two.
    """
    at = 0
    while at < len(text):
        end = text.find(b",", at + _CHUNK_BYTES) + 1 or len(text)
        yield bytes(text[at:end])
        at = end


def write_stdout_tty_safe(data: bytes) -> None:
    """Write output to standard output: unchanged, but to a terminal with control characters escaped."""
    if sys.stdout is not None and sys.stdout.isatty():
        print_text(data.decode("utf-8", "backslashreplace"), nl=False)
        return
    write_stdout(data)


def write_stdout(data: bytes) -> None:
    """Write bytes to standard output, if there is one, after what was printed."""
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def escape_controls(text: str) -> str:
    """Return text with control characters escaped."""
    return text if text.isprintable() else _CONTROLS.sub(lambda sign: escape_character(sign[0]), text)


def terminal_width() -> int:
    """Return the width of the terminal in characters, or the usual one where there is none."""
    try:
        return os.get_terminal_size().columns or USUAL_WIDTH
    except OSError:
        return USUAL_WIDTH


def wants_color(when: str) -> bool:
    """Return whether standard output gets colors: always, never, or "auto" for a terminal without NO_COLOR."""
    if when != "auto":
        return when == "always"
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def color_report(text: bytes, color: bool) -> bytes:
    """Return the text report on a log with colors."""
    if not color:
        return text
    shown = text.decode(errors="surrogateescape")

    def styled(match: re.Match[str]) -> str:
        color = _HEADING_COLORS.get(match[0]) or _COLORS[str(match.lastgroup)]
        return click.style(match[0], fg=color, bold=True)

    return _COLORED.sub(styled, shown).encode(errors="surrogateescape")
