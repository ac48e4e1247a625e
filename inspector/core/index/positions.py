"""Where numbers stand in a list, at four bytes each: a dict of the records of a large log would outweigh its index."""

from array import array
from collections.abc import Sequence


class PositionIndex:
    """The place of each number in `listed`; the numbers are below `stop`."""

    def __init__(self, numbers: Sequence[int], stop: int) -> None:
        self._places = array("i", [-1]) * stop
        for place, number in enumerate(numbers):
            self._places[number] = place

    def get(self, number: int, default: int = -1) -> int:
        place = self._places[number] if number >= 0 else -1
        return place if place >= 0 else default

    @property
    def absent_flags(self) -> bytes:
        """1 for each number that is not listed, 0 for the others."""
        return bytes(map((0).__gt__, self._places))

    def __getitem__(self, number: int) -> int:
        """Raises KeyError for a number that is not listed."""
        if (place := self.get(number)) < 0:
            raise KeyError(number)
        return place

    def __contains__(self, number: int) -> bool:
        return self.get(number) >= 0
