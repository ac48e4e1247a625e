"""What a log shows of its unanswered calls, as the window holds it. No Qt."""

from array import array
from bisect import bisect_left

from inspector.core.evidence.evidence import Evidence, OpenCallEvidence
from inspector.core.showing.outline import Numbers
from inspector.gui.answers.packed import Packed, packed


class EvidenceBook(Packed[Evidence], kw_only=True):
    """`positions` are those of the findings with evidence, ascending.

    `changing` are the positions of findings on calls that may have changed something, one for each call.
    """

    ITEM_TYPE = Evidence

    positions: Numbers
    side_effect_positions: Numbers

    def of_finding(self, position: int) -> Evidence | None:
        """The evidence of the finding at a position, None when it is not on an unanswered call."""
        number = bisect_left(self.positions, position)
        if number == len(self.positions) or self.positions[number] != position:
            return None
        return self[number]


def evidence_book(calls: OpenCallEvidence, ids: list[str]) -> EvidenceBook:
    """What is known of the open calls; `ids` are the findings' ids in the order of the findings list."""
    position_of = {finding_id: position for position, finding_id in enumerate(ids)}
    known = [finding_id for finding_id in ids if finding_id in calls.evidence]
    return EvidenceBook(
        *packed(calls.evidence[finding_id] for finding_id in known),
        positions=array("q", (position_of[finding_id] for finding_id in known)),
        side_effect_positions=array("q", (position_of[finding_id] for finding_id in calls.changing)),
    )
