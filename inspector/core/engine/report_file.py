"""Writing a report to the file that the person named."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.core.bytes.source import Source, is_special
from inspector.core.containers.archive.kinds import member_at
from inspector.core.errors import CannotWrite
from inspector.core.save.atomic import write_whole
from inspector.core.save.beside import refuse_the_log
from inspector.core.save.likeness import Likeness, mode_of


def write_report(output: str, pieces: Iterable[bytes | bytearray], logs: list[str]) -> None:
    """Write a report, which quotes what the logs hold: it is as private as the most private of them, and none of them.

    A log may lie in an archive. A device or a pipe is written to as it is. Raises CannotWrite.
    """
    if not is_special(output):
        places = list(dict.fromkeys(archive[0] if (archive := member_at(log)) else log for log in logs))
        for place in places:
            refuse_the_log(output, place)
        write_whole(Path(output), map(bytes, pieces), _most_private(places), follow=True)
        return
    try:
        with open(output, "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CannotWrite(f"{output} cannot be written: {error.strerror or error}.") from error


def write_made(output: str, data: bytes, source: Source) -> None:
    """Write what was made of an open log, as private as it is, to none of its files. Raises CannotWrite."""
    write_report(output, [data], [path for path in source.stamps if os.path.isfile(path)])


def _most_private(logs: list[str]) -> Likeness | None:
    """The log that the fewest may read."""
    found = [Path(path) for path in logs if os.path.exists(path)]
    return Likeness(min(found, key=lambda path: mode_of(path) & 0o077)) if found else None
