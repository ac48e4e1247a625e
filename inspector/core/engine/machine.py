"""What there is to ask that is not about one open log: the sessions on this machine, and the backups of saves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inspector.core.bytes.depth import let_walks_be_deep
from inspector.core.bytes.temporary import discard_all
from inspector.core.formats.bases.reading import Progress
from inspector.core.formats.bases.store import this_machine
from inspector.core.later import Later
from inspector.core.showing.machine_answers import Backup, Forgotten, Restored
from inspector.core.stores.log_entry import LogEntry

if TYPE_CHECKING:
    from inspector.core.engine import forgetting
    from inspector.core.pasted import answering
    from inspector.core.pasted.answering import Answer
    from inspector.core.save import restore as restoring
    from inspector.core.stores import found as stores
else:
    forgetting = Later("inspector.core.engine.forgetting")
    answering = Later("inspector.core.pasted.answering")
    restoring = Later("inspector.core.save.restore")
    stores = Later("inspector.core.stores.found")

__all__ = ["backup_at", "discard_all", "forget", "let_walks_be_deep", "restore", "search", "sessions", "store_folders"]


def sessions(
    paths: Iterable[str] = (), agent: str = "", project: str = "", others: list[str] | None = None
) -> Iterator[LogEntry]:
    """The logs at `paths` and below, or in the agents' stores when none is named, the newest first. None is judged.

    `agent` and `project` keep those whose agent, or project folder, holds this text. The files that are met and are no
    logs are added to `others`. Raises UnreadableLog.
    """
    return stores.entries(this_machine(), paths, agent, project, others)


def store_folders() -> list[str]:
    """The folders in which agents keep their sessions on this machine, there or not."""
    return sorted({place.folder for place in stores.places(this_machine())})


def search(text: str, progress: Progress | None = None) -> Answer:
    """What a pasted error or request has to do with the sessions of this machine. `progress(done, total)`: logs."""
    return answering.answer_on(text, stores.found_in_stores(this_machine()), progress)


def backup_at(path: str) -> Backup:
    """What a backup would put back, and where. Raises UnreadableLog."""
    return restoring.backup_at(path)


def restore(backup: str) -> Restored:
    """Put an original back where it was; what lies there is kept. Raises UnreadableLog, CannotWrite, HalfDone."""
    return restoring.restore(backup)


def forget(folders: Iterable[str] = (), settings: bool = True, only_told: bool = False) -> Forgotten:
    """Remove all that is kept outside of the logs: see `forgetting.forget`. Raises CannotWrite."""
    return forgetting.forget(folders, settings, only_told)
