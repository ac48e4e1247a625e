"""The report on one open log."""

from collections.abc import Mapping

from inspector.core.evidence.evidence import Evidence
from inspector.core.judging.check import Report
from inspector.core.reports.outward.gathering import Gathering
from inspector.core.reports.outward.model import Told
from inspector.core.reports.outward.names import SUFFIXES
from inspector.core.reports.outward.wording import Wording
from inspector.core.reports.outward.writers import WRITERS
from inspector.core.showing.outward import OutwardReport, OutwardWish


def report_on(report: Report, evidence: Mapping[str, Evidence], wish: OutwardWish) -> OutwardReport:
    """As a person wishes for it."""
    gathering = Gathering(wish.with_content, wish.hidden)
    told = Told((gathering.log(report, evidence),))
    text = WRITERS[wish.form](told, Wording(wish.language)).decode()
    return OutwardReport(text, gathering.replaced, f"report{SUFFIXES[wish.form]}")
