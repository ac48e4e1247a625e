"""`check` for many logs: rows without log content, as lines of JSON, as tables in files, and as a summary."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, closing

from msgspec import Struct

from inspector.cli import exit_codes
from inspector.cli.check_runner import CheckOptions
from inspector.cli.interruption import Interruption
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text, write_stdout
from inspector.core.analysis.finding import Severity
from inspector.core.batch.cache import ResultCache
from inspector.core.batch.judging import JudgingOptions, LogTask, tasks_at
from inspector.core.batch.many import judge_tasks
from inspector.core.batch.summary import Summary
from inspector.core.batch.table_files import table_writer
from inspector.core.errors import CannotWrite, UnknownName
from inspector.core.report.tables import LogResult, NameHider, encode_row
from inspector.core.translation import tr


class RowOutputOptions(Struct, frozen=True):
    """What becomes of the rows.

    `as_lines` prints them as JSON, `target` is a file for them, "" for none. `rules` and `verdicts` keep the sessions
    with one of them. `names` says which names of files are shown.
    """

    as_lines: bool = False
    target: str = ""
    summary: bool = False
    rules: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    names: str = "path"
    cached: bool = True

    def keep(self, result: LogResult) -> LogResult:
        """Return the result with only the wanted sessions, and without files that have none of them."""
        if not (self.rules or self.verdicts):
            return result
        with_rule = {(row.log, row.session) for row in result.findings if row.rule in self.rules}
        sessions = tuple(
            row
            for row in result.sessions
            if (not self.verdicts or row.verdict in self.verdicts)
            and (not self.rules or (row.log, row.session) in with_rule)
        )
        kept, logs = {(row.log, row.session) for row in sessions}, {row.log for row in sessions}
        return LogResult(
            tuple(row for row in result.files if row.log in logs or row.status in self.verdicts),
            sessions,
            tuple(row for row in result.findings if (row.log, row.session) in kept),
        )


def check_and_write(paths: Iterable[str], judging: CheckOptions, options: RowOutputOptions) -> list[int]:
    """Judge every log, and write its rows as soon as they are known. Return the exit codes."""
    paths = list(paths)
    tasks = list(tasks_at(paths))
    asked = JudgingOptions(judging.profile, judging.log_format, judging.deep, judging.live)
    line = ProgressLine(tr("Checked {done:,} of {total:,} files ({rate:,.0f}/s, {left} left)"))
    codes, summary, hider, done = _Codes(judging.level, paths), Summary(), NameHider(options.names), 0
    with ExitStack() as stack:
        interruption = stack.enter_context(Interruption())
        try:
            writer = stack.enter_context(table_writer(options.target)) if options.target else None
        except (UnknownName, CannotWrite) as error:
            print_text(str(error), err=True)
            return [exit_codes.UNREADABLE]
        cache = stack.enter_context(ResultCache(asked)) if options.cached else None
        answers = stack.enter_context(closing(judge_tasks(tasks, asked, judging.jobs, cache)))
        try:
            for done, (task, result) in enumerate(interruption.until_signal(answers), 1):
                codes.add(task, result)
                kept = hider.hide(options.keep(result), task.ticket)
                summary.add(kept)
                if options.as_lines:
                    line.erase()
                    write_stdout(b"".join(map(encode_row, kept.rows())))
                if writer is not None:
                    writer.write(kept)
                line(done, len(tasks))
            written = writer.finish() if writer else []
        except CannotWrite as error:
            line.erase()
            print_text(str(error), err=True)
            return [exit_codes.UNREADABLE]
        finally:
            line.erase()
        is_whole = not interruption.happened
        before = cache.swap_counts(tasks, summary.fingerprints()) if cache and options.summary and is_whole else None
    if options.summary:
        for text in summary.lines(before):
            print_text(text, err=options.as_lines)
    if written:
        print_text(tr("Written: {files}", files=", ".join(written)), err=options.as_lines)
    stopped = (
        tr(
            "Stopped after {done:,} of {total:,} files. Everything written so far is complete, "
            "and the next run continues from there."
        )
        if options.cached
        else tr("Stopped after {done:,} of {total:,} files. Everything written so far is complete.")
    )
    interruption.exit_if_happened(tr(stopped, done=done, total=len(tasks)))
    return codes.codes()


class _Codes:
    """The exit codes of the results. A file of a folder that is no log has none; a folder without a log has one."""

    def __init__(self, level: Severity, paths: Iterable[str]) -> None:
        self._level = level
        self._codes: dict[int, None] = {}
        self._has_logs = dict.fromkeys(paths, False)

    def add(self, task: LogTask, result: LogResult) -> None:
        has_log = any(file.status not in ("no-log", "duplicate") for file in result.files)
        self._has_logs[task.ticket] |= has_log
        for file in result.files:
            if file.status in ("unreadable", "fault"):
                self._codes[exit_codes.UNREADABLE] = None
            elif file.status == "not-judged":
                self._codes[exit_codes.NOT_JUDGED] = None
        for session in result.sessions:
            found = session.errors + (session.warnings if self._level <= Severity.WARNING else 0)
            if found or session.verdict == "unexplained":
                self._codes[exit_codes.FINDINGS] = None

    def codes(self) -> list[int]:
        without = [exit_codes.NOT_JUDGED] if not all(self._has_logs.values()) else []
        return [*self._codes, *without]
