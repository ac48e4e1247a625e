"""Exit codes: 0 fine, 1 findings or no verified repair, 2 usage or unreadable, 3 not judged."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from inspector.cli.terminal import say
from inspector.core.errors import InspectorError, NotJudged, NotVerified, ReadOnlyFormat

OK, FINDINGS, UNREADABLE, NOT_JUDGED = 0, 1, 2, 3
_ORDER = (UNREADABLE, FINDINGS, NOT_JUDGED, OK)


def worst(codes: Iterable[int]) -> int:
    """The code for several paths."""
    return min(codes, key=_ORDER.index, default=OK)


def code_of(error: InspectorError) -> int:
    """The code for an error of the core."""
    if isinstance(error, NotJudged):
        return NOT_JUDGED
    return FINDINGS if isinstance(error, NotVerified | ReadOnlyFormat) else UNREADABLE


@contextmanager
def at_errors(path: str = "") -> Iterator[None]:
    """Print an error of the core to standard error, behind the `path` that it is about, and exit with its code."""
    try:
        yield
    except InspectorError as error:
        say(f"{path}: {error}" if path else str(error), err=True)
        raise SystemExit(code_of(error)) from error
