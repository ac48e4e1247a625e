"""What a log shows of its unanswered calls, packed as the window holds it and decoded one by one when shown. No Qt."""

from array import array
from bisect import bisect_left
from functools import lru_cache

import msgspec

from inspector.core.evidence.evidence import Evidence
from inspector.gui.answers.big_answers import unpack


class EvidenceBook(msgspec.Struct):
    """`positions` are those of the findings with evidence, ascending; `offsets` delimit what is packed in `blob`.

    `changing` are the positions of findings on calls that may have changed something, one for each call.
    """

    positions: "array[int]"
    offsets: "array[int]"
    blob: bytes
    changing: "array[int]"

    def of_finding(self, position: int) -> Evidence | None:
        """The evidence of the finding at a position, None when it is not on an unanswered call."""
        number = bisect_left(self.positions, position)
        if number == len(self.positions) or self.positions[number] != position:
            return None
        return _evidence(self.blob[self.offsets[number] : self.offsets[number + 1]])


@lru_cache(512)
def _evidence(packed: bytes) -> Evidence:
    evidence: Evidence = unpack(packed, Evidence)
    return evidence
