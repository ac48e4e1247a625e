"""Why a file is not read as a log, as far as its first bytes show, and a reply that asks its sender for another."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.storage.source import is_special_file, starts_like_wide_text
from inspector.core.translation import tr

_HEAD_SIZE = 65536


class UnreadFile(Struct, frozen=True):
    """A file, or a member of an archive, that is not read as a log. `kind` is a key of UNREAD_KINDS.

    `detail` is the name of an agent or of a file format that the texts of the kind contain, "" for none.
    """

    path: str
    kind: str
    detail: str = ""

    @property
    def reason(self) -> str:
        """Why the file is not read, as a sentence."""
        return tr(UNREAD_KINDS[self.kind].reason, detail=tr(self.detail))

    def reply(self, name: str) -> str:
        """Return a reply to the person who sent `name`."""
        return tr(UNREAD_KINDS[self.kind].reply, name=name, detail=tr(self.detail))


class UnreadKind(NamedTuple):
    """What is said of a kind of files: the reason, and the reply. `damaged`: it cannot be read at all."""

    reason: str
    reply: str
    damaged: bool = False


# The most telling first: a ticket of several files shows the first kind that it has.
UNREAD_KINDS = {
    "password": UnreadKind(
        tr("It needs a password: ask for it without."),
        tr("{name} is protected by a password. Please send it again without one."),
        damaged=True,
    ),
    "cut-off": UnreadKind(
        tr("The upload was cut off: ask for it again."),
        tr("{name} did not arrive completely. Please send it again."),
        damaged=True,
    ),
    "damaged": UnreadKind(
        tr("The archive is damaged: ask for it again."),
        tr("{name} is damaged, so it cannot be unpacked. Please make the archive again, and send it."),
        damaged=True,
    ),
    "format": UnreadKind(
        tr("The format is not supported yet: {detail}."),
        tr("Thank you for {name}. It is a log of {detail}, which cannot be checked yet."),
    ),
    "utf-16": UnreadKind(
        tr("It is UTF-16 text: ask for the original."),
        tr(
            "{name} was converted to UTF-16 by an editor or a shell. Please send the original file of your agent, "
            "without opening and saving it."
        ),
        damaged=True,
    ),
    "packed": UnreadKind(
        tr("It is packed with {detail}: unpack it first."),
        tr("{name} is packed with {detail}, which cannot be opened here. Please send a zip file, or the log itself."),
    ),
    "database": UnreadKind(
        tr("It is a database, but not of an agent whose databases can be read."),
        tr("{name} is a database that cannot be read here. Which agent wrote it?"),
    ),
    "special": UnreadKind(
        tr("It is a pipe, a socket or a device, not a file."), tr("{name} is not a file. Please send the log itself.")
    ),
    "empty": UnreadKind(
        tr("It is empty: ask for it again."), tr("{name} is empty. Please send it again."), damaged=True
    ),
    "other-file": UnreadKind(
        tr("It is a {detail}, not a log: ask for the log."),
        tr("{name} is a {detail}. Please send the log of the session instead, as your agent wrote it."),
    ),
    "no-log": UnreadKind(
        tr("It has no log in a supported format."),
        tr("{name} contains no log that can be read here. Please send the log of the session, as your agent wrote it."),
    ),
}
_RANKS = {kind: rank for rank, kind in enumerate(UNREAD_KINDS)}

# What other files begin with.
_MAGICS: tuple[tuple[bytes, str, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "packed", "7z"),
    (b"Rar!\x1a\x07", "packed", "RAR"),
    (b"\xfd7zXZ\x00", "packed", "xz"),
    (b"BZh", "packed", "bzip2"),
    (b"%PDF-", "other-file", tr("PDF document")),
    (b"\x89PNG\r\n", "other-file", tr("picture")),
    (b"\xff\xd8\xff", "other-file", tr("picture")),
    (b"GIF8", "other-file", tr("picture")),
    (b"{\\rtf", "other-file", tr("text document")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "other-file", tr("document of an office program")),
    (b"\x7fELF", "other-file", tr("program")),
    (b"MZ\x90\x00", "other-file", tr("program")),
)
_SQLITE = b"SQLite format 3\x00"
# Words that only the logs of an agent have together. For databases they are names of tables and columns.
_AGENTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("SWE-agent", (b'"trajectory"', b'"history"')),
    ("SWE-agent", (b'"trajectory"', b'"info"', b'"environment"')),
    ("OpenHands", (b'"source"', b'"action"', b'"timestamp"', b'"message"', b'"args"')),
    ("OpenHands", (b'"source"', b'"kind"', b'Event"', b'"timestamp"')),
    ("GitHub Copilot", (b'"requests"', b'"responderUsername"')),
    ("GitHub Copilot", (b'"type":"session.start"', b'"data"')),
    ("Aider", (b"# aider chat started at",)),
    ("Continue", (b'"sessionId"', b'"workspaceDirectory"', b'"history"')),
    ("ATIF", (b'"schema_version"', b'"ATIF-')),
    ("Droid", (b'"type":"session_start"',)),
)
_DATABASES: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("goose", (b"content_json", b"schema_version")),
    ("Crush", (b"goose_db_version", b"messages")),
    ("Cursor", (b"cursorDiskKV",)),
    ("Hermes", (b"parent_session_id", b"tool_call_count")),
)


def unread_file(path: str) -> UnreadFile:
    """Return why the file at `path`, which is no log of a known format, is not read. At most its head is read."""
    if is_special_file(path):
        return UnreadFile(path, "special")
    try:
        with open(path, "rb") as file:
            return unread_bytes(path, file.read(_HEAD_SIZE))
    except OSError:  # a folder, or a file that cannot be read
        return UnreadFile(path, "no-log")


def unread_bytes(path: str, head: bytes) -> UnreadFile:
    """Return why a file with this head, which is no log of a known format, is not read."""
    if not head.strip():
        return UnreadFile(path, "empty")
    if file := file_type(head):
        return UnreadFile(path, *file)
    if head.startswith(_SQLITE):
        agent = _agent(head, _DATABASES)
        return UnreadFile(path, "format", agent) if agent else UnreadFile(path, "database")
    if starts_like_wide_text(head):
        return UnreadFile(path, "utf-16")
    agent = _agent(head, _AGENTS)
    return UnreadFile(path, "format", agent) if agent else UnreadFile(path, "no-log")


def file_type(head: bytes) -> tuple[str, str] | None:
    """Return the kind and the name of a type of file that is never a log, None for any other."""
    return next(((kind, name) for magic, kind, name in _MAGICS if head.startswith(magic)), None)


def require_possible_log(head: bytes, path: str) -> None:
    """Raise UnreadableLog for the head of a picture, a PDF document and the like, which would be shown as a bad log."""
    found = file_type(head)
    if found is not None:
        kind, name = found
        template = (
            tr("{path} is packed with {type}. Unpack it first, and open the log.")
            if kind == "packed"
            else tr("{path} is a {type}, not a log. Open the log of the session.")
        )
        raise UnreadableLog(tr(template, path=path, type=tr(name)))


def most_telling(files: Iterable[UnreadFile]) -> UnreadFile | None:
    """Return the file whose kind explains best why nothing of a ticket was read, None for no file."""
    return min(files, key=lambda file: _RANKS[file.kind], default=None)


def _agent(head: bytes, rows: tuple[tuple[str, tuple[bytes, ...]], ...]) -> str:
    compact = head.replace(b'": ', b'":')
    return next((name for name, words in rows if all(word in compact for word in words)), "")
