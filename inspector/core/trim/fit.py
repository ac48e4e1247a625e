"""Fit a history into a context window: shorten the oldest large results, then replace images, then cut the beginning.

A result keeps its beginning and its end, which say what was run and how it ended. Nothing is chosen that is not needed:
each step ends as soon as the history fits.
"""

from collections.abc import Callable, Container
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.context_usage import SHORTENED_MARK, BlockTokens, ContextUsage, measure_context
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.errors import NotVerified
from inspector.core.model.columnar_index import RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_views import replace_result_content
from inspector.core.providers.media import measure_media
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr
from inspector.core.trim.boundaries import CutPoint
from inspector.core.trim.options import Fit

_HEAD, _TAIL = 1500, 1000  # characters of a shortened result that stay
_WORTH_IT = 1000  # characters that a result must lose at least
UNMEASURED_MARGIN = 1.15  # the error of nine in ten estimates is smaller (see `resources/docs/context.md`)
CUT_NOTE = (
    "[The beginning of this conversation was " + SHORTENED_MARK + " it: {count} messages are no longer part of it.]"
)
_SHORTENED_NOTE = "\n[… {count:,} characters were " + SHORTENED_MARK + " the history …]\n"
_IMAGE_NOTE = "[{what} " + SHORTENED_MARK + " the history: {description}]"
SHORTENED_REASON = tr("shortened to fit the context window (the beginning and the end are kept)")
_IMAGE_REASON = tr("removed to fit the context window")


class FitOutcome(Struct):
    """What fitting did to a session: the tokens before and after, in all and by tool.

    `unrecorded` are those of what the agent sends besides the log: the system prompt and the tools. `is_measured`: the
    tokens before rest on what the provider measured; otherwise they are estimates. `shortened` and `images` are the
    numbers of results and of images that became notes, in whole or in part.
    """

    fit: Fit
    before: int
    after: int
    unrecorded: int
    is_measured: bool
    shortened: int
    images: int
    tools: dict[str, tuple[int, int]]


class _Replacement(Struct):
    """The new JSON of a block and its tokens (unscaled), with what is lost of it, and the reason."""

    json: bytes
    tokens: float
    losses: list[Loss]
    reason: str
    images: int = 0


class Fitter:
    """The fitting of one session: what fills its context, and the replacements of blocks that are needed."""

    def __init__(self, draft: Draft, context: ThreadContext, fit: Fit) -> None:
        self.draft, self.context, self.fit = draft, context, fit
        self.usage = measure_context(context, context.format.system_prompt(draft.log, context.session), fit.family)
        self.replacements: dict[tuple[int, int], _Replacement] = {}
        self._margin, self._total = 1.0, float(self.usage.total)
        if not self.fits and self.usage.measured is None:
            self._margin = UNMEASURED_MARGIN
        for make in (self._shortened, self._without_images):
            for block in self.usage.blocks:
                if self.fits:
                    return
                self._replace(block, make)

    @property
    def fits(self) -> bool:
        """Whether the history fits as far as it is shortened now."""
        return self._fits(self._total)

    def _fits(self, tokens: float) -> bool:
        """Whether so many tokens fit. What is in the log is estimated on the safe side where nothing was measured."""
        unrecorded = self.usage.unrecorded
        return unrecorded + (tokens - unrecorded) * self._margin <= self.fit.target

    @property
    def can_note_cut(self) -> bool:
        """Whether a note of the user can stand before any message. It tells the model what it no longer sees."""
        return not (self.context.profile.requires_alternation or isinstance(self.draft.log.source, AssembledSource))

    def _replace(self, block: BlockTokens, make: Callable[[BlockTokens], _Replacement | None]) -> None:
        if self.context.columns.marks[block.record] & RecordMark.INHERITED:
            return  # It is in another log, which is never changed.
        replacement = make(block)
        if replacement is not None:
            self._total -= self.usage.scale * (block.tokens - replacement.tokens)
            self.replacements[block.record, block.ordinal] = replacement

    def _shortened(self, block: BlockTokens) -> _Replacement | None:
        """Return a large result with only its beginning and its end, None where there is nothing to shorten."""
        if block.kind != BlockKind.RESULT or block.image_tokens:
            return None
        view = self.context.block_view(block.record, block.ordinal)
        if view is None or len(view.text) < _HEAD + _TAIL + _WORTH_IT:
            return None
        text = view.text
        note = _SHORTENED_NOTE.format(count=len(text) - _HEAD - _TAIL)
        new_text = f"{text[:_HEAD]}{note}{text[-_TAIL:]}"
        json = replace_result_content(self._block_json(block), new_text, self.context.format.block_schema)
        if json is None:
            return None
        reason = tr("a result of {count:,} characters is shortened", count=len(text))
        loss = Loss("result", text, SHORTENED_REASON, self.draft.original_record(block.record))
        return _Replacement(json, self.usage.family.tokens_of_text(new_text), [loss], reason)

    def _without_images(self, block: BlockTokens) -> _Replacement | None:
        """Return a block whose images and documents are notes, None where it has none."""
        make_text = self.context.format.block_schema.text
        if not block.image_tokens or make_text is None:
            return None
        json, notes, losses = self._block_json(block), "", list[Loss]()
        # From the last one on, so that the pointers of those before it stay valid.
        for medium in reversed(list(measure_media(parse_json(json), self.context.format.block_schema))):
            note = _IMAGE_NOTE.format(what="image" if medium.is_image else "document", description=medium.description)
            json = json_edits.replace_value(json, medium.pointer, dump_json(make_text(note)))
            notes += note
            losses.append(Loss("media", medium.description, _IMAGE_REASON, self.draft.original_record(block.record)))
        tokens = block.tokens - block.image_tokens + self.usage.family.tokens_of_text(notes)
        return _Replacement(json, tokens, losses[::-1], tr("images are replaced with notes"), len(losses))

    def _block_json(self, block: BlockTokens) -> bytes:
        context = self.context
        return context.format.block_bytes(context.columns, block.record, context.raw(block.record), block.ordinal)

    def fitting_cuts(self, points: list[CutPoint], head: int) -> list[CutPoint]:
        """Return the places where a cut makes the history fit, the best first: it removes little, and whole turns."""
        path, scale = self.context.thread.path, self.usage.scale
        tokens = dict.fromkeys(path, 0.0)
        for block in self.usage.blocks:
            tokens[block.record] += self._tokens_left(block)
        own = self.usage.system_tokens + self.usage.family.tokens_of_text(CUT_NOTE)
        fixed = self.usage.unrecorded + scale * (own + sum(tokens[record] for record in path[:head]))
        rest = [*accumulate((scale * tokens[record] for record in reversed(path)), initial=fixed)][::-1]
        fitting = [point for point in points if self._fits(rest[point.at])]
        whole_turns = [
            point
            for point in fitting
            if point.starts_with_user and point.is_valid_start and 2 * rest[point.at] >= rest[fitting[0].at]
        ]
        return [*whole_turns, *(point for point in fitting if point not in whole_turns)]

    def apply(self, removed: Container[int]) -> tuple[FitOutcome, list[Loss]]:
        """Carry out the replacements in records that stay. Returns what was done, and what is lost by them."""
        draft, losses, shortened, images = self.draft, list[Loss](), 0, 0
        for (record, ordinal), replacement in sorted(self.replacements.items()):
            if record in removed:
                continue
            draft.block_edits(record).replace[ordinal] = replacement.json
            draft.add_reason(record, "", replacement.reason, block=draft.block_origin(record, ordinal))
            losses += replacement.losses
            images += replacement.images
            shortened += not replacement.images
        left = [block for block in self.usage.blocks if block.record not in removed]
        after = ContextUsage(
            self.usage.family,
            self.usage.model,
            [replace(block, tokens=self._tokens_left(block)) for block in left],
            self.usage.system_tokens,
            scale=self.usage.scale,
            unrecorded=self.usage.unrecorded,
        )
        tools_after = after.by_tool()
        tools = {name: (tokens, tools_after.get(name, 0)) for name, tokens in self.usage.by_tool().items()}
        is_measured = self.usage.measured is not None
        before, unrecorded = self.usage.total, self.usage.unrecorded
        return FitOutcome(self.fit, before, after.total, unrecorded, is_measured, shortened, images, tools), losses

    def _tokens_left(self, block: BlockTokens) -> float:
        replacement = self.replacements.get((block.record, block.ordinal))
        return block.tokens if replacement is None else replacement.tokens

    def refusal(self) -> NotVerified:
        """Return the error for a history that does not fit however it is shortened."""
        return NotVerified(
            tr(
                "The history cannot be shortened to {target:,} tokens. The system prompt and the tools need "
                "{unrecorded:,} tokens, and the history after the last possible cut point is too long. Choose "
                "a larger context window.",
                target=self.fit.target,
                unrecorded=self.usage.unrecorded,
            )
        )
