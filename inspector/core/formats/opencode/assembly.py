"""The assembly of opencode's stores into the form of its own export, and a list's metadata of a database.

Each session is an object `{info, messages: [{info, parts}]}`.
Facts: anomalyco/opencode, storage/storage.ts and storage/json-migration.ts (the folder; ids are those of the paths),
session/session.sql.ts and session/message-v2.ts `hydrate` (the tables, and the order of messages and parts).
The text holds every file and every row's JSON unchanged. The JSON of a row is preceded by its ids, which are columns.
"""

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.databases import is_database_bytes, require_utf8, title_among_others
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.opencode.layout import TABLES, StoreLayout, layout_of, layouts_in_archive
from inspector.core.formats.opencode.reader import session_title
from inspector.core.storage.archive_paths import WHOLE_ARCHIVE_NAME
from inspector.core.storage.folder import ArchivedFolder, FolderContainer
from inspector.core.storage.json_text import is_valid_json, javascript_can_parse, parse_json, value_at
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

JSON_COLUMNS = {"message": "data", "part": "data"}
_SESSION_COLUMNS = {
    "id": "id",
    "projectID": "project_id",
    "parentID": "parent_id",
    "directory": "directory",
    "title": "title",
    "version": "version",
}


class FileOrRowJson(Struct):
    """A file or the JSON of a row, with its name. `given` are the ids from the row's columns, as the start of JSON."""

    name: str
    data: bytes
    given: bytes = b""

    @property
    def text(self) -> bytes:
        """The JSON with the given ids after its opening brace."""
        if not self.given or self.data[:1] != b"{":
            return self.data
        return self.given + (b"," if self.data[1:].strip() != b"}" else b"") + self.data[1:]


class _ExportText(AssembledText):
    """An export that is being assembled from files or rows."""

    def piece(self, piece: FileOrRowJson) -> tuple[int, int]:
        text = piece.text
        given = len(text) - len(piece.data) + 1 if len(text) > len(piece.data) else 0
        return self.put_member(piece.name, text, given)

    def session(self, info: FileOrRowJson, messages: Iterable[tuple[FileOrRowJson, list[FileOrRowJson]]]) -> None:
        self.put(b",\n" if self.arrays else b"")
        start = self.spool.size
        self.put(b'{"info":')
        if info.name:
            self.piece(info)
        else:
            self.put(info.data)
        self.put(b',"messages":')
        at, spans = self.spool.size, []
        gap = b"[\n"
        for message, parts in messages:
            # A part that is not JSON becomes a record of its own, so that its message stays readable.
            sound = [part for part in parts if is_valid_json(part.data) or javascript_can_parse(part.data)]
            self.put(gap)
            spans.append(self._message(message, sound))
            gap = b",\n"
            for invalid in (part for part in parts if part not in sound):
                self.put(gap)
                spans.append(self.piece(invalid))
        self.put(b"\n]}" if spans else b"[]}")
        self.arrays.append((at, spans, (start, self.spool.size)))

    def _message(self, message: FileOrRowJson, parts: list[FileOrRowJson]) -> tuple[int, int]:
        start = self.spool.size
        self.put(b'{"info":')
        self.piece(message)
        self.put(b',"parts":[')
        for number, part in enumerate(parts):
            self.put(b"," if number else b"")
            self.piece(part)
        self.put(b"]}")
        return start, self.spool.size


def assemble(path: Path, format: str) -> AssembledSource:
    """Return the log at `path` as one text. Raises UnreadableLog."""
    layout = layout_of(path)
    if layout is None:
        return _assemble_layout(str(path), format, DatabaseContainer(path, JSON_COLUMNS), None)
    container = FolderContainer(layout.root, bool(layout.only), (layout.sessions, layout.messages))
    return _assemble_layout(str(path), format, container, layout)


def assemble_from_archive(
    archive: str, members: dict[str, bytes], format: str
) -> Iterator[tuple[list[str], AssembledSource]]:
    """Yield the stores among members of an archive, each with the names of its members.

    Raises UnreadableLog.
    """
    names = sorted(members)
    for root, layout in layouts_in_archive(archive, names):
        prefix = f"{root}/" if root else ""
        low = bisect_left(names, prefix)
        parts = names[low : bisect_right(names, prefix, low, key=itemgetter(slice(len(prefix))))]
        files = {name.removeprefix(prefix): members[name] for name in parts}
        folder = ArchivedFolder(archive, root, files, (layout.sessions, layout.messages))
        yield (
            parts,
            _packed_source(
                archive, _assemble_layout(f"{archive}/{root or WHOLE_ARCHIVE_NAME}", format, folder, layout)
            ),
        )
    for name, data in members.items():
        if is_database_bytes(data, TABLES):
            database = ArchivedDatabase(archive, name, data, JSON_COLUMNS)
            yield [name], _packed_source(archive, _assemble_layout(str(database.path), format, database, None))


def _packed_source(archive: str, source: AssembledSource) -> AssembledSource:
    source.archive = archive
    return source


def _assemble_layout(
    path: str, format: str, container: FolderContainer | DatabaseContainer, layout: StoreLayout | None
) -> AssembledSource:
    text = _ExportText()
    try:
        if isinstance(container, FolderContainer):
            assert layout is not None, "a folder is a store by its layout"
            _put_all(text, _folder_sessions(container, layout), many=not layout.only)
        else:
            with container.connect() as database:
                require_utf8(database, path)
                _put_all(text, _rows_sessions(database), many=True)
        return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_all(
    text: _ExportText,
    sessions: Iterator[tuple[FileOrRowJson, Iterable[tuple[FileOrRowJson, list[FileOrRowJson]]]]],
    many: bool,
) -> None:
    text.put(b"[\n" if many else b"")
    for info, messages in sessions:
        text.session(info, messages)
    text.put(b"\n]\n" if many else b"\n")


# the folder


def _folder_sessions(
    folder: FolderContainer, layout: StoreLayout
) -> Iterator[tuple[FileOrRowJson, Iterable[tuple[FileOrRowJson, list[FileOrRowJson]]]]]:
    if layout.only:
        names = [f"{layout.sessions}/{layout.only}"]
    elif layout.nested:
        names = folder.json_names(layout.sessions)
    else:
        names = [name for project in folder.subfolder_names(layout.sessions) for name in folder.json_names(project)]
    loose = {} if layout.nested else _loose_parts(folder, layout)
    for name in names:
        info = FileOrRowJson(name, folder.read(name))
        if not _is_object(info.data):
            raise UnreadableLog(
                tr(
                    "{root} is damaged, so opencode cannot load its session. Restore the file from a backup, "
                    "or open the other sessions from their own files.",
                    root=layout.root / name,
                )
            )
        messages = _files_of(folder, layout.messages, info)
        yield info, (_folder_message(folder, layout, message, loose) for message in messages)


def _folder_message(
    folder: FolderContainer, layout: StoreLayout, name: str, loose: dict[str, list[FileOrRowJson]]
) -> tuple[FileOrRowJson, list[FileOrRowJson]]:
    message = FileOrRowJson(name, folder.read(name))
    parent = f"{layout.parts}/{Path(name).parent.name}" if layout.nested else layout.parts
    parts = [FileOrRowJson(part, folder.read(part)) for part in _files_of(folder, parent, message)]
    return message, parts or loose.get(_own_id(message), [])


def _files_of(folder: FolderContainer, parent: str, owner: FileOrRowJson) -> list[str]:
    """Return the files that belong to a session or message, under `parent`.

    opencode finds them by the name of the owner's file. In copies of a store that file may have a new name, and its
    files are still under the old id.
    """
    own = _own_id(owner)
    names = folder.json_names(f"{parent}/{Path(owner.name).stem}")
    return names or (folder.json_names(f"{parent}/{own}") if own and Path(own).name == own else [])


def _own_id(piece: FileOrRowJson) -> str:
    return str(value_at(parse_json(piece.data), "/id") or "") if is_valid_json(piece.data) else ""


def _loose_parts(folder: FolderContainer, layout: StoreLayout) -> dict[str, list[FileOrRowJson]]:
    """Return the parts that one folder holds for all messages, by the id of their message."""
    parts: dict[str, list[FileOrRowJson]] = {}
    for name in folder.json_names(layout.parts):
        data = folder.read(name)
        owner = str(value_at(parse_json(data), "/messageID") or "") if is_valid_json(data) else ""
        parts.setdefault(owner, []).append(FileOrRowJson(name, data))
    return parts


# the database


def _rows_sessions(
    database: sqlite3.Connection,
) -> Iterator[tuple[FileOrRowJson, Iterable[tuple[FileOrRowJson, list[FileOrRowJson]]]]]:
    columns = {row[0] for row in database.execute("SELECT name FROM pragma_table_info('session')")}
    wanted = [
        name for name in (*_SESSION_COLUMNS.values(), "revert", "time_created", "time_updated") if name in columns
    ]
    order = "time_created, id" if "time_created" in columns else "id"
    for row in database.execute(f"SELECT {', '.join(wanted)} FROM session ORDER BY {order}").fetchall():
        info = _session_info(dict(zip(wanted, row, strict=True)))
        yield FileOrRowJson("", orjson.dumps(info, default=str)), _rows_messages(database, info.get("id"))


def _session_info(row: dict[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {key: row[name] for key, name in _SESSION_COLUMNS.items() if row.get(name) is not None}
    info["time"] = {"created": row.get("time_created"), "updated": row.get("time_updated")}
    revert = row["revert"].encode("utf-8", "replace") if isinstance(row.get("revert"), str) else b""
    if is_valid_json(revert):
        info["revert"] = parse_json(revert)
    return info


def _rows_messages(database: sqlite3.Connection, session: Any) -> Iterator[tuple[FileOrRowJson, list[FileOrRowJson]]]:
    messages = database.execute(
        "SELECT id, CAST(data AS BLOB) FROM message WHERE session_id IS ? ORDER BY time_created, id", (session,)
    )
    for key, data in messages:
        parts = database.execute("SELECT id, CAST(data AS BLOB) FROM part WHERE message_id IS ? ORDER BY id", (key,))
        ids = {"id": key, "sessionID": session}
        yield (
            FileOrRowJson(f"message:{key}", data or b"", row_json_prefix(ids)),
            [
                FileOrRowJson(f"part:{id}", text or b"", row_json_prefix({**ids, "id": id, "messageID": key}))
                for id, text in parts
            ],
        )


def row_json_prefix(ids: dict[str, Any]) -> bytes:
    """Return the start of a row's JSON in an export, which holds the ids of the row."""
    return orjson.dumps(ids, default=str)[:-1]


def _is_object(data: bytes) -> bool:
    return is_valid_json(data) and isinstance(parse_json(data), dict)


# a database in a list: its newest session, and how many others it holds

# Sessions of subagents have a parent. Every database has the columns of time, and they are used only for the order.
_NEWEST_SESSION = (
    "SELECT directory, title, count(*) OVER () FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC"
)


def newest_session_metadata(path: str) -> SessionMetadata:
    """Return folder and title of the newest session; empty if the database cannot be read, which opening reports."""
    try:
        with open_for_listing(Path(path)) as database:
            row = database.execute(f"{_NEWEST_SESSION} LIMIT 1").fetchone()
    except (sqlite3.Error, UnreadableLog):
        return SessionMetadata()
    if row is None:
        return SessionMetadata()
    folder, title, sessions = row
    return SessionMetadata(str(folder or ""), title_among_others(session_title(title), sessions))
