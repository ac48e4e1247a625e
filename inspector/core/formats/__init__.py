"""The table of formats, and the detection of a log's format.

A format is a module or package of this package, and is in FORMATS by being here.
"""

from collections.abc import Iterable

from inspector.core.errors import UnknownName
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.json_lines import UnknownFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.registry import FormatRegistry, safe_score
from inspector.core.model.session import Log
from inspector.core.translation import tr

FORMATS = FormatRegistry(__name__, __path__)
UNKNOWN_FORMAT = UnknownFormat()
_LEAST_SCORE = 0.4
_CERTAIN_SCORE = 0.9  # no two formats are sure of one log


def format_named(name: str) -> Format:
    """Return a format of the table, or the one for files of unknown format. Raises UnknownName."""
    return UNKNOWN_FORMAT if name == UNKNOWN_FORMAT.name else known_format_named(name)


def known_format_named(name: str) -> Format:
    """Return a format of the table. Raises UnknownName."""
    if name not in FORMATS:
        raise UnknownName(
            tr("There is no {name} format. The available formats are {formats}.", name=name, formats=", ".join(FORMATS))
        )
    return FORMATS[name]


def format_of_log(log: Log) -> Format:
    """Return the format that a log was read as."""
    return FORMATS.get(log.format, UNKNOWN_FORMAT)


def detect_format(head: Head) -> Format:
    """Return the format that claims the log with the highest score.

    Return UNKNOWN_FORMAT when none is sure enough or two are equally sure. A format that fails is skipped, and
    `head.faults` says so.
    """
    found = certain_format(head) or _best_match(head, FORMATS, _LEAST_SCORE)
    if found is None and head.include_torn_message():
        # One message can be longer than the head, and no message before it need show whose it is.
        found = _best_match(head, FORMATS, _CERTAIN_SCORE)
    return found or UNKNOWN_FORMAT


def certain_format(head: Head) -> Format | None:
    """Return the format that is sure of the log, None where there is none."""
    return _best_match(head, FORMATS.likely_names(head), _CERTAIN_SCORE)


def _best_match(head: Head, names: Iterable[str], least: float) -> Format | None:
    """Return the format among `names` with the highest score, None if it is below `least` or another has the same."""
    scores = sorted(((safe_score(FORMATS[name], head), name) for name in names), reverse=True)
    if not scores or scores[0][0] < least or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return None
    return FORMATS[scores[0][1]]
