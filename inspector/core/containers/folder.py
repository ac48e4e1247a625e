"""A log that is a folder of JSON files: which of them belong to it."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.core.bytes.members import Keeper
from inspector.core.errors import UnreadableLog


class Folder(Keeper):
    """The files below `path`; their names are relative to it, with `/`.

    A log that is but a part of the folder is `partial`: a copy of it holds the files that were read, no others.
    The folders `told_by` tell what it is: a copy has them though they be empty.
    """

    def __init__(self, path: Path, partial: bool = False, told_by: Iterable[str] = ()) -> None:
        super().__init__(path)
        self.partial = partial
        self.told_by = tuple(told_by)
        self.names: list[str] = []

    def listed(self, folder: str) -> list[str]:
        """The names of the JSON files in a folder below, in order; none when it is not there."""
        place = self.path / folder
        self.note(place)
        try:
            names = sorted(os.listdir(place))
        except OSError:
            return []
        return [f"{folder}/{name}" for name in names if name.endswith(".json") and (place / name).is_file()]

    def folders(self, folder: str) -> list[str]:
        """The names of the folders in a folder below, in order."""
        place = self.path / folder
        self.note(place)
        try:
            return [f"{folder}/{name}" for name in sorted(os.listdir(place)) if (place / name).is_dir()]
        except OSError:
            return []

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises UnreadableLog."""
        place = self.path / name
        self.note(place)
        try:
            data = place.read_bytes()
        except OSError as error:
            raise UnreadableLog.by(error, place) from error
        self.names.append(name)
        return data

    def place_of(self, name: str) -> Path:
        """The file on the disk that holds one of its files."""
        return self.path / name

    def all_names(self) -> Iterable[str]:
        """The names of the files that a copy holds."""
        if self.partial:
            return self.names
        found = (Path(folder, name) for folder, _, names in os.walk(self.path) for name in names)
        return sorted(path.relative_to(self.path).as_posix() for path in found)


class PackedFolder(Folder):
    """A folder in an archive: `members` are the bytes of its files, by their names in it."""

    def __init__(self, archive: str, name: str, members: dict[str, bytes], told_by: Iterable[str] = ()) -> None:
        super().__init__(Path(archive, name), told_by=told_by)
        self.archive, self.members = Path(archive), members
        self._in: dict[str, dict[str, None]] = {}
        for member in sorted(members):
            while member:
                above = member.rpartition("/")[0]
                self._in.setdefault(above, {})[member] = None
                member = above
        self.note(archive)

    def listed(self, folder: str) -> list[str]:
        """See `Folder.listed`."""
        return [name for name in self._in.get(folder, ()) if name.endswith(".json") and name in self.members]

    def folders(self, folder: str) -> list[str]:
        """See `Folder.folders`."""
        return [name for name in self._in.get(folder, ()) if name in self._in]

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises UnreadableLog."""
        if name not in self.members:
            raise UnreadableLog(f"{self.path / name} cannot be read: no such member is in the archive.")
        self.names.append(name)
        return self.members[name]

    def place_of(self, name: str) -> Path:
        """The archive."""
        return self.archive

    def all_names(self) -> Iterable[str]:
        return self.members
