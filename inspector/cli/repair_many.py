"""`repair --output-dir`, and `bundle` of several logs: write into a folder, and print what became of each log."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import click
import msgspec

from inspector.cli import exit_codes
from inspector.cli.fix_log import can_ask
from inspector.cli.interruption import Interruption
from inspector.cli.options import DRY_RUN_REASON
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text, write_stdout
from inspector.core.batch.judging import LogTask, tasks_at
from inspector.core.batch.repairing import Outcome, RepairOptions, RepairRow, repair_tasks
from inspector.core.engine.workers import available_cores
from inspector.core.report.json import encode
from inspector.core.translation import tr, tr_plural

_CODES = {
    "unreadable": exit_codes.UNREADABLE,
    "fault": exit_codes.UNREADABLE,
    "refused": exit_codes.FINDINGS,
    "not-judged": exit_codes.NOT_JUDGED,
}


def repair_many(paths: tuple[str, ...], options: RepairOptions, form: str, yes: bool) -> list[int]:
    """Repair the logs at `paths`, and return their exit codes. Without `yes`, a person at a terminal is asked."""
    tasks = list(tasks_at(paths))
    is_ready = options.dry_run or yes
    if not is_ready and can_ask():
        question = tr_plural(
            "Repair any broken logs in {number:,} file, and write the repaired copies to {folder}?",
            "Repair any broken logs in {number:,} files, and write the repaired copies to {folder}?",
            len(tasks),
            folder=options.folder,
        )
        is_ready = click.confirm(question, err=True)
        if not is_ready:
            print_text(tr("Nothing was written."), err=True)
            return [exit_codes.FINDINGS]
    asked = options if is_ready else msgspec.structs.replace(options, dry_run=True)
    with Interruption() as interruption:
        outcomes, done = _repaired(tasks, asked, form, interruption)
    if form == "text":
        for outcome, number in outcomes.items():
            print_text(f"{number:>9,}  {outcome}")
    interruption.exit_if_happened(
        tr(
            "Stopped after {done:,} of {total:,} files. All files written so far are complete, and the next "
            "run will not change them.",
            done=done,
            total=len(tasks),
        )
    )
    planned = "planned" in outcomes
    if planned:
        print_text(
            DRY_RUN_REASON if options.dry_run else tr("Nothing was written. Add --yes to write the repairs."), err=True
        )
    codes = [_CODES[outcome] for outcome in outcomes if outcome in _CODES]
    return codes if is_ready else [*codes, *([exit_codes.FINDINGS] if planned else [])]


def _repaired(
    tasks: list[LogTask], options: RepairOptions, form: str, interruption: Interruption
) -> tuple[Counter[Outcome], int]:
    """Repair the logs, and print a line for each that is not sound.

    Returns how many logs have which outcome, and the number of files that were done.
    """
    line = ProgressLine(tr("{done:,} of {total:,} files done ({rate:,.0f}/s, {left} left)"))
    outcomes, done = Counter[Outcome](), 0
    with closing(repair_tasks(tasks, options, available_cores())) as answers:
        try:
            for done, answer in enumerate(interruption.until_signal(answers), 1):
                line.erase()
                for row in answer:
                    outcomes[row.outcome] += 1
                    _print(row, form)
                line(done, len(tasks))
        finally:
            line.erase()
    return outcomes, done


def _print(row: RepairRow, form: str) -> None:
    if form == "json":
        write_stdout(encode(row) + b"\n")
    elif row.outcome != "unchanged":
        target = f" -> {row.target}" if row.target else ""
        lost = tr_plural(" ({number:,} loss)", " ({number:,} losses)", row.losses) if row.losses else ""
        text = f"{row.outcome:<10}  {row.source}{target}{lost}{row.reason and f': {row.reason}'}"
        print_text(text.replace("\n", "\\n"))  # so that a name cannot forge a line
