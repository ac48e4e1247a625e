"""How a log is to be read: how much of it, how closely, and who hears how far it is."""

from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from msgspec import Struct

from inspector.core.bytes.source import Source

Progress = Callable[[int, int], None]
IsCancelled = Callable[[], bool]
T = TypeVar("T")


class InParts(Protocol):
    """Reads a log in parts of whole lines: what `read` makes of each, in order. Close it, or take them all."""

    def __call__(
        self, read: Callable[[Source, "Reading"], T], source: Source, reading: "Reading"
    ) -> Generator[T, None, None]: ...


def whole(read: Callable[[Source, "Reading"], T], source: Source, reading: "Reading") -> Generator[T, None, None]:
    """A log as one part."""
    yield read(source, reading)


class Reading(Struct, frozen=True):
    """How a log is to be read: `deep` judges every byte, `limit` stops after so many bytes.

    `sound` is where what is known to be JSON ends: all lines before that byte are. `in_parts` reads a large log.
    """

    deep: bool = False
    limit: int | None = None
    progress: Progress | None = None
    cancelled: IsCancelled | None = None
    valid_up_to: int = 0
    in_parts: InParts = whole

    def checked_from(self, offset: int) -> int | None:
        """From where on every byte of the chunk at `offset` is judged, None where a fast look is enough."""
        return self.valid_up_to - offset if self.deep else None
