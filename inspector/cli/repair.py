"""`repair`: plan a repair, verify it, and write it as a copy, in place or as a new session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import UNSET, Struct

from inspector.cli import exit_codes, options
from inspector.cli.log_input import find_log_for_plan, open_log_at
from inspector.cli.options import parse_choices
from inspector.cli.outcome_printing import print_outcome, save_result_lines
from inspector.cli.terminal import write_stdout_tty_safe
from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import PLACEHOLDER_RULE
from inspector.core.batch.repairing import RepairOptions
from inspector.core.engine.log import OpenLog
from inspector.core.engine.shareable_files import PortablePlan, read_plan, save_send_back_package, write_derived_file
from inspector.core.errors import InspectorError, UnknownName
from inspector.core.lazy import LazyModule
from inspector.core.presentation.engine_results import SaveResult, SendBackRecipient
from inspector.core.repair.choices import Choices
from inspector.core.report import json as json_report
from inspector.core.report import session_parts
from inspector.core.report.repair import RepairDocument, RepairedSession, offer_lines, plan_lines, repaired_sessions
from inspector.core.report.shareable.model import OPERATING_SYSTEMS, REPORT_LANGUAGES
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.cli import repair_many
    from inspector.core.engine.result_types import Plan, Report, ResultOffers
else:
    repair_many = LazyModule("inspector.cli.repair_many")


class RepairDestination(Struct, frozen=True):
    """Where the user wants the repair written.

    `plan` and `send_back` are files for a plan without content: the plan alone, or an archive with a page of
    instructions, whose options are `wish`.
    """

    output: str
    in_place: bool
    new_session: bool
    dry_run: bool
    plan: str
    send_back: str
    wish: SendBackRecipient

    @property
    def mode(self) -> str:
        return "in-place" if self.in_place else "new-session" if self.new_session else "copy"


class RepairOutcome(Struct):
    """The outcome of a repair, as far as it got. `reason` says why no log was written.

    What is known about unanswered calls is in `evidence` for a report as JSON, and in the lines `unanswered` for text.
    `plan_file` and `send_back` are files with a plan without content.
    """

    path: str
    reason: str = ""
    report: Report | None = None
    plan: Plan | None = None
    evidence: dict[str, Evidence] = {}
    unanswered: list[str] = []
    offers: ResultOffers = {}
    written: SaveResult | None = None
    plan_file: str = ""
    send_back: str = ""


@click.command(short_help=tr("Repair a log, and save it in place, as a copy or as a new session."))
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@options.output
@click.option(
    "--output-dir",
    default="",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help=tr(
        "Repair several logs, folders or archives, and write the repaired copies to this folder. Nothing is "
        "overwritten."
    ),
)
@click.option("--yes", is_flag=True, help=tr("With --output-dir, write without asking for confirmation."))
@click.option(
    "--in-place",
    is_flag=True,
    help=tr("Replace the log, and keep a backup next to it. Close the agent before you use this option."),
)
@click.option("--new-session", is_flag=True, help=tr("Save the repaired log as a new session that the agent can find."))
@click.option("--preset", default="canonical", help=tr("Preset to use. `presets` lists the presets."))
@click.option(
    "--strategy",
    multiple=True,
    metavar="RULE=STRATEGY",
    help=tr(
        "Strategy for a rule (for example, D2=recover), or for a finding specified by its id. "
        "`strategies` lists the strategies."
    ),
)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="SESSION:RULE=STRATEGY",
    help=tr(
        "Strategy for a rule in one session, or preset for that session. SESSION is the session's id or "
        "its number, counting from 0."
    ),
)
@click.option(
    "--undo-placeholders",
    is_flag=True,
    help=tr("Remove all known placeholders, which leaves their calls without results again."),
)
@click.option("--profile", default="", help=tr("Repair the log for this provider instead of the session's provider."))
@options.log_format
@click.option(
    "--wording",
    default="",
    help=tr("Placeholder text, which can contain {name} and {id}, or the name of a text listed by `wordings`."),
)
@click.option(
    "--results-from",
    multiple=True,
    type=click.Path(),
    metavar="LOG",
    help=tr(
        "Copy missing results from another log of the same conversation. `auto` uses the logs next to "
        "the log being repaired."
    ),
)
@click.option(
    "--plan-out",
    default="",
    type=click.Path(),
    metavar="FILE",
    help=tr("Write only a repair plan, which contains no log content."),
)
@click.option(
    "--send-back",
    default="",
    type=click.Path(),
    metavar="B.zip",
    help=tr("Write an archive with the plan and a page of instructions for the recipient."),
)
@click.option(
    "--language", type=click.Choice(REPORT_LANGUAGES), default="en", help=tr("Language of the instructions page.")
)
@click.option(
    "--system",
    type=click.Choice(OPERATING_SYSTEMS),
    default=None,
    help=tr("Recipient's operating system (default: taken from the log)."),
)
@options.plan
@options.dry_run
@options.output_format_option()
def repair(
    paths: tuple[str, ...], output: str, output_dir: str, yes: bool, in_place: bool, new_session: bool, preset: str,
    strategy: tuple[str, ...], sessions: tuple[str, ...], undo_placeholders: bool, profile: str, log_format: str,
    wording: str, results_from: tuple[str, ...], plan_out: str, send_back: str, language: str, system: str | None,
    passed_on: str, dry_run: bool, form: str,
) -> None:  # fmt: skip
    """Repair a log, and write it as a copy, in place or as a new session, or repair many logs into a folder.

    With --plan and without PATHS, the log of the plan is searched in the stores of the agents on this machine.

    Exit code: 0 written and verified, or nothing to repair; 1 no verified repair; 2 usage or unreadable; 3 not checked.
    """
    if sum(map(bool, (output, output_dir, in_place, new_session, plan_out, send_back))) > 1:
        raise click.UsageError(
            tr("Use only one of -o, --output-dir, --in-place, --new-session, --plan-out and --send-back.")
        )
    if not output_dir and (len(paths) > 1 or yes):
        raise click.UsageError(
            tr("To repair several logs, use --output-dir FOLDER. --yes works only with --output-dir.")
        )
    if not paths and (output_dir or not passed_on):
        raise click.UsageError(tr("Missing argument PATHS. It can be omitted only with --plan."))
    path = paths[0] if paths else ""
    wish = SendBackRecipient(system or "", language)
    target = RepairDestination(output, in_place, new_session, dry_run, plan_out, send_back, wish)
    try:
        undo = (f"{PLACEHOLDER_RULE}=undo-placeholder",) if undo_placeholders else ()
        choices = parse_choices(preset, (*undo, *strategy), sessions, profile, wording, results_from)
        if output_dir:
            if passed_on:
                raise click.UsageError(
                    tr("--plan applies to a single log, so it cannot be combined with --output-dir.")
                )
            many = RepairOptions(output_dir, choices, log_format, dry_run)
            raise SystemExit(exit_codes.worst_code(repair_many.repair_many(paths, many, form, yes)))
        plan = _read_plan(passed_on, choices != Choices() or bool(log_format or plan_out or send_back))
        if plan is not None and not path:
            path = find_log_for_plan(plan)
        with open_log_at(path, plan.format, plan.deep) if plan else open_log_at(path, log_format) as log:
            raise SystemExit(_repair(log, path, plan or choices, target, form))
    except InspectorError as error:
        print_outcome(RepairOutcome(path or passed_on, str(error)), form, _as_json, _as_text, to_stderr=form == "text")
        raise SystemExit(exit_codes.code_of_error(error)) from error


def _read_plan(path: str, has_other_choices: bool) -> PortablePlan | None:
    """Read the plan of --plan, None without one. Raises UsageError if other options choose a repair as well."""
    if path and has_other_choices:
        raise click.UsageError(tr("--plan cannot be combined with options that choose the repair."))
    return read_plan(path) if path else None


def _repair(log: OpenLog, path: str, requested: Choices | PortablePlan, target: RepairDestination, form: str) -> int:
    """Plan and save a repair, print the outcome, and return the exit code."""
    outcome, code = RepairOutcome(path), exit_codes.OK
    try:
        outcome.report = log.check(requested.profile)
        log.require_judged()
        if target.new_session and isinstance(requested, Choices):
            log = log.to_repair_as_new_session(requested)
            outcome.report = log.report
        if form == "json":
            outcome.evidence = log.evidence()
        else:
            outcome.unanswered = list(session_parts.evidence_lines(outcome.report))
        outcome.plan = _plan(log, requested, outcome)
        if isinstance(requested, Choices) and (target.plan or target.send_back) and not target.dry_run:
            _write_portable_plan(log, requested, outcome.plan, target, outcome)
        else:
            outcome.written = _save(log, outcome.plan, target)
        if outcome.written is None:
            outcome.reason = _why_not_written(outcome, target)
    except InspectorError as error:
        outcome.reason, code = str(error), exit_codes.code_of_error(error)
    to_stderr = target.output == "-" and outcome.written is not None
    print_outcome(outcome, form, _as_json, _as_text, to_stderr)
    return code


def _plan(log: OpenLog, requested: Choices | PortablePlan, outcome: RepairOutcome) -> Plan:
    if not isinstance(requested, Choices):
        return log.apply_portable_plan(requested)
    outcome.offers = log.offers(requested.results_from)
    planned = log.plan(requested)
    for unknown in requested.findings.keys() - planned.chosen.keys():
        raise UnknownName(
            tr(
                "This log has no finding with the id {unknown}. `check --format json` lists the ids of its findings.",
                unknown=unknown,
            )
        )
    return planned


def _write_portable_plan(
    log: OpenLog, choices: Choices, planned: Plan, target: RepairDestination, outcome: RepairOutcome
) -> None:
    """Write a plan without content, alone or with a page of instructions. Nothing to repair is not written."""
    if planned.verified and planned.changes_nothing:
        return
    if target.send_back:
        save_send_back_package(log, choices, target.wish, target.send_back)
    else:
        write_derived_file(target.plan, log.make_portable_plan(choices).encode(), log.source)
    outcome.plan_file, outcome.send_back = target.plan, target.send_back


def _why_not_written(outcome: RepairOutcome, target: RepairDestination) -> str:
    if target.dry_run:
        return options.DRY_RUN_REASON
    if not outcome.plan_file and not outcome.send_back:
        return tr("Nothing to repair.")
    if outcome.send_back:
        return tr(
            "{send_back} contains the plan and instructions for the owner of the log, but no log content.",
            send_back=target.send_back,
        )
    return tr(
        "The plan was saved in {plan} and contains no log content. To apply it, run: repair --plan {plan} LOG",
        plan=target.plan,
    )


def _save(log: OpenLog, planned: Plan, target: RepairDestination) -> SaveResult | None:
    """Carry out the requested save. Return None if nothing was written."""
    if target.dry_run:
        log.rehearse(planned)
        return None
    if target.output == "-":
        data, written = log.output_for_printing(planned)
        write_stdout_tty_safe(data)
        return written
    if planned.verified and planned.changes_nothing and not (target.output or target.new_session):
        return None
    return log.save(planned, target.output, target.mode)


def _as_json(outcome: RepairOutcome) -> bytes:
    report, planned, written = outcome.report, outcome.plan, outcome.written
    document = RepairDocument(
        output=written.path if written else None,
        reason=outcome.reason or None,
        plan=outcome.plan_file or UNSET,
        send_back=outcome.send_back or UNSET,
        unmet=planned.unused_choices if planned else [],
    )
    if written:
        document.backup, document.quarantine = written.backup or None, written.quarantine or None
        document.warnings = written.warnings
    if report is None:
        unreadable = json_report.unreadable_session(RepairedSession, outcome.path, outcome.reason)
        return json_report.whole_report(document, [unreadable])
    new_id = written.session_id if written else ""
    return json_report.whole_report(
        document, repaired_sessions(report, planned, outcome.evidence, outcome.offers, new_id)
    )


def _as_text(outcome: RepairOutcome) -> Iterator[str]:
    report, planned, written = outcome.report, outcome.plan, outcome.written
    if report is None or planned is None:
        yield f"{outcome.path}: {outcome.reason}"
        return
    yield f"{outcome.path}: {tr(report.verdict.word)}"
    yield from outcome.unanswered
    yield from offer_lines(outcome.offers)
    yield from plan_lines(planned)
    if written is None:
        yield outcome.reason
        return
    yield from save_result_lines(written)
