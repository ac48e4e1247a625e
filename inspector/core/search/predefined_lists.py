"""Ready lists of an open log (turns, largest records, longest waits, failed tools, files touched) and its facets.

Only the rows of a list are parsed, except for waits and files, which need every record or call. Those lists can be
cancelled. The facets are the tools of a log and the number of rows that some filter words keep.
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
from inspector.core.presentation.details import text_typed_by_user
from inspector.core.presentation.engine_results import Facets, PredefinedListRow
from inspector.core.presentation.formatting import seconds_between, summarize_call
from inspector.core.presentation.outline import NodeKind
from inspector.core.search.row_masks import SearchableLog
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

# The maximum number of rows of a list: the largest, or the first.
MAX_ROWS = 2000
_CHARS = 300
_Interruptible = Callable[[Iterable[int]], Iterator[int]]


def predefined_list_rows(
    ground: SearchableLog, name: str, cancelled: IsCancelled | None = None
) -> list[PredefinedListRow]:
    """Return the rows of a list, by its name in CONTENT_LIST_FUNCTIONS. Raises UnknownName, Cancelled."""
    make = CONTENT_LIST_FUNCTIONS.get(name)
    if make is None:
        raise UnknownName(
            tr(
                "There is no list named {name}. The available lists are {content_list_functions}.",
                name=name,
                content_list_functions=", ".join(CONTENT_LIST_FUNCTIONS),
            )
        )
    return list(make(ground, _cancellable(cancelled)))


def _cancellable(cancelled: IsCancelled | None) -> _Interruptible:
    """Return a function that passes numbers on one by one and raises Cancelled when the listing is cancelled."""

    def go_on(numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            if cancelled is not None and cancelled():
                raise Cancelled(tr("Listing was canceled."))
            yield number

    return go_on


def _turns(ground: SearchableLog, go_on: _Interruptible) -> Iterator[PredefinedListRow]:
    """Yield the turns that a person began, with their number of rows and their duration in milliseconds."""
    outline = ground.outline
    turns = [node for node in range(len(outline)) if outline.kind[node] == NodeKind.TURN]
    asked = (node for node in go_on(turns[:MAX_ROWS]) if not _is_injected(ground, node))
    times = {node: ground.record_time(outline.record[node]) for node in asked}
    ends = dict(pairwise(times))
    for node in go_on(times):
        yield _row(ground, node, _milliseconds(times[node], times.get(ends.get(node, -1), "")), outline.count[node])


def _largest(ground: SearchableLog, go_on: _Interruptible) -> Iterator[PredefinedListRow]:
    """Yield the largest records, in bytes."""
    starts, ends = ground.opened.starts, ground.opened.ends
    largest = nlargest(MAX_ROWS // 10, range(len(starts)), key=lambda record: ends[record] - starts[record])
    for record in go_on(largest):
        if (node := ground.outline.node_of_record[record]) > 0:
            yield _row(ground, node, ends[record] - starts[record])


def _waits(ground: SearchableLog, go_on: _Interruptible) -> Iterator[PredefinedListRow]:
    """Yield the longest times between a record and the one before it, in milliseconds, at the later record."""
    nodes, last, waits = ground.outline.node_of_record, "", []
    for record in go_on(range(len(ground.log_columns[0]))):
        now = ground.record_time(record)
        wait = _milliseconds(last, now)
        if wait > 0 and nodes[record] > 0:
            waits.append((wait, record))
        last = now or last
    for wait, record in nlargest(MAX_ROWS // 10, waits):
        yield _row(ground, ground.outline.node_of_block(record, 0), wait)


def _failed(ground: SearchableLog, go_on: _Interruptible) -> Iterator[PredefinedListRow]:
    """Yield the results that were marked as failed, each with its tool."""
    rows = ground.rows
    for node in go_on(islice(rows.nodes_in(rows.rows_in_state("failed") & rows.rows_in_state("result")), MAX_ROWS)):
        peer = ground.outline.peer[node]
        call = _block(ground, peer) if peer > 0 else None
        yield _row(ground, node, 0, what=call.name if call else "")


def _files(ground: SearchableLog, go_on: _Interruptible) -> Iterator[PredefinedListRow]:
    """Yield the files that calls name: how often, by which tools, and where last."""
    files: dict[str, tuple[int, int, dict[str, None]]] = {}
    outline, rows = ground.outline, ground.rows
    for node in go_on(sorted(rows.nodes_in(rows.rows_in_state("call")), key=outline.record.__getitem__)):
        block = _block(ground, node)
        for path in _paths(block.text) if block else ():
            count, _, tools = files.get(path, (0, 0, {}))
            files[path] = (count + 1, node, tools | {block.name: None} if block else tools)
    most_named = nlargest(MAX_ROWS, files.items(), key=lambda entry: entry[1][0])
    for path, (count, node, tools) in most_named:
        yield PredefinedListRow(node, outline.record[node], ", ".join(tools), path, count)


def _paths(given: str) -> list[str]:
    try:
        return list(dict.fromkeys(target_files(parse_json(given.encode("utf-8", "replace")))))
    except ValueError:
        return target_files(given)


def _row(ground: SearchableLog, node: int, measure: int, count: int = 0, what: str = "") -> PredefinedListRow:
    """Return a row about a node: about its own block, else the first block that is not thinking."""
    record = ground.outline.record[node]
    view, block = ground.view_record(record), _block(ground, node)
    block = block or next((candidate for candidate in view.blocks if candidate.kind != BlockKind.THINKING), None)
    text = view.summary if block is None else block.text
    if block is not None and block.kind in CALL_KINDS:
        text = f"{block.name} {summarize_call(text, ground.opened.overview.folder)}"
    return PredefinedListRow(node, record, what or view.role, text[:_CHARS], measure, count)


def _is_injected(ground: SearchableLog, node: int) -> bool:
    """Return whether everything that a turn begins with was added by a program in place of the person."""
    blocks = ground.view_record(ground.outline.record[node]).blocks if ground.outline.record[node] >= 0 else ()
    return bool(blocks) and all(block.kind == BlockKind.TEXT and text_typed_by_user(block.text)[1] for block in blocks)


def _block(ground: SearchableLog, node: int) -> BlockView | None:
    """Return the block of a row, None for a row without a block."""
    record, number = ground.outline.record[node], ground.outline.block[node]
    blocks = ground.view_record(record).blocks if record >= 0 <= number else ()
    return blocks[number] if 0 <= number < len(blocks) else None


def _milliseconds(before: str, after: str) -> int:
    """Return the time from one moment to another, -1 where either is unknown."""
    lasted = seconds_between(before, after)
    return -1 if lasted is None else round(lasted * 1000)


CONTENT_LIST_FUNCTIONS = {"turns": _turns, "largest": _largest, "waits": _waits, "failed": _failed, "files": _files}


# The filter words that are offered as buttons if they keep any rows.
FACET_STATES = ("error", "warning", "unanswered", "orphan", "pending", "failed")


def compute_facets(ground: SearchableLog) -> Facets:
    """Return the facets of an open log."""
    rows, tools = ground.rows, Counter[str]()
    for part in ground.log_columns:
        tools.update(part.names[row] or "" for row in part.block_rows_of_kind(BlockKind.CALL))
    del tools[""]
    failed = rows.rows_in_state("failed") & rows.rows_in_state("result")
    states = {state: rows.rows_in_state(state) for state in FACET_STATES} | {"failed": failed}
    counts = {state: (kept & rows.all_rows).bit_count() for state, kept in states.items()}
    return Facets(
        dict(sorted(tools.items())),
        {state: count for state, count in counts.items() if count},
        array("i", rows.nodes_in(failed)),
        array("i", rows.nodes_in(rows.rows_in_state("compaction"))),
    )
