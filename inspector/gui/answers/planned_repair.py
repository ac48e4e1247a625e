"""A preview as the window holds it: packed changes, decoded one by one when shown. No Qt here."""

from array import array
from functools import lru_cache

import msgspec

from inspector.core.showing.answers import Change
from inspector.gui.answers.big_answers import unpack


class RepairSummary(msgspec.Struct, frozen=True):
    """The small part of a preview; the fields are those of `Preview`."""

    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    on_resume: str
    verified: bool
    reason: str
    edits: int
    strategies: tuple[str, ...]
    effects: tuple[str, ...] = ()
    caveat: str = ""
    not_run: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class PlannedRepair(msgspec.Struct):
    """The planned history. `chosen` holds, for each finding by position, an index into `summary.strategies`."""

    summary: RepairSummary
    offsets: "array[int]"
    blob: bytes
    chosen: bytearray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> Change:
        return _change(self.blob[self.offsets[position] : self.offsets[position + 1]])

    def strategy_of(self, position: int) -> str:
        """The strategy that the plan uses for a finding, "" when the plan does not say."""
        number = self.chosen[position] if position < len(self.chosen) else 255
        return self.summary.strategies[number] if number < len(self.summary.strategies) else ""


@lru_cache(512)
def _change(packed: bytes) -> Change:
    change: Change = unpack(packed, Change)
    return change
