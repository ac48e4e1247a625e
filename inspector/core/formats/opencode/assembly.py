"""opencode's stores put together as its own export: `{info, messages: [{info, parts}]}`, a session an object.

Facts: anomalyco/opencode, storage/storage.ts and storage/json-migration.ts (the folder; ids are those of the paths),
session/session.sql.ts and session/message-v2.ts `hydrate` (the tables, and the order of messages and parts).
Every file, and every row's JSON, stands in the text as it is; before that of a row come the ids, which are columns.
"""

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from inspector.core.bytes.json_text import is_valid_json, parse_json, replace_lone_surrogates, value_at
from inspector.core.bytes.temporary import AssembledSource, LogMember, SpoolFile
from inspector.core.containers.archive.kinds import WHOLE_ARCHIVE
from inspector.core.containers.folder import ArchivedFolder, FolderContainer
from inspector.core.containers.sqlite import ArchivedDatabase, DatabaseContainer
from inspector.core.errors import UnreadableLog
from inspector.core.formats.opencode.places import Layout, is_packed_database, layout_of, packed_layouts

COLUMNS = {"message": "data", "part": "data"}
_SESSION = {"id": "id", "projectID": "project_id", "parentID": "parent_id", "directory": "directory", "title": "title",
            "version": "version"}  # fmt: skip


class Piece(Struct):
    """A file, or the JSON of a row, by its name. `given` are the ids that are columns of the row, as JSON begins."""

    name: str
    data: bytes
    given: bytes = b""

    @property
    def text(self) -> bytes:
        """The JSON with what is given behind its opening brace."""
        if not self.given or self.data[:1] != b"{":
            return self.data
        return self.given + (b"," if self.data[1:].strip() != b"}" else b"") + self.data[1:]


class _Text:
    """An export that is being put together: its bytes, where files and rows stand in it, and its arrays of messages."""

    def __init__(self) -> None:
        self.spool = SpoolFile()
        self.members: list[LogMember] = []
        self.arrays: list[tuple[int, list[tuple[int, int]], tuple[int, int]]] = []

    def put(self, text: bytes) -> None:
        self.spool.write(text)

    def piece(self, piece: Piece) -> None:
        start, text = self.spool.size, piece.text
        self.put(text)
        given = len(text) - len(piece.data) + 1 if len(text) > len(piece.data) else 0
        self.members.append(LogMember(piece.name, start, self.spool.size, given))

    def session(self, info: Piece, messages: Iterable[tuple[Piece, list[Piece]]]) -> None:
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
            # A part that is no JSON is a record of its own: it must not take its message with it.
            sound = [
                part for part in parts if is_valid_json(part.data) or is_valid_json(replace_lone_surrogates(part.data))
            ]
            self.put(gap)
            spans.append(self._message(message, sound))
            gap = b",\n"
            for torn in (part for part in parts if part not in sound):
                self.put(gap)
                self.piece(torn)
                spans.append((self.members[-1].start, self.spool.size))
        self.put(b"\n]}" if spans else b"[]}")
        self.arrays.append((at, spans, (start, self.spool.size)))

    def _message(self, message: Piece, parts: list[Piece]) -> tuple[int, int]:
        start = self.spool.size
        self.put(b'{"info":')
        self.piece(message)
        self.put(b',"parts":[')
        for number, part in enumerate(parts):
            self.put(b"," if number else b"")
            self.piece(part)
        self.put(b"]}")
        return start, self.spool.size


def assembled(path: Path, format: str) -> AssembledSource:
    """The log at `path`. Raises UnreadableLog."""
    layout = layout_of(path)
    if layout is None:
        return _assembled(str(path), format, DatabaseContainer(path, COLUMNS), None)
    keeper = FolderContainer(layout.root, bool(layout.only), (layout.sessions, layout.messages))
    return _assembled(str(path), format, keeper, layout)


def packed_stores(archive: str, members: dict[str, bytes], format: str) -> Iterator[tuple[list[str], AssembledSource]]:
    """The stores among members of an archive, each with the names of those that lie in it.

    Raises UnreadableLog.
    """
    names = sorted(members)
    for root, layout in packed_layouts(archive, names):
        above = f"{root}/" if root else ""
        low = bisect_left(names, above)
        parts = names[low : bisect_right(names, above, low, key=itemgetter(slice(len(above))))]
        own = {name.removeprefix(above): members[name] for name in parts}
        keeper = ArchivedFolder(archive, root, own, (layout.sessions, layout.messages))
        yield parts, _packed(archive, _assembled(f"{archive}/{root or WHOLE_ARCHIVE}", format, keeper, layout))
    for name, data in members.items():
        if is_packed_database(data):
            database = ArchivedDatabase(archive, name, data, COLUMNS)
            yield [name], _packed(archive, _assembled(str(database.path), format, database, None))


def _packed(archive: str, source: AssembledSource) -> AssembledSource:
    source.archive = archive
    return source


def _assembled(
    path: str, format: str, keeper: FolderContainer | DatabaseContainer, layout: Layout | None
) -> AssembledSource:
    text = _Text()
    try:
        if isinstance(keeper, FolderContainer):
            assert layout is not None, "a folder is a store by its layout"
            _put_all(text, _folder_sessions(keeper, layout), many=not layout.only)
        else:
            with keeper.connect() as database:
                if database.execute("PRAGMA encoding").fetchone()[0] != "UTF-8":
                    raise UnreadableLog(f"{path} keeps its texts in UTF-16, which opencode never writes.")
                _put_all(text, _rows_sessions(database), many=True)
        return AssembledSource(path, format, text.spool, keeper, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_all(text: _Text, sessions: Iterator[tuple[Piece, Iterable[tuple[Piece, list[Piece]]]]], many: bool) -> None:
    text.put(b"[\n" if many else b"")
    for info, messages in sessions:
        text.session(info, messages)
    text.put(b"\n]\n" if many else b"\n")


# the folder


def _folder_sessions(
    folder: FolderContainer, layout: Layout
) -> Iterator[tuple[Piece, Iterable[tuple[Piece, list[Piece]]]]]:
    if layout.only:
        names = [f"{layout.sessions}/{layout.only}"]
    elif layout.nested:
        names = folder.json_names(layout.sessions)
    else:
        names = [name for project in folder.subfolder_names(layout.sessions) for name in folder.json_names(project)]
    loose = {} if layout.nested else _loose_parts(folder, layout)
    for name in names:
        info = Piece(name, folder.read(name))
        if not _is_object(info.data):
            raise UnreadableLog(
                f"{layout.root / name} is damaged, and opencode cannot load the session that it tells of: "
                "put it back from a backup, or open the other sessions by their own files."
            )
        messages = _listed_for(folder, layout.messages, info)
        yield info, (_folder_message(folder, layout, each, loose) for each in messages)


def _folder_message(
    folder: FolderContainer, layout: Layout, name: str, loose: dict[str, list[Piece]]
) -> tuple[Piece, list[Piece]]:
    message = Piece(name, folder.read(name))
    above = f"{layout.parts}/{Path(name).parent.name}" if layout.nested else layout.parts
    parts = [Piece(each, folder.read(each)) for each in _listed_for(folder, above, message)]
    return message, parts or loose.get(_own_id(message), [])


def _listed_for(folder: FolderContainer, above: str, owner: Piece) -> list[str]:
    """The files that belong to a session or message: opencode goes by the name of its file.

    Copies of a store name the files anew, and what belongs to them still lies under the old id.
    """
    own = _own_id(owner)
    names = folder.json_names(f"{above}/{Path(owner.name).stem}")
    return names or (folder.json_names(f"{above}/{own}") if own and Path(own).name == own else [])


def _own_id(piece: Piece) -> str:
    return str(value_at(parse_json(piece.data), "/id") or "") if is_valid_json(piece.data) else ""


def _loose_parts(folder: FolderContainer, layout: Layout) -> dict[str, list[Piece]]:
    """Parts that lie beside one another for all messages, by the id of their message."""
    found: dict[str, list[Piece]] = {}
    for name in folder.json_names(layout.parts):
        data = folder.read(name)
        owner = str(value_at(parse_json(data), "/messageID") or "") if is_valid_json(data) else ""
        found.setdefault(owner, []).append(Piece(name, data))
    return found


# the database


def _rows_sessions(database: sqlite3.Connection) -> Iterator[tuple[Piece, Iterable[tuple[Piece, list[Piece]]]]]:
    columns = {row[0] for row in database.execute("SELECT name FROM pragma_table_info('session')")}
    wanted = [name for name in (*_SESSION.values(), "revert", "time_created", "time_updated") if name in columns]
    order = "time_created, id" if "time_created" in columns else "id"
    for row in database.execute(f"SELECT {', '.join(wanted)} FROM session ORDER BY {order}").fetchall():
        info = _session_info(dict(zip(wanted, row, strict=True)))
        yield Piece("", orjson.dumps(info, default=str)), _rows_messages(database, info.get("id"))


def _session_info(row: dict[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {key: row[name] for key, name in _SESSION.items() if row.get(name) is not None}
    info["time"] = {"created": row.get("time_created"), "updated": row.get("time_updated")}
    revert = row["revert"].encode("utf-8", "replace") if isinstance(row.get("revert"), str) else b""
    if is_valid_json(revert):
        info["revert"] = parse_json(revert)
    return info


def _rows_messages(database: sqlite3.Connection, session: Any) -> Iterator[tuple[Piece, list[Piece]]]:
    messages = database.execute(
        "SELECT id, CAST(data AS BLOB) FROM message WHERE session_id IS ? ORDER BY time_created, id", (session,)
    )
    for key, data in messages:
        parts = database.execute("SELECT id, CAST(data AS BLOB) FROM part WHERE message_id IS ? ORDER BY id", (key,))
        ids = {"id": key, "sessionID": session}
        yield (
            Piece(f"message:{key}", data or b"", given(ids)),
            [Piece(f"part:{id}", text or b"", given({**ids, "id": id, "messageID": key})) for id, text in parts],
        )


def given(ids: dict[str, Any]) -> bytes:
    """How the ids of a row begin its JSON in an export."""
    return orjson.dumps(ids, default=str)[:-1]


def _is_object(data: bytes) -> bool:
    return is_valid_json(data) and isinstance(parse_json(data), dict)
