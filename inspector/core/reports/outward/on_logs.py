"""The report on an open log, or on several logs."""

from collections.abc import Iterable, Mapping

from inspector.core.evidence.evidence import Evidence
from inspector.core.judging.check import Report
from inspector.core.reports.outward.gathering import Gathering
from inspector.core.reports.outward.model import Told, ToldLog
from inspector.core.reports.outward.names import SUFFIXES
from inspector.core.reports.outward.wording import Wording
from inspector.core.reports.outward.writers import WRITERS
from inspector.core.showing.outward import OutwardReport, OutwardWish


def gathering_of(wish: OutwardWish) -> Gathering:
    """What gathers such a report."""
    return Gathering(wish.with_content, wish.hidden)


def report_on(report: Report, evidence: Mapping[str, Evidence], wish: OutwardWish) -> OutwardReport:
    """On one log, as a person wishes for it."""
    gathering = gathering_of(wish)
    return report_of([gathering.log(report, evidence)], gathering, wish)


def report_of(logs: Iterable[ToldLog], gathering: Gathering, wish: OutwardWish) -> OutwardReport:
    """On what was gathered."""
    text = WRITERS[wish.form](Told(tuple(logs)), Wording(wish.language)).decode()
    return OutwardReport(text, gathering.replaced, f"report{SUFFIXES[wish.form]}")
