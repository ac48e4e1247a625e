"""`check --engine dask`: a cluster judges logs, and writes their rows to the folder of a run."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from contextlib import ExitStack, closing

import click
from click.core import ParameterSource
from msgspec import Struct

from inspector.cli import exit_codes
from inspector.cli.check_runner import CheckOptions
from inspector.cli.interruption import Interruption
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text
from inspector.core.analysis.finding import Severity
from inspector.core.batch.judging import JudgingOptions
from inspector.core.errors import InspectorError
from inspector.core.fleet.cluster import Run, dask_cluster
from inspector.core.fleet.run_folder import ROWS, ResultCounter, RunFolder, RunSettings, run_status
from inspector.core.fleet.sources import is_url
from inspector.core.translation import tr

_PARAMETERS = frozenset(
    "paths files_from null_separated profile log_format deep live fail_on"
    " engine scheduler run_folder resume retry_faults".split()
)


class RunOptions(Struct, frozen=True):
    """The scheduler of a cluster, and the folder of a run. `resumes` the run there, `retries_faults` of it, too."""

    scheduler: str
    folder: str
    resumes: bool
    retries_faults: bool


def refuse_conflicts(context: click.Context) -> None:
    """Raise click.UsageError for an option that a run on a cluster does not have."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _PARAMETERS and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                tr("{option} cannot be combined with --engine dask, which writes all rows.", option=parameter.opts[0])
            )


def check_and_write(paths: Iterable[str], judging: CheckOptions, options: RunOptions) -> list[int]:
    """Have every log judged, and print a summary. Return the exit codes."""
    gc.enable()  # the futures of a cluster have cycles
    sources = [_absolute(path) for path in paths]
    asked = JudgingOptions(judging.profile, judging.log_format, judging.deep, judging.live)
    line = ProgressLine(tr("Checked {done:,} of {total:,} logs ({rate:,.1f}/s, {left} left)"))
    try:
        with ExitStack() as stack:
            cluster = stack.enter_context(dask_cluster(options.scheduler))
            folder = RunFolder(_absolute(options.folder))
            (folder.resume if options.resumes else folder.begin)(RunSettings(sources, asked))
            print_text(tr("The cluster dashboard is at {link}", link=cluster.link), err=True)
            interruption = stack.enter_context(Interruption())
            stack.callback(line.erase)
            run = Run(folder, cluster, options.retries_faults)
            for _ in interruption.until_signal(stack.enter_context(closing(run.manifests()))):
                line(run.done, run.plan.logs if run.plan.is_complete else 0)
        counts = run_status(folder).counts
    except InspectorError as error:
        print_text(str(error), err=True)
        return [exit_codes.UNREADABLE]
    for text in counts.summary.lines():
        print_text(text)
    print_text(tr("Written: {files}", files=f"{folder.place}/*{ROWS}"))
    interruption.exit_if_happened(
        tr("Stopped after {done:,} logs. Add --resume to continue the run.", done=counts.logs)
    )
    return _codes(counts, judging.level)


def _absolute(path: str) -> str:
    """Return a URL or a path as the workers need it, which run in other folders."""
    return path if is_url(path) else os.path.abspath(path)


def _codes(counts: ResultCounter, level: Severity) -> list[int]:
    """Return the exit codes of a run, as for a check on this machine."""
    summary = counts.summary
    statuses = summary.statuses
    verdicts = {group.verdict for group in summary.groups}
    has_findings = counts.errors or (counts.warnings and level <= Severity.WARNING) or "unexplained" in verdicts
    return [
        code
        for code, applies in (
            (exit_codes.UNREADABLE, statuses["unreadable"] or statuses["fault"]),
            (exit_codes.FINDINGS, has_findings),
            (exit_codes.NOT_JUDGED, statuses["not-judged"] or not statuses["judged"]),
        )
        if applies
    ]
