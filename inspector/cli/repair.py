"""`repair`: plan a repair, verify it, and write it as a copy, in place or as a new session."""

import sys
from pathlib import Path

import click

from inspector.cli import exits
from inspector.cli.reading import source_of
from inspector.core.check import Report, Verdict, check, open_log
from inspector.core.errors import InspectorError, NotJudged, NotVerified, UnknownName
from inspector.core.formats.format import Reading
from inspector.core.repair.plan import Choices, Plan, check_names, plan
from inspector.core.reports import json as json_report
from inspector.core.reports.repair_json import repaired
from inspector.core.reports.repair_text import plan_lines
from inspector.core.save.save import (
    Written,
    output_bytes,
    save_copy,
    save_in_place,
    save_new_session,
)


@click.command()
@click.argument("path")
@click.option("-o", "--output", default="", help="Where to write; - is standard output.")
@click.option("--in-place", is_flag=True, help="Replace the log, after a backup beside it. Close the agent first.")
@click.option("--new-session", is_flag=True, help="Write a session with a new id, where the agent finds it.")
@click.option("--preset", default="canonical", help="A named table of strategies; `presets` lists them.")
@click.option("--strategy", multiple=True, metavar="RULE=STRATEGY", help="What to do about one class, or one finding id.")
@click.option("--profile", default="", help="Repair for this provider instead of the session's own.")
@click.option("--log-format", default="", help="Read the log as this format instead of detecting it.")
@click.option("--wording", default="", help="The text of placeholders; {name} and {id} are filled in.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
def repair(
    path: str, output: str, in_place: bool, new_session: bool, preset: str, strategy: tuple[str, ...], profile: str,
    log_format: str, wording: str, dry_run: bool, form: str,
) -> None:  # fmt: skip
    """Repair a log. Exit code: 0 written and verified, or nothing to do; 1 nothing verified; 2 usage; 3 not judged."""
    if sum((bool(output), in_place, new_session)) > 1:
        raise click.UsageError("-o, --in-place and --new-session exclude each other.")
    report = planned = written = None
    reason, code = "", exits.OK
    try:
        choices = _choices(preset, strategy, profile, wording)
        report = check(open_log(source_of(path), log_format, Reading()), profile)
        if report.verdict == Verdict.NOT_JUDGED:
            raise NotJudged("Not judged: what the records mean is not certain, so nothing was written.")
        planned = plan(report, choices)
        written = _save(report, planned, path, output, in_place, new_session, dry_run)
        reason = "a dry run writes nothing" if dry_run else "" if written else "nothing to repair"
    except InspectorError as error:
        reason, code = str(error), exits.code_of(error)
    to_stdout = output == "-" and code == exits.OK and not dry_run
    _tell(report, planned, written, path, reason, form, to_stderr=to_stdout)
    raise SystemExit(code)


def _choices(preset: str, strategies: tuple[str, ...], profile: str, wording: str) -> Choices:
    """The options as choices. Raises UnknownName."""
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    for text in strategies:
        target, sign, name = text.rpartition("=")
        if not sign:
            raise UnknownName(f"--strategy wants RULE=STRATEGY, not {text}.")
        (findings if ":" in target else rules)[target] = name
    choices = Choices(preset, rules, findings, profile, wording)
    check_names(choices)
    return choices


def _save(
    report: Report, planned: Plan, path: str, output: str, in_place: bool, new_session: bool, dry_run: bool
) -> Written | None:
    """Carry out the save that was asked for; None when nothing was written."""
    if dry_run:
        if not planned.verified:
            raise NotVerified(f"Nothing would be written: {planned.reason}")
        return None
    if output == "-":
        sys.stdout.buffer.write(output_bytes(planned))
        sys.stdout.flush()
        return Written("-", report.log.sessions[0].id)
    if output:
        return save_copy(planned, output)
    if in_place:
        return None if planned.changes_nothing and planned.verified else save_in_place(planned)
    if new_session:
        return save_new_session(planned)
    if planned.changes_nothing and planned.verified:
        return None
    return save_copy(planned, _default_name(path))


def _default_name(path: str) -> str:
    """NAME.repaired.EXT in the current folder, never in an agent's store."""
    source = Path("stdin.jsonl" if path == "-" else path)
    return str(Path.cwd() / f"{source.stem}.repaired{source.suffix}")


def _tell(
    report: Report | None, planned: Plan | None, written: Written | None, path: str, reason: str, form: str, to_stderr: bool
) -> None:
    where = written.path if written else None
    if form == "json":
        if report is None:
            sessions = [json_report.unreadable(path, reason)]
        elif planned is None:
            sessions = json_report.sessions_of(report)
        else:
            sessions = repaired(report, planned)
        more = {"output": where, "reason": reason or None}
        if written:
            more |= {"backup": written.backup or None, "quarantine": written.quarantine or None}
        click.echo(json_report.envelope(sessions, **more), nl=False, err=to_stderr)
        return
    lines = []
    if planned is not None:
        lines.append(f"{path}: {report.verdict.word if report else ''}")
        lines += plan_lines(planned)
    if written:
        lines.append(f"Written to {where}.")
        lines += [f"Backup: {written.backup}."] if written.backup else []
        lines += [f"Damaged bytes: {written.quarantine}."] if written.quarantine else []
        if report is not None and where != "-":
            steps, _ = report.format.resume_steps(written.path, written.session_id, written.session_id != report.log.sessions[0].id)
            lines += [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    elif reason:
        lines.append(f"{path}: {reason}" if planned is None else reason[0].upper() + reason[1:])
    click.echo("\n".join(lines), err=to_stderr)
