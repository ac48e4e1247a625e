"""A preview as the window holds it. No Qt here."""

from msgspec.structs import replace

from inspector.core.showing.answers import Change, Preview
from inspector.core.showing.outline import Octets
from inspector.gui.answers.packed import Packed, packed

_UNKNOWN = 255


class PlannedRepair(Packed[Change], kw_only=True):
    """The planned history. `summary` is the preview without what is packed: its changes, and what was `chosen`.

    That holds, for each finding by position, an index into `strategies`.
    """

    HOLDS = Change

    summary: Preview
    strategies: tuple[str, ...]
    chosen: Octets

    def strategy_of(self, position: int) -> str:
        """The strategy that the plan uses for a finding, "" when the plan does not say."""
        number = self.chosen[position] if position < len(self.chosen) else _UNKNOWN
        return self.strategies[number] if number < len(self.strategies) else ""

    def strategy_of_all(self, start: int, stop: int) -> str | None:
        """The strategy that the plan uses for all of these; "" when not the same, None when the plan does not say."""
        used = set(self.chosen[start:stop]) - {_UNKNOWN}
        return None if not used else self.strategy_of(start) if len(used) == 1 else ""


def planned_repair(preview: Preview, ids: list[str]) -> PlannedRepair:
    """A preview packed; `ids` are the findings' ids in the order of the findings list."""
    strategies = tuple(dict.fromkeys(preview.chosen.values()))
    number = {strategy: index for index, strategy in enumerate(strategies)}
    return PlannedRepair(
        *packed(preview.changes),
        summary=replace(preview, changes=(), chosen={}),
        strategies=strategies,
        chosen=Octets(number.get(preview.chosen.get(finding_id, ""), _UNKNOWN) for finding_id in ids),
    )
