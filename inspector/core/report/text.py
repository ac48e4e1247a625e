"""The report as text, for a terminal: verdict, cause and command first, then the findings, those of a kind as one."""

from collections import Counter
from collections.abc import Iterator

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.check.findings import FindingGroup
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.registry import safe_view
from inspector.core.formats.base.writer import Writer
from inspector.core.model.session import HistoryInMemory
from inspector.core.model.views import BlockKind, one_based
from inspector.core.presentation.formatting import summarize_call
from inspector.core.report.context_window_usage import too_long_context_lines
from inspector.core.report.one_line_summaries import problems_line, repair_steps_phrase
from inspector.core.report.sentences import (
    MAX_ROWS,
    SEVERITY_NAMES,
    USUAL_WIDTH,
    VERDICT_HEADINGS,
    clip,
    one_line,
    place_text,
    session_sentence,
)
from inspector.core.report.session_parts import EvidenceLines, cause_lines
from inspector.core.translation import tr, tr_plural

_LOOKED_AT = 1000  # characters of a block of which the line is made


def report_lines(report: Report, verbosity: int = 0, width: int = USUAL_WIDTH) -> Iterator[str]:
    """Yield the report on a checked log, which is still open.

    `verbosity` is -1 for one line, 0, or 1 for notes, other providers, the choices of a repair, and evidence. Healthy
    sessions of many are only counted.
    """
    text = TextReport(verbosity, width)
    body = [*text.part_lines(report)]
    yield text.headline
    yield from body
    yield from text.last_lines()


class TextReport:
    """The report on a log, made from the reports on its parts; most logs are one part.

    `headline` is the first line, when all parts were added.
    """

    def __init__(self, verbosity: int, width: int) -> None:
        self._verbosity, self._width = verbosity, width
        self._counts = Counter[Verdict]()
        self._path = self._of_only_session = ""
        self._evidence = EvidenceLines()

    def part_lines(self, report: Report) -> Iterator[str]:
        """Add a part, which is still open, and yield the lines on it."""
        several = report.log.is_part or len(report.sessions) > 1
        self._path = report.log.source.path
        self._of_only_session = "" if several else headline(self._path, report.sessions[0])
        self._counts.update(session.verdict for session in report.sessions)
        if self._verbosity < 0:
            return
        for session in report.sessions:
            if not several or session.findings:
                if several:
                    yield ""
                    yield headline(tr("session {id}", id=session.session.id), session)
                yield from _SessionText(report, session, self._verbosity, self._width).lines()
        if report.log.source.read_from:
            yield tr(
                "  Source  Read from {wrapper}. Line numbers refer to the text inside it.",
                wrapper=report.log.source.read_from,
            )
        for attached in report.log.source.attached:
            size = tr_plural("{number:,} byte", "{number:,} bytes", attached.end - attached.start)
            yield tr("  Continues  {path} (the first {size} of that file)", path=attached.source.path, size=size)
        for subagent in report.subagents:
            yield tr("  Subagent  {label}: {path}", label=subagent.label, path=subagent.path)
        if self._verbosity > 0:
            self._evidence.add(report)

    @property
    def headline(self) -> str:
        if self._of_only_session:
            return self._of_only_session
        return f"{self._path}  {VERDICT_HEADINGS[max(self._counts)]}  {_count_sentence(self._counts)}"

    def last_lines(self) -> Iterator[str]:
        """Yield the lines on all parts together."""
        evidence = [*self._evidence]
        if evidence:
            yield ""
            yield from evidence


def headline(name: str, session: SessionReport) -> str:
    """Return the line on a session: what it is called here, the verdict, and what happens on resume."""
    return f"{name}  {VERDICT_HEADINGS[session.verdict]}  {session_sentence(session)}"


def _count_sentence(counts: Counter[Verdict]) -> str:
    names = (_count_phrase(verdict, counts[verdict]) for verdict in sorted(counts, reverse=True))
    return tr(
        "{sessions}: {names}.",
        sessions=tr_plural("{number:,} session", "{number:,} sessions", counts.total()),
        names=", ".join(names),
    )


def _count_phrase(verdict: Verdict, count: int) -> str:
    if verdict == Verdict.HEALS_ITSELF:
        return tr_plural("{number:,} repairs itself on resume", "{number:,} repair themselves on resume", count)
    return f"{count:,} {VERDICT_HEADINGS[verdict].lower()}"


def _memory_lines(memory: HistoryInMemory | None) -> Iterator[str]:
    if memory is None or memory.matches_log:
        return
    yield f"  {memory.sentence}"
    for record, note in memory.notes[:MAX_ROWS]:
        yield tr("    record {record}: {note}", record=one_based(record), note=note)
    for disagreement in memory.disagreements:
        yield f"    {disagreement}"


class _SessionText:
    def __init__(self, report: Report, session: SessionReport, verbosity: int, width: int) -> None:
        self.report, self.session, self.is_verbose, self.width = report, session, verbosity > 0, width

    def lines(self) -> Iterator[str]:
        session = self.session
        yield from problems_line(session)
        yield from _memory_lines(session.session.memory)
        if session.recorded_error:
            yield tr("  Error   {error}", error=one_line(session.recorded_error, 300))
        yield from too_long_context_lines(self.report, session)
        if session.verdict.is_trouble:
            if self.is_verbose:
                yield tr("  Resume  {sentence}", sentence=session.on_resume.sentence)
            yield from cause_lines(session)
        if session.verdict == Verdict.BROKEN:
            yield from self._fix_lines()
        notes = session.count(Severity.INFO)
        contents = (
            tr_plural("{number:,} message", "{number:,} messages", session.messages),
            tr_plural("{number:,} call", "{number:,} calls", session.calls),
            tr_plural("{number:,} result", "{number:,} results", session.results),
        )
        hidden = (
            tr("; {notes}, shown with -v", notes=tr_plural("{number:,} note", "{number:,} notes", notes))
            if notes and not self.is_verbose
            else ""
        )
        yield f"  {', '.join(contents)}{hidden}"
        groups = [group for group in session.findings.groups() if self.is_verbose or group.severity > Severity.INFO]
        for group in groups[:MAX_ROWS]:
            yield ""
            yield from self._finding_lines(group)
        if len(groups) > MAX_ROWS:
            yield tr(
                "… and {number:,} more kinds of findings (--format json lists them all)",
                number=len(groups) - MAX_ROWS,
            )

    def _fix_lines(self) -> Iterator[str]:
        path, format, log = self.report.log.source.path, self.report.format, self.report.log
        command = shell_command("transcript-inspector", "fix", path)
        if not command or path == "-" or not isinstance(format, Writer) or format.save_refusal(log, "copy"):
            return
        yield tr("  Fix     {command}", command=command)
        does = repair_steps_phrase(self.session.findings.default_strategies())
        if does:
            yield tr("          It {does}.", does=does)

    def _finding_lines(self, group: FindingGroup) -> Iterator[str]:
        finding = self.session.findings[group.first]
        yield f"{SEVERITY_NAMES[group.severity]}[{finding.rule}]: {finding.message}"
        yield f"  --> {self._location(finding)}"
        excerpt = self._excerpt(finding)
        if excerpt:
            yield f"   |  {clip(excerpt, max(self.width - 6, 20))}"
        refused_by, profile = finding.refused_by, self.session.profile
        own = profile.name if profile else ""
        if group.severity == Severity.ERROR and profile and own in refused_by:
            yield tr("   = {label} would respond: {refused_by}", label=profile.label, refused_by=refused_by[own])
        if group.size > 1:
            first, last = finding.place.line or 0, group.last_line or 0
            lines = tr(", lines {first}–{last}", first=first, last=last) if 0 < first < last else ""
            yield tr("   = … and {size:,} more of this kind{lines}", size=group.size - 1, lines=lines)
        if self.is_verbose:
            others = [name for name in refused_by if name != own]
            if others:
                yield tr("   = Also rejected by {others}", others=", ".join(others))
            yield tr(
                "   = Repairs: {strategies} (default: {default})",
                strategies=", ".join(finding.strategies),
                default=finding.default,
            )

    def _location(self, finding: Finding) -> str:
        path, place = self.report.log.source.path, finding.place
        if place.line and place.index is None and not place.member:
            return f"{path}:{place.line}"
        return f"{path}, {place_text(place)}"

    def _excerpt(self, finding: Finding) -> str:
        """Return a line with the role and the block that a finding is about, the text of a record without blocks."""
        raw = self.report.log.raw(finding.place.record - self.report.log.columns.first_number)
        view = safe_view(self.report.format, raw, self.report.log.faults)
        named = [block for block in view.blocks if finding.call_id and block.call_id == finding.call_id]
        block = next(iter(named or view.blocks), None)
        if block is None:
            return one_line(raw[:_LOOKED_AT].decode(errors="backslashreplace"), _LOOKED_AT)
        text = summarize_call(block.text) if block.kind == BlockKind.CALL else block.text
        return "  ".join(one_line(part, _LOOKED_AT) for part in (view.role, block.name, text) if part)
