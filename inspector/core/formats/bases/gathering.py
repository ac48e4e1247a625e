"""What a format says whose log can lie in many files or rows, which are put together as one text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.bytes.source import Source
from inspector.core.formats.bases.format import Format

if TYPE_CHECKING:
    from pathlib import Path


class Gathering(Format):
    """A format whose logs are told in a folder or a database, put together, and taken apart again."""

    @abstractmethod
    def claims(self, path: Path) -> bool:
        """Whether a log of the format lies at `path` in many files or rows, told by names and tables alone."""

    @abstractmethod
    def assemble(self, path: Path) -> Source:
        """The log at a path that is claimed, as one text: each file or row is a span. Raises UnreadableLog."""

    def may_be_archived(self, name: str, data: bytes) -> bool:
        """Whether a member of an archive can be a part of such a log, told by its name and first bytes."""
        return False

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        """The logs among these members, each with the names of those that are part of it. Raises UnreadableLog."""
        return iter(())

    @abstractmethod
    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        """The spans in a record of the files or rows that it is assembled of, in order."""
