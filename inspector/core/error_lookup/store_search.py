"""Which logs of a machine hold some bytes, the newest first. Nothing is parsed or judged here."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.discovery.opening import open_source
from inspector.core.discovery.stores import CandidateFile
from inspector.core.errors import InspectorError
from inspector.core.formats.base.format import Progress
from inspector.core.storage.source import Source

# Pieces of a log that are looked at one after the other: a buffer of a megabyte stays in the processor's cache.
_PIECE = 1024 * 1024
MAX_SEARCHED_BYTES = 32 * 1024**3


class StoreSearch(Struct):
    """How far a search is: how many logs were looked at `of` how many, their `size` in bytes, how many were `unread`.

    `faults` are sentences on what went wrong over single logs, which does not end the search.
    """

    logs: int = 0
    size: int = 0
    of: int = 0
    unread: int = 0
    faults: list[str] = []

    @property
    def stopped(self) -> bool:
        """Whether there was more than one search may look at."""
        return self.size >= MAX_SEARCHED_BYTES


def search_logs(
    logs: list[CandidateFile], needles: Iterable[str], search: StoreSearch, progress: Progress | None = None
) -> Iterator[CandidateFile]:
    """The logs in which one of the texts stands, letter by letter."""
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
                held = next(match_offsets(source, wanted), None) is not None
        except InspectorError:
            search.unread += 1
            continue
        if held:
            yield log


def match_offsets(source: Source, needles: list[bytes]) -> Iterator[int]:
    """Where needles begin. The source is read in pieces, and of each needle only the first place in a piece is told."""
    overlap = max(map(len, needles), default=1) - 1
    start, kept = 0, b""
    while start < source.size:
        piece = kept + source.read(start, start + _PIECE)
        base = start - len(kept)
        found = {at for needle in needles if (at := piece.find(needle)) >= 0}
        yield from (base + at for at in sorted(found))
        kept = piece[-overlap:] if overlap else b""
        start += _PIECE
