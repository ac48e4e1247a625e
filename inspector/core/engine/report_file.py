"""Writing a report, or what else was made of logs, to the file that the person named."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.core.bytes.source import Source, is_special_file
from inspector.core.engine.folders import file_on_disk
from inspector.core.errors import CannotWrite
from inspector.core.save.atomic import write_atomically
from inspector.core.save.likeness import MetadataSource, file_mode, metadata_source
from inspector.core.save.originals import refuse_overwriting, refuse_overwriting_log


def write_report(output: str, pieces: Iterable[bytes | bytearray], logs: list[str]) -> None:
    """Write a report, which quotes what the logs hold: it is as private as the most private of them, and none of them.

    A log may lie in an archive. A device or a pipe is written to as it is. Raises CannotWrite.
    """
    places = list(dict.fromkeys(map(file_on_disk, logs)))
    refuse_overwriting(output, places)
    _write(output, pieces, _most_private(places))


def write_export(output: str, data: bytes, log: Source) -> None:
    """Write what was made of an open log, as private as it is, to no file of it. Raises CannotWrite."""
    refuse_overwriting_log(output, log)
    _write(output, [data], metadata_source(log))


def _write(output: str, pieces: Iterable[bytes | bytearray], like: MetadataSource | None) -> None:
    if not is_special_file(output):
        write_atomically(Path(output), map(bytes, pieces), like, follow_links=True)
        return
    try:
        with open(output, "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CannotWrite(f"{output} cannot be written: {error.strerror or error}.") from error


def _most_private(logs: list[str]) -> MetadataSource | None:
    """The log that the fewest may read."""
    found = [Path(path) for path in logs if os.path.exists(path)]
    return MetadataSource(min(found, key=lambda path: file_mode(path) & 0o077)) if found else None
