"""`fix --error`: from a pasted error to the repaired session, or to the command or the advice that it needs instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli import exit_codes
from inspector.cli.fix_log import fix_log
from inspector.cli.log_input import open_log_at, print_faults, read_pasted_text
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text
from inspector.core.doctor.report import mentioned_sessions_lines
from inspector.core.engine.error_repair import (
    LogsOfError,
    classify_error,
    findings_of_error,
    is_single_short_line,
    locate_error_on_machine,
)
from inspector.core.engine.log import OpenLog
from inspector.core.error_lookup.report import UNKNOWN_ERROR, accepted_lines, error_sentence, next_step
from inspector.core.report.sentences import one_line
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import ErrorLookup

_BROKEN = "broken"
_FILE, _STORE, _TOO_LONG = "file", "store", "too-long"


def fix_error(text: str, path: str, project: str, agent: str, yes: bool, dry_run: bool) -> int:
    """Repair what a pasted error is about, or say what to do instead, and return the exit code.

    `path` is the log, "" to find it: in the project of that folder first. Raises InspectorError.
    """
    text = read_pasted_text(text, path)
    kind, unrelated = classify_error(text)
    if unrelated:
        print_text(unrelated)
        return exit_codes.OK
    if path and kind != _STORE:
        return _fix_in_log(text, path, project, yes, dry_run)
    line = ProgressLine(tr("Searching the sessions of all agents: {done:,} of {total:,} logs"))
    located = locate_error_on_machine(text, project, agent, line)
    line.erase()
    print_faults(located.answer.faults, set())
    if located.answer.in_stores is not None and (located.answer.in_stores.matches or located.answer.kind):
        return _open_session(located, text, project, yes, dry_run)
    if located.logs:
        return _fix_in_log(text, located.logs[0], project, yes, dry_run, located.logs[1:])
    return _without_log(located.answer)


def _without_log(answer: ErrorLookup) -> int:
    """Say what an error is about that belongs to no session of this machine."""
    if answer.body is None and not answer.kind:
        print_text(UNKNOWN_ERROR)
        return exit_codes.NOT_JUDGED
    if sentence := error_sentence(answer):
        print_text(sentence)
    if answer.kind == _TOO_LONG:
        print_text(next_step(answer))
    else:
        print_text(
            tr("No sessions on this machine match the error. Specify the path of the log: fix PATH --error TEXT.")
        )
    return exit_codes.FINDINGS


def _open_session(located: LogsOfError, text: str, project: str, yes: bool, dry_run: bool) -> int:
    """Repair the session that the text names if its history is broken; else print what the doctor says of it."""
    answer, found = located.answer, located.answer.in_stores
    assert found is not None
    match = found.matches[0] if found.matches and located.logs else None
    if match is not None:
        faults = (*match.store_faults, *match.examined.faults)
        is_kept_out = any(fault.effect.blocks for fault in faults) and not any(f.makes_new_session for f in faults)
        if not is_kept_out and _is_broken(located.logs[0]):
            return _fix_in_log(text, located.logs[0], project, yes, dry_run, is_named=True)
    if is_unknown := not is_single_short_line(text) and not answer.pasted.kind:
        print_text(UNKNOWN_ERROR)
    elif sentence := error_sentence(answer):
        print_text(sentence)
    print_text("\n".join(mentioned_sessions_lines(found)))
    if is_unknown:
        return exit_codes.NOT_JUDGED
    has_command = any(each.examined.opening.command for each in found.matches)
    return exit_codes.OK if has_command else exit_codes.FINDINGS


def _is_broken(path: str) -> bool:
    with open_log_at(path) as log:
        return log.report.verdict.word == _BROKEN


def _fix_in_log(
    text: str,
    path: str,
    project: str,
    yes: bool,
    dry_run: bool,
    others: tuple[str, ...] = (),
    is_named: bool = False,
) -> int:
    """Repair what an error is about in one log, and return the exit code.

    `others` are less likely logs. `is_named`: the text names the log, so that all of it is repaired if nothing else is
    known of the error.
    """
    with open_log_at(path) as log:
        log.require_judged()
        answer = log.explain(text)
        if sentence := error_sentence(answer):
            print_text(sentence)
        for line in (line for match in answer.logs for line in accepted_lines(match)):
            print_text(line)
        if answer.kind == _TOO_LONG:
            for line in (line for match in answer.logs for line in match.context):
                print_text(line)
            return exit_codes.FINDINGS
        findings = frozenset(finding for match in answer.logs for finding in findings_of_error(match))
        if not (findings or answer.body or is_named or answer.kind == _FILE):
            return _no_finding(log, path, answer)
        if others:
            listed = ", ".join(one_line(other, len(other)) for other in others)
            print_text(
                tr(
                    "The error may also come from {listed}. To choose a log, run `fix PATH --error TEXT`.",
                    listed=listed,
                )
            )
        return fix_log(log, path, project, yes, dry_run, findings or None)


def _no_finding(log: OpenLog, path: str, answer: ErrorLookup) -> int:
    """Say that nothing in a log matches an error, and what is wrong with it otherwise."""
    if not answer.kind:
        print_text(UNKNOWN_ERROR)
    else:
        print_text(tr("No finding in {path} matches the error.", path=one_line(path, len(path))))
        for remark in (remark for match in answer.logs for remark in match.location.remarks):
            print_text(one_line(remark, 400))
    if log.report.verdict.word == _BROKEN:
        print_text(tr("The history in this log is broken. To repair it, run `fix PATH` without --error."))
    return exit_codes.FINDINGS if answer.kind else exit_codes.NOT_JUDGED
