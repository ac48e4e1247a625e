"""What fills the context window of a session: tokens by tool, file and kind of block.

Tokens are estimated (see `token_estimates`). Where the log holds what the provider measured, two measurements and what
was added between them give the scale of the estimate, and what the newest one has beyond the blocks of the log is the
system prompt, the definitions of tools, and whatever else the agent sends without recording it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import orjson
from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.formats.base.registry import safe_view
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import BlockFlag, RecordMark, Role
from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView, RecordView
from inspector.core.providers.media import measure_media
from inspector.core.providers.token_estimates import TokenFamily, family_for
from inspector.core.storage.json_text import parse_json

_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_FILE = lazy_regex(
    r'"(?:file_?path|path|absolute_?path|notebook_?path|target_?file|file)"\s*:\s*("(?:[^"\\]|\\.)+")'
    r"|\*\*\* (?:Update|Add|Delete) File: ([^\n\"\\]+)",
)
_LOOK = 4000  # characters of the input of a call in which the file is looked for; it comes before the content
# The notes with which `trim` replaces what it removes. A count is added to the estimate where it is compared with what
# was measured before. If a note has no count, nothing that was measured before is a measure of what is left.
SHORTENED_MARK = "removed to shorten"
_COUNTED_NOTE = lazy_regex(r"([0-9,]{1,15}) (?:characters|bytes) were " + SHORTENED_MARK)
# Tokens of the system prompt and the tools, by the format of the agent, where a log measures nothing: medians of the
# recorded sessions of Claude Code (18), Codex (1) and Gemini CLI (1), and what Qwen Code 0.24.4 was seen to send.
TYPICAL_UNRECORDED = {"claude-code": 25_000, "codex": 5_000, "gemini-cli": 6_000, "qwen-code": 11_000}
_SHORTER = 0.95  # of the measurement before it: then the history was compacted or shortened in between
_SMALLEST_SPAN = 2000.0  # estimated tokens between two measurements that give a scale
_SCALES = 0.5, 2.0
_FARTHEST = 2.0  # an estimate this far above the measurement is of something else, such as what a compaction hides


class BlockTokens(Struct, frozen=True, gc=False):
    """A block of the path, by its record and ordinal: its estimated tokens, and the tool and file that it is of.

    `image_tokens` is the part of `tokens` that images and documents take.
    """

    record: int
    ordinal: int
    kind: BlockKind
    role: int
    tokens: float
    image_tokens: int = 0
    tool: str = ""
    file: str = ""


class ContextUsage(Struct):
    """The tokens of a session's context.

    `blocks` are those of the path, in order, with unscaled estimates. `measured` is the context that the provider
    measured last, None where the log holds no measurement that is valid for what it holds. `scale` is how many tokens
    of the provider an estimated one is. `unrecorded` are the tokens that were measured beyond the blocks, or are
    typical of the agent. `growth_estimated` and `growth_measured` are what was added between the first and the last
    valid measurement.
    """

    family: TokenFamily
    model: str
    blocks: list[BlockTokens]
    system_tokens: float = 0.0
    measured: int | None = None
    scale: float = 1.0
    unrecorded: int = 0
    growth_estimated: float = 0.0
    growth_measured: int = 0

    @property
    def total(self) -> int:
        """The tokens of the whole context."""
        return self.total_of(self.blocks)

    def total_of(self, blocks: list[BlockTokens]) -> int:
        """Return the tokens of the context with only these blocks."""
        return self.unrecorded + round(self.scale * (self.system_tokens + sum(block.tokens for block in blocks)))

    def by_kind(self) -> dict[str, int]:
        """Return the tokens of each kind of content that takes any, the largest first."""
        shares: Counter[str] = Counter()
        for block in self.blocks:
            shares["images"] += block.image_tokens
            shares[_kind_of(block)] += block.tokens - block.image_tokens  # type: ignore[assignment]
        shares["system"] += self.system_tokens  # type: ignore[assignment]
        return self._scaled(shares) | ({"unrecorded": self.unrecorded} if self.unrecorded else {})

    def by_tool(self) -> dict[str, int]:
        """Return the tokens of the calls and results of each tool, the largest first."""
        return self._scaled(self._summed("tool"))

    def by_file(self) -> dict[str, int]:
        """Return the tokens of the calls and results about each file, the largest first."""
        return self._scaled(self._summed("file"))

    def _summed(self, name: str) -> Counter[str]:
        shares: Counter[str] = Counter()
        for block in self.blocks:
            shares[getattr(block, name)] += block.tokens  # type: ignore[assignment]
        del shares[""]
        return shares

    def _scaled(self, shares: Counter[str]) -> dict[str, int]:
        scaled = {name: round(self.scale * tokens) for name, tokens in shares.most_common()}
        return {name: tokens for name, tokens in scaled.items() if tokens}


def _kind_of(block: BlockTokens) -> str:
    if block.kind in CALL_KINDS:
        return "calls"
    if block.kind in _RESULTS:
        return "results"
    if block.kind == BlockKind.THINKING:
        return "thinking"
    if block.role == Role.SYSTEM:
        return "system"
    return "answers" if block.role == Role.ASSISTANT else "prompts"


def measure_context(context: ThreadContext, system_prompt: str = "", family: TokenFamily | None = None) -> ContextUsage:
    """Return what fills the context of a thread. Reads every record of its path.

    `system_prompt` is what the log holds of it apart from the messages. `family` is that of the model to estimate for,
    by default the one that the log names.
    """
    views = list(_views(context))
    models = (view.model for _, view in reversed(views) if view.model and not view.model.startswith("<"))
    model = next(models, "")  # Claude Code names "<synthetic>" for messages of its own
    own_family = family_for(model or context.session.model, context.profile.name)
    usage = _measure(context, views, own_family, system_prompt)
    usage.model = model or context.session.model
    if family is None or family == own_family:
        return usage
    other = _measure(context, views, family, system_prompt)
    other.model, other.measured, other.scale = usage.model, None, usage.scale
    other.unrecorded = round(usage.unrecorded * own_family.letters / family.letters)
    return other


def _measure(
    context: ThreadContext, views: list[tuple[int, RecordView]], family: TokenFamily, system_prompt: str
) -> ContextUsage:
    usage = ContextUsage(family, "", [], family.tokens_of_text(system_prompt))
    calls: dict[str, tuple[str, str]] = {}
    measurements: list[tuple[float, int]] = []
    estimate, farthest, is_shortened = usage.system_tokens, 0.0, False
    for record, view in views:
        before = estimate
        if record in context.path_positions:
            blocks = list(_record_blocks(context, record, view, family, calls))
            usage.blocks += blocks
            estimate += sum(block.tokens for block in blocks)
            for text in (block.text for block in view.blocks if SHORTENED_MARK in block.text):
                counts = _COUNTED_NOTE.findall(text)
                is_shortened |= not counts
                removed = sum(int(count.replace(",", "")) for count in counts)
                estimate += removed * family.tokens_of_text(text) / len(text)
        if view.tokens_in:
            is_answer = context.columns.roles[record] == Role.ASSISTANT
            point = (before, view.tokens_in) if is_answer else (estimate, view.tokens_in + (view.tokens_out or 0))
            if measurements and point[1] < _SHORTER * measurements[-1][1]:
                measurements, is_shortened = [], False
            if not measurements or point[1] != measurements[-1][1]:
                measurements.append(point)  # the fragments of one message have the same measurement
            farthest = point[0]
    if measurements and not is_shortened and farthest <= _FARTHEST * measurements[-1][1]:
        _calibrate(usage, measurements[0], measurements[-1])
    else:
        usage.unrecorded = TYPICAL_UNRECORDED.get(context.format.name, 0)
    return usage


def _calibrate(usage: ContextUsage, first: tuple[float, int], last: tuple[float, int]) -> None:
    """Take over two measurements: each is the estimate up to it, and what was measured there."""
    usage.measured = last[1]
    usage.growth_estimated, usage.growth_measured = last[0] - first[0], last[1] - first[1]
    if last[0] - first[0] >= _SMALLEST_SPAN:
        low, high = _SCALES
        usage.scale = min(max((last[1] - first[1]) / (last[0] - first[0]), low), high)
    usage.unrecorded = max(round(last[1] - usage.scale * last[0]), 0)


def _views(context: ThreadContext) -> Iterator[tuple[int, RecordView]]:
    """Yield the records of the path that are sent, with their views, and in their place metadata with measurements."""
    columns, path = context.columns, list(context.thread.path)
    records = path
    if path == sorted(path):
        events = (record for record in context.session.records if columns.roles[record] in (Role.OPAQUE, Role.LINK))
        metadata = {record for record in events if b"token" in (raw := context.raw(record)) or b"usage" in raw}
        records = sorted({*path, *metadata})
    not_sent = RecordMark.API_ERROR | RecordMark.NOT_SENT
    for record in (record for record in records if not columns.marks[record] & not_sent):
        yield record, safe_view(context.format, context.raw(record), context.session.faults)


def _record_blocks(
    context: ThreadContext, record: int, view: RecordView, family: TokenFamily, calls: dict[str, tuple[str, str]]
) -> Iterator[BlockTokens]:
    """Yield the blocks of a record. `calls` are the tools and files of the calls so far, by id."""
    columns = context.columns
    by_pointer: dict[str, BlockView] = {block.pointer: block for block in reversed(view.blocks)}
    for ordinal, row in enumerate(columns.block_rows(record)):
        block = by_pointer.get(context.format.pointer(columns, record, ordinal))
        if block is None:
            continue
        kind, call_id = BlockKind(columns.block_kinds[row]), columns.call_ids[row] or ""
        tool = file = ""
        if kind in CALL_KINDS:
            tool, file = columns.names[row] or block.name, _file_in(block.text)
            calls[call_id] = tool, file
        elif kind in _RESULTS:
            tool, file = calls.get(call_id, (columns.names[row] or block.name, ""))
        has_media = kind == BlockKind.MEDIA or (kind == BlockKind.RESULT and columns.block_flags[row] & BlockFlag.MEDIA)
        images = _image_tokens(context, record, ordinal, family) if has_media else 0
        text = 0.0 if kind == BlockKind.MEDIA else family.tokens_of_text(block.text)
        yield BlockTokens(record, ordinal, kind, columns.roles[record], text + images, images, tool, file)


def _image_tokens(context: ThreadContext, record: int, ordinal: int, family: TokenFamily) -> int:
    block = parse_json(context.format.block_bytes(context.columns, record, context.raw(record), ordinal))
    media = measure_media(block, context.format.block_schema)
    return sum(family.tokens_of_image(medium.width, medium.height) for medium in media)


def _file_in(arguments: str) -> str:
    """Return the path of the file that a call reads or edits, "" where it names none."""
    found = _FILE.search(arguments[:_LOOK])
    if found is None:
        return ""
    return str(orjson.loads(found[1].encode("utf-8", "replace"))) if found[1] else found[2].strip()
