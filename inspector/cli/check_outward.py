"""`check` for a report that leaves the house: content-free, or with redacted excerpts."""

from inspector.cli import exits
from inspector.cli.judging import Judging, put_out
from inspector.cli.terminal import say
from inspector.core.engine.tickets import Beside, logs_of
from inspector.core.errors import InspectorError
from inspector.core.reports.outward.gathering import Gathering
from inspector.core.reports.outward.model import Told
from inspector.core.reports.outward.wording import Wording
from inspector.core.reports.outward.writers import WRITERS


def report(
    paths: tuple[str, ...], judging: Judging, form: str, with_content: bool, hidden: tuple[str, ...], language: str,
    output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report; the exit codes."""
    gathering, codes, beside = Gathering(with_content, hidden), [], Beside()
    told, logs = [], []
    for found in (found for path in paths for found in logs_of(path, beside)):
        logs.append(found.path)
        try:
            with judging.log_at(found) as (log, report):
                told.append(gathering.log(report, log.evidence(), log.accepted(judging.asked)))
                codes.append(judging.code_of(report))
        except InspectorError as error:
            told.append(gathering.refused(error))
            codes.append(exits.code_of(error))
    text = WRITERS[form](Told(tuple(told), *_counts(beside)), Wording(language))
    if form == "json" or output:
        return codes + put_out([text], output, logs)
    say(text.decode(), nl=False)
    return codes


def _counts(beside: Beside) -> tuple[int, int, int]:
    """How many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(beside.others.values()) + sum(len(ticket.others) for ticket in beside.tickets)
    unread = sum(len(ticket.unread) for ticket in beside.tickets)
    return others, unread, sum(len(ticket.same) for ticket in beside.tickets)
