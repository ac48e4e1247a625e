"""What there is to steer by in a log: its tools, how many rows each word of a filter leaves, what went wrong where."""

from array import array
from collections import Counter

from inspector.core.index.views import BlockKind
from inspector.core.seek.ground import Ground
from inspector.core.showing.seeking import Landmarks

# The words that are offered with a click where they leave anything.
OFFERED = ("error", "warning", "unanswered", "orphan", "pending", "failed")


def landmarks_of(ground: Ground) -> Landmarks:
    """The landmarks of an open log."""
    rows, tools = ground.rows, Counter[str]()
    for part in ground.parts:
        tools.update(part.names[row] or "" for row in part.rows_of(BlockKind.CALL))
    del tools[""]
    states = {state: (rows.state(state) & rows.all).bit_count() for state in OFFERED}
    return Landmarks(
        dict(sorted(tools.items())),
        {state: count for state, count in states.items() if count},
        array("i", rows.nodes(rows.state("failed") & rows.state("result"))),
        array("i", rows.nodes(rows.state("compaction"))),
    )
