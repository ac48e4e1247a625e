"""Writing a report, or what else was made of logs, to the file that the person named."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.core.bytes.source import Source, is_special
from inspector.core.engine.folders import file_of
from inspector.core.errors import CannotWrite
from inspector.core.save.atomic import write_whole
from inspector.core.save.likeness import Likeness, likeness_of, mode_of
from inspector.core.save.originals import refuse_files, refuse_the_log


def write_report(output: str, pieces: Iterable[bytes | bytearray], logs: list[str]) -> None:
    """Write a report, which quotes what the logs hold: it is as private as the most private of them, and none of them.

    A log may lie in an archive. A device or a pipe is written to as it is. Raises CannotWrite.
    """
    places = list(dict.fromkeys(map(file_of, logs)))
    refuse_files(output, places)
    _write(output, pieces, _most_private(places))


def write_made(output: str, data: bytes, log: Source) -> None:
    """Write what was made of an open log, as private as it is, to no file of it. Raises CannotWrite."""
    refuse_the_log(output, log)
    _write(output, [data], likeness_of(log))


def _write(output: str, pieces: Iterable[bytes | bytearray], like: Likeness | None) -> None:
    if not is_special(output):
        write_whole(Path(output), map(bytes, pieces), like, follow=True)
        return
    try:
        with open(output, "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CannotWrite(f"{output} cannot be written: {error.strerror or error}.") from error


def _most_private(logs: list[str]) -> Likeness | None:
    """The log that the fewest may read."""
    found = [Path(path) for path in logs if os.path.exists(path)]
    return Likeness(min(found, key=lambda path: mode_of(path) & 0o077)) if found else None
