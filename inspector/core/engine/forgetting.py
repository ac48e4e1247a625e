"""Forgetting: what the program keeps outside of the logs is removed, and what only the person may remove is named."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from inspector.core.bytes.leftovers import find_leftovers, leftover_notes_folder, remove_leftovers
from inspector.core.engine.kept import dialog_settings_file, remembered_log_folders, settings_file
from inspector.core.errors import CannotWrite
from inspector.core.formats.bases.store import this_machine
from inspector.core.opening.folder import is_backup_or_quarantine
from inspector.core.save.atomic import write_atomically
from inspector.core.save.likeness import MetadataSource
from inspector.core.showing.machine_answers import CleanupResult
from inspector.core.stores.found import find_logs_in_stores


def remove_stored_data(folders: Iterable[str] = (), settings: bool = True, dry_run: bool = False) -> CleanupResult:
    """Remove all that is kept outside of the logs, or with `only_told` say what would be removed. Raises CannotWrite.

    That is: temporary files and their notes, the folders that the file dialog was shown and, with `settings`, the file
    in which the window remembers logs, bookmarks and its layout. Backups and set-aside bytes beside logs hold their
    text and are never removed, but named: they are looked for in the folders that the settings name, in the stores of
    this machine, in the current folder, and in `folders` and below.
    """
    looked_in, beside = _beside_logs(list(folders))
    kept = settings_file()
    has_settings = settings and kept.is_file()
    dialog = _without_history(dialog_settings_file())
    unfinished = [left.path for left in find_leftovers() if not left.is_in_use]
    if not dry_run:
        unfinished = remove_leftovers()
        if dialog:
            _write_dialog(dialog)
        if has_settings:
            _remove(kept)
        _remove_empty(leftover_notes_folder(), leftover_notes_folder().parent)
    return CleanupResult(
        settings=str(kept) if has_settings else "",
        dialog=str(dialog_settings_file()) if dialog else "",
        unfinished=tuple(map(str, unfinished)),
        in_use=tuple(str(left.path) for left in find_leftovers() if left.is_in_use or not dry_run),
        beside=tuple(beside),
        looked_in=tuple(looked_in),
    )


def clear_dialog_history() -> None:
    """Remove the folders that Qt's file dialog was shown, as far as that can be written."""
    without = _without_history(dialog_settings_file())
    if without:
        with suppress(CannotWrite):
            _write_dialog(without)


def _write_dialog(settings: bytes) -> None:
    """Write the settings of Qt's file dialog, through a link where they are one. Raises CannotWrite."""
    write_atomically(
        dialog_settings_file(), [settings], MetadataSource(dialog_settings_file(), with_owner=True), follow_links=True
    )


def _remove(file: Path) -> None:
    """Remove a file, with what it is a link to, and its folder where nothing else is in it. Raises CannotWrite."""
    try:
        Path(os.path.realpath(file)).unlink()
        file.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"{file} cannot be removed: {error.strerror or error}.") from error
    _remove_empty(file.parent)


def _without_history(file: Path) -> bytes:
    """What the settings of Qt's own file dialog are without the folders that it was shown; b"" where it holds none."""
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError:
        return b""
    section, kept = b"", []
    for line in lines:
        section = line.strip() if line.startswith(b"[") else section
        if section != b"[FileDialog]" or not line.startswith((b"history=", b"lastVisited=")):
            kept.append(line)
    return b"".join(kept) if len(kept) < len(lines) else b""


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _beside_logs(named: list[str]) -> tuple[list[str], list[str]]:
    """The folders that were looked in, and the backups and set-aside bytes in them."""
    stores = (os.path.dirname(found.path) for found in find_logs_in_stores(this_machine()))
    below = [folder for name in named for folder, _, _ in os.walk(name)]
    places = list(dict.fromkeys(map(os.path.abspath, [os.getcwd(), *remembered_log_folders(), *stores, *below])))
    return places, [path for place in places for path in _left_in(place)]


def _left_in(folder: str) -> Iterator[str]:
    with suppress(OSError):
        yield from (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if is_backup_or_quarantine(name))
