"""Logs of many files or rows that lie in an archive: their parts are held in memory until all of them have come."""

from collections.abc import Iterator

from inspector.core.bytes.source import Source
from inspector.core.containers.archive.kinds import WHOLE_ARCHIVE
from inspector.core.containers.archive.reading import MAX_HELD_BYTES, ArchiveEntry, read_entries, source_of_entry
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS
from inspector.core.formats.bases.gathering import Gathering

_WAL = "-wal"  # beside a database
_UNPACK = "unpack the archive, and open it there"


class ArchivedStores:
    """What an archive holds of such logs. When they have been told, `unread` says which could not be, and why.

    `rest` are the members that were held, and are part of none.
    """

    def __init__(self, archive: str) -> None:
        self._archive = archive
        self._formats = [each for name, row in FORMATS.entries.items() if row.is_multi_file and (each := FORMATS[name])]
        self._held: dict[str, bytes] = {}
        self._room = MAX_HELD_BYTES
        self._unsettled: list[str] = []
        self._missing: list[str] = []
        self.unread_members: dict[str, str] = {}
        self.unused_members: list[str] = []

    def add_member(self, name: str, data: bytes) -> bool:
        """Hold a member, where it can be a part; whether it can."""
        if name.endswith(_WAL) and data:
            self._unsettled.append(name.removesuffix(_WAL))
        if not self._may_be_part(name, data):
            return False
        if len(data) > self._room:
            self.unread_members[name] = (
                f"with what lies beside it, it is more than {MAX_HELD_BYTES // 1024**2} MB: {_UNPACK}"
            )
            self._missing.append(name)
        else:
            self._held[name], self._room = data, self._room - len(data)
        return True

    def add_unread_member(self, name: str) -> None:
        """Note a member that was not read: a log of which it is a part is not whole without it."""
        if self._may_be_part(name, b""):
            self._missing.append(name)

    def _may_be_part(self, name: str, data: bytes) -> bool:
        return any(isinstance(each, Gathering) and each.may_be_archived(name, data) for each in self._formats)

    def assemble_logs(self) -> Iterator[Source]:
        """The logs, in the order of their names."""
        for name in self._unsettled:
            if self._held.pop(name, None) is not None:
                self.unread_members[name] = (
                    f"its newest changes lie in {name}{_WAL}, which is not read by itself: {_UNPACK}"
                )
        rest = dict.fromkeys(self._held)
        for format in self._formats:
            assert isinstance(format, Gathering), "its row says so"
            try:
                for parts, source in format.assemble_archived(self._archive, self._held):
                    for part in parts:
                        rest.pop(part, None)
                    if missing := self._missing_of(source):
                        source.close()
                        name = source.path.removeprefix(f"{self._archive}/")
                        self.unread_members[name] = f"{missing}, a part of it, was not read: {_UNPACK}"
                    else:
                        yield source
            except UnreadableLog as error:
                self.unread_members["a store in it"] = str(error)
        self.unused_members = list(rest)

    def _missing_of(self, source: Source) -> str:
        """The first of its parts that was not read, "" where it is whole."""
        own = _Below(source.path.removeprefix(f"{self._archive}/"))
        return next((name for name in self._missing if name in own), "")


def open_archived_log(archive: str, name: str) -> Source:
    """The log that lies in an archive under a name: a member, or a store of many. Raises UnreadableLog."""
    own: ArchiveEntry | None = None
    stores = ArchivedStores(archive)
    for entry in read_entries(archive, _Below(name)):
        if entry.data is None:
            stores.add_unread_member(entry.name)
        is_part = entry.data is not None and stores.add_member(entry.name, entry.data)
        if entry.name == name:
            own = own or entry
            if not is_part:
                break
    path = f"{archive}/{name}"
    for source in stores.assemble_logs():
        if source.path == path:
            return source
        source.close()
    why = stores.unread_members.get(name)
    return source_of_entry(archive, name, ArchiveEntry(name, None, why) if why else own)


class _Below:
    """A name, what is kept beside it, and all below it."""

    def __init__(self, name: str) -> None:
        self._names, self._above = (name, f"{name}{_WAL}"), "" if name == WHOLE_ARCHIVE else f"{name}/"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._names or name.startswith(self._above))
