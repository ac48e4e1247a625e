"""The logs in an archive: single members, and logs of many files or rows.

The parts of a log of many files are held in memory until all of them have been read.
"""

from collections.abc import Iterator
from hashlib import sha256

from inspector.core.discovery.log_entry import UnreadFile
from inspector.core.discovery.unread_files import explain_unread_bytes
from inspector.core.errors import CutOffFile, DamagedFile, InspectorError, UnreadableLog
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, detect_format
from inspector.core.formats.base.format import MultiFileFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.storage.archive import (
    CUT_OFF,
    DAMAGED,
    ENCRYPTED,
    MAX_HELD_BYTES,
    ArchiveMemberBytes,
    read_archive_members,
    source_of_archive_member,
    source_of_member_bytes,
)
from inspector.core.storage.archive_paths import WHOLE_ARCHIVE_NAME
from inspector.core.storage.session_parts import PartsSource, group_parts_by_folder, is_part_name
from inspector.core.storage.source import Source, file_stamp_if_present
from inspector.core.translation import tr, tr_plural

_WAL = "-wal"  # suffix of the write-ahead log next to a database
_UNREAD_KIND_BY_REASON = {ENCRYPTED: "password", CUT_OFF: "cut-off"}
_UNPACK = tr("unpack the archive, and open the unpacked log")


class ArchivedMultiFileLogs:
    """The logs of many files or rows in an archive.

    After `assemble_logs`, `unread_members` holds the logs and members that could not be read, each with the reason, and
    `unused_members` the members that were held but belong to no log.
    """

    def __init__(self, archive: str) -> None:
        self._archive = archive
        self._formats = [
            format for name, row in FORMATS.entries.items() if row.is_multi_file and (format := FORMATS[name])
        ]
        self._held: dict[str, bytes] = {}
        self._room = MAX_HELD_BYTES
        self._unsettled: list[str] = []
        self._missing: list[str] = []
        self.unread_members: dict[str, str] = {}
        self.unused_members: list[str] = []

    def add_member(self, name: str, data: bytes) -> bool:
        """Hold a member if it can be a part of a log. Return whether it can."""
        if name.endswith(_WAL) and data:
            self._unsettled.append(name.removesuffix(_WAL))
        if not self._may_be_part(name, data):
            return False
        if len(data) > self._room:
            self.unread_members[name] = tr(
                "the log and the files next to it are larger than {max_held_bytes} MB in total: {unpack}",
                max_held_bytes=MAX_HELD_BYTES // 1024**2,
                unpack=_UNPACK,
            )
            self._missing.append(name)
        else:
            self._held[name], self._room = data, self._room - len(data)
        return True

    def add_unread_member(self, name: str) -> None:
        """Remember a member that was not read. A log that it belongs to is incomplete."""
        if self._may_be_part(name, b""):
            self._missing.append(name)

    def _may_be_part(self, name: str, data: bytes) -> bool:
        return _is_part(name) or any(
            isinstance(format, MultiFileFormat) and format.may_be_archived(name, data) for format in self._formats
        )

    def assemble_logs(self) -> Iterator[Source]:
        """Yield the logs, in the order of their names."""
        for name in self._unsettled:
            if self._held.pop(name, None) is not None:
                self.unread_members[name] = tr(
                    "the newest changes are in {name}{wal}, which cannot be read from an archive: {unpack}",
                    name=name,
                    wal=_WAL,
                    unpack=_UNPACK,
                )
        unused = dict.fromkeys(self._held)
        for folder, parts in group_parts_by_folder(self._held).items():
            for part in parts:
                unused.pop(part)
            path = f"{self._archive}/{folder or WHOLE_ARCHIVE_NAME}"
            stamps = {self._archive: file_stamp_if_present(self._archive)}
            members = ((part.rpartition("/")[2], self._held[part]) for part in parts)
            yield from self._if_complete(PartsSource(path, members, stamps, self._archive))
        for format in self._formats:
            assert isinstance(format, MultiFileFormat), "its row says so"
            try:
                for parts, source in format.assemble_archived(self._archive, self._held):
                    for part in parts:
                        unused.pop(part, None)
                    yield from self._if_complete(source)
            except UnreadableLog as error:
                self.unread_members["a store in it"] = str(error)
        self.unused_members = list(unused)

    def _if_complete(self, source: Source) -> Iterator[Source]:
        """Yield a log, unless a part of it was not read."""
        if missing := self._missing_of(source):
            source.close()
            name = source.path.removeprefix(f"{self._archive}/")
            self.unread_members[name] = tr(
                "{missing}, which belongs to this log, was not read: {unpack}", missing=missing, unpack=_UNPACK
            )
        else:
            yield source

    def _missing_of(self, source: Source) -> str:
        """Return the first part of a log that was not read, "" if the log is complete."""
        own_names = _Below(source.path.removeprefix(f"{self._archive}/"))
        return next((name for name in self._missing if name in own_names), "")


def open_archived_log(archive: str, name: str) -> Source:
    """Return the log with this name in an archive: a member, or a log of many files or rows. Raises UnreadableLog."""
    own_entry: ArchiveMemberBytes | None = None
    stores = ArchivedMultiFileLogs(archive)
    for entry in read_archive_members(archive, _Below(name)):
        if entry.data is None:
            stores.add_unread_member(entry.name)
        is_part = entry.data is not None and stores.add_member(entry.name, entry.data)
        if entry.name == name:
            own_entry = own_entry or entry
            if not is_part:
                break
    path = f"{archive}/{name}"
    for source in stores.assemble_logs():
        if source.path == path:
            return source
        source.close()
    reason = stores.unread_members.get(name)
    return source_of_archive_member(archive, name, ArchiveMemberBytes(name, None, reason) if reason else own_entry)


class _Below:
    """The set of a name, the name of its write-ahead log, and all names below it."""

    def __init__(self, name: str) -> None:
        self._names, self._above = (name, f"{name}{_WAL}"), "" if name == WHOLE_ARCHIVE_NAME else f"{name}/"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._names or name.startswith(self._above))


_HEAD_SIZE = 4096  # bytes of another file that are kept
_NAMED = 20  # names of other files that a report shows


class LogArchive:
    """An archive of logs. After `logs` was exhausted, it knows the members that are not logs.

    * `other_members` are those that are not logs; `other_heads` are the first bytes of each.
    * `unread_members` are those that were not read, each with the reason.
    * `duplicate_members` are those with the same bytes as an earlier member, each with the name of that one.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.other_members: list[str] = []
        self.other_heads: dict[str, bytes] = {}
        self.unread_members: dict[str, str] = {}
        self.duplicate_members: dict[str, str] = {}

    def logs(self) -> Iterator[Source]:
        """Yield the logs in the order of the archive, then the logs of many members. Raises UnreadableLog.

        One log at a time is in memory, besides the members that can be part of a log of many.
        """
        seen: dict[bytes, str] = {}
        stores = ArchivedMultiFileLogs(self.path)
        for name, data, reason in read_archive_members(self.path):
            if data is None:
                self.unread_members[name] = reason
                stores.add_unread_member(name)
                continue
            if _is_part(name) and stores.add_member(name, data):
                continue
            try:
                source = source_of_member_bytes(self.path, name, data)
            except DamagedFile as error:
                self.unread_members[name] = CUT_OFF if isinstance(error, CutOffFile) else DAMAGED
                continue
            if not _is_log(source):
                source.close()
                if not stores.add_member(name, data):
                    self.other_members.append(name)
                    self.other_heads[name] = data[:_HEAD_SIZE]
                continue
            first = seen.setdefault(sha256(data).digest(), name)
            if first != name:
                self.duplicate_members[name] = first
                continue
            yield source
        yield from stores.assemble_logs()
        self.unread_members |= stores.unread_members
        self.other_members += stores.unused_members

    def unread_files(self) -> list[UnreadFile]:
        """Return the members that are not logs, with the reason of each."""
        others = [
            explain_unread_bytes(f"{self.path}/{name}", self.other_heads.get(name, b"?")) for name in self.other_members
        ]
        return others + [
            UnreadFile(f"{self.path}/{name}", _UNREAD_KIND_BY_REASON.get(reason, "damaged"))
            for name, reason in self.unread_members.items()
        ]

    def report_lines(self) -> Iterator[str]:
        """Yield the members that are not logs as lines of the text report."""
        if self.other_members:
            names = ", ".join(self.other_members[:_NAMED]) + (" …" if len(self.other_members) > _NAMED else "")
            yield tr(
                "{path}: {other_files} in unsupported formats: {names}",
                path=self.path,
                other_files=tr_plural("{number:,} other file", "{number:,} other files", len(self.other_members)),
                names=names,
            )
        yield from (
            tr("{path}: {name} was not read: {why}", path=self.path, name=name, why=why)
            for name, why in self.unread_members.items()
        )
        yield from (
            tr("{path}: {name} is identical to {first}", path=self.path, name=name, first=first)
            for name, first in self.duplicate_members.items()
        )


def _is_part(name: str) -> bool:
    """Return whether a member is a part of a session of the Claude Agent SDK, which is no log of its own."""
    return is_part_name(name.rpartition("/")[2])


def _is_log(source: Source) -> bool:
    try:
        head = Head(source)
        return bool(head.text.strip()) and (detect_format(head) is not UNKNOWN_FORMAT or bool(head.faults))
    except InspectorError:
        return False
