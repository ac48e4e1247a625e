"""What another log offers for the open calls of one that is to be repaired."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from inspector.core.index.place import one_based
from inspector.core.scene import ThreadContext

ADOPT_STRATEGY = "adopt"


class ResultOffer(Struct, frozen=True):
    """A result that another log holds: `block` spells it in the form of the target's format.

    `whole` tells whether it is the other log's own block; else its text was taken over. `known_by` tells how the two
    logs are known to be of one conversation, `text` the beginning of what the result says.
    """

    block: bytes
    same_format: bool
    path: str
    record: int
    matched_by: str
    line: int | None = None
    text: str = ""

    @property
    def sentence(self) -> str:
        """Where it comes from, for reports."""
        where = f"line {self.line}" if self.line is not None else f"record {one_based(self.record)}"
        form = "" if self.same_format else "; its text alone, since that log is of another format"
        return f"the result that {self.path}, {where}, holds for the same call ({self.matched_by}{form})"


# By the slot of the call's record and the id of the call.
ResultOffers: TypeAlias = Mapping[tuple[int, str], ResultOffer]


def find_offer(offers: ResultOffers, scene: ThreadContext, tool: int) -> ResultOffer | None:
    """The result that was found for a call of a draft."""
    record = scene.pairing.record_of(tool)
    return offers.get((scene.columns.stable_numbers[record], scene.call_id(tool))) if offers else None
