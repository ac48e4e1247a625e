"""Build a shareable report from judged logs. Content of a log is passed in; nothing here reads a log.

Without content, a report has hashes of ids, names that everybody knows, numbers and versions.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat

from msgspec.structs import replace

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding
from inspector.core.analysis.tool_effects import TOOL_EFFECTS
from inspector.core.check.causes import LikelyCause, bug_fingerprint, find_likely_cause
from inspector.core.check.check import Report, SessionReport
from inspector.core.check.strategy_costs import cost_labels
from inspector.core.errors import InspectorError, NoLogsFound, NotJudged, ProgramFault
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import Acceptance, RenderedShareableReport, ShareableReportOptions
from inspector.core.redaction.redactor import Redactor
from inspector.core.report.sentences import is_profile_assumed, rule_title
from inspector.core.report.shareable.log_content_reader import MAX_EXCERPT, LogContentReader
from inspector.core.report.shareable.model import (
    REPORT_FORMAT_SUFFIXES,
    ReportedAcceptance,
    ReportedCause,
    ReportedEvidenceItem,
    ReportedFinding,
    ReportedLog,
    ReportedPlace,
    ReportedSession,
    ShareableReport,
)
from inspector.core.report.shareable.renderers import RENDERERS
from inspector.core.translation import Translator, tr

# The members under which records keep messages and blocks: a pointer may name them, any other key is left out.
_KEYS = frozenset(
    "additional_kwargs agent args arguments assistant blocks calls content contents data event events function"
    " functionCall functionResponse function_call history input item items kwargs message messages messages_prefix"
    " model output part parts payload prompt reasoning replacement_history request response result state summary text"
    " thinking thoughts tool toolCalls toolResult toolUse tool_calls tool_input turns values".split()
)
# Three numbers at most: four could be an IP address.
# The name of a ticket that cannot be mistaken for markup.
_TICKET = re.compile(r"\w[\w .#()-]{0,79}")
_VERSION = re.compile(
    r"v?\d{1,5}(?:\.\d{1,5}){0,2}(?:[-.]?(?:alpha|beta|rc|dev|preview|nightly|next|canary)[-.\d]{0,20})?"
)

_SHOWN = 600  # characters of an excerpt
_MOST_EXCERPTS = 200  # of a log
# Why there is no report on a log, by the first of these that its error is.
_REASONS = (
    (ProgramFault, tr("The program failed on this log because of an internal error.")),
    (NoLogsFound, tr("None of its files can be read as a log.")),
    (NotJudged, tr("It does not match any format well enough.")),
    (InspectorError, tr("It cannot be read or is not a log.")),
)


class ToolPseudonyms:
    """The names of tools: those of known agents as they are, every other one as a number."""

    def __init__(self) -> None:
        self._others: dict[str, str] = {}

    def pseudonym_of(self, name: str) -> str:
        return name if name.lower() in TOOL_EFFECTS else self._others.setdefault(name, f"tool-{len(self._others) + 1}")


def safe_version(text: str) -> str:
    """Return the text if it looks like a version and nothing else, "" for any other text."""
    return text if _VERSION.fullmatch(text) else ""


def _place(place: RecordLocation, hashed: Callable[[str], str]) -> ReportedPlace:
    """Return a place with its numbers, a hashed file or row, and without keys that a log may have chosen."""
    return ReportedPlace(
        record=place.record,
        line=place.line,
        bytes=place.bytes,
        pointer=_pointer(place.pointer),
        member=hashed(place.member) if place.member else None,
        index=place.index,
        document=None if place.document is None else _pointer(place.document),
    )


def _pointer(text: str) -> str:
    return "/".join(key if not key or key.isdecimal() or key in _KEYS else "…" for key in text.split("/"))


class ShareableReportBuilder:
    """Collects the logs of one report, with the same pseudonyms throughout.

    With `with_content` the report has excerpts, without the words in `hidden`.
    """

    def __init__(self, with_content: bool = False, hidden: Iterable[str] = ()) -> None:
        self._redactor = Redactor(hidden) if with_content else None
        self._tools, self._logs = ToolPseudonyms(), 0
        self._tickets: Counter[str] = Counter()

    def unreadable_log(self, error: InspectorError, ticket: str = "", path: str = "") -> ReportedLog:
        """Return the entry of a log that could not be read or judged. `ticket` and `path` are as for `judged_log`."""
        reason = error.reason or next(reason for kind, reason in _REASONS if isinstance(error, kind))
        verdict = "not-judged" if isinstance(error, NotJudged) else "unreadable"
        return ReportedLog(
            name=self._name(ticket), verdict=verdict, ticket=_ticket(ticket), path=_printable(path), reason=reason
        )

    def judged_log(
        self,
        report: Report,
        content: LogContentReader,
        evidence: Mapping[str, Evidence],
        answers: Sequence[dict[str, Acceptance]] = (),
        ticket: str = "",
        path: str = "",
    ) -> ReportedLog:
        """Return the entry of a judged log, with its content.

        `ticket` is the name of what the log was sent in. The person who asks for the report has named it. `path` is the
        path of the log if the person asks to show it.
        """
        session = report.sessions[0].session
        if self._redactor is not None:
            self._redactor.learn(content.beginning())
        known = report.format.name != "unknown"
        return ReportedLog(
            name=self._name(ticket),
            verdict=report.verdict.word,
            ticket=_ticket(ticket),
            path=_printable(path),
            format=report.format.name if known else "",
            label=report.format.label if known else "",
            agent=report.format.name if known and not report.format.is_provider_api else "",
            version=safe_version(session.version),
            size=report.log.source.size,
            read_from=report.log.source.read_from,
            sessions=tuple(
                _SessionReporter(report, each, content, self._tools, self._redactor).reported(evidence, asked)
                for each, asked in zip(report.sessions, answers or repeat({}), strict=False)
            ),
            checks_run=tuple(report.checks_run),
            checks_skipped=report.checks_skipped,
        )

    @property
    def replacements(self) -> dict[str, str]:
        """The values that were hidden, by their pseudonyms."""
        return {} if self._redactor is None else self._redactor.replacements

    def _name(self, ticket: str) -> str:
        self._logs += 1
        if _ticket(ticket) is None:
            return f"log-{self._logs}"
        self._tickets[ticket] += 1
        number = self._tickets[ticket]
        return ticket if number == 1 else f"{ticket} ({number})"


class _SessionReporter:
    def __init__(
        self,
        report: Report,
        session: SessionReport,
        content: LogContentReader,
        tools: ToolPseudonyms,
        redactor: Redactor | None,
    ) -> None:
        self.report, self.session, self.content = report, session, content
        self.tools, self.redactor, self.hashed = tools, redactor, content.hashed
        self.excerpts = 0

    def reported(self, evidence: Mapping[str, Evidence], answers: Mapping[str, Acceptance]) -> ReportedSession:
        each, resume = self.session, self.session.on_resume
        profile = each.profile
        memory = each.session.memory
        begins, ends = self.content.times(each)
        likely_cause = find_likely_cause(each)
        return ReportedSession(
            number=each.session.number,
            id=self.hashed(each.session.id),
            verdict=each.verdict.word,
            profile=profile.name if profile else "",
            profile_label=profile.label if profile else "",
            assumed=is_profile_assumed(each),
            records=len(each.session.records),
            messages=each.messages,
            calls=each.calls,
            results=each.results,
            dangling=each.dangling,
            orphans=each.orphans,
            error_kind=each.error_kind.name if each.error_kind else "",
            has_error=bool(each.recorded_error),
            outcome=resume.outcome,
            loses=len(resume.losses),
            answers=len(resume.answered_calls),
            begins=begins,
            ends=ends,
            in_memory=None if memory is None or memory.matches_log else (memory.messages, memory.messages_in_log),
            subagents=len(self.report.subagents) if each is self.report.sessions[0] else 0,
            findings=tuple(self._finding(finding, evidence.get(finding.id)) for finding in each.findings),
            accepted_by={
                name: ReportedAcceptance(answer.accepts, answer.rule, answer.refusals, tuple(answer.not_run))
                for name, answer in answers.items()
            },
            cause=_cause(likely_cause) if likely_cause else None,
            fingerprint=bug_fingerprint(each),
            error=self._redacted(each.recorded_error),
        )

    def _finding(self, finding: Finding, evidence: Evidence | None) -> ReportedFinding:
        call_id = self.hashed(finding.call_id) if finding.call_id else None
        ordinal = finding.id.rpartition(":")[2]
        wanted = self.redactor is not None and self.excerpts < _MOST_EXCERPTS
        self.excerpts += wanted
        traces = evidence.traces if evidence else ()
        return ReportedFinding(
            id=f"{finding.rule}:{self.session.session.number}:{call_id or f'@{finding.place.record}'}:{ordinal}",
            rule=finding.rule,
            slug=finding.slug,
            title=rule_title(finding.rule),
            severity=finding.severity,
            place=_place(finding.place, self.hashed),
            call_id=call_id,
            tool=self.tools.pseudonym_of(finding.tool) if finding.tool else None,
            refused_by=replace(finding, call_id=call_id).refused_by,
            strategies=finding.strategies,
            default=finding.default,
            costs=cost_labels(finding.strategies, finding.rule),
            ran=evidence.verdict if evidence else "",
            effect=evidence.effect.value if evidence else "",
            traces=tuple(ReportedEvidenceItem(each.record, each.line, each.strength.word) for each in traces),
            says=self._redacted(finding.message) if wanted else "",
            excerpt=self._redacted(self.content.block(finding)) if wanted else "",
        )

    def _redacted(self, text: str) -> str:
        if self.redactor is None or not text:
            return ""
        redacted = self.redactor.redact(text[:MAX_EXCERPT])
        cut = redacted if len(redacted) <= _SHOWN and len(text) <= MAX_EXCERPT else redacted[:_SHOWN].rstrip() + " …"
        return _printable(cut, "\n\t")


def _ticket(name: str) -> str | None:
    return name if _TICKET.fullmatch(name) else None


def _printable(text: str, allowed: str = "") -> str:
    return "".join(sign if sign.isprintable() or sign in allowed else f"\\u{ord(sign):04x}" for sign in text)


def _cause(likely: LikelyCause) -> ReportedCause:
    return ReportedCause(likely.cause.id, likely.cause.explanation, likely.advice, likely.upgrade_to, likely.cause.url)


def builder_for(options: ShareableReportOptions) -> ShareableReportBuilder:
    """Return a builder for a report with these options."""
    return ShareableReportBuilder(options.with_content, options.hidden)


def render_log_report(
    report: Report, evidence: Mapping[str, Evidence], options: ShareableReportOptions
) -> RenderedShareableReport:
    """Return the report on one log, with the options of the person."""
    builder = builder_for(options)
    return render_report([builder.judged_log(report, LogContentReader(report), evidence)], builder, options)


def render_report(
    logs: Iterable[ReportedLog], builder: ShareableReportBuilder, options: ShareableReportOptions
) -> RenderedShareableReport:
    """Return the report on the collected logs."""
    text = RENDERERS[options.format](ShareableReport(tuple(logs)), Translator(options.language)).decode()
    return RenderedShareableReport(text, builder.replacements, f"report{REPORT_FORMAT_SUFFIXES[options.format]}")
