"""What `check` tells of logs, and how it goes through them; the options that ask for it are in `check`."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from inspector.cli import exits
from inspector.cli.judging import Judging, Teller, answers_of, put_out
from inspector.cli.terminal import put, visible
from inspector.core.engine.found_logs import SkippedFiles
from inspector.core.errors import InspectorError, NotJudged
from inspector.core.later import LazyModule
from inspector.core.reports import evidence as evidence_report
from inspector.core.reports import text as text_report

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report
    from inspector.core.engine.open_log import OpenLog
    from inspector.core.reports import accepted, causes
    from inspector.core.reports import json as json_report
else:
    accepted = LazyModule("inspector.core.reports.accepted")
    causes = LazyModule("inspector.core.reports.causes")
    json_report = LazyModule("inspector.core.reports.json")


class Told(NamedTuple):
    """What is told of a log: `text`, or its `sessions` as JSON, each in pieces.

    `marks` are its path and the fingerprint of each of its sessions with which something is wrong.
    """

    text: bytes = b""
    sessions: tuple[json_report.JsonChunks, ...] = ()
    fingerprints: tuple[tuple[str, str], ...] = ()


def plain(paths: tuple[str, ...]) -> NoReturn:
    """`check` of paths without an option: click is not needed, which takes a fifth of the time of a small check."""
    raise SystemExit(exits.worst(report(paths, Judging(), "text", "")))


def report(paths: tuple[str, ...], judging: Judging, form: str, output: str) -> list[int]:
    """Tell all that there is to tell, of each log as soon as it is judged; the exit codes."""
    as_json, beside, faults = form == "json", SkippedFiles(), dict[str, None]()
    codes: list[int] = []
    logs: list[str] = []
    told: list[Told] = []
    teller = Teller(judging, partial(_tell, judging.accepted_by, as_json), partial(_refuse, as_json))
    with closing(answers_of(teller, paths, beside, judging.jobs)) as answers:
        for answer in answers:
            assert answer.output is not None
            codes.append(answer.code)
            logs.append(answer.found.path)
            faults |= dict.fromkeys(answer.faults)
            if answer.output.text and not output:
                put(answer.output.text)
                told.append(answer.output._replace(text=b""))
            else:
                told.append(answer.output)
    marks = [mark for each in told for mark in each.fingerprints]
    counts = beside.others.items()
    rest = [f"{folder}: {count} other files in it are no logs of a known format" for folder, count in counts]
    rest += (line for ticket in beside.archives for line in ticket.report_lines())
    if len(marks) > 1:
        rest += causes.group_lines(marks)
    # What is no log stands before the sessions in JSON, so that it waits for the last of them; text does not.
    if as_json:
        sessions = [session for each in told for session in each.sessions]
        codes += put_out(json_report.report_chunks(sessions, **_told_beside(beside, faults, marks)), output, logs)
    elif output:
        codes += put_out([*(each.text for each in told), _encoded(rest)], output, logs)
    elif rest:
        put(_encoded(rest))
    return codes


def _tell(asked: list[str], as_json: bool, log: OpenLog, report: Report) -> Told:
    answers = log.accepted(asked)
    marks = tuple(causes.session_fingerprints(report)) if report.verdict.is_trouble else ()
    if not as_json:
        lines = [*text_report.report_lines(report), *evidence_report.evidence_lines(report)]
        return Told(
            _encoded([*lines, *accepted.acceptance_lines(report, answers)] if asked else lines), fingerprints=marks
        )
    sessions = json_report.session_entries(report, log.evidence())
    for session, answer in zip(sessions, answers, strict=False):
        session["accepted_by"] = accepted.acceptance_fields(answer)
    return Told(sessions=tuple(map(json_report.SessionChunks, sessions)), fingerprints=marks)


def _refuse(as_json: bool, path: str, error: InspectorError) -> Told:
    word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
    if not as_json:
        return Told(_encoded([f"{path}: {word}: {error}"]))
    return Told(
        sessions=(json_report.SessionChunks(json_report.unreadable_entry(path, str(error)) | {"verdict": word}),)
    )


def _encoded(lines: list[str]) -> bytes:
    """Lines as they are written: a name shows its line ends, and odd bytes, as escapes, and so forges no verdict."""
    shown = (visible(line).replace("\n", "\\n") for line in lines)
    return "".join(f"{line}\n" for line in shown).encode(errors="backslashreplace")


def _told_beside(beside: SkippedFiles, faults: dict[str, None], marks: list[tuple[str, str]]) -> dict[str, Any]:
    told: dict[str, list[Any]] = {
        "not_logs": [{"path": path, "files": count} for path, count in beside.others.items()],
        "not_read": [],
        "same_bytes": [],
        "faults": list(faults),
        "causes": causes.group_by_fingerprint(marks) if len(marks) > 1 else [],
    }
    for ticket in beside.archives:
        for name, fields in ticket.report_fields().items():
            told[name] += fields
    return {name: each for name, each in told.items() if each}
