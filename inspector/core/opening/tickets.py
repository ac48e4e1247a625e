"""The logs in an archive that somebody sent, and what else lies in it."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from inspector.core.bytes.source import Source
from inspector.core.containers.archive.reading import ArchivedSource, read_entries
from inspector.core.errors import InspectorError
from inspector.core.formats import RAW, detect
from inspector.core.formats.bases.head import Head
from inspector.core.opening.packed_stores import ArchivedStores

_NAMED = 20


class LogArchive:
    """An archive. When its logs have been gone through, `others` are the members that are none, `unread` those that
    were not read, each with the reason, and `same` those of the same bytes as one before, which it names.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.other_members: list[str] = []
        self.unread_members: dict[str, str] = {}
        self.duplicate_members: dict[str, str] = {}

    def logs(self) -> Iterator[Source]:
        """The logs in the order of the archive, then those of many members. One is held at a time, besides the members
        of those. Raises UnreadableLog.
        """
        seen: dict[bytes, str] = {}
        stores = ArchivedStores(self.path)
        for name, data, why in read_entries(self.path):
            if data is None:
                self.unread_members[name] = why
                stores.add_unread_member(name)
                continue
            source = ArchivedSource(self.path, name, data)
            if not _is_log(source):
                if not stores.add_member(name, data):
                    self.other_members.append(name)
                continue
            first = seen.setdefault(sha256(data).digest(), name)
            if first != name:
                self.duplicate_members[name] = first
                continue
            yield source
        yield from stores.assemble_logs()
        self.unread_members |= stores.unread_members
        self.other_members += stores.unused_members

    def report_fields(self) -> dict[str, list[dict[str, Any]]]:
        """The same for a program."""
        unread, same = self.unread_members.items(), self.duplicate_members.items()
        return {
            "not_logs": [{"path": self.path, "files": len(self.other_members), "names": self.other_members}]
            if self.other_members
            else [],
            "not_read": [{"path": self.path, "name": name, "why": why} for name, why in unread],
            "same_bytes": [{"path": self.path, "name": name, "as": first} for name, first in same],
        }

    def report_lines(self) -> Iterator[str]:
        """The same for a person."""
        if self.other_members:
            names = ", ".join(self.other_members[:_NAMED]) + (" …" if len(self.other_members) > _NAMED else "")
            yield f"{self.path}: {len(self.other_members)} other files in it are no logs of a known format: {names}"
        yield from (f"{self.path}: {name} was not read: {why}" for name, why in self.unread_members.items())
        yield from (
            f"{self.path}: {name} holds the same bytes as {first}" for name, first in self.duplicate_members.items()
        )


def _is_log(source: ArchivedSource) -> bool:
    try:
        head = Head(source)
        return bool(head.text.strip()) and (detect(head) is not RAW or bool(head.faults))
    except InspectorError:
        return False
