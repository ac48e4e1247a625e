"""The preview of a plan: what happens to which record, derived from the plan itself and never by comparing texts."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.answers import Change
from inspector.core.check import Report
from inspector.core.repair.draft import Draft
from inspector.core.repair.plan import Plan
from inspector.core.session import LineNumbers
from inspector.core.views import BlockKind, RecordView

_CONTEXT = 1
_WIDTH = 160
_VERBS = {BlockKind.CALL: "call ", BlockKind.RESULT: "result ", BlockKind.THINKING: "thinking "}


def changes_of(plan: Plan, report: Report) -> Iterator[Change]:
    """The changed records in the order of the log, each with a kept one around it; longer runs are only counted."""
    preview = _Preview(plan, report)
    at = 0
    for place in preview.places():
        yield from preview.kept(at, max(place, 0), bool(at))
        yield from preview.changes_at(place)
        at = max(at, place + 1)
    yield from preview.kept(at, preview.draft.originals, bool(at))


class _Preview:
    def __init__(self, plan: Plan, report: Report) -> None:
        self.plan, self.report = plan, report
        self.draft: Draft = plan.draft
        self.lines = LineNumbers(report.log)
        self.ends = [session.session.members.stop for session in report.sessions]

    def places(self) -> list[int]:
        """The records of the log as read at which something happens; negative: before the first."""
        draft = self.draft
        changed = {slot for slot in draft.texts if slot < draft.originals and slot not in draft.away}
        followed = {anchor for anchor, slots in draft.followers.items() if slots}
        return sorted(changed | draft.dropped | followed)

    def kept(self, low: int, high: int, after_change: bool) -> Iterator[Change]:
        """The kept records `low..high`: one beside each change, the others as a count."""
        draft = self.draft
        records = [record for record in range(low, high) if record not in draft.away]
        before = 0 if high == draft.originals else _CONTEXT
        after = _CONTEXT if after_change else 0
        if len(records) > before + after + 1:
            skipped = records[after : len(records) - before]
            for record in records[:after]:
                yield self._row("kept", record)
            session = self._session(skipped[0])
            summary = f"{len(skipped)} records as they are"
            yield Change(
                mark="skipped", record=None, line=None, role="", summary=summary, count=len(skipped), session=session
            )
            records = records[len(records) - before :] if before else []
        for record in records:
            yield self._row("kept", record)

    def changes_at(self, place: int) -> Iterator[Change]:
        draft = self.draft
        if place in draft.dropped:
            yield self._row("removed", place)
        elif place >= 0 and place in draft.texts and place not in draft.away:
            yield self._row("changed", place)
        elif place >= 0 and place not in draft.away:
            yield self._row("kept", place)
        for slot in draft.followers.get(place, ()):
            yield self._row("moved" if slot < draft.originals else "added", slot, max(place, 0))

    def _row(self, mark: str, slot: int, place: int = -1) -> Change:
        draft = self.draft
        original = slot < draft.originals
        before = draft.log.raw(slot) if original else None
        after = None if mark == "removed" else draft.text_of(slot)
        shown = _view(self.report, after if after is not None else before or b"")
        return Change(
            mark=mark,
            record=slot if original else None,
            line=self.lines.of(slot) if original and self.lines.dense else None,
            role=shown.role,
            summary=_summary(shown),
            before=before,
            after=after,
            session=self._session(slot if original else place),
            finding_ids=tuple(self.plan.touched.get(slot, ())),
            reason="; ".join(dict.fromkeys(reason.text for reason in draft.reasons.get(slot, ()))),
        )

    def _session(self, record: int) -> int:
        return next((number for number, end in enumerate(self.ends) if record < end), max(len(self.ends) - 1, 0))


def _view(report: Report, raw: bytes) -> RecordView:
    try:
        return report.format.view(raw)
    except (ValueError, TypeError, KeyError, AttributeError):
        return RecordView("", "unreadable record")


def _summary(view: RecordView) -> str:
    """A record in a line."""
    parts = []
    for block in view.blocks:
        name = f"{block.name} " if block.name else ""
        parts.append(f"{_VERBS.get(block.kind, '')}{name}{' '.join(block.text[:400].split())}")
    text = " · ".join(parts) or view.summary
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
