"""Report what trimming a log does, as text and as JSON: sizes, removed blocks, and consequences."""

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from inspector.core.check.check import Report
from inspector.core.model.locations import Locator
from inspector.core.presentation.engine_results import TrimPreview
from inspector.core.presentation.plan_preview import session_number_lookup
from inspector.core.repair.edits import Loss
from inspector.core.report.json import ChunkedSessionEntry, ReportDocument, SessionEntry, chunked_session_entries
from inspector.core.report.sentences import MAX_ROWS, loss_sentences, one_line, place_text, provider_answer_sentence
from inspector.core.translation import tr, tr_plural
from inspector.core.trim.fit import FitOutcome
from inspector.core.trim.measures import ContextTokens, RemovedBlockTotals
from inspector.core.trim.trim import SessionTrimOutcome, Trimmed

_MOST_TOOLS = 5


def trim_consequences(trimmed: Trimmed) -> Iterator[str]:
    """Yield sentences on what the trimming means for the next request."""
    is_cut = any(cut.is_cut for cut in trimmed.cuts)
    yield from _end_sentences(trimmed)
    if is_cut:
        yield tr("The prompt cache cannot be reused, because the beginning of the history changed.")
    elif trimmed.shrunk:
        yield tr("The prompt cache cannot be reused after the first replaced result.")
    reasoning = sum(cut.invalid_reasoning for cut in trimmed.cuts)
    if reasoning and (is_cut or trimmed.shrunk):
        blocks = (
            tr("1 reasoning block is kept")
            if reasoning == 1
            else tr("{reasoning} reasoning blocks are kept", reasoning=reasoning)
        )
        yield tr(
            "{blocks}, but the reasoning depends on the removed messages. Providers that accept reasoning only "
            "with the original history would reject the trimmed history.",
            blocks=blocks,
        )
    if any(cut.note and cut.fitted is not None for cut in trimmed.cuts):
        yield tr("A note at the cut states how many messages were removed.")
    elif any(cut.note for cut in trimmed.cuts):
        yield tr(
            "The provider requires a user message at the beginning, so a note was added there. If you keep the "
            "first message, no note is needed."
        )
    remaining = sum(cut.unshrinkable for cut in trimmed.cuts)
    if remaining:
        yield tr(
            "{remaining} of these results are kept, because they contain images or shell state that text "
            "cannot replace.",
            remaining=remaining,
        )


def _end_sentences(trimmed: Trimmed) -> Iterator[str]:
    """Yield where the history of a session ends now, and whether that is earlier than asked."""
    places = Locator(trimmed.plan.draft.log)
    for cut in trimmed.cuts:
        if cut.end is not None:
            place = place_text(places.locate(cut.end))
            yield (
                tr("The history ends before {place}.", place=place)
                if cut.left >= cut.wanted
                else tr(
                    "The history ends before {place}, because the chosen message is part of a group of "
                    "messages that begins there and cannot be split.",
                    place=place,
                )
            )


def trim_preview(trimmed: Trimmed) -> TrimPreview:
    """Return the trimming as the window shows it.

    Tokens are shown for a single session only: they cannot be added up.
    """
    cuts = trimmed.cuts
    tokens = cuts[0].tokens if len(cuts) == 1 else ContextTokens()
    fitted = [cut.fitted for cut in cuts if cut.fitted is not None]
    if len(cuts) == len(fitted) == 1:
        tokens = ContextTokens(fitted[0].before, fitted[0].after)
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
        losses=tuple(loss_sentences(trimmed.repair_losses, trimmed.plan.draft.log)),
        accepted=trimmed.plan.refusals,
        changes_nothing=trimmed.changes_nothing,
        not_run=trimmed.plan.not_run,
        fit=tuple(line for each in fitted for line in fit_lines(each)),
    )


def trim_lines(trimmed: Trimmed) -> Iterator[str]:
    """Yield the trimming as text."""
    for cut in trimmed.cuts[:MAX_ROWS]:
        prefix = tr("session {id}: ", id=cut.session.id) if len(trimmed.cuts) > 1 else ""
        yield f"  {prefix}{_messages(cut)}{'' if cut.fitted else _tokens(cut)}"
        if cut.fitted is not None:
            yield from (f"  {line}" for line in fit_lines(cut.fitted))
    if len(trimmed.cuts) > MAX_ROWS:
        yield tr("  … and {number} more sessions", number=len(trimmed.cuts) - MAX_ROWS)
    yield tr(
        "  {bytes_before:,} bytes before, {bytes_after:,} after",
        bytes_before=trimmed.bytes_before,
        bytes_after=trimmed.bytes_after,
    )
    for kind, share in sorted(trimmed.shares.items()):
        yield tr("  removed: {count:,} × {kind}, {bytes:,} bytes", count=share.count, kind=kind, bytes=share.bytes)
    places = Locator(trimmed.plan.draft.log)
    for loss in trimmed.shrunk[:MAX_ROWS]:
        size = len(loss.text.encode("utf-8", "replace"))
        place = "" if loss.record is None else tr(" in {place}", place=place_text(places.locate(loss.record)))
        yield tr(
            "  {kind}{place}, {size:,} bytes: {reason}", kind=loss.kind, place=place, size=size, reason=loss.reason
        )
    if len(trimmed.shrunk) > MAX_ROWS:
        yield tr("  … and {number} more results", number=len(trimmed.shrunk) - MAX_ROWS)
    for sentence in trim_consequences(trimmed):
        yield f"  {sentence}"
    for sentence in loss_sentences(trimmed.repair_losses[:MAX_ROWS], trimmed.plan.draft.log):
        yield tr("  lost in the repair: {sentence}", sentence=sentence)
    for profile, refusal in trimmed.plan.refusals.items():
        answer = provider_answer_sentence(refusal, trimmed.plan.skipped_checks_of(profile))
        yield f"  {profile}: {answer}"


def fit_lines(fitted: FitOutcome) -> Iterator[str]:
    """Yield the window that a session was fitted into, its tokens before and after, and the largest tools."""
    fit = fitted.fit
    window = (
        tr("context window of {model}: {window:,} tokens ({source})")
        if fit.model
        else tr("context window: {window:,} tokens")
    )
    yield tr(window, model=fit.model, window=fit.window, source=fit.source)
    tokens = (
        tr(
            "{before:,} tokens before (measured by the provider) and about {after:,} tokens after, with "
            "{reserve:,} tokens reserved for the answer"
        )
        if fitted.is_measured
        else tr(
            "about {before:,} tokens before and {after:,} tokens after (both estimated), with {reserve:,} tokens "
            "reserved for the answer"
        )
    )
    yield tr(tokens, before=fitted.before, after=fitted.after, reserve=fit.reserve)
    if fitted.unrecorded:
        yield tr("system prompt and tools: {tokens:,} tokens", tokens=fitted.unrecorded)
    for tool, (before, after) in [*fitted.tools.items()][:_MOST_TOOLS]:
        yield tr("{tool}: {before:,} tokens before, {after:,} after", tool=one_line(tool), before=before, after=after)
    if fitted.shortened:
        yield tr_plural("{number:,} result is shortened", "{number:,} results are shortened", fitted.shortened)
    if fitted.images:
        yield tr_plural(
            "{number:,} image is replaced with a note", "{number:,} images are replaced with notes", fitted.images
        )


def _messages(cut: SessionTrimOutcome) -> str:
    if cut.left == cut.messages:
        return tr(
            "{messages}, none removed",
            messages=tr_plural("{number:,} message", "{number:,} messages", cut.messages),
        )
    return tr(
        "{messages} before, {left:,} after",
        messages=tr_plural("{number:,} message", "{number:,} messages", cut.messages),
        left=cut.left,
    )


def _tokens(cut: SessionTrimOutcome) -> str:
    before, after = cut.tokens.before, cut.tokens.after
    if before is None:
        return ""
    if after is None or after == before:
        return tr("; the last recorded context size is {before:,} tokens", before=before)
    return tr(
        "; the last recorded context size is {before:,} tokens, which trimming reduces to about {after:,}",
        before=before,
        after=after,
    )


class MessageCounts(Struct):
    """How many messages there were, are left and were wanted, and how many stay at the beginning besides those."""

    before: int
    after: int
    wanted: int
    in_front: int


class ToolTokens(Struct):
    """The tokens of the calls and results of a tool."""

    before: int
    after: int


class SessionFit(Struct):
    """What fitting did to a session, in tokens.

    `basis` says what `before` rests on: what the provider measured, or an estimate. `after` is always an estimate.
    `unrecorded` is the part of both that is not in the log: the system prompt and the tools.
    """

    model: str | None
    window: int
    reserve: int
    source: str | None
    basis: Literal["measured", "estimated"]
    before: int
    after: int
    unrecorded: int
    tools: dict[str, ToolTokens]
    results_shortened: int
    images_replaced: int


class SessionTrim(Struct):
    """What the trimming did to a session. `fit` is there if it was fitted into a context window."""

    messages: MessageCounts
    tokens: ContextTokens
    results_replaced: int
    note_added: bool
    fit: SessionFit | UnsetType = UNSET


class TrimmedSession(SessionEntry, kw_only=True):
    """A session of a checked log, with its trimming and its losses."""

    trimmed: SessionTrim | UnsetType = UNSET
    losses: list[Loss] | UnsetType = UNSET
    verified: dict[str, bool] | UnsetType = UNSET


class Sizes(Struct):
    """The size of the log in bytes."""

    before: int
    after: int


class TrimTotals(Struct):
    """What the trimming did to the log as a whole. `removed` is by the kind of block."""

    bytes: Sizes
    removed: dict[str, RemovedBlockTotals]
    records_removed: int
    consequences: list[str]


class TrimDocument(ReportDocument, kw_only=True):
    """The report of `trim`. `reason` says why no log was written (`output`). `command` resumes what was written."""

    output: str | None
    command: str | None = None
    reason: str | None
    trimmed: TrimTotals | UnsetType = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET
    sessions: list[TrimmedSession] = []


def trimmed_sessions(report: Report, trimmed: Trimmed | None) -> list[ChunkedSessionEntry[TrimmedSession]]:
    """Return the sessions of a checked log, each with its trimming and its losses."""
    chunks = chunked_session_entries(report, TrimmedSession)
    if trimmed is None:
        return chunks
    losses: list[list[Loss]] = [[] for _ in chunks]
    number_of = session_number_lookup(report)
    for loss in trimmed.losses():
        losses[number_of(loss.record or 0)].append(loss)
    for each, cut, lost in zip(chunks, trimmed.cuts, losses, strict=False):
        messages = MessageCounts(cut.messages, cut.left, cut.wanted, cut.kept_in_front)
        fit = _session_fit(cut.fitted) if cut.fitted is not None else UNSET
        each.session.trimmed = SessionTrim(messages, cut.tokens, cut.shrunk, cut.note, fit)
        each.session.losses = lost
        each.session.verified = {name: refusal is None for name, refusal in trimmed.plan.refusals.items()}
    return chunks


def _session_fit(fitted: FitOutcome) -> SessionFit:
    fit = fitted.fit
    return SessionFit(
        fit.model or None,
        fit.window,
        fit.reserve,
        fit.source or None,
        "measured" if fitted.is_measured else "estimated",
        fitted.before,
        fitted.after,
        fitted.unrecorded,
        {tool: ToolTokens(before, after) for tool, (before, after) in fitted.tools.items()},
        fitted.shortened,
        fitted.images,
    )


def trimmed_totals(trimmed: Trimmed) -> TrimTotals:
    """Return what the trimming did to the log as a whole."""
    sizes, records = Sizes(trimmed.bytes_before, trimmed.bytes_after), len(trimmed.records)
    return TrimTotals(sizes, trimmed.shares, records, list(trim_consequences(trimmed)))
