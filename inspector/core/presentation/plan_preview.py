"""The preview of a plan: what happens to which record; also what each provider would answer to the log as it is stored.

The preview is derived from the plan itself and never by comparing texts. Consecutive records that only follow from
other edits, all in the same way (Codex numbers its lines), are shown as one change.

The answer of a provider is available for any profile and any log, also that of an agent. Messages of another API and
records of an agent are assumed to be converted to the provider's format on the way, by a program that joins what the
provider wants joined. Pairing is checked as the provider reads the messages.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate

from msgspec.structs import replace

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.check.check import Report, SessionReport, check_threads
from inspector.core.check.findings import severity_of_match
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.locations import Locator, no_record_has_own_line
from inspector.core.model.session import LineNumbers
from inspector.core.model.views import CALL_KINDS, BlockKind, RecordView
from inspector.core.presentation.engine_results import Acceptance, PreviewRow
from inspector.core.presentation.formatting import summarize_call
from inspector.core.presentation.opened_log_facts import working_folder
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, profile_named
from inspector.core.repair.draft import Draft
from inspector.core.repair.edit_list import edit_reasons_of_record
from inspector.core.repair.edits import Reason
from inspector.core.repair.plan import Plan
from inspector.core.translation import tr

_CONTEXT = 1
_FEW = 3  # consecutive records that change alike and are still shown one by one
_WIDTH = 160
_VERBS = {
    BlockKind.CALL: tr("call {text}"),
    BlockKind.RESULT: tr("result {text}"),
    BlockKind.THINKING: tr("thinking {text}"),
}


def preview_rows(plan: Plan, report: Report, rejected: Collection[str] = ()) -> Iterator[PreviewRow]:
    """Yield the changed records in the order of the log, each with an unchanged one around it; longer runs are counted.

    `rejected` are the ids of findings that the person left as they are: each has its row as well.
    """
    preview = _Preview(plan, report, rejected)
    at = 0
    for place, stop in preview.runs():
        yield from preview.kept(at, max(place, 0), bool(at))
        yield from preview.changes_at(place) if stop == place + 1 else preview.run(place, stop)
        at = max(at, stop)
    yield from preview.kept(at, preview.draft.original_count, bool(at))
    for finding_id in preview.unknown:
        yield PreviewRow(
            mark="rejected", record=None, line=None, role="", summary=finding_id, finding_ids=(finding_id,)
        )


class _Preview:
    def __init__(self, plan: Plan, report: Report, rejected: Collection[str]) -> None:
        self.plan, self.report = plan, report
        self.draft: Draft = plan.draft
        self.line_of = LineNumbers(report.log).line_of
        self.own_lines = not no_record_has_own_line(report.log)
        self.folder = working_folder(report.log)
        self.session_of = session_number_lookup(report)
        self.rejected: dict[int, list[Finding]] = {}
        self.unknown = dict.fromkeys(rejected)  # what remains are findings that are not in this report
        for finding in (each for session in report.sessions for each in session.findings if each.id in self.unknown):
            del self.unknown[finding.id]
            self.rejected.setdefault(finding.place.record, []).append(finding)

    def places(self) -> list[int]:
        """Return the records of the log as read where something happens; a negative number is before the first."""
        draft = self.draft
        changed = {slot for slot in draft.texts if slot < draft.original_count and slot not in draft.vacated_slots}
        followed = {anchor for anchor, slots in draft.followers.items() if slots}
        return sorted(changed | draft.dropped | followed | self.rejected.keys())

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the same places as runs `place..stop`: one record, or several with the same indirect change."""
        places = self.places()
        at = 0
        while at < len(places):
            first, why = places[at], self._consequence(places[at])
            end = at + 1
            while why and end < len(places) and places[end] == places[end - 1] + 1:
                if self._consequence(places[end]) != why:
                    break
                end += 1
            end = end if end - at > _FEW else at + 1
            yield first, places[end - 1] + 1
            at = end

    def _consequence(self, place: int) -> str:
        """Return why a record changes that no finding is about, "" for any other record."""
        draft = self.draft
        if (
            place not in draft.texts
            or place in draft.vacated_slots
            or draft.followers.get(place)
            or place in self.rejected
        ):
            return ""
        reasons = draft.reasons.get(place, [])
        return "" if any(reason.finding for reason in reasons) else _told(reasons)

    def run(self, place: int, stop: int) -> Iterator[PreviewRow]:
        """Yield one row for many records; the first of them is shown."""
        first = self._row("changed", place)
        yield replace(first, role="", summary=f"{stop - place} records: {first.reason}", count=stop - place)

    def kept(self, low: int, high: int, after_change: bool) -> Iterator[PreviewRow]:
        """Yield the unchanged records `low..high`: one next to each change, the others as a count."""
        draft = self.draft
        records = [record for record in range(low, high) if record not in draft.vacated_slots]
        before = 0 if high == draft.original_count else _CONTEXT
        after = _CONTEXT if after_change else 0
        if len(records) > before + after + 1:
            skipped = records[after : len(records) - before]
            for record in records[:after]:
                yield self._row("kept", record)
            session = self.session_of(skipped[0])
            summary = tr("{number} unchanged records", number=len(skipped))
            yield PreviewRow(
                mark="skipped", record=skipped[0], line=None, role="", summary=summary, count=len(skipped),
                session=session,
            )  # fmt: skip
            records = records[len(records) - before :] if before else []
        for record in records:
            yield self._row("kept", record)

    def changes_at(self, place: int) -> Iterator[PreviewRow]:
        draft = self.draft
        if place in draft.dropped:
            yield self._row("removed", place)
        elif place >= 0 and place in draft.texts and place not in draft.vacated_slots:
            yield self._row("changed", place)
        elif place >= 0 and place not in draft.vacated_slots and place not in self.rejected:
            yield self._row("kept", place)
        for finding in self.rejected.get(place, ()):
            row = self._row("rejected", place)
            yield replace(row, role="", summary=finding.message, finding_ids=(finding.id,), reason="")
        for slot in draft.followers.get(place, ()):
            yield self._row("moved" if slot < draft.original_count else "added", slot, max(place, 0))

    def _row(self, mark: str, slot: int, place: int = -1) -> PreviewRow:
        draft = self.draft
        original = slot < draft.original_count
        raw = draft.log.raw(slot) if mark == "removed" else draft.slot_bytes(slot)
        shown = safe_view(self.report.format, raw, self.report.log.faults)
        return PreviewRow(
            mark=mark,
            record=slot if original else None,
            line=self.line_of(slot) if original and self.own_lines else None,
            role=shown.role,
            summary=record_summary(shown, self.folder),
            slot=slot,
            session=self.session_of(slot if original else place),
            finding_ids=tuple(self.plan.findings_by_slot.get(slot, ())),
            reason=_told(edit_reasons_of_record(draft, slot)),
        )


def session_number_lookup(report: Report) -> Callable[[int], int]:
    """Return a function from the number of a record to the number of its session.

    Records after the last session belong to the last one.
    """
    # The first session that ends after the record counts.
    ends = [*accumulate((session.session.records.stop for session in report.sessions), max)]
    last = max(len(ends) - 1, 0)
    return lambda record: min(bisect_right(ends, record), last)


def _told(reasons: list[Reason]) -> str:
    return "; ".join(dict.fromkeys(reason.text for reason in reasons))


def record_summary(view: RecordView, folder: str) -> str:
    """Summarise a record in a line."""
    parts = []
    for block in view.blocks:
        name = f"{block.name} " if block.name else ""
        text = summarize_call(block.text, folder) if block.kind in CALL_KINDS else block.text
        text = f"{name}{' '.join(text[:400].split())}"
        parts.append(tr(_VERBS[block.kind], text=text) if block.kind in _VERBS else text)
    text = " · ".join(parts) or view.summary
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


ALL_PROFILES = "all"


def parse_profile_names(text: str) -> list[str]:
    """Parse profile names from "all" or "NAME,NAME". Raises UnknownName."""
    if text.strip() == ALL_PROFILES:
        return list(PROFILES)
    return [profile_named(name.strip()).name for name in text.split(",") if name.strip()]


def acceptance_by_profile(report: Report, names: Sequence[str]) -> list[dict[str, Acceptance]]:
    """Return what each of these profiles would answer to the main thread of each session. Raises UnknownName."""
    refused: list[tuple[int, int, Acceptance, RuleMatch]] = []
    answers_by_session: list[dict[str, Acceptance]] = []
    for session in report.sessions:
        answers = {}
        for name in names:
            answers[name], match = _asked(report, session, profile_named(name))
            if match is not None:
                refused.append((match.record, len(refused), answers[name], match))
        answers_by_session.append(answers)
    places = Locator(report.log)
    for record, _, answer, match in sorted(refused, key=lambda refusal: refusal[:2]):
        pointer = report.format.pointer(report.log.columns, record, match.ordinal) if match.ordinal >= 0 else ""
        answer.place = places.locate(record, pointer)
    return answers_by_session


def _asked(report: Report, session: SessionReport, profile: Profile) -> tuple[Acceptance, RuleMatch | None]:
    """Return one profile's answer, without its place, and the first anomaly that it refuses."""
    log, format = report.log, report.format
    not_run = profile.unchecked_rules(report.checks_skipped)
    if not session.threads:
        return Acceptance(None, not_run=tuple(report.checks_skipped)), None
    threads = session.threads
    if threads[0].context.profile is not profile:
        threads = check_threads(
            format, log.columns, log.raw, session.session, profile, threads[0].context.live, include_side_threads=False
        )
    refused: list[tuple[RuleMatch, ThreadContext]] = [
        (match, thread.context)
        for thread in threads
        for match in thread.matches
        if thread.context.profile is profile and severity_of_match(match, thread.context) == Severity.ERROR
    ]
    if not refused:
        return Acceptance(None if not_run else True, not_run=not_run), None
    match, context = min(refused, key=lambda pair: pair[0].record)
    call_id = context.match_id(match)
    error = profile.refusal_text(
        match.rule, context.message_number(match.record), max(match.ordinal, 0), call_id, match.case
    )
    return Acceptance(False, match.rule, error or match.message, match.message, None, len(refused), not_run), match
