"""Find the logs of a machine that contain given texts, the newest first. Nothing is parsed or judged.

Each log is read once, whatever is searched for. A plain file is opened once, too, and read into one buffer: of a search
in very many logs, opening them would take longer than reading them.
"""

import os
from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.discovery.opening import multi_file_format_at, open_source
from inspector.core.discovery.stores import CandidateFile
from inspector.core.errors import InspectorError
from inspector.core.formats.base.format import Progress
from inspector.core.storage.archive_paths import ARCHIVE_HEAD_SIZE, is_archive_head
from inspector.core.storage.json_lines import is_zstd_head
from inspector.core.storage.source import Source

# The size of the pieces that a log is read in: a buffer of a megabyte stays in the processor's cache.
_PIECE = 1024 * 1024
MAX_SEARCHED_BYTES = 32 * 1024**3


class StoreSearchProgress(Struct):
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
    logs: list[CandidateFile], texts: Iterable[str], search: StoreSearchProgress, progress: Progress | None = None
) -> Iterator[tuple[CandidateFile, set[str]]]:
    """Yield the logs that contain some of the texts, letter by letter, each with the texts that it contains."""
    needles = {text.encode(errors="replace"): text for text in texts if text}
    buffer = bytearray(max(_PIECE, 2 * max(map(len, needles), default=0)))
    search.of = len(logs)
    for log in logs if needles else ():
        if search.stopped:
            return
        if progress is not None:
            progress(search.logs, len(logs))
        search.logs += 1
        found = _needles_in_plain_file(log.path, needles, buffer)
        if found is not None:
            search.size += log.size
        else:
            try:
                with open_source(log.path) as source:
                    search.size += source.size
                    found = _needles_in(source, needles)
            except InspectorError:
                search.unread += 1
                continue
        if found:
            yield log, {needles[needle] for needle in found}


def _needles_in_plain_file(path: str, needles: Iterable[bytes], buffer: bytearray) -> set[bytes] | None:
    """Return which needles a file contains, None if it is packed, a log of many files or rows, or unreadable."""
    if not os.path.isfile(path) or multi_file_format_at(path) is not None:
        return None
    missing, found, end = list(needles), set[bytes](), 0
    overlap = max(map(len, missing)) - 1
    view = memoryview(buffer)
    try:
        with open(path, "rb", buffering=0) as file:
            while missing and (count := file.readinto(view[min(overlap, end) :])):
                is_first, end = not end, min(overlap, end) + count
                if is_first and _is_packed(path, bytes(view[: min(ARCHIVE_HEAD_SIZE, end)])):
                    return None
                found.update(needle for needle in missing if buffer.find(needle, 0, end) >= 0)
                missing = [needle for needle in missing if needle not in found]
                kept = min(overlap, end)
                view[:kept] = view[end - kept : end].tobytes()
    except OSError:
        return None
    return found


def _is_packed(path: str, head: bytes) -> bool:
    return is_archive_head(path, head) or is_zstd_head(head)


def _needles_in(source: Source, needles: Iterable[bytes]) -> set[bytes]:
    missing, found = list(needles), set[bytes]()
    for _, piece in _pieces(source, max(map(len, missing)) - 1):
        found.update(needle for needle in missing if needle in piece)
        missing = [needle for needle in missing if needle not in found]
        if not missing:
            break
    return found


def match_offsets(source: Source, needles: list[bytes]) -> Iterator[int]:
    """Yield the offsets at which needles begin. The source is read in pieces.

    For each needle, only its first offset in a piece is reported.
    """
    for base, piece in _pieces(source, max(map(len, needles), default=1) - 1):
        yield from sorted({base + at for needle in needles if (at := piece.find(needle)) >= 0})


def _pieces(source: Source, overlap: int) -> Iterator[tuple[int, bytes]]:
    """Yield the source in pieces with their offsets. Each begins with the last `overlap` bytes of the one before it."""
    start, carried = 0, b""
    while start < source.size:
        piece = carried + source.read(start, start + _PIECE)
        yield start - len(carried), piece
        carried = piece[-overlap:] if overlap else b""
        start += _PIECE
