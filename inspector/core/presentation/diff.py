"""Comparing a record with what a plan makes of it: line by line, and word by word where a line is another.

Bounded, however large the records are: what both begin and end with is cut off first, what is left is aligned only
where it is short, and what is given is clipped.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from inspector.core.check.check import Report
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.views import BlockKind
from inspector.core.presentation.detail_pieces import DetailPiece, PieceKind, RecordDetails, strip_ansi
from inspector.core.presentation.details import details_of_record
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffSide, DiffViewOptions, MarkedText
from inspector.core.repair.plan import Plan
from inspector.core.storage.json_text import dump_json, is_valid_json, parse_json
from inspector.core.translation import tr

_ALIGNED = 1500  # lines or words that are aligned
_STEPS = 50_000_000  # of aligning what repeats: a second. The time grows with the cube of that
_AROUND = 3  # lines of what is the same, beside a change
_MOST, _MOST_UNFOLDED = 150, 200
_LINE = 2000  # characters of a line
_CHANGED = 8000  # characters of what is another
_BESIDE = 120  # characters of a long line beside a change in it
_FIELD = 300
_PICTURE = 512 * 1024
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_KINDS = {
    BlockKind.OTHER: tr("other"),
    BlockKind.TEXT: tr("text"),
    BlockKind.THINKING: tr("thinking"),
    BlockKind.CALL: tr("call"),
    BlockKind.RESULT: tr("result"),
    BlockKind.SERVER_CALL: tr("server call"),
    BlockKind.SERVER_RESULT: tr("server result"),
    BlockKind.MEDIA: tr("media"),
    BlockKind.TOLD_RESULT: tr("result as text"),
}

# A record in parts.
PartsReader: TypeAlias = Callable[[bytes], RecordDetails]


class LinePresentation(NamedTuple):
    """How lines are shown: the style of their run, and the piece that they belong to."""

    style: str = ""
    kind: PieceKind = PieceKind.PROSE
    title: str = ""
    gutter: bool = False
    picture: str = ""

    def to_side(self, words: MarkedText) -> DiffSide:
        return DiffSide(words, *self[1:]) if words else DiffSide()


# A line of a record, and how it is shown.
Line: TypeAlias = tuple[str, LinePresentation]

_SAID, _HEADING, _FIELDS, _AS_JSON = (
    LinePresentation(),
    LinePresentation("heading"),
    LinePresentation("field"),
    LinePresentation(kind=PieceKind.JSON),
)


def diff_records(
    plan: Plan, report: Report, requests: Iterable[DiffRequest], options: DiffViewOptions
) -> tuple[tuple[DiffRun, ...], ...]:
    """Compare each requested record with its planned version."""
    draft = plan.draft

    def parts(raw: bytes) -> RecordDetails:
        return details_of_record(report.format.name, safe_view(report.format, raw, report.log.faults), raw)

    def compared(request: DiffRequest) -> tuple[DiffRun, ...]:
        before = draft.log.raw(request.slot) if request.slot < draft.original_count else None
        return diff_record(
            before, None if request.mark == "removed" else draft.slot_bytes(request.slot), parts, options
        )

    return tuple(map(compared, requests))


def diff_record(
    before: bytes | None, after: bytes | None, parts: PartsReader, options: DiffViewOptions
) -> tuple[DiffRun, ...]:
    """Compare one record with its planned version; None where it did not exist, or will not exist."""
    before_lines, after_lines = (_json_lines(raw) if options.as_json else _lines(raw, parts) for raw in (before, after))
    if before_lines == after_lines and before != after:
        before_lines, after_lines = (
            _json_lines(before),
            _json_lines(after),
        )  # the change is in nothing that the details show
    runs = _runs(before_lines, after_lines, before is None or after is None, options.unfolded)
    return tuple(_cut(runs, _MOST_UNFOLDED if options.unfolded else _MOST))


def _json_lines(raw: bytes | None) -> list[Line]:
    if raw is None:
        return []
    with suppress(msgspec.DecodeError, RecursionError):  # A damaged or too deeply nested record is shown as it is.
        raw = msgspec.json.format(raw, indent=2)
    return [(line, _AS_JSON) for line in raw.decode("utf-8", "backslashreplace").split("\n")]


def _lines(raw: bytes | None, parts: PartsReader) -> list[Line]:
    """Return a record as lines of text: its blocks, piece by piece, then its other members."""
    if raw is None:
        return []
    shown = parts(raw)
    lines: list[Line] = []
    for part in shown.parts:
        title = (_KINDS[part.kind], part.name, part.call_id, tr("marked as failed") if part.is_error else "")
        lines.append((" · ".join(filter(None, title)), _HEADING))
        for piece in part.pieces:
            lines += _of_piece(piece)
    if not shown.parts:
        lines += [(line, _SAID) for line in shown.summary.split("\n")]
    value = parse_json(raw) if is_valid_json(raw) else None
    return lines + [(line, _FIELDS) for line in _fields(value, {part.pointer for part in shown.parts})]


def _of_piece(piece: DetailPiece) -> list[Line]:
    if piece.kind == PieceKind.IMAGE:
        return [
            (piece.title, LinePresentation(kind=piece.kind, picture=piece.text if len(piece.text) <= _PICTURE else ""))
        ]
    look = LinePresentation("", piece.kind, piece.title, piece.gutter)
    rows = ("\t".join(" ".join(cell.split()) for cell in row) for row in piece.rows)
    return [(line, look) for line in (rows if piece.rows else piece.text.split("\n"))]


def _fields(value: Any, blocks: set[str]) -> Iterator[str]:
    """Yield the members of a record that are not blocks, one line each."""
    pending = [("", value)]
    while pending:
        pointer, value = pending.pop()
        if pointer in blocks:
            continue
        if isinstance(value, (dict, list)):
            members = value.items() if isinstance(value, dict) else enumerate(value)
            pending += reversed([(f"{pointer}/{key}", member) for key, member in members])
        elif pointer:
            yield f"{pointer[1:].replace('/', '.')}: {_clipped(dump_json(value).decode('utf-8', 'replace'), _FIELD)}"


def _runs(before: list[Line], after: list[Line], alone: bool, unfolded: bool) -> Iterator[DiffRun]:
    opcodes = _opcodes(before, after)
    for place, (tag, i, j, k, m) in enumerate(opcodes):
        if tag != "equal" and not alone:
            yield from _changed(before[i:j], after[k:m])
            continue
        shown = before[i:j] or after[k:m]
        fold = not unfolded
        for look, lines in _grouped(shown):
            texts = [text for text, _ in lines]
            if fold and look.style == "field":
                yield DiffRun("folded", look.style, count=len(texts))
            elif alone:
                words = ((_joined(texts), False),)
                yield DiffRun(
                    "changed", look.style, look.to_side(words if before else ()), look.to_side(words if after else ())
                )
            elif fold and look.style == "":
                head, tail = _AROUND if place else 0, _AROUND if place + 1 < len(opcodes) else 0
                yield from _folded(texts, look, head if len(opcodes) > 1 else _AROUND, tail)
            else:
                yield _same(texts, look)


def _grouped(lines: Iterable[Line]) -> Iterator[tuple[LinePresentation, list[Line]]]:
    """Group consecutive lines that have the same style."""
    for look, group in groupby(lines, key=itemgetter(1)):
        yield look, list(group)


def _folded(texts: list[str], look: LinePresentation, head: int, tail: int) -> Iterator[DiffRun]:
    """Yield unchanged lines; those away from a change are folded."""
    if len(texts) <= head + tail + 1:
        yield _same(texts, look)
        return
    if head:
        yield _same(texts[:head], look)
    yield DiffRun("folded", count=len(texts) - head - tail)
    if tail:
        yield _same(texts[-tail:], look)


def _same(texts: list[str], look: LinePresentation) -> DiffRun:
    side = look.to_side(((_joined(texts), False),))
    return DiffRun("same", look.style, side, side)


def _changed(before: list[Line], after: list[Line]) -> Iterator[DiffRun]:
    """Yield the lines that differ: those of one style side by side, piece by piece."""
    for style in dict.fromkeys(look.style for _, look in (*before, *after)):
        sides = (list(_grouped(line for line in side if line[1].style == style)) for side in (before, after))
        for one, other in zip_longest(*sides, fillvalue=(_SAID, [])):
            # Words are compared without terminal colours, whose escape sequences would be split.
            words = _words(*(strip_ansi("\n".join(text for text, _ in lines)) for _, lines in (one, other)))
            yield DiffRun("changed", style, one[0].to_side(words[0]), other[0].to_side(words[1]))


def _opcodes(before: list[Line], after: list[Line]) -> list[tuple[str, int, int, int, int]]:
    """Return the difflib opcodes from one side to the other; what is too long to align is replaced as a whole."""
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    i, k = len(before) - tail, len(after) - tail
    opcodes = [("equal", 0, head, 0, head)] if head else []
    if max(i, k) - head <= _ALIGNED:
        aligned = _aligned(before[head:i], after[head:k])
        opcodes += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in aligned]
    else:
        opcodes.append(("replace", head, i, head, k))
    return opcodes + ([("equal", i, len(before), k, len(after))] if tail else [])


def _aligned(one: Sequence[Hashable], other: Sequence[Hashable]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the opcodes for short sequences.

    Where much repeats, difflib ignores frequent items (autojunk) to save time.
    """
    other_counts, counts = Counter(one), Counter(other)
    pairs = sum(count * other_counts[item] for item, count in counts.items())
    repeats = pairs * max(len(one), len(other)) > _STEPS
    return SequenceMatcher(None, one, other, autojunk=repeats).get_opcodes()


def _words(before: str, after: str) -> tuple[MarkedText, MarkedText]:
    """Return two texts with the words marked that the other one does not have.

    Of a long common beginning or end, only the part next to the change is kept.
    """
    if not before or not after:
        return _whole(before), _whole(after)
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    middles = [text[head : len(text) - tail] for text in (before, after)]
    one, other = (_WORDS.findall(text) if len(text) <= _CHANGED else [] for text in middles)
    if not one or not other or max(len(one), len(other)) > _ALIGNED:
        marked = [[(_clipped(text, _CHANGED), True)] for text in middles]
    else:
        marked = [[], []]
        for tag, i, j, k, m in _aligned(one, other):
            marked[0].append(("".join(one[i:j]), tag != "equal"))
            marked[1].append(("".join(other[k:m]), tag != "equal"))
    first, last = before[:head], before[len(before) - tail :]
    first = first if len(first) <= _BESIDE * 2 else f"… {first[-_BESIDE:]}"
    last = last if len(last) <= _BESIDE * 2 else f"{last[:_BESIDE]} …"
    return _told(first, marked[0], last), _told(first, marked[1], last)


def _whole(text: str) -> MarkedText:
    return ((_clipped(text, _CHANGED), False),) if text else ()


def _told(first: str, changed: list[tuple[str, bool]], last: str) -> MarkedText:
    return tuple(piece for piece in ((first, False), *changed, (last, False)) if piece[0])


def _shared(one: Any, other: Any) -> int:
    """Return the length of the common prefix of two texts or two lists."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _joined(texts: list[str]) -> str:
    return "\n".join(_clipped(text, _LINE) for text in texts)


def _clipped(text: str, most: int) -> str:
    return (
        text
        if len(text) <= most
        else tr("{text} … ({number:,} more characters)", text=text[:most], number=len(text) - most)
    )


def _cut(runs: Iterable[DiffRun], most: int) -> Iterator[DiffRun]:
    """Yield the first runs, up to `most` lines and a hundred times as many characters, and count the rest."""
    room, rest = most, 0
    for run in runs:
        sides = (run.before.words, run.after.words)
        height = max(sum(text.count("\n") + len(text) / 100 for text, _ in side) for side in sides)
        if room <= 0:
            rest += run.count or int(height) + 1
        elif height <= room:
            yield run
        else:
            before, after = (replace(side, words=_first(side.words, room)) for side in (run.before, run.after))
            yield DiffRun(run.kind, run.style, before, after)
            rest += int(height - room) + 1
        room -= int(height) + 1
    if rest > 0:
        yield DiffRun("folded", "rest", count=rest)


def _first(words: MarkedText, lines: int) -> MarkedText:
    """Return the first lines of a side."""
    kept: list[tuple[str, bool]] = []
    room = lines * 100
    for text, changed in words:
        parts = text[: max(room, 0)].split("\n", lines)
        kept.append(("\n".join(parts[:lines]), changed))
        lines, room = lines - len(parts) + 1, room - len(text)
        if lines <= 0 or room <= 0:
            break
    return tuple(kept)
