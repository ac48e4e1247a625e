"""The report on an open log, or on several logs."""

from collections.abc import Iterable, Mapping

from inspector.core.evidence.evidence import Evidence
from inspector.core.judging.check import Report
from inspector.core.reports.outward.gathering import ShareableReportBuilder
from inspector.core.reports.outward.model import ReportedLog, ShareableReport
from inspector.core.reports.outward.names import FORMAT_SUFFIXES
from inspector.core.reports.outward.wording import Translator
from inspector.core.reports.outward.writers import RENDERERS
from inspector.core.showing.outward import RenderedReport, ShareOptions


def builder_for(options: ShareOptions) -> ShareableReportBuilder:
    """What gathers such a report."""
    return ShareableReportBuilder(options.with_content, options.hidden)


def report_on_log(report: Report, evidence: Mapping[str, Evidence], options: ShareOptions) -> RenderedReport:
    """On one log, as a person wishes for it."""
    gathering = builder_for(options)
    return build_report([gathering.judged_log(report, evidence)], gathering, options)


def build_report(logs: Iterable[ReportedLog], builder: ShareableReportBuilder, options: ShareOptions) -> RenderedReport:
    """On what was gathered."""
    text = RENDERERS[options.format](ShareableReport(tuple(logs)), Translator(options.language)).decode()
    return RenderedReport(text, builder.replacements, f"report{FORMAT_SUFFIXES[options.format]}")
