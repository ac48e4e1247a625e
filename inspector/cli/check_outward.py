"""`check` for a report that leaves the house: content-free, or with redacted excerpts."""

from inspector.cli.judging import Judging, Teller, answers_of, put_out
from inspector.cli.terminal import say
from inspector.core.engine.answers import Report
from inspector.core.engine.found_logs import OtherFiles
from inspector.core.engine.open_log import OpenLog
from inspector.core.reports.outward.gathering import Gathering
from inspector.core.reports.outward.model import Told, ToldLog
from inspector.core.reports.outward.wording import Wording
from inspector.core.reports.outward.writers import WRITERS


def report(
    paths: tuple[str, ...], judging: Judging, form: str, with_content: bool, hidden: tuple[str, ...], language: str,
    output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report; the exit codes."""
    gathering, beside = Gathering(with_content, hidden), OtherFiles()

    def tell(log: OpenLog, report: Report) -> ToldLog:
        return gathering.log(report, log.evidence(), log.accepted(judging.asked))

    teller = Teller(judging, tell, lambda path, error: gathering.refused(error))
    # By one process: the same word stands for the same name throughout the report.
    answers = list(answers_of(teller, paths, beside, jobs=1))
    codes, logs = [answer.code for answer in answers], [answer.found.path for answer in answers]
    told = tuple(answer.told for answer in answers if answer.told is not None)
    text = WRITERS[form](Told(told, *_counts(beside)), Wording(language))
    if form == "json" or output:
        return codes + put_out([text], output, logs)
    say(text.decode(), nl=False)
    return codes


def _counts(beside: OtherFiles) -> tuple[int, int, int]:
    """How many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(beside.others.values()) + sum(len(ticket.others) for ticket in beside.tickets)
    unread = sum(len(ticket.unread) for ticket in beside.tickets)
    return others, unread, sum(len(ticket.same) for ticket in beside.tickets)
