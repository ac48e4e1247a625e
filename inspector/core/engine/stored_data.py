"""The data that the program stores outside of the logs: its list in STORED_ITEMS, and its removal (`forget`)."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from inspector.core.discovery.opening import is_backup_or_quarantine
from inspector.core.discovery.stores import find_logs_in_stores
from inspector.core.errors import CannotWrite
from inspector.core.formats.base.stores import host_environment
from inspector.core.presentation.engine_results import StoredDataRemoval
from inspector.core.save.atomic import write_atomically
from inspector.core.save.file_metadata import MetadataSource
from inspector.core.storage.json_text import restore_surrogates
from inspector.core.storage.temporary_files import find_leftovers, leftover_notes_folder, remove_leftovers
from inspector.core.translation import tr
from inspector.version import PROGRAM_NAME


class StoredDataKind(Struct, frozen=True):
    """One kind of stored data: what it is, where it is, who may read it, and until when it is kept."""

    what: str
    where: str
    mode: str
    until: str


_YOURS, _FORGET = tr("you delete it"), tr("you delete it or run `forget`")
STORED_ITEMS = (
    StoredDataKind(
        tr("a repaired copy, a Markdown page, converted messages or a report"),
        tr("in the location that you choose (default: the current folder)"),
        tr("the log's file mode, or the most restrictive mode of any file in a store"),
        _YOURS,
    ),
    StoredDataKind(
        tr("a bundle, a plan or a repair to send back, without log content"),
        tr("in the location that you choose"),
        tr("as above"),
        _YOURS,
    ),
    StoredDataKind(
        tr("a repair that was saved as a new session"),
        tr("next to the log, or in the agent's store"),
        tr("the log's file mode"),
        _YOURS,
    ),
    StoredDataKind(
        tr("the results of a check that ran on a cluster: paths, numbers and rule names, without log content"),
        tr("in the location that you choose"),
        tr("yours"),
        _YOURS,
    ),
    StoredDataKind(
        tr("the backup, `NAME.backup`: a copy of the whole log"),
        tr("next to the log"),
        tr("the log's file mode, owner and extended attributes"),
        _YOURS,
    ),
    StoredDataKind(
        tr("damaged bytes that were set aside, `NAME.quarantine`"),
        tr("next to the output"),
        tr("the log's file mode"),
        _YOURS,
    ),
    StoredDataKind(
        tr("a file that is being written, `.NAME.*.part`"),
        tr("next to the target file"),
        tr("0600 for files, 0700 for folders"),
        tr("the save operation ends, the program starts again, or you run `forget`"),
    ),
    StoredDataKind(
        tr("an unpacked or copied log, store or database, `.transcript-inspector.*.part`"),
        tr("the folder for temporary files (TMPDIR)"),
        tr("0600 for files, 0700 for folders"),
        tr("the log is closed, the program starts again, or you run `forget`"),
    ),
    StoredDataKind(
        tr("the paths of temporary files and of files that are being written"),
        "`~/.local/state/transcript-inspector/unfinished`",
        "folder 0700",
        tr("as above"),
    ),
    StoredDataKind(
        tr("the theme, layout, recent file names, last folder and placeholder text"),
        tr("the window settings, `~/.config/Transcript Inspector`"),
        "yours",
        _FORGET,
    ),
    StoredDataKind(
        tr("bookmarks (record numbers, record hashes and your notes), without log content"),
        tr("the window settings"),
        "yours",
        _FORGET,
    ),
    StoredDataKind(
        tr("which logs were repaired or reported: hashes of log paths, and the paths of the new sessions"),
        tr("the window settings"),
        "yours",
        _FORGET,
    ),
    StoredDataKind(
        tr("choices for a repair: strategy names, the ids of findings and sessions, and the names of other logs"),
        tr("the window settings"),
        "yours",
        tr("the repair is saved in place, you discard the choices, or you run `forget`"),
    ),
    StoredDataKind(
        tr("results of `check` for many logs: paths, numbers and rule names, without log content"),
        "`~/.cache/transcript-inspector/checked.sqlite`",
        "0600",
        _FORGET,
    ),
    StoredDataKind(
        tr("the recent folders of Qt's file dialog, which are shared with other Qt programs"),
        "`~/.config/QtProject.conf`",
        "yours",
        _FORGET,
    ),
)

# A list in the settings of the window: texts between commas, in quotes if they contain a character that would end them.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|((?:[^",\\]|\\.)+)')
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,4})|(.))")


def _settings_folder() -> str:
    """Return the folder in which Qt keeps a user's settings files."""
    if sys.platform == "win32":
        return os.environ.get("APPDATA") or os.path.expanduser("~/AppData/Roaming")
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")


def settings_file() -> Path:
    """Return the file in which the window keeps its settings."""
    return Path(_settings_folder(), PROGRAM_NAME, f"{PROGRAM_NAME}.ini")


def dialog_settings_file() -> Path:
    """Return the file in which Qt's own file dialog keeps its history. It is used if the system's dialog is not."""
    return Path(_settings_folder(), "QtProject.conf")


def cache_file() -> Path:
    """Return the file with the results of earlier checks of many logs, in the platform's folder for caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "transcript-inspector", "checked.sqlite")


def folders_of_recent_logs() -> list[str]:
    """Return the folders of the logs that the settings of the window name; none if the settings cannot be read."""
    try:
        text = settings_file().read_text("utf-8", "replace")
    except OSError:
        return []
    settings = dict(line.partition("=")[::2] for line in text.splitlines())
    logs = [os.path.dirname(path) for path in _texts(settings.get("recent", ""))]
    return list(dict.fromkeys(filter(os.path.isabs, [*logs, *_texts(settings.get("folder", ""))])))


def _texts(value: str) -> Iterator[str]:
    for match in _TEXT.finditer(value):
        yield restore_surrogates(_ESCAPE.sub(_read, match[1] if match[1] is not None else match[2].strip()))


def _read(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else escape[2]


def remove_stored_data(folders: Iterable[str] = (), settings: bool = True, dry_run: bool = False) -> StoredDataRemoval:
    """Remove what is stored outside of the logs, or with `dry_run` return what would be removed. Raises CannotWrite.

    That is: temporary files and their notes, results of checks, the history of the file dialog and, with `settings`,
    the file in which the window keeps logs, bookmarks and its layout. Backups and quarantined bytes next to logs hold
    text of the logs. They are never removed, only listed. They are looked for in the folders that the settings name, in
    the stores of this machine, in the current folder, and in `folders` and below.
    """
    looked_in, beside = _beside_logs(list(folders))
    kept = settings_file()
    has_settings = settings and kept.is_file()
    cache = cache_file()
    has_cache = cache.is_file()
    dialog = _without_history(dialog_settings_file())
    unfinished = [left.path for left in find_leftovers() if not left.is_in_use]
    if not dry_run:
        unfinished = remove_leftovers()
        if dialog:
            _write_dialog(dialog)
        if has_settings:
            _remove(kept)
        if has_cache:
            _remove(cache)
        _remove_empty(leftover_notes_folder(), leftover_notes_folder().parent)
    return StoredDataRemoval(
        settings=str(kept) if has_settings else "",
        cache=str(cache) if has_cache else "",
        dialog=str(dialog_settings_file()) if dialog else "",
        unfinished=tuple(map(str, unfinished)),
        in_use=tuple(str(left.path) for left in find_leftovers() if left.is_in_use or not dry_run),
        beside=tuple(beside),
        looked_in=tuple(looked_in),
    )


def clear_dialog_history() -> None:
    """Remove the history of Qt's file dialog, if its file can be written."""
    without = _without_history(dialog_settings_file())
    if without:
        with suppress(CannotWrite):
            _write_dialog(without)


def _write_dialog(settings: bytes) -> None:
    """Write the settings of Qt's file dialog, following a symbolic link. Raises CannotWrite."""
    write_atomically(
        dialog_settings_file(), [settings], MetadataSource(dialog_settings_file(), with_owner=True), follow_links=True
    )


def _remove(file: Path) -> None:
    """Remove a file, the target if it is a link, and its folder if that is empty then. Raises CannotWrite."""
    try:
        Path(os.path.realpath(file)).unlink()
        file.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(
            tr("{file} cannot be removed: {strerror}.", file=file, strerror=error.strerror or error)
        ) from error
    _remove_empty(file.parent)


def _without_history(file: Path) -> bytes:
    """Return the settings of Qt's own file dialog without its history; b"" if they hold no history."""
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


def discard_unfinished_files() -> None:
    """Remove the temporary files of processes that have ended."""
    remove_leftovers()


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _beside_logs(named: list[str]) -> tuple[list[str], list[str]]:
    """Return the folders that were looked in, and the backups and quarantined bytes in them."""
    stores = (os.path.dirname(log.path) for log in find_logs_in_stores(host_environment()))
    below = [folder for name in named for folder, _, _ in os.walk(name)]
    places = list(dict.fromkeys(map(os.path.abspath, [os.getcwd(), *folders_of_recent_logs(), *stores, *below])))
    return places, [path for place in places for path in _left_in(place)]


def _left_in(folder: str) -> Iterator[str]:
    with suppress(OSError):
        yield from (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if is_backup_or_quarantine(name))
