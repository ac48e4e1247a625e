"""How `check` judges each log, and where its report goes, whatever it tells of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.cli import exits
from inspector.cli.reading import log_at
from inspector.cli.terminal import say, say_json
from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.tickets import Found
from inspector.core.errors import CannotWrite
from inspector.core.scene.finding import Severity

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report

LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}


class Judging(Struct, frozen=True):
    """What was asked: `asked` are the profiles that each session is put to besides, `level` is what makes code 1."""

    asked: list[str]
    profile: str
    log_format: str
    level: Severity
    deep: bool
    live: bool

    @contextmanager
    def log_at(self, found: Found) -> Iterator[tuple[OpenLog, Report]]:
        """A log and its judgement. Raises InspectorError, the refusal of what is none among them."""
        if found.refusal is not None:
            raise found.refusal
        with log_at(found.path, self.log_format, self.deep, found.log(self.log_format, self.deep)) as log:
            yield log, log.check(self.profile, self.live)

    def code_of(self, report: Report) -> int:
        """The exit code for a log."""
        if not report.is_judged:
            return exits.NOT_JUDGED
        return exits.FINDINGS if report.fails(self.level) else exits.OK


def put_out(pieces: Sequence[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
    """Write the report to the file that was named, else to standard output; the code when that fails."""
    if not output:
        for piece in pieces:
            say_json(piece)
        return []
    from inspector.core.engine.report_file import write_report  # noqa: PLC0415 - a check that prints never needs it

    try:
        write_report(output, pieces, logs)
    except CannotWrite as error:
        say(str(error), err=True)
        return [exits.UNREADABLE]
    return []
