"""Telling what came of a command that writes: as JSON or as lines, beside what it may write to standard output."""

from collections.abc import Callable, Iterable, Iterator

from inspector.cli.terminal import put_out, say, say_json
from inspector.core.bytes.source import Source
from inspector.core.judging.check import Report
from inspector.core.repair.plan import Plan
from inspector.core.save.next_steps import next_steps
from inspector.core.save.recognised import taken_for
from inspector.core.save.save import Written, output_bytes


def tell(form: str, as_json: Callable[[], bytes], as_text: Callable[[], Iterable[str]], to_stderr: bool) -> None:
    """Print the report in the form that was asked for."""
    if form == "json":
        say_json(as_json(), err=to_stderr)
    else:
        say("\n".join(as_text()), err=to_stderr)


def put_out_log(plan: Plan) -> Written:
    """Write the repaired log to standard output. Raises InspectorError."""
    log, data = plan.draft.log, output_bytes(plan)
    put_out(data)
    told = taken_for(Source.of_bytes(data, log.source.path), log, log.source.path)
    return Written("-", log.sessions[0].id, warnings=told)


def written_lines(report: Report, written: Written, made: str = "repaired") -> Iterator[str]:
    """Where it was written, what lies beside it, and what the person does next."""
    yield f"Written to {written.path}."
    if written.backup:
        yield f"Backup: {written.backup}."
    if written.quarantine:
        yield f"Damaged bytes: {written.quarantine}."
    yield from (f"Note: {warning}" for warning in written.warnings)
    if written.path != "-":
        steps, command = next_steps(report, written, made)
        yield from (f"{number}. {step}" for number, step in enumerate(steps, 1))
        if command and not any(command in step for step in steps):
            yield f"\n{command.rstrip()}"
