"""`check`: judge logs and say what is wrong with them."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from inspector.cli import exits
from inspector.cli.judging import LEVELS, Judging, Teller, answers_of, put_out
from inspector.cli.terminal import visible
from inspector.core.engine.found_logs import OtherFiles
from inspector.core.engine.many import cores
from inspector.core.engine.names import profiles_in, require_profile
from inspector.core.errors import InspectorError, NotJudged, UnknownName
from inspector.core.later import Later
from inspector.core.reports import evidence as evidence_report
from inspector.core.reports import text as text_report
from inspector.core.reports.outward.names import FORMS, LANGUAGES

if TYPE_CHECKING:
    from inspector.cli import check_outward
    from inspector.core.engine.answers import Report
    from inspector.core.engine.open_log import OpenLog
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
@click.option("--jobs", type=click.IntRange(1), help="Judge by so many processes; as many as there are cores.")
def check(
    paths: tuple[str, ...], form: str, content_free: bool, with_content: bool, hide: tuple[str, ...], language: str,
    profile: str, accepted_by: str, log_format: str, fail_on: str, output: str, deep: bool, live: bool,
    jobs: int | None,
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
    judging = Judging(asked, profile, log_format, LEVELS[fail_on], deep, live, jobs or cores())
    if outward:
        codes = check_outward.report(paths, judging, form, with_content, hide, language, output)
    else:
        codes = _report(paths, judging, form, output)
    raise SystemExit(exits.worst(codes))


class Told(NamedTuple):
    """What is told of a log: `text`, or its `sessions` as JSON, each in pieces; `marks`: what it shares with others."""

    text: bytes = b""
    sessions: tuple[json_report.Pieces, ...] = ()
    marks: tuple[tuple[str, str], ...] = ()


def _report(paths: tuple[str, ...], judging: Judging, form: str, output: str) -> list[int]:
    """Tell all that there is to tell, of each log as soon as it is judged; the exit codes."""
    as_json, beside, faults = form == "json", OtherFiles(), dict[str, None]()
    codes: list[int] = []
    logs: list[str] = []
    told: list[Told] = []
    teller = Teller(judging, partial(_tell, judging.asked, as_json), partial(_refuse, as_json))
    with closing(answers_of(teller, paths, beside, judging.jobs)) as answers:
        for answer in answers:
            assert answer.told is not None
            codes.append(answer.code)
            logs.append(answer.found.path)
            faults |= dict.fromkeys(answer.faults)
            if answer.told.text and not output:
                click.echo(answer.told.text, nl=False)
                told.append(answer.told._replace(text=b""))
            else:
                told.append(answer.told)
    marks = [mark for each in told for mark in each.marks]
    counts = beside.others.items()
    rest = [f"{folder}: {count} other files in it are no logs of a known format" for folder, count in counts]
    rest += (line for ticket in beside.tickets for line in ticket.lines())
    if len(marks) > 1:
        rest += causes.group_lines(marks)
    # What is no log stands before the sessions in JSON, so that it waits for the last of them; text does not.
    if as_json:
        sessions = [session for each in told for session in each.sessions]
        codes += put_out(json_report.pieces(sessions, **_told_beside(beside, faults, marks)), output, logs)
    elif output:
        codes += put_out([*(each.text for each in told), _encoded(rest)], output, logs)
    elif rest:
        click.echo(_encoded(rest), nl=False)
    return codes


def _tell(asked: list[str], as_json: bool, log: OpenLog, report: Report) -> Told:
    answers = log.accepted(asked)
    marks = tuple(causes.marks_of(report)) if report.verdict.is_trouble else ()
    if not as_json:
        lines = [*text_report.report_lines(report), *evidence_report.lines(report)]
        return Told(_encoded([*lines, *accepted.lines(report, answers)] if asked else lines), marks=marks)
    sessions = json_report.sessions_of(report, log.evidence())
    for session, answer in zip(sessions, answers, strict=False):
        session["accepted_by"] = accepted.as_fields(answer)
    return Told(sessions=tuple(map(json_report.SessionPieces, sessions)), marks=marks)


def _refuse(as_json: bool, path: str, error: InspectorError) -> Told:
    word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
    if not as_json:
        return Told(_encoded([f"{path}: {word}: {error}"]))
    return Told(sessions=(json_report.SessionPieces(json_report.unreadable(path, str(error)) | {"verdict": word}),))


def _encoded(lines: list[str]) -> bytes:
    """Lines as they are written: a name shows its line ends, and odd bytes, as escapes, and so forges no verdict."""
    shown = (visible(line).replace("\n", "\\n") for line in lines)
    return "".join(f"{line}\n" for line in shown).encode(errors="backslashreplace")


def _told_beside(beside: OtherFiles, faults: dict[str, None], marks: list[tuple[str, str]]) -> dict[str, Any]:
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
