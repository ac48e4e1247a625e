"""What the records of a log mean: FORMATS is the table, a module a format, which is in it by being here."""

from collections.abc import Iterable

from inspector.core.errors import UnknownName
from inspector.core.formats.bases.catalogue import Catalogue
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.isolated import score_of
from inspector.core.formats.bases.raw import RawRecords
from inspector.core.index.session import Log

FORMATS = Catalogue(__name__, __path__)
RAW = RawRecords()
_CERTAIN_ENOUGH = 0.4
_SURE = 0.9  # no two formats are sure of one log


def format_named(name: str) -> Format:
    """A format of the table, or that of files in none of them. Raises UnknownName."""
    return RAW if name == RAW.name else known_format(name)


def known_format(name: str) -> Format:
    """A format of the table. Raises UnknownName."""
    if name not in FORMATS:
        raise UnknownName(f"There is no format called {name}; there are {', '.join(FORMATS)}.")
    return FORMATS[name]


def format_of(log: Log) -> Format:
    """The format that a log was read as."""
    return FORMATS.get(log.format, RAW)


def detect(head: Head) -> Format:
    """The format that claims the log with most certainty; RAW when none is sure enough or two are equally sure.

    One that fails is passed over, and `head.faults` says so.
    """
    return surely(head) or _most_certain(head, FORMATS, _CERTAIN_ENOUGH) or RAW


def surely(head: Head) -> Format | None:
    """The format that is sure of the log, None where none is."""
    return _most_certain(head, [name for name, row in FORMATS.entries.items() if row.is_likely(head)], _SURE)


def _most_certain(head: Head, names: Iterable[str], least: float) -> Format | None:
    """The format among `names` that is most certain, None when it is not certain enough, or another is as certain."""
    scores = sorted(((score_of(FORMATS[name], head), name) for name in names), reverse=True)
    if not scores or scores[0][0] < least or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return None
    return FORMATS[scores[0][1]]
