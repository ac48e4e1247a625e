"""Report what trimming a log does, as text and as JSON: sizes, removed blocks, and consequences."""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.check.check import Report
from inspector.core.model.locations import Locator
from inspector.core.presentation.plan_preview import session_number_lookup
from inspector.core.presentation.results import TrimPreview
from inspector.core.report.json import session_entries
from inspector.core.report.sentences import MAX_ROWS, acceptance_sentence, loss_sentences, place_text
from inspector.core.text import count_phrase
from inspector.core.trim.measures import ContextTokens
from inspector.core.trim.trim import SessionCut, Trimmed


def trim_consequences(trimmed: Trimmed) -> Iterator[str]:
    """Yield sentences on what the trimming means for the next request."""
    if trimmed.records:
        yield "The prompt cache starts anew: the history begins otherwise than it did."
    elif trimmed.shrunk:
        yield "The prompt cache is broken from the first replaced result on."
    reasoning = sum(cut.invalid_reasoning for cut in trimmed.cuts)
    if reasoning and (trimmed.records or trimmed.shrunk):
        blocks = "1 block of reasoning stays" if reasoning == 1 else f"{reasoning} blocks of reasoning stay"
        yield (
            f"{blocks} that were made behind the longer history: a provider that binds reasoning to all that stands "
            "before it does not take them any more; others do."
        )
    if any(cut.note for cut in trimmed.cuts):
        yield (
            "No message of the user stood at the cut, and the provider wants one first: a note was put there that says "
            "so. Keeping the first message does without it."
        )
    remaining = sum(cut.unshrinkable for cut in trimmed.cuts)
    if remaining:
        yield f"{remaining} of these results hold pictures or a shell's states, and stay: no text can stand for them."


def trim_preview(trimmed: Trimmed) -> TrimPreview:
    """Return the trimming as the window shows it.

    Tokens are shown for a single session only: they cannot be added up.
    """
    cuts = trimmed.cuts
    tokens = cuts[0].tokens if len(cuts) == 1 else ContextTokens()
    return TrimPreview(
        name=trimmed.name,
        sessions=len(cuts),
        messages_before=sum(cut.messages for cut in cuts),
        messages_after=sum(cut.left for cut in cuts),
        bytes_before=trimmed.bytes_before,
        bytes_after=trimmed.bytes_after,
        tokens_before=tokens.before,
        tokens_after=tokens.after,
        removed=tuple((kind, share.count, share.bytes) for kind, share in sorted(trimmed.shares.items())),
        shrunk=len(trimmed.shrunk),
        consequences=tuple(trim_consequences(trimmed)),
        losses=tuple(loss_sentences(trimmed.plan.draft.losses, trimmed.plan.draft.log)),
        accepted=trimmed.plan.refusals,
        changes_nothing=trimmed.changes_nothing,
        not_run=trimmed.plan.not_run,
    )


def trim_lines(trimmed: Trimmed) -> Iterator[str]:
    """Yield the trimming as text."""
    for cut in trimmed.cuts[:MAX_ROWS]:
        prefix = f"session {cut.session.id}: " if len(trimmed.cuts) > 1 else ""
        yield f"  {prefix}{_messages(cut)}{_tokens(cut)}"
    if len(trimmed.cuts) > MAX_ROWS:
        yield f"  … and {len(trimmed.cuts) - MAX_ROWS} more sessions"
    yield f"  {trimmed.bytes_before:,} bytes before, {trimmed.bytes_after:,} after"
    for kind, share in sorted(trimmed.shares.items()):
        yield f"  removed: {share.count:,} × {kind}, {share.bytes:,} bytes"
    places = Locator(trimmed.plan.draft.log)
    for loss in trimmed.shrunk[:MAX_ROWS]:
        size = len(loss.text.encode("utf-8", "replace"))
        place = "" if loss.record is None else f" in {place_text(places.locate(loss.record))}"
        yield f"  {loss.kind}{place}, {size:,} bytes: {loss.reason}"
    if len(trimmed.shrunk) > MAX_ROWS:
        yield f"  … and {len(trimmed.shrunk) - MAX_ROWS} more results"
    for sentence in trim_consequences(trimmed):
        yield f"  {sentence}"
    for sentence in loss_sentences(trimmed.plan.draft.losses[:MAX_ROWS], trimmed.plan.draft.log):
        yield f"  lost in the repair: {sentence}"
    for profile, refusal in trimmed.plan.refusals.items():
        answer = acceptance_sentence(refusal, trimmed.plan.skipped_checks_of(profile))
        yield f"  {profile}: {answer}"


def _messages(cut: SessionCut) -> str:
    if cut.left == cut.messages:
        return f"{count_phrase(cut.messages, 'message')}, all of which stay"
    return f"{count_phrase(cut.messages, 'message')} before, {cut.left:,} after"


def _tokens(cut: SessionCut) -> str:
    before, after = cut.tokens.before, cut.tokens.after
    if before is None:
        return ""
    if after is None or after == before:
        return f"; {before:,} tokens of context recorded at its end"
    return f"; {before:,} tokens of context recorded at its end, about {after:,} without what was removed"


def trimmed_sessions(report: Report, trimmed: Trimmed) -> list[dict[str, Any]]:
    """Return the sessions of a checked log as JSON entries, each with its trimming and its losses."""
    entries = session_entries(report)
    for entry, cut in zip(entries, trimmed.cuts, strict=False):
        entry["trimmed"] = {
            "messages": {
                "before": cut.messages,
                "after": cut.left,
                "wanted": cut.wanted,
                "in_front": cut.kept_in_front,
            },
            "tokens": {"before": cut.tokens.before, "after": cut.tokens.after},
            "results_replaced": cut.shrunk,
            "note_added": cut.note,
        }
        entry["losses"] = []
        entry["verified"] = {name: refusal is None for name, refusal in trimmed.plan.refusals.items()}
    number_of = session_number_lookup(report)
    for loss in trimmed.losses():
        entries[number_of(loss.record or 0)]["losses"].append(msgspec.to_builtins(loss))
    return entries


def trimmed_totals(trimmed: Trimmed) -> dict[str, Any]:
    """Return the JSON fields about the log as a whole."""
    return {
        "bytes": {"before": trimmed.bytes_before, "after": trimmed.bytes_after},
        "removed": {kind: {"count": share.count, "bytes": share.bytes} for kind, share in trimmed.shares.items()},
        "records_removed": len(trimmed.records),
        "consequences": list(trim_consequences(trimmed)),
    }
