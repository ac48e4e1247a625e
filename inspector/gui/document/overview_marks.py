"""What stands where in the whole log, as the ruler beside the tree shows it: records by layer, ascending."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import NamedTuple

from inspector.core.showing.outline import NodeKind, Numbers
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words

_IS_TURN = bytes(kind == NodeKind.TURN for kind in range(256))
# From what is only structure to what is wrong: of two in one place the later is the one that counts.
LAYERS = ("turn", "hit", "bookmark", "compaction", "failed", "info", "warning", "error")
_SEVERITIES = {1: "info", 2: "warning", 3: "error"}
_NAMES = {
    "turn": ("turn", "turns"),
    "hit": ("record with the text", "records with the text"),
    "bookmark": ("bookmark", "bookmarks"),
    "compaction": ("compaction", "compactions"),
    "failed": ("failed tool", "failed tools"),
    "info": ("note", "notes"),
    "warning": ("warning", "warnings"),
    "error": ("error", "errors"),
}


class Marks(NamedTuple):
    """The records of each layer, among `size` of them."""

    size: int
    layers: dict[str, Numbers]

    def counts_in_range(self, low: int, high: int) -> dict[str, int]:
        """How many of each layer stand in the records `low..high`."""
        counts = {name: bisect_left(of, high) - bisect_left(of, low) for name, of in self.layers.items()}
        return {name: count for name, count in counts.items() if count}

    def pixel_rows(self, name: str, height: int) -> Iterator[int]:
        """The rows of pixels, of so many, in which something of a layer stands."""
        records, at = self.layers.get(name, array("i")), 0
        while at < len(records):
            row = self.row_of_record(records[at], height)
            yield row
            at = bisect_left(records, self.record_at_row(row + 1, height), at + 1)

    def row_of_record(self, record: int, height: int) -> int:
        return record * height // max(self.size, 1)

    def record_at_row(self, row: int, height: int) -> int:
        """The first record that stands in a row of pixels, or would."""
        return -(-row * self.size // max(height, 1))

    def nearest(self, row: int, height: int, reach: int) -> int:
        """The record that a click means: what counts most within reach, else what stands there."""
        low, high = self.record_at_row(row - reach, height), self.record_at_row(row + reach + 1, height)
        for name in reversed(LAYERS):
            of = self.layers.get(name, array("i"))
            there = of[bisect_left(of, low) : bisect_left(of, high)]
            if there:
                middle = self.record_at_row(row, height)
                return min(there, key=lambda record: abs(record - middle))
        return min(max(self.record_at_row(row, height), 0), self.size - 1)


def marks_of(log: OpenedLog, failed: Numbers, compactions: Numbers) -> Marks:
    """The marks of a log; `failed` and `compactions` are nodes."""
    outline, book = log.outline, log.findings
    layers = {
        "turn": _records(log, compress(range(len(outline)), outline.kind.translate(_IS_TURN))),
        "failed": _records(log, failed),
        "compaction": _records(log, compactions),
    }
    for severity, name in _SEVERITIES.items():
        groups = (group for group in book.groups if group.severity == severity)
        layers[name] = _records(log, (node for group in groups for node in book.nodes[group.start : group.stop]))
    return Marks(len(log.starts), layers)


def told(counts: dict[str, int]) -> str:
    """Counts of layers in words, the worst first."""
    return ", ".join(words.counted(counts[name], *_NAMES[name]) for name in reversed(LAYERS) if name in counts)


def _records(log: OpenedLog, nodes: Iterable[int]) -> Numbers:
    return array("i", sorted(record for record in map(log.outline.record.__getitem__, nodes) if record >= 0))
