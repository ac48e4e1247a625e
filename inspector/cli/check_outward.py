"""`check` for a report that leaves the house: content-free, or with redacted excerpts."""

from inspector.cli import exits
from inspector.cli.judging import Judging, logs_of, put_out
from inspector.cli.terminal import say
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
    gathering, codes, others = Gathering(with_content, hidden), [], dict[str, int]()
    told, logs = [], []
    for path, refusal in logs_of(paths, others):
        logs.append(path)
        try:
            with judging.log_at(path, refusal) as (log, report):
                told.append(gathering.log(report, log.evidence(), log.accepted(judging.asked)))
                codes.append(judging.code_of(report))
        except InspectorError as error:
            told.append(gathering.refused(error))
            codes.append(exits.code_of(error))
    text = WRITERS[form](Told(tuple(told), sum(others.values())), Wording(language))
    if form == "json" or output:
        return codes + put_out([text], output, logs)
    say(text.decode(), nl=False)
    return codes
