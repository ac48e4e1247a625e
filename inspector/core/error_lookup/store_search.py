"""Find the logs of a machine that contain given texts, the newest first. Nothing is parsed or judged."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.discovery.opening import open_source
from inspector.core.discovery.stores import CandidateFile
from inspector.core.errors import InspectorError
from inspector.core.formats.base.format import Progress
from inspector.core.storage.source import Source

# The size of the pieces that a log is read in: a buffer of a megabyte stays in the processor's cache.
_PIECE = 1024 * 1024
MAX_SEARCHED_BYTES = 32 * 1024**3


class StoreSearch(Struct):
    """The progress of a search: `logs` of `of` logs were searched, `size` bytes in all, and `unread` logs failed.

    `faults` are sentences on what went wrong in single logs, which does not end the search.
    """

    logs: int = 0
    size: int = 0
    of: int = 0
    unread: int = 0
    faults: list[str] = []

    @property
    def stopped(self) -> bool:
        """Whether the search ended at its limit of bytes."""
        return self.size >= MAX_SEARCHED_BYTES


def logs_containing(
    logs: list[CandidateFile], needles: Iterable[str], search: StoreSearch, progress: Progress | None = None
) -> Iterator[CandidateFile]:
    """Yield the logs that contain one of the texts, letter by letter."""
    wanted = [needle.encode(errors="replace") for needle in dict.fromkeys(needles) if needle]
    search.of = len(logs)
    for log in logs if wanted else ():
        if search.stopped:
            return
        if progress is not None:
            progress(search.logs, len(logs))
        search.logs += 1
        try:
            with open_source(log.path) as source:
                search.size += source.size
                matches = next(match_offsets(source, wanted), None) is not None
        except InspectorError:
            search.unread += 1
            continue
        if matches:
            yield log


def match_offsets(source: Source, needles: list[bytes]) -> Iterator[int]:
    """Yield the offsets at which needles begin. The source is read in pieces.

    For each needle, only its first offset in a piece is reported.
    """
    overlap = max(map(len, needles), default=1) - 1
    start, carried = 0, b""
    while start < source.size:
        piece = carried + source.read(start, start + _PIECE)
        base = start - len(carried)
        offsets = {at for needle in needles if (at := piece.find(needle)) >= 0}
        yield from (base + at for at in sorted(offsets))
        carried = piece[-overlap:] if overlap else b""
        start += _PIECE
