"""What formats share whose logs are folders of files: how a folder is read as one text, also from an archive."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import ClassVar

from inspector.core.formats.base.format import MultiFileFormat
from inspector.core.storage.archive_paths import WHOLE_ARCHIVE_NAME
from inspector.core.storage.folder import ArchivedFolder, FolderContainer
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource


class FolderFormat(MultiFileFormat):
    """A format whose logs can be folders.

    `member_pattern` matches the names of a log's files among the members of an archive. Its first group is the folder.
    """

    member_pattern: ClassVar[re.Pattern[str]]
    is_part_of_folder = False
    """The log is only a part of its folder: see `FolderContainer`."""

    @abstractmethod
    def is_complete(self, names: Collection[str]) -> bool:
        """Return whether files with these names, relative to their folder in an archive, are a log."""

    @abstractmethod
    def assemble_folder(self, path: str, folder: FolderContainer) -> AssembledSource:
        """Return the log in a folder as one text. Raises UnreadableLog."""

    def assemble(self, path: Path) -> Source:
        return self.assemble_folder(str(path), FolderContainer(path, partial=self.is_part_of_folder))

    def may_be_archived(self, name: str, data: bytes) -> bool:
        return self.member_pattern.fullmatch(name) is not None

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        folders: dict[str, dict[str, bytes]] = {}
        for name, data in members.items():
            if match := self.member_pattern.fullmatch(name):
                root = match[1] or ""
                folders.setdefault(root, {})[name[len(root) + 1 :] if root else name] = data
        for root, files in sorted(folders.items()):
            if self.is_complete(files):
                folder = ArchivedFolder(archive, root, files)
                source = self.assemble_folder(f"{archive}/{root or WHOLE_ARCHIVE_NAME}", folder)
                source.archive = archive
                yield [f"{root}/{name}" if root else name for name in files], source

    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        return [(0, len(raw))]
