"""The logs in an archive that somebody sent, and what else lies in it."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from inspector.core.bytes.source import Source
from inspector.core.containers.archive.reading import Packed, entries
from inspector.core.errors import InspectorError
from inspector.core.formats import RAW, detect
from inspector.core.formats.bases.head import Head
from inspector.core.opening.packed_stores import PackedStores

_NAMED = 20


class Ticket:
    """An archive. When its logs have been gone through, `others` are the members that are none, `unread` those that
    were not read, each with the reason, and `same` those of the same bytes as one before, which it names.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.others: list[str] = []
        self.unread: dict[str, str] = {}
        self.same: dict[str, str] = {}

    def logs(self) -> Iterator[Source]:
        """The logs in the order of the archive, then those of many members. One is held at a time, besides the members
        of those. Raises UnreadableLog.
        """
        seen: dict[bytes, str] = {}
        stores = PackedStores(self.path)
        for name, data, why in entries(self.path):
            if data is None:
                self.unread[name] = why
                stores.miss(name)
                continue
            source = Packed(self.path, name, data)
            if not _is_log(source):
                if not stores.take(name, data):
                    self.others.append(name)
                continue
            first = seen.setdefault(sha256(data).digest(), name)
            if first != name:
                self.same[name] = first
                continue
            yield source
        yield from stores.logs()
        self.unread |= stores.unread
        self.others += stores.rest

    def fields(self) -> dict[str, list[dict[str, Any]]]:
        """The same for a program."""
        unread, same = self.unread.items(), self.same.items()
        return {
            "not_logs": [{"path": self.path, "files": len(self.others), "names": self.others}] if self.others else [],
            "not_read": [{"path": self.path, "name": name, "why": why} for name, why in unread],
            "same_bytes": [{"path": self.path, "name": name, "as": first} for name, first in same],
        }

    def lines(self) -> Iterator[str]:
        """The same for a person."""
        if self.others:
            names = ", ".join(self.others[:_NAMED]) + (" …" if len(self.others) > _NAMED else "")
            yield f"{self.path}: {len(self.others)} other files in it are no logs of a known format: {names}"
        yield from (f"{self.path}: {name} was not read: {why}" for name, why in self.unread.items())
        yield from (f"{self.path}: {name} holds the same bytes as {first}" for name, first in self.same.items())


def _is_log(source: Packed) -> bool:
    try:
        head = Head(source)
        return bool(head.text.strip()) and (detect(head) is not RAW or bool(head.faults))
    except InspectorError:
        return False
