"""How `check` judges each log, and where its report goes, whatever it tells of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.cli import exits
from inspector.cli.reading import log_at
from inspector.cli.terminal import say, say_json
from inspector.core.engine import folders
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import CannotWrite, NotJudged
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
    def log_at(self, path: str, refusal: NotJudged | None) -> Iterator[tuple[OpenLog, Report]]:
        """The log at `path` and its judgement. Raises `refusal`, and InspectorError."""
        if refusal is not None:
            raise refusal
        with log_at(path, self.log_format, self.deep) as log:
            yield log, log.check(self.profile, self.live)

    def code_of(self, report: Report) -> int:
        """The exit code for a log."""
        if not report.is_judged:
            return exits.NOT_JUDGED
        return exits.FINDINGS if report.fails(self.level) else exits.OK


def logs_of(paths: tuple[str, ...], others: dict[str, int]) -> Iterator[tuple[str, NotJudged | None]]:
    """The logs that the arguments stand for, or why one stands for none; `others` are the other files of folders."""
    for path in paths:
        try:
            for name in folders.logs_of(path, others):
                yield name, None
        except NotJudged as error:
            yield path, error


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
