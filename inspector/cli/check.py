"""`check`: judge logs and say what is wrong with them."""

from typing import TYPE_CHECKING, Any

import click

from inspector.cli import exits
from inspector.cli.judging import LEVELS, Judging, put_out
from inspector.cli.terminal import visible
from inspector.core.engine.names import profiles_in, require_profile
from inspector.core.engine.tickets import Beside, Found, logs_of
from inspector.core.errors import InspectorError, NotJudged, UnknownName
from inspector.core.later import Later
from inspector.core.reports import evidence as evidence_report
from inspector.core.reports import text as text_report
from inspector.core.reports.outward.names import FORMS, LANGUAGES

if TYPE_CHECKING:
    from inspector.cli import check_outward
    from inspector.core.reports import accepted, causes
    from inspector.core.reports import json as json_report
else:
    check_outward = Later("inspector.cli.check_outward")
    accepted = Later("inspector.core.reports.accepted")
    causes = Later("inspector.core.reports.causes")
    json_report = Later("inspector.core.reports.json")


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to report.")
@click.option("--content-free", is_flag=True, help="Tell nothing that a log says; the default but for text and json.")
@click.option("--with-content", is_flag=True, help="Add excerpts, in which secrets, people and places are replaced.")
@click.option("--hide", multiple=True, metavar="WORD", help="Replace this word in excerpts, too; can be repeated.")
@click.option("--language", type=click.Choice(LANGUAGES), default="en", help="Of reports without content.")
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
    paths: tuple[str, ...], form: str, content_free: bool, with_content: bool, hide: tuple[str, ...], language: str,
    profile: str, accepted_by: str, log_format: str, fail_on: str, output: str, deep: bool, live: bool,
) -> None:  # fmt: skip
    """Judge logs. Exit code: 0 no finding, 1 findings, 2 unreadable, 3 not judged; the worst of all paths."""
    try:
        if profile:
            require_profile(profile)
        asked = profiles_in(accepted_by)
    except UnknownName as error:
        raise click.UsageError(str(error)) from error
    if content_free and with_content:
        raise click.UsageError("--content-free and --with-content exclude each other.")
    outward = content_free or with_content or form not in ("text", "json")
    if not outward and language != "en":
        raise click.UsageError("--language is for reports without content: add --content-free.")
    if hide and not with_content:
        raise click.UsageError("--hide is for excerpts: add --with-content.")
    judging = Judging(asked, profile, log_format, LEVELS[fail_on], deep, live)
    if outward:
        codes = check_outward.report(paths, judging, form, with_content, hide, language, output)
    else:
        codes = _report(paths, judging, form, output)
    raise SystemExit(exits.worst(codes))


def _report(paths: tuple[str, ...], judging: Judging, form: str, output: str) -> list[int]:
    """Tell all that there is to tell, of each log as soon as it is judged; the exit codes."""
    faults: dict[str, None] = {}
    codes: list[int] = []
    logs: list[str] = []
    beside = Beside()
    entries: list[dict[str, Any]] = []
    texts: list[bytes] = []
    marks: list[tuple[str, str]] = []
    for found in (found for path in paths for found in logs_of(path, beside)):
        logs.append(found.path)
        code, told, lines = _judged(found, judging, form, faults, marks)
        codes.append(code)
        entries += told
        if output:
            texts.append(_encoded(lines))
        else:
            _say(lines)
    counts = beside.others.items()
    rest = [f"{folder}: {count} other files in it are no logs of a known format" for folder, count in counts]
    rest += (line for ticket in beside.tickets for line in ticket.lines())
    if len(marks) > 1:
        rest += causes.group_lines(marks)
    # What is no log stands before the sessions in JSON, so that it waits for the last of them; text does not.
    if form == "json":
        codes += put_out(json_report.pieces(entries, **_told(beside, faults, marks)), output, logs)
    elif output:
        codes += put_out([*texts, _encoded(rest)], output, logs)
    else:
        _say(rest)
    return codes


def _judged(
    found: Found, judging: Judging, form: str, faults: dict[str, None], marks: list[tuple[str, str]]
) -> tuple[int, list[dict[str, Any]], list[str]]:
    """The exit code for one log, and what is told of it: as entries of the JSON, or as lines.

    `faults` are added to, and `marks`: what the log has in common with others.
    """
    try:
        with judging.log_at(found) as (log, report):
            answers = log.accepted(judging.asked)
            told = json_report.sessions_of(report, log.evidence()) if form == "json" else []
            lines = [] if form == "json" else [*text_report.report_lines(report), *evidence_report.lines(report)]
            faults |= dict.fromkeys(log.faults)
            if report.verdict.is_trouble:
                marks += causes.marks_of(report)
    except InspectorError as error:
        word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
        if form == "json":
            return exits.code_of(error), [json_report.unreadable(found.path, str(error)) | {"verdict": word}], []
        return exits.code_of(error), [], [f"{found.path}: {word}: {error}"]
    for entry, answer in zip(told, answers, strict=False):
        entry["accepted_by"] = accepted.as_fields(answer)
    if lines and judging.asked:
        lines += accepted.lines(report, answers)
    return judging.code_of(report), told, lines


def _say(lines: list[str]) -> None:
    if lines:
        click.echo(_encoded(lines), nl=False)


def _encoded(lines: list[str]) -> bytes:
    """Lines as they are written: a name that is not UTF-8 shows its odd bytes as escapes."""
    return "".join(f"{visible(line)}\n" for line in lines).encode(errors="backslashreplace")


def _told(beside: Beside, faults: dict[str, None], marks: list[tuple[str, str]]) -> dict[str, Any]:
    told: dict[str, list[Any]] = {
        "not_logs": [{"path": path, "files": count} for path, count in beside.others.items()],
        "not_read": [],
        "same_bytes": [],
        "faults": list(faults),
        "causes": causes.groups(marks) if len(marks) > 1 else [],
    }
    for ticket in beside.tickets:
        for name, fields in ticket.fields().items():
            told[name] += fields
    return {name: each for name, each in told.items() if each}
