"""The other logs that may hold results of a log's open calls: those that are named, and those in the same folder."""

import os
from collections.abc import Iterator
from contextlib import suppress

from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import multi_file_format_at, open_log, open_source, paths_in_folder
from inspector.core.errors import InspectorError, UnreadableLog
from inspector.core.formats import UNKNOWN_FORMAT
from inspector.core.formats.base.format import ReadOptions
from inspector.core.repair.adopt_from_other_logs import find_result_offers, unanswered_call_ids
from inspector.core.repair.choices import ResultOffer
from inspector.core.storage.json_lines import is_zstd_file
from inspector.core.translation import tr

SEARCH_SAME_FOLDER_OPTION = "auto"
_MOST = 2000
_CHUNK = 4 * 1024 * 1024
_LONGEST_ID = 256
_MOST_IDS = 200


def load_result_offers(report: Report, paths: list[str]) -> dict[tuple[int, str], ResultOffer]:
    """Return the results that the logs at `paths` hold for the open calls of a log.

    Where several logs hold a result for one call, the first is taken. "auto" stands for the logs in the same folder.
    Raises InspectorError for a log that was named and cannot be read.
    """
    offers: dict[tuple[int, str], ResultOffer] = {}
    ids = unanswered_call_ids(report)
    for path in paths if ids else ():
        others = sibling_logs_with_open_ids(report, ids) if path == SEARCH_SAME_FOLDER_OPTION else iter([path])
        for other in others:
            if path != SEARCH_SAME_FOLDER_OPTION:
                offers = _from(report, other) | offers
                continue
            with suppress(InspectorError):
                offers = _from(report, other) | offers
    return offers


def _from(report: Report, path: str) -> dict[tuple[int, str], ResultOffer]:
    """Return what one log offers. Raises InspectorError."""
    with open_source(path) as source:
        other = check(open_log(source, "", ReadOptions()))
        if other.format is UNKNOWN_FORMAT:
            raise UnreadableLog(
                tr("No result can be copied from {path}, because it is not a supported log.", path=path)
            )
        return find_result_offers(report, [other])


def sibling_logs_with_open_ids(report: Report, ids: set[str]) -> Iterator[str]:
    """Yield the files in the log's folder that hold the id of an open call, the newest first.

    Other folders are not read.
    """
    own = report.log.source.path
    folder = os.path.dirname(os.path.abspath(own))
    if own == "-" or multi_file_format_at(own) is not None:
        return
    files = [path for path in paths_in_folder(folder) if os.path.dirname(path) == folder and not _is_same(path, own)]
    wanted = [call_id.encode("utf-8", "replace") for call_id in sorted(ids)[:_MOST_IDS]]
    for path in sorted(files, key=_changed, reverse=True)[:_MOST]:
        if os.path.isfile(path) and (is_zstd_file(path) or _holds(path, wanted)):
            yield path


def _holds(path: str, ids: list[bytes]) -> bool:
    """Return whether a file holds any of the ids."""
    overlap = b""
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                text = overlap + chunk
                if any(call_id in text for call_id in ids):
                    return True
                overlap = text[-_LONGEST_ID:]
    except OSError:
        return False
    return False


def _is_same(path: str, own: str) -> bool:
    try:
        return os.path.samefile(path, own)
    except OSError:
        return True


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
