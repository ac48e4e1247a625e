"""`check`: judge logs and say what is wrong with them."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from inspector.cli import exits
from inspector.cli.reading import log_at
from inspector.cli.terminal import say, say_json, visible
from inspector.core.engine.folders import logs_of
from inspector.core.engine.names import profiles_in, require_profile
from inspector.core.errors import CannotWrite, InspectorError, NotJudged, UnknownName
from inspector.core.later import Later
from inspector.core.reports import evidence as evidence_report
from inspector.core.reports import text as text_report
from inspector.core.scene.finding import Severity

if TYPE_CHECKING:
    from inspector.core.reports import accepted
    from inspector.core.reports import json as json_report
else:
    accepted = Later("inspector.core.reports.accepted")
    json_report = Later("inspector.core.reports.json")

LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
@click.option("--profile", default="", help="Judge by this provider's rules instead of the session's own.")
@click.option(
    "--accepted-by",
    metavar="NAME,…|all",
    default="",
    help="Say also whether these providers would accept each session.",
)
@click.option("--log-format", default="", help="Read the log as this format instead of detecting it.")
@click.option("--fail-on", type=click.Choice(list(LEVELS)), default="error", help="What makes the exit code 1.")
@click.option("-o", "--output", default="", help="Write the report to a file instead of standard output.")
@click.option("--deep", is_flag=True, help="Judge every byte of every line, also of large logs.")
@click.option("--live", is_flag=True, help="An unanswered call at the end is pending: the agent is running.")
def check(
    paths: tuple[str, ...], form: str, profile: str, accepted_by: str, log_format: str, fail_on: str, output: str,
    deep: bool, live: bool,
) -> None:  # fmt: skip
    """Judge logs. Exit code: 0 no finding, 1 findings, 2 unreadable, 3 not judged; the worst of all paths."""
    try:
        if profile:
            require_profile(profile)
        asked = profiles_in(accepted_by)
    except UnknownName as error:
        raise click.UsageError(str(error)) from error
    faults: dict[str, None] = {}
    judge = partial(
        _judged, asked=asked, form=form, profile=profile, log_format=log_format, deep=deep, live=live,
        level=LEVELS[fail_on], faults=faults,
    )  # fmt: skip
    codes: list[int] = []
    logs: list[str] = []
    others: dict[str, int] = {}
    entries: list[dict[str, Any]] = []
    texts: list[bytes] = []
    for path, refusal in _logs_of(paths, others):
        logs.append(path)
        code, told, lines = judge(path, refusal)
        codes.append(code)
        entries += told
        if output:
            texts.append(_encoded(lines))
        else:
            _say(lines)
    rest = [f"{folder}: {count} other files in it are no logs of a known format" for folder, count in others.items()]
    # What is no log stands before the sessions in JSON, so that it waits for the last of them; text does not.
    if form == "json":
        codes += _put_out(json_report.pieces(entries, **_told(others, faults)), output, logs)
    elif output:
        codes += _put_out([*texts, _encoded(rest)], output, logs)
    else:
        _say(rest)
    raise SystemExit(exits.worst(codes))


def _judged(
    path: str, refusal: NotJudged | None, asked: list[str], form: str, profile: str, log_format: str, deep: bool,
    live: bool, level: Severity, faults: dict[str, None],
) -> tuple[int, list[dict[str, Any]], list[str]]:  # fmt: skip
    """The exit code for one log, and what is told of it: as entries of the JSON, or as lines. `faults` are added to."""
    try:
        if refusal is not None:
            raise refusal
        with log_at(path, log_format, deep) as log:
            report = log.check(profile, live)
            answers = log.accepted(asked)
            told = json_report.sessions_of(report, log.evidence()) if form == "json" else []
            calls = [] if form == "json" else list(evidence_report.lines(report))
            faults |= dict.fromkeys(log.faults)
    except InspectorError as error:
        word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
        if form == "json":
            return exits.code_of(error), [json_report.unreadable(path, str(error)) | {"verdict": word}], []
        return exits.code_of(error), [], [f"{path}: {word}: {error}"]
    code = exits.NOT_JUDGED if not report.is_judged else exits.FINDINGS if report.fails(level) else exits.OK
    if form == "json":
        for entry, answer in zip(told, answers, strict=False):
            entry["accepted_by"] = accepted.as_fields(answer)
        return code, told, []
    lines = [*text_report.report_lines(report), *calls]
    return code, [], [*lines, *accepted.lines(report, answers)] if asked else lines


def _say(lines: list[str]) -> None:
    if lines:
        click.echo(_encoded(lines), nl=False)


def _put_out(pieces: Sequence[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
    """Write the report to the file that was named, else, as JSON, to standard output; the code when it cannot be."""
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


def _logs_of(paths: tuple[str, ...], others: dict[str, int]) -> Iterator[tuple[str, NotJudged | None]]:
    """The logs that the arguments stand for, or why one stands for none; `others` are the other files of folders."""
    for path in paths:
        try:
            for name in logs_of(path, others):
                yield name, None
        except NotJudged as error:
            yield path, error


def _encoded(lines: list[str]) -> bytes:
    """Lines as they are written: a name that is not UTF-8 shows its odd bytes as escapes."""
    return "".join(f"{visible(line)}\n" for line in lines).encode(errors="backslashreplace")


def _told(others: dict[str, int], faults: dict[str, None]) -> dict[str, Any]:
    told = {"not_logs": [{"path": path, "files": count} for path, count in others.items()], "faults": list(faults)}
    return {name: each for name, each in told.items() if each}
