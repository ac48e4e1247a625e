"""What there is to steer by in a log: its tools, how many rows each word of a filter leaves, what went wrong where."""

from array import array
from collections import Counter

from inspector.core.index.views import BlockKind
from inspector.core.seek.ground import SearchIndex
from inspector.core.showing.seeking import Facets

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
