"""`check`: judge logs and report their problems."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from inspector.cli import check_runner, exit_codes, input_paths, options
from inspector.cli.check_runner import FAIL_ON_LEVELS, CheckOptions
from inspector.cli.terminal import terminal_width, wants_color
from inspector.core.engine.option_checks import parse_profiles, require_profile
from inspector.core.engine.workers import available_cores
from inspector.core.errors import UnknownName
from inspector.core.lazy import LazyModule
from inspector.core.report.sentences import USUAL_WIDTH
from inspector.core.report.shareable.model import REPORT_FORMATS, REPORT_LANGUAGES
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.cli import check_on_cluster, check_row_output, redacted_check_report
else:
    check_on_cluster = LazyModule("inspector.cli.check_on_cluster")
    check_row_output = LazyModule("inspector.cli.check_row_output")
    redacted_check_report = LazyModule("inspector.cli.redacted_check_report")


@click.command()
@click.pass_context
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@options.output_format_option((*REPORT_FORMATS, "ndjson"))
@click.option(
    "--files-from",
    default="",
    metavar="FILE",
    help=tr("Also check the paths that are listed in a file, one per line. Use - for standard input."),
)
@click.option(
    "-0",
    "null_separated",
    is_flag=True,
    help=tr("Paths in the --files-from file are separated by NUL bytes."),
)
@click.option(
    "--store", default="", metavar="AGENT", help=tr("Check the sessions that this agent keeps on this machine.")
)
@click.option("--agent", default="", help=tr("Check only logs of this agent. AGENT is the agent's name or part of it."))
@click.option("--project", default="", help=tr("Check only sessions whose project folder contains this text."))
@click.option(
    "--since",
    default="",
    metavar="AGE|DATE",
    help=tr(
        "Check only files that have changed within this period (such as 12h, 7d or 2w) or since this date (such as "
        "2026-11-01)."
    ),
)
@click.option("--summary", is_flag=True, help=tr("Print only the number of sessions for each verdict and cause."))
@click.option(
    "--to",
    "target",
    default="",
    metavar="FILE",
    help=tr("Write the results, without log content, as tables to FILE.sqlite or FILE.parquet."),
)
@click.option(
    "--rule", "rules", multiple=True, help=tr("In tables, include only sessions with findings for this rule.")
)
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    metavar="WORD",
    help=tr("In tables, include only sessions with this verdict."),
)
@click.option(
    "--names",
    type=click.Choice(("path", "ticket", "none")),
    help=tr(
        "How file names appear in tables and in reports without content: as full paths (path), only as "
        "the names of tickets or specified files (ticket), or not at all (none)."
    ),
)
@click.option("--no-cache", is_flag=True, help=tr("Check every log again, even if it has not changed."))
@click.option(
    "--content-free", is_flag=True, help=tr("Leave out log content (the default for all formats except text and json).")
)
@click.option("--with-content", is_flag=True, help=tr("Add excerpts in which secrets, names and paths are replaced."))
@click.option(
    "--hide", multiple=True, metavar="WORD", help=tr("Also replace this word in excerpts. This option can be repeated.")
)
@click.option("--language", type=click.Choice(REPORT_LANGUAGES), default="en", help=tr("Language of the report."))
@click.option(
    "--profile",
    default="",
    help=tr("Check against this provider instead of the session's provider. `profiles` lists the providers."),
)
@click.option(
    "--accepted-by",
    metavar="NAME,…|all",
    default="",
    help=tr("Also check whether these providers would accept each session."),
)
@options.log_format
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON_LEVELS)),
    default="error",
    help=tr("Exit with code 1 if there are findings of this severity or higher."),
)
@click.option(
    "-o", "--output", default="", type=click.Path(), help=tr("Write the report to a file instead of standard output.")
)
@click.option("--deep", is_flag=True, help=tr("Check every byte of every line, even in large logs."))
@click.option(
    "--live",
    is_flag=True,
    help=tr("Assume that the agent is running, and treat calls without a result at the end of the log as pending."),
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help=tr("Also show notes, answers from other providers, possible repairs, and evidence."),
)
@click.option("-q", "--quiet", is_flag=True, help=tr("Print one line per log."))
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help=tr("When to use colors."))
@click.option("--jobs", type=click.IntRange(1), help=tr("Number of worker processes (default: number of CPUs)."))
@click.option(
    "--engine",
    type=click.Choice(("local", "dask")),
    default="local",
    help=tr(
        "Where to check the logs: on this machine, or on a Dask cluster. A cluster can read both paths and fsspec URLs."
    ),
)
@click.option("--scheduler", default="", metavar="ADDRESS", help=tr("The address of the Dask scheduler."))
@click.option(
    "--run",
    "run_folder",
    default="",
    metavar="FOLDER|URL",
    help=tr("Where the cluster writes the results. Every worker must be able to write there."),
)
@click.option("--resume", is_flag=True, help=tr("Continue the run specified with --run."))
@click.option(
    "--retry-faults",
    is_flag=True,
    help=tr("Continue the run specified with --run, and also recheck the logs that had faults."),
)
def check(
    context: click.Context, paths: tuple[str, ...], form: str, files_from: str, null_separated: bool, store: str,
    agent: str, project: str, since: str, summary: bool, target: str, rules: tuple[str, ...],
    verdicts: tuple[str, ...], names: str | None, no_cache: bool, content_free: bool, with_content: bool,
    hide: tuple[str, ...], language: str, profile: str, accepted_by: str, log_format: str, fail_on: str, output: str,
    deep: bool, live: bool, verbose: bool, quiet: bool, color: str, jobs: int | None,
    engine: str, scheduler: str, run_folder: str, resume: bool, retry_faults: bool,
) -> None:  # fmt: skip
    """Check logs, and report their problems.

    With --summary, --to or --format ndjson, the results are rows without log content. They are kept in a cache, so that
    a log that has not changed is not checked again. With --engine dask, a cluster writes the rows to --run.

    Exit code: 0 no findings; 1 findings; 2 usage or unreadable; 3 not checked. With several paths, the worst
    result counts.
    """
    try:
        if profile:
            require_profile(profile)
        profiles = parse_profiles(accepted_by)
    except UnknownName as error:
        raise click.UsageError(str(error)) from error
    as_rows = summary or bool(target) or form == "ndjson"
    is_shareable = content_free or with_content or form not in ("text", "json", "ndjson")
    _refuse_conflicts(context.params, as_rows, is_shareable)
    resumes = resume or retry_faults
    if engine == "dask":
        check_on_cluster.refuse_conflicts(context)
    if not resumes or paths or files_from:
        paths = input_paths.resolve_log_paths(paths, files_from, null_separated, store, agent, project, since)
    judging = CheckOptions(
        accepted_by=profiles,
        profile=profile,
        log_format=log_format,
        level=FAIL_ON_LEVELS[fail_on],
        deep=deep,
        live=live,
        is_only_log=len(paths) == 1 and os.path.isfile(paths[0]),
        verbosity=verbose - quiet,
        width=USUAL_WIDTH if output else terminal_width(),
        color=not output and wants_color(color),
        jobs=jobs or available_cores(),
    )
    if engine == "dask":
        run = check_on_cluster.RunOptions(scheduler, run_folder, resumes, retry_faults)
        codes = check_on_cluster.check_and_write(paths, judging, run)
    elif as_rows:
        wanted = check_row_output.RowOutputOptions(
            form == "ndjson", target, summary or (bool(target) and form == "text"), rules, verdicts, names or "path",
            not no_cache,
        )  # fmt: skip
        codes = check_row_output.check_and_write(paths, judging, wanted)
    elif is_shareable:
        codes = redacted_check_report.check_and_report(
            paths, judging, form, with_content, hide, names or "", language, output
        )
    else:
        codes = check_runner.check_and_report(paths, judging, form, output)
    raise SystemExit(exit_codes.worst_code(codes))


def _refuse_conflicts(given: dict[str, Any], as_rows: bool, is_shareable: bool) -> None:
    """Raise click.UsageError if options exclude each other."""
    content_free, with_content, form = given["content_free"], given["with_content"], given["form"]
    row_options = given["rules"] or given["verdicts"]
    other_reports = content_free or with_content or given["accepted_by"] or given["output"]
    for is_conflict, sentence in (
        (
            row_options and not as_rows,
            tr("--rule and --verdict can be used only with --summary, --to or --format ndjson."),
        ),
        (
            given["names"] and not (as_rows or is_shareable),
            tr("--names applies only to tables and to reports without content, so it needs --content-free."),
        ),
        (
            as_rows and (other_reports or form not in ("text", "ndjson")),
            tr(
                "--summary, --to and --format ndjson cannot be combined with other formats, -o, --accepted-by "
                "or content options."
            ),
        ),
        (content_free and with_content, tr("Use only one of --content-free and --with-content.")),
        (
            given["language"] != "en" and not is_shareable,
            tr("--language applies only to reports without content, so it needs --content-free."),
        ),
        (given["hide"] and not with_content, tr("--hide applies only to excerpts, so it needs --with-content.")),
        (given["verbose"] and given["quiet"], tr("Use only one of --verbose and --quiet.")),
        (
            (given["verbose"] or given["quiet"]) and form != "text",
            tr("--verbose and --quiet apply only to --format text."),
        ),
        (
            given["engine"] == "local"
            and any(given[name] for name in ("scheduler", "run_folder", "resume", "retry_faults")),
            tr("--scheduler, --run, --resume and --retry-faults can be used only with --engine dask."),
        ),
        (
            given["engine"] == "dask" and not (given["scheduler"] and given["run_folder"]),
            tr("--engine dask requires --scheduler and --run."),
        ),
    ):
        if is_conflict:
            raise click.UsageError(sentence)
