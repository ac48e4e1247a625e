"""Ready lists of an open log: turns, the largest records, the longest waits, failed tools, the files touched.

Only the rows of a list are parsed, but for waits and files, which every record or call may have: those can be stopped.

Merged; to be rewritten:
`landmarks`: What there is to steer by in a log: its tools, how many rows each word of a filter leaves, what went wrong
where.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import nlargest
from itertools import islice, pairwise

from inspector.core.analysis.tool_effects import target_files
from inspector.core.errors import Cancelled, UnknownName
from inspector.core.formats.base.format import IsCancelled
from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView
from inspector.core.presentation.details import typed_text
from inspector.core.presentation.formatting import seconds_between, summarize_call
from inspector.core.presentation.outline import NodeKind
from inspector.core.presentation.results import Facets, ListRow
from inspector.core.search.index import SearchIndex
from inspector.core.storage.json_text import parse_json

# So many rows of a list at most; the largest, or the first.
MAX_ROWS = 2000
_CHARS = 300
_Interruptible = Callable[[Iterable[int]], Iterator[int]]


def list_rows(ground: SearchIndex, name: str, cancelled: IsCancelled | None = None) -> list[ListRow]:
    """The rows of a list, by its name in LISTS. Raises UnknownName, Cancelled."""
    make = READY_LISTS.get(name)
    if make is None:
        raise UnknownName(f"There is no list {name}: {', '.join(READY_LISTS)}.")
    return list(make(ground, _cancellable(cancelled)))


def _cancellable(cancelled: IsCancelled | None) -> _Interruptible:
    """A function that passes numbers on, one by one, and raises Cancelled when the listing is stopped."""

    def go_on(numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            if cancelled is not None and cancelled():
                raise Cancelled("Listing was cancelled.")
            yield number

    return go_on


def _turns(ground: SearchIndex, go_on: _Interruptible) -> Iterator[ListRow]:
    """What the person asked, with how many rows came of it and how long that took, in milliseconds."""
    outline = ground.outline
    turns = [node for node in range(len(outline)) if outline.kind[node] == NodeKind.TURN]
    asked = (node for node in go_on(turns[:MAX_ROWS]) if not _is_injected(ground, node))
    times = {node: ground.record_time(outline.record[node]) for node in asked}
    ends = dict(pairwise(times))
    for node in go_on(times):
        yield _row(ground, node, _milliseconds(times[node], times.get(ends.get(node, -1), "")), outline.count[node])


def _largest(ground: SearchIndex, go_on: _Interruptible) -> Iterator[ListRow]:
    """The largest records, in bytes."""
    starts, ends = ground.opened.starts, ground.opened.ends
    largest = nlargest(MAX_ROWS // 10, range(len(starts)), key=lambda record: ends[record] - starts[record])
    for record in go_on(largest):
        if (node := ground.outline.node_of_record[record]) > 0:
            yield _row(ground, node, ends[record] - starts[record])


def _waits(ground: SearchIndex, go_on: _Interruptible) -> Iterator[ListRow]:
    """The longest times between a record and the one before it, in milliseconds: what came after the wait."""
    nodes, last, waits = ground.outline.node_of_record, "", []
    for record in go_on(range(len(ground.log_columns[0]))):
        now = ground.record_time(record)
        wait = _milliseconds(last, now)
        if wait > 0 and nodes[record] > 0:
            waits.append((wait, record))
        last = now or last
    for wait, record in nlargest(MAX_ROWS // 10, waits):
        yield _row(ground, ground.outline.node_of_block(record, 0), wait)


def _failed(ground: SearchIndex, go_on: _Interruptible) -> Iterator[ListRow]:
    """The results that were marked as failed, each with its tool."""
    rows = ground.rows
    for node in go_on(islice(rows.nodes_in(rows.rows_in_state("failed") & rows.rows_in_state("result")), MAX_ROWS)):
        peer = ground.outline.peer[node]
        call = _block(ground, peer) if peer > 0 else None
        yield _row(ground, node, 0, what=call.name if call else "")


def _files(ground: SearchIndex, go_on: _Interruptible) -> Iterator[ListRow]:
    """The files that calls name: how often, by which tools, and where last."""
    found: dict[str, tuple[int, int, dict[str, None]]] = {}
    outline, rows = ground.outline, ground.rows
    for node in go_on(sorted(rows.nodes_in(rows.rows_in_state("call")), key=outline.record.__getitem__)):
        block = _block(ground, node)
        for path in _paths(block.text) if block else ():
            count, _, tools = found.get(path, (0, 0, {}))
            found[path] = (count + 1, node, tools | {block.name: None} if block else tools)
    most = nlargest(MAX_ROWS, found.items(), key=lambda each: each[1][0])
    for path, (count, node, tools) in most:
        yield ListRow(node, outline.record[node], ", ".join(tools), path, count)


def _paths(given: str) -> list[str]:
    try:
        return list(dict.fromkeys(target_files(parse_json(given.encode("utf-8", "replace")))))
    except ValueError:
        return target_files(given)


def _row(ground: SearchIndex, node: int, measure: int, count: int = 0, what: str = "") -> ListRow:
    """A row that tells of a node: of its own block, else of the first that says or calls something."""
    record = ground.outline.record[node]
    view, block = ground.view_record(record), _block(ground, node)
    block = block or next((each for each in view.blocks if each.kind != BlockKind.THINKING), None)
    text = view.summary if block is None else block.text
    if block is not None and block.kind in CALL_KINDS:
        text = f"{block.name} {summarize_call(text, ground.opened.overview.folder)}"
    return ListRow(node, record, what or view.role, text[:_CHARS], measure, count)


def _is_injected(ground: SearchIndex, node: int) -> bool:
    """Whether a program put all that a turn begins with where the person types."""
    blocks = ground.view_record(ground.outline.record[node]).blocks if ground.outline.record[node] >= 0 else ()
    return bool(blocks) and all(block.kind == BlockKind.TEXT and typed_text(block.text)[1] for block in blocks)


def _block(ground: SearchIndex, node: int) -> BlockView | None:
    """The block that a row is."""
    record, number = ground.outline.record[node], ground.outline.block[node]
    blocks = ground.view_record(record).blocks if record >= 0 <= number else ()
    return blocks[number] if 0 <= number < len(blocks) else None


def _milliseconds(before: str, after: str) -> int:
    """The time from one to another, -1 where either is not told."""
    lasted = seconds_between(before, after)
    return -1 if lasted is None else round(lasted * 1000)


READY_LISTS = {"turns": _turns, "largest": _largest, "waits": _waits, "failed": _failed, "files": _files}


# What there is to steer by in a log: its tools, how many rows each word of a filter leaves, what went wrong where.

# The words that are offered with a click where they leave anything.
FACET_STATES = ("error", "warning", "unanswered", "orphan", "pending", "failed")


def compute_facets(ground: SearchIndex) -> Facets:
    """The landmarks of an open log."""
    rows, tools = ground.rows, Counter[str]()
    for part in ground.log_columns:
        tools.update(part.names[row] or "" for row in part.block_rows_of_kind(BlockKind.CALL))
    del tools[""]
    states = {state: (rows.rows_in_state(state) & rows.all_rows).bit_count() for state in FACET_STATES}
    return Facets(
        dict(sorted(tools.items())),
        {state: count for state, count in states.items() if count},
        array("i", rows.nodes_in(rows.rows_in_state("failed") & rows.rows_in_state("result"))),
        array("i", rows.nodes_in(rows.rows_in_state("compaction"))),
    )
