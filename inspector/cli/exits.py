"""Exit codes: 0 fine, 1 findings or no verified repair, 2 usage or unreadable, 3 not judged."""

from collections.abc import Iterable

from inspector.core.errors import (
    CannotWrite,
    ChangedMeanwhile,
    InspectorError,
    NotJudged,
    NotVerified,
    ReadOnlyFormat,
    UnknownName,
    UnreadableLog,
)

OK, FINDINGS, UNREADABLE, NOT_JUDGED = 0, 1, 2, 3
_ORDER = (UNREADABLE, FINDINGS, NOT_JUDGED, OK)
_OF_ERROR: tuple[tuple[type[InspectorError], int], ...] = (
    (NotVerified, FINDINGS),
    (ReadOnlyFormat, FINDINGS),
    (NotJudged, NOT_JUDGED),
    (UnknownName, UNREADABLE),
    (UnreadableLog, UNREADABLE),
    (CannotWrite, UNREADABLE),
    (ChangedMeanwhile, UNREADABLE),
)


def worst(codes: Iterable[int]) -> int:
    """The code for several paths."""
    return min(codes, key=_ORDER.index, default=OK)


def code_of(error: InspectorError) -> int:
    """The code for an error of the core."""
    return next((code for kind, code in _OF_ERROR if isinstance(error, kind)), UNREADABLE)
