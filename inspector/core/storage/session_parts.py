"""Sessions that the Claude Agent SDK mirrors in parts: recognizing a session's folder, and putting its parts together.

A session is a folder `<project key>/<session id>`, of files `part-<milliseconds since 1970>-<random>.jsonl` with the
lines of one delivery each. The logs of its subagents are folders of parts below it. If a delivery is retried, its
records come twice, with the same `uuid`.

Facts: code.claude.com/docs/en/agent-sdk/session-storage, and the S3 adapter in examples/session-stores of
anthropics/claude-agent-sdk-typescript.
"""

import io
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter

import msgspec
from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.lazy import lazy_regex
from inspector.core.storage.archive_paths import WHOLE_ARCHIVE_NAME
from inspector.core.storage.json_text import parse_json
from inspector.core.storage.source import FileStamp, file_stamp_if_present
from inspector.core.storage.temporary_files import SpooledSource, SpoolFile
from inspector.core.translation import tr_plural

_PART = lazy_regex(r"part-\d{13}-[0-9A-Za-z]{6}\.jsonl")


class _Record(Struct):
    uuid: str = ""


_decode = msgspec.json.Decoder(_Record).decode


class PartsSource(SpooledSource):
    """A session in parts, as one text. `origins` are the offset of each part in it, and its name."""

    has_lines = False

    def __init__(
        self,
        path: str,
        parts: Iterable[tuple[str, bytes]],
        stamps: dict[str, FileStamp | None],
        archive: str,
    ) -> None:
        spool, self._origins = SpoolFile(), list[tuple[int, str]]()
        try:
            joiner = _PartJoiner()
            for name, data in parts:
                self._origins.append((spool.size, name))
                for line in joiner.new_lines(data):
                    spool.write(line)
            super().__init__(path, spool, stamps)
        except BaseException:
            spool.close()
            raise
        self.archive = archive
        self.read_from = tr_plural(
            "a Claude Agent SDK store with {number:,} part",
            "a Claude Agent SDK store with {number:,} parts",
            len(self._origins),
        )

    def member_containing(self, start: int, end: int) -> str | None:
        return self._origins[bisect_right(self._origins, start, key=itemgetter(0)) - 1][1]

    @property
    def copy_name(self) -> str:
        whole = self.path == f"{self.archive}/{WHOLE_ARCHIVE_NAME}"
        name = os.path.splitext(os.path.basename(self.archive))[0] if whole else os.path.basename(self.path)
        return f"{name}.repaired.jsonl"


class _PartJoiner:
    """Leaves out the records that an earlier part holds with the same content. Damaged lines are kept."""

    def __init__(self) -> None:
        self._lines: dict[str, bytes] = {}

    def new_lines(self, part: bytes) -> Iterator[bytes]:
        """Yield the lines of the next part that are new, each with a line end."""
        here: dict[str, bytes] = {}
        for line in io.BytesIO(part):
            uuid = _uuid(line)
            text = line.strip()
            if uuid and uuid in self._lines and _is_same(self._lines[uuid], text):
                continue
            if uuid:
                here[uuid] = text
            yield line if line.endswith(b"\n") else line + b"\n"
        self._lines |= here


def _is_same(one: bytes, other: bytes) -> bool:
    try:
        return one == other or parse_json(one) == parse_json(other)
    except ValueError:
        return False


def _uuid(line: bytes) -> str:
    try:
        return _decode(line).uuid
    except ValueError:
        return ""


def is_part_name(name: str) -> bool:
    """Return whether this is the name of a part."""
    return _PART.fullmatch(name) is not None


def part_names(folder: str | os.PathLike[str]) -> list[str]:
    """Return the names of the parts in a folder, in their order; none if it cannot be read. Links are no parts."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name for entry in entries if is_part_name(entry.name) and entry.is_file(follow_symlinks=False)
            )
    except OSError:
        return []


def is_parts_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a session in parts is at `path`."""
    return not str(path).endswith(".jsonl") and os.path.isdir(path) and bool(part_names(path))


def open_parts(folder: str) -> PartsSource:
    """Open the session in the parts in a folder. Raises UnreadableLog."""
    # The stamp of the folder changes when a part is added.
    names, stamps = part_names(folder), {folder: file_stamp_if_present(folder)}

    def read() -> Iterator[tuple[str, bytes]]:
        for name in names:
            path = os.path.join(folder, name)
            stamps[path] = file_stamp_if_present(path)
            try:
                with open(path, "rb") as file:
                    yield name, file.read()
            except OSError as error:
                raise UnreadableLog.from_os_error(error, path) from error

    return PartsSource(folder, read(), stamps, folder)


def group_parts_by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the sessions among the members of an archive: the names of their folders with those of their parts."""
    folders: dict[str, list[str]] = {}
    for name in sorted(names):
        folder, _, part = name.rpartition("/")
        if is_part_name(part):
            folders.setdefault(folder, []).append(name)
    return folders
