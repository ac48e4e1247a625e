"""`check`: judge logs and report their problems."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from inspector.cli import check_runner, exit_codes, options
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
    from inspector.cli import shareable_check_report
else:
    shareable_check_report = LazyModule("inspector.cli.shareable_check_report")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@options.output_format_option(REPORT_FORMATS)
@click.option(
    "--content-free", is_flag=True, help=tr("Leave out log content (the default for all formats but text and json).")
)
@click.option("--with-content", is_flag=True, help=tr("Add excerpts with secrets, names and paths replaced."))
@click.option(
    "--hide", multiple=True, metavar="WORD", help=tr("Also replace this word in excerpts. This option can be repeated.")
)
@click.option("--language", type=click.Choice(REPORT_LANGUAGES), default="en", help=tr("Language of the report."))
@click.option(
    "--profile",
    default="",
    help=tr("Check against this provider instead of the provider of the session. `profiles` lists them."),
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
    help=tr("Exit with code 1 if there are findings of this severity or above."),
)
@click.option(
    "-o", "--output", default="", type=click.Path(), help=tr("Write the report to a file instead of standard output.")
)
@click.option("--deep", is_flag=True, help=tr("Check every byte of every line, even in large logs."))
@click.option(
    "--live",
    is_flag=True,
    help=tr("Assume that the agent is running, so that calls without a result at the end are pending."),
)
@click.option(
    "-v", "--verbose", is_flag=True, help=tr("Also show notes, the answers of other providers, repairs and evidence.")
)
@click.option("-q", "--quiet", is_flag=True, help=tr("Print one line per log."))
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help=tr("When to use colors."))
@click.option("--jobs", type=click.IntRange(1), help=tr("Number of worker processes (default: number of CPUs)."))
def check(
    paths: tuple[str, ...], form: str, content_free: bool, with_content: bool, hide: tuple[str, ...], language: str,
    profile: str, accepted_by: str, log_format: str, fail_on: str, output: str, deep: bool, live: bool,
    verbose: bool, quiet: bool, color: str, jobs: int | None,
) -> None:  # fmt: skip
    """Check logs, and report their problems.

    Exit code: 0 no findings; 1 findings; 2 usage or unreadable; 3 not checked. With several paths, the worst
    result counts.
    """
    try:
        if profile:
            require_profile(profile)
        profiles = parse_profiles(accepted_by)
    except UnknownName as error:
        raise click.UsageError(str(error)) from error
    if content_free and with_content:
        raise click.UsageError(tr("Use only one of --content-free and --with-content."))
    is_shareable = content_free or with_content or form not in ("text", "json")
    if not is_shareable and language != "en":
        raise click.UsageError(tr("--language applies only to reports without content, so it needs --content-free."))
    if hide and not with_content:
        raise click.UsageError(tr("--hide applies only to excerpts, so it needs --with-content."))
    if verbose and quiet:
        raise click.UsageError(tr("Use only one of --verbose and --quiet."))
    if (verbose or quiet) and form != "text":
        raise click.UsageError(tr("--verbose and --quiet apply only to --format text."))
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
    if is_shareable:
        codes = shareable_check_report.check_and_report(paths, judging, form, with_content, hide, language, output)
    else:
        codes = check_runner.check_and_report(paths, judging, form, output)
    raise SystemExit(exit_codes.worst_code(codes))
