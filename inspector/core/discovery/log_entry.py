"""The entries of a list of logs, as plain data: logs, and files that are not read, with a reply to their sender."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from inspector.core.errors import CutOffFile, DamagedFile, Inaccessible
from inspector.core.translation import tr


class LogEntry(Struct, frozen=True):
    """A log in a list of logs, as its name and its head describe it.

    `modified` is in seconds since 1970. `archive` is the path of the archive that holds the log, "" for a file.
    """

    path: str
    format: str
    agent: str
    project: str
    title: str
    modified: float
    size: int
    archive: str = ""


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


class UnreadKindTexts(NamedTuple):
    """What is said of a kind of files: the reason, and the reply. `damaged`: it cannot be read at all."""

    reason: str
    reply: str
    damaged: bool = False


# The most telling first: a ticket of several files shows the first kind that it has.
UNREAD_KINDS = {
    "password": UnreadKindTexts(
        tr("It is password-protected. Ask for a file without a password."),
        tr("{name} is password-protected. Please send it again without a password."),
        damaged=True,
    ),
    "cut-off": UnreadKindTexts(
        CutOffFile.reason,
        tr("{name} is incomplete. Please send it again."),
        damaged=True,
    ),
    "damaged": UnreadKindTexts(
        DamagedFile.reason,
        tr("{name} is damaged, so it cannot be unpacked. Please create the archive again and send it."),
        damaged=True,
    ),
    "inaccessible": UnreadKindTexts(
        Inaccessible.reason,
        tr("{name} cannot be read here ({detail}). Please send it again."),
        damaged=True,
    ),
    "format": UnreadKindTexts(
        tr("The format is not supported yet: {detail}."),
        tr("Thank you for sending {name}. It is a log from {detail}, which is not supported yet."),
    ),
    "packed": UnreadKindTexts(
        tr("It is packed with {detail}. Unpack it first."),
        tr("{name} is packed with {detail}, which cannot be opened here. Please send a zip file, or the log itself."),
    ),
    "database": UnreadKindTexts(
        tr("It is a database, but not from a supported agent."),
        tr("{name} is a database that cannot be read here. Which agent wrote it?"),
    ),
    "special": UnreadKindTexts(
        tr("It is a pipe, a socket or a device, not a file."), tr("{name} is not a file. Please send the log itself.")
    ),
    "empty": UnreadKindTexts(
        tr("It is empty. Ask for the file again."), tr("{name} is empty. Please send it again."), damaged=True
    ),
    "other-file": UnreadKindTexts(
        tr("It is a {detail}, not a log. Ask for the log."),
        tr("{name} is a {detail}. Please send the log of the session instead, as your agent wrote it."),
    ),
    "no-log": UnreadKindTexts(
        tr("It contains no log in a supported format."),
        tr("{name} contains no log that can be read here. Please send the log of the session, as your agent wrote it."),
    ),
}
_RANKS = {kind: rank for rank, kind in enumerate(UNREAD_KINDS)}


def most_telling_unread_file(files: Iterable[UnreadFile]) -> UnreadFile | None:
    """Return the file whose kind explains best why nothing of a ticket was read, None for no file."""
    return min(files, key=lambda file: _RANKS[file.kind], default=None)
