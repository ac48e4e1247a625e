"""Requests that do not concern one open log: the sessions on this machine, backups, and stored data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.discovery import stores
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.discovery.stores import repaired_session_paths
from inspector.core.formats.base.format import Progress
from inspector.core.formats.base.stores import home_folder, host_environment
from inspector.core.lazy import LazyModule
from inspector.core.presentation.engine_results import Backup, RestoreResult, StoredDataRemoval
from inspector.core.storage.nesting_limits import raise_recursion_limit
from inspector.core.storage.temporary_files import discard_temporary_files

if TYPE_CHECKING:
    from inspector.core.doctor import store_examination
    from inspector.core.doctor.store_examination import StoresReport
    from inspector.core.engine import stored_data
    from inspector.core.error_lookup import lookup
    from inspector.core.error_lookup.lookup import ErrorLookup, ShowAnswer
    from inspector.core.save import restore as restoring
else:
    store_examination = LazyModule("inspector.core.doctor.store_examination")
    stored_data = LazyModule("inspector.core.engine.stored_data")
    lookup = LazyModule("inspector.core.error_lookup.lookup")
    restoring = LazyModule("inspector.core.save.restore")

__all__ = [
    "discard_temporary_files",
    "examine_stores",
    "folder_for_copy",
    "list_logs",
    "look_up_error",
    "raise_recursion_limit",
    "read_backup",
    "remove_stored_data",
    "repaired_session_paths",
    "restore",
    "store_folders",
]


def list_logs(
    paths: Iterable[str] = (), agent: str = "", project: str = "", others: list[UnreadFile] | None = None
) -> Iterator[LogEntry]:
    """Yield the logs at `paths` and below, or in the agents' stores if `paths` is empty, the newest first.

    No log is judged. `agent` and `project` keep the logs whose agent, or project folder, contains this text. Files that
    are no logs are added to `others`. Raises UnreadableLog.
    """
    return stores.list_logs(host_environment(), paths, agent, project, others)


def store_folders() -> list[str]:
    """Return the folders in which agents keep their sessions on this machine, whether they exist or not."""
    return sorted({place.folder for place in stores.possible_store_locations(host_environment())})


def folder_for_copy(path: str) -> str:
    """Return the folder to suggest for a copy of the log at `path`: that of the log, or of the archive with it.

    It is the home folder if the log is in an agent's store, where the agent would list the copy, and without a path.
    """
    home = home_folder()
    folder = Path(os.path.realpath(path)).parent if path else Path(home)
    while not folder.is_dir():  # in an archive
        folder = folder.parent
    in_store = any(folder.is_relative_to(os.path.realpath(store)) for store in store_folders())
    return home if in_store else str(folder)


def look_up_error(text: str, progress: Progress | None = None, show: ShowAnswer | None = None) -> ErrorLookup:
    """Return what a pasted error or request has to do with the sessions of this machine.

    `progress(done, total)` is called with numbers of logs, and `show` with the answer so far when a log is found.
    """
    machine = host_environment()
    return lookup.look_up_in_logs(text, stores.find_logs_in_stores(machine), progress, machine, show)


def examine_stores(agent: str = "", progress: Progress | None = None) -> StoresReport:
    """Return what keeps the agents of this machine from the sessions in their stores. Nothing is written.

    `agent` names agents by their name, or a part of it. `progress(done, total)` is called with numbers of logs.
    """
    return store_examination.examine_stores(host_environment(), agent, progress)


def read_backup(path: str) -> Backup:
    """Return what a backup would restore, and where. Raises UnreadableLog."""
    return restoring.backup_at(path)


def restore(backup: str) -> RestoreResult:
    """Restore an original where it was; the file that is there now is kept.

    Raises UnreadableLog, CannotWrite, HalfDone.
    """
    return restoring.restore(backup)


def remove_stored_data(folders: Iterable[str] = (), settings: bool = True, dry_run: bool = False) -> StoredDataRemoval:
    """Remove what is stored outside of the logs: see `stored_data.remove_stored_data`. Raises CannotWrite."""
    return stored_data.remove_stored_data(folders, settings, dry_run)
