"""Exit codes: 0 fine, 1 findings or no verified repair, 2 usage or unreadable, 3 not checked, 130 interrupted."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from inspector.cli.terminal import print_text
from inspector.core.errors import InspectorError, NotJudged, NotVerified, ReadOnlyFormat

OK, FINDINGS, UNREADABLE, NOT_JUDGED = 0, 1, 2, 3
INTERRUPTED = 130
"""The exit code of a program that Ctrl+C ended, as shells report it."""
_WORST_FIRST = (UNREADABLE, FINDINGS, NOT_JUDGED, OK)


def worst_code(codes: Iterable[int]) -> int:
    """Return the exit code for several paths: the worst of theirs."""
    return min(codes, key=_WORST_FIRST.index, default=OK)


def code_of_error(error: InspectorError) -> int:
    """Return the exit code for an error of the core."""
    if isinstance(error, NotJudged):
        return NOT_JUDGED
    return FINDINGS if isinstance(error, NotVerified | ReadOnlyFormat) else UNREADABLE


@contextmanager
def exit_on_error(path: str = "") -> Iterator[None]:
    """Print an error of the core to standard error, after the `path` that it is about, and exit with its code."""
    try:
        yield
    except InspectorError as error:
        print_text(f"{path}: {error}" if path else str(error), err=True)
        raise SystemExit(code_of_error(error)) from error
