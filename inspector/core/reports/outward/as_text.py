"""An outward report as text, for a terminal or a mail."""

from collections.abc import Iterator

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import Told, ToldLog
from inspector.core.reports.outward.wording import Wording


def written(told: Told, words: Wording) -> bytes:
    """The whole report."""
    lines = [line for log in told.logs for line in _log(log, words)]
    if len(told.logs) != 1 or told.others or told.unread or told.same:
        lines += [sentences.counts(told, words), *sentences.groups(told, words)]
    return "".join(f"{line}\n" for line in lines).encode()


def _log(log: ToldLog, words: Wording) -> Iterator[str]:
    yield f"{log.name}: {sentences.verdict(log.verdict, words)}"
    yield from (f"  {label}: {value}" for label, value in sentences.log_facts(log, words))
    for session in sentences.sessions_of(log):
        if len(log.sessions) > 1:
            yield f"  {sentences.number(session, words)}: {sentences.verdict(session.verdict, words)}"
        yield from (f"  {label}: {value}" for label, value in sentences.session_facts(session, words))
        yield from (f"    > {line}" for line in session.error.splitlines())
        for each in sentences.shown(session):
            place, said = sentences.where(each.place, words), sentences.finding(each, words)
            yield f"    {words(each.severity.word):7} {place}: {said} [{each.rule} {each.slug}]"
            yield from (f"            {line}" for line in each.quoted.splitlines())
        if rest := sentences.more(session, words):
            yield f"    {rest}"
