"""Logs that are folders of JSON files, on disk or in an archive: which files belong to the log."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

from inspector.core.errors import UnreadableLog
from inspector.core.storage.log_layout import MemberContainer
from inspector.core.translation import tr


class FolderContainer(MemberContainer):
    """The files below `path`. Their names are relative to it and use `/`.

    A log that is only a part of the folder is `partial`: a copy of it holds only the files that were read.
    `marker_folders` are folders by which the format is recognized: a copy has them even if they are empty.
    """

    def __init__(self, path: Path, partial: bool = False, marker_folders: Iterable[str] = ()) -> None:
        super().__init__(path)
        self.partial = partial
        self.marker_folders = tuple(marker_folders)
        self.read_names: list[str] = []

    def json_names(self, folder: str) -> list[str]:
        """Return the names of the JSON files in a subfolder ("" for the folder), sorted; none if it does not exist.

        Raises UnreadableLog.
        """
        prefix = f"{folder}/" if folder else ""
        return [
            f"{prefix}{name}" for name in self._names(folder, is_wanted=os.DirEntry.is_file) if name.endswith(".json")
        ]

    def subfolder_names(self, folder: str) -> list[str]:
        """Return the names of the folders in a subfolder, sorted; none if the subfolder does not exist.

        Raises UnreadableLog.
        """
        return [f"{folder}/{name}" for name in self._names(folder, is_wanted=os.DirEntry.is_dir)]

    def _names(self, folder: str, is_wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        """Return the sorted names of the wanted entries of a subfolder.

        A subfolder that is there and cannot be read is not an empty one: messages may be in it.
        """
        place = self.path / folder
        self.remember_stamp(place)
        try:
            with os.scandir(place) as entries:
                return sorted(entry.name for entry in entries if is_wanted(entry))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise UnreadableLog.from_os_error(error, place) from error

    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raises UnreadableLog."""
        place = self.path / name
        self.remember_stamp(place)
        try:
            data = place.read_bytes()
        except OSError as error:
            raise UnreadableLog.from_os_error(error, place) from error
        self.read_names.append(name)
        return data

    def path_of(self, name: str) -> Path:
        """Return the file on disk that holds a file of the log."""
        return self.path / name

    def file_like(self, name: str) -> Path:
        """Return the file whose mode and owner a file of the log takes: itself, or for a new one another of its folder.

        The folder of a new file is not empty, because new files are named after others.
        """
        path = self.path_of(name)
        if os.path.lexists(path):
            return path
        folder = os.path.dirname(name)
        return self.path_of(next((other for other in self.read_names if os.path.dirname(other) == folder), name))

    def names_to_copy(self) -> Iterable[str]:
        """Return the names of the files that a copy of the log holds. Raises UnreadableLog."""
        if self.partial:
            return self.read_names
        folders = os.walk(self.path, onerror=_raise_unreadable)
        paths = (Path(folder, name) for folder, _, names in folders for name in names)
        return sorted(path.relative_to(self.path).as_posix() for path in paths)


def _raise_unreadable(error: OSError) -> NoReturn:
    raise UnreadableLog.from_os_error(error, error.filename) from error


class ArchivedFolder(FolderContainer):
    """A folder in an archive. `members` are the bytes of its files, by their names in the folder."""

    def __init__(self, archive: str, name: str, members: dict[str, bytes], marker_folders: Iterable[str] = ()) -> None:
        super().__init__(Path(archive, name), marker_folders=marker_folders)
        self.archive, self.members = Path(archive), members
        self._in: dict[str, dict[str, None]] = {}
        for member in sorted(members):
            while member:
                parent = member.rpartition("/")[0]
                self._in.setdefault(parent, {})[member] = None
                member = parent
        self.remember_stamp(archive)

    def json_names(self, folder: str) -> list[str]:
        """Return the names of the JSON files in a subfolder, as `FolderContainer.json_names` does."""
        return [name for name in self._in.get(folder, ()) if name.endswith(".json") and name in self.members]

    def subfolder_names(self, folder: str) -> list[str]:
        """Return the names of the folders in a subfolder, as `FolderContainer.subfolder_names` does."""
        return [name for name in self._in.get(folder, ()) if name in self._in]

    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raises UnreadableLog."""
        if name not in self.members:
            raise UnreadableLog(
                tr("{path} cannot be read, because the archive does not contain it.", path=self.path / name)
            )
        self.read_names.append(name)
        return self.members[name]

    def path_of(self, name: str) -> Path:
        """Return the archive, which holds all files of the log."""
        return self.archive

    def names_to_copy(self) -> Iterable[str]:
        return self.members
