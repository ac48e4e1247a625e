"""A preview as the window holds it. No Qt here."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable

from msgspec.structs import replace

from inspector.core.showing.answers import PreviewRow, RepairPreview
from inspector.core.showing.outline import ByteColumn, Numbers
from inspector.gui.answers.packed import Packed, packed

_UNKNOWN = 255
_ELSEWHERE = ("added", "moved")  # rows that do not stand where their record stood


class PlannedRepair(Packed[PreviewRow], kw_only=True):
    """The planned history. `summary` is the preview without what is packed: its changes, and what was `chosen`.

    That holds, for each finding by position, an index into `strategies`; `changes` hold the row that mends it, -1 for
    none. For each row `records` hold the first record that it is about, and `findings` the first position of a finding
    that it mends, -1 for none; `in_place` are the rows that stand where their record did.
    """

    ITEM_TYPE = PreviewRow

    summary: RepairPreview
    strategies: tuple[str, ...]
    chosen: ByteColumn
    changes: Numbers
    records: Numbers
    findings: Numbers
    in_place: Numbers

    def strategy_of(self, position: int) -> str:
        """The strategy that the plan uses for a finding, "" when the plan does not say."""
        number = self.chosen[position] if position < len(self.chosen) else _UNKNOWN
        return self.strategies[number] if number < len(self.strategies) else ""

    def strategy_of_all(self, start: int, stop: int) -> str | None:
        """The strategy that the plan uses for all of these; "" when not the same, None when the plan does not say."""
        used = set(self.chosen[start:stop]) - {_UNKNOWN}
        return None if not used else self.strategy_of(start) if len(used) == 1 else ""

    def row_repairing(self, position: int) -> int:
        """The row that mends a finding, -1 for none."""
        return self.changes[position] if position < len(self.changes) else -1

    def row_at_record(self, record: int) -> int:
        """The row that is about a record, or the run of unchanged ones that it is in; -1 for none."""
        if (own := _first(self.records, record)) >= 0:
            return own
        at = bisect_right(self.in_place, record, key=self.records.__getitem__)
        return self.in_place[at - 1] if at else -1

    def row_key(self, row: int) -> tuple[int, int]:
        """What names a row in another plan for the same log."""
        return (self.records[row], self.findings[row]) if row >= 0 else (-1, -1)

    def find_row(self, record: int, finding: int) -> int:
        """The row that a key names, -1 for none."""
        numbers, wanted = (self.findings, finding) if finding >= 0 else (self.records, record)
        row = -1 if wanted < 0 else _first(numbers, wanted)
        while row >= 0 and self.row_key(row) != (record, finding):
            row = _first(numbers, wanted, row + 1)
        return row


def _first(numbers: Numbers, wanted: int, start: int = 0) -> int:
    try:
        return numbers.index(wanted, start)
    except ValueError:
        return -1


def planned_repair(preview: RepairPreview, ids: list[str]) -> PlannedRepair:
    """A preview packed; `ids` are the findings' ids in the order of the findings list."""
    strategies = tuple(dict.fromkeys(preview.chosen.values()))
    number = {strategy: index for index, strategy in enumerate(strategies)}
    position_of = {finding_id: position for position, finding_id in enumerate(ids)}
    changes, findings, in_place = array("q", [-1] * len(ids)), array("q"), array("q")
    for row, change in enumerate(preview.changes):
        mended = _known(change.finding_ids, position_of)
        findings.append(min(mended, default=-1))
        for position in mended:
            changes[position] = row if changes[position] < 0 else changes[position]
        if change.record is not None and change.mark not in _ELSEWHERE:
            in_place.append(row)
    return PlannedRepair(
        *packed(preview.changes),
        summary=replace(preview, changes=(), chosen={}),
        strategies=strategies,
        chosen=ByteColumn(number.get(preview.chosen.get(finding_id, ""), _UNKNOWN) for finding_id in ids),
        changes=changes,
        records=array("q", (-1 if change.record is None else change.record for change in preview.changes)),
        findings=findings,
        in_place=in_place,
    )


def _known(ids: Iterable[str], position_of: dict[str, int]) -> list[int]:
    return [position_of[each] for each in ids if each in position_of]
