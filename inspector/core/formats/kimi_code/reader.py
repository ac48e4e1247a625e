"""The program's own readers of a log, by what they do otherwise."""

from msgspec import Struct


class Reader(Struct, frozen=True):
    """One of the program's readers. `waits`: an open call holds messages back, and is closed by the next step.

    `one_step`: one step is open at a time, and its end closes its calls (engine v2). `keeps`: a compaction takes
    nothing away (the view of the whole transcript).
    """

    label: str
    delays_messages: bool = True
    keeps_one_step: bool = False
    keeps: bool = False


V1 = Reader("engine v1 (agent-core)")
V2 = Reader("engine v2 (agent-core-v2)", keeps_one_step=True)
VIEWER = Reader("the viewer (apps/vis)", delays_messages=False)
