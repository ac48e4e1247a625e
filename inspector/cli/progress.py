"""A line on the terminal that shows how far a long command has come. There is none where nobody watches."""

import os
import sys
import time
from datetime import timedelta

import click

from inspector.cli.terminal import escape_controls
from inspector.core.report.sentences import clip
from inspector.core.translation import tr

_SILENT_SECONDS = 2.0
_SECONDS_BETWEEN = 0.1
_LONGEST_NAME = 40
_WIDTH = 78  # a longer line would wrap in a narrow terminal, and could not be erased


class ProgressLine:
    """A line on standard error that is written over again and again, from the third second on.

    `template` has the fields {percent}, {done}, {total}, {rate} (per second) and {left} (hours, minutes, seconds).
    Nothing is shown if standard error is no terminal.
    """

    def __init__(self, template: str) -> None:
        self._template = template
        self._start = time.monotonic()
        self._next = self._start + _SILENT_SECONDS
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done of a total, which is 0 where it is not known. A finished line is erased."""
        if total and done >= total:
            self.erase()
        elif time.monotonic() >= self._next and _is_watched():
            self._next = time.monotonic() + _SECONDS_BETWEEN
            rate = done / (time.monotonic() - self._start)
            left = timedelta(seconds=round((total - done) / rate)) if rate and total else "?"
            percent = 100 * done // (total or 1)
            text = self._template.format(percent=percent, done=done, total=total, rate=rate, left=left)
            click.echo(f"\r\x1b[K{escape_controls(clip(text, _WIDTH))}", nl=False, err=True)
            self._shown = True

    def erase(self) -> None:
        """Erase the line if it is shown."""
        if self._shown:
            erase_line()
            self._shown = False


def erase_line() -> None:
    """Erase what is on the line of the terminal, such as the ^C that it shows for Ctrl+C."""
    if _is_watched():
        click.echo("\r\x1b[K", nl=False, err=True)


def reading_progress_line(path: str) -> ProgressLine:
    """Return the line for a log that is read, by bytes."""
    name = clip(os.path.basename(path), _LONGEST_NAME).replace("{", "{{").replace("}", "}}")
    return ProgressLine(tr("Reading {name}: {{percent}}%", name=name))


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
