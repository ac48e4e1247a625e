"""What another log offers for the open calls of one that is to be repaired."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from inspector.core.index.place import counted
from inspector.core.scene import Scene

ADOPT = "adopt"


class Offer(Struct, frozen=True):
    """A result that another log holds: `block` spells it in the form of the target's format.

    `whole` tells whether it is the other log's own block; else its text was taken over. `known_by` tells how the two
    logs are known to be of one conversation, `text` the beginning of what the result says.
    """

    block: bytes
    whole: bool
    path: str
    record: int
    known_by: str
    line: int | None = None
    text: str = ""

    @property
    def sentence(self) -> str:
        """Where it comes from, for reports."""
        where = f"line {self.line}" if self.line is not None else f"record {counted(self.record)}"
        form = "" if self.whole else "; its text alone, since that log is of another format"
        return f"the result that {self.path}, {where}, holds for the same call ({self.known_by}{form})"


# By the slot of the call's record and the id of the call.
Offers: TypeAlias = Mapping[tuple[int, str], Offer]


def offer_for(offers: Offers, scene: Scene, tool: int) -> Offer | None:
    """The result that was found for a call of a draft."""
    record = scene.pairing.record(tool)
    return offers.get((scene.columns.slots[record], scene.call_id(tool))) if offers else None
