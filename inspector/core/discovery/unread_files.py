"""Why a file is not read as a log, as far as its first bytes show."""

from inspector.core.discovery.log_entry import UnreadFile
from inspector.core.errors import CutOffFile, DamagedFile, UnreadableLog
from inspector.core.storage.source import Source, is_special_file
from inspector.core.translation import tr

_HEAD_SIZE = 65536


# What other files begin with.
_MAGICS: tuple[tuple[bytes, str, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "packed", "7z"),
    (b"Rar!\x1a\x07", "packed", "RAR"),
    (b"%PDF-", "other-file", tr("PDF document")),
    (b"\x89PNG\r\n", "other-file", tr("picture")),
    (b"\xff\xd8\xff", "other-file", tr("picture")),
    (b"GIF8", "other-file", tr("picture")),
    (b"{\\rtf", "other-file", tr("text document")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "other-file", tr("office document")),
    (b"\x7fELF", "other-file", tr("program")),
    (b"MZ\x90\x00", "other-file", tr("program")),
)
_SQLITE = b"SQLite format 3\x00"
# Words that only the logs of an agent have together. For databases they are names of tables and columns.
_AGENTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("GitHub Copilot", (b'"requests"', b'"responderUsername"')),
    ("Aider", (b"# aider chat started at",)),
    ("Continue", (b'"sessionId"', b'"workspaceDirectory"', b'"history"')),
    ("Droid", (b'"type":"session_start"',)),
)
_DATABASES: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("Cursor", (b"cursorDiskKV",)),
    ("OpenAI Agents SDK (AdvancedSQLiteSession)", (b"agent_messages", b"message_structure")),
)


def explain_unread_file(path: str, error: Exception | None = None) -> UnreadFile:
    """Return why the file at `path`, which is no log of a known format, is not read. At most its head is read.

    `error` is the error when it was read, if there was one.
    """
    if isinstance(error, DamagedFile):
        return UnreadFile(path, "cut-off" if isinstance(error, CutOffFile) else "damaged")
    if is_special_file(path):
        return UnreadFile(path, "special")
    try:
        with open(path, "rb") as file:
            return explain_unread_bytes(path, file.read(_HEAD_SIZE))
    except IsADirectoryError:
        return UnreadFile(path, "no-log")
    except OSError as reason:
        return UnreadFile(path, "inaccessible", reason.strerror or type(reason).__name__)


def explain_unread_source(source: Source) -> UnreadFile:
    """Return why an open log, whose format is unknown, is not checked."""
    return explain_unread_bytes(source.path, source.read(0, min(_HEAD_SIZE, source.size)))


def explain_unread_bytes(path: str, head: bytes) -> UnreadFile:
    """Return why a file with this head, which is no log of a known format, is not read."""
    if not head.strip():
        return UnreadFile(path, "empty")
    if file := non_log_file_type(head):
        return UnreadFile(path, *file)
    if head.startswith(_SQLITE):
        agent = _agent(head, _DATABASES)
        return UnreadFile(path, "format", agent) if agent else UnreadFile(path, "database")
    agent = _agent(head, _AGENTS)
    return UnreadFile(path, "format", agent) if agent else UnreadFile(path, "no-log")


def non_log_file_type(head: bytes) -> tuple[str, str] | None:
    """Return the kind and the name of a type of file that is never a log, None for any other."""
    return next(((kind, name) for magic, kind, name in _MAGICS if head.startswith(magic)), None)


def require_possible_log(head: bytes, path: str) -> None:
    """Raise UnreadableLog for the head of a picture, a PDF document and the like, which would be shown as a bad log."""
    found = non_log_file_type(head)
    if found is not None:
        kind, name = found
        error = UnreadableLog(tr(_TEMPLATES[kind], path=path, type=tr(name)))
        error.reason = UnreadFile(path, kind, name).reason
        raise error


_TEMPLATES = {
    "packed": tr("{path} is packed with {type}. Unpack it first, and then open the log."),
    "other-file": tr("{path} is a {type}, not a log. Open the log of the session."),
}


def _agent(head: bytes, rows: tuple[tuple[str, tuple[bytes, ...]], ...]) -> str:
    compact = head.replace(b'": ', b'":')
    return next((name for name, words in rows if all(word in compact for word in words)), "")
