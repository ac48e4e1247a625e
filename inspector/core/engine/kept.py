"""What the program keeps outside of the logs, and where: KEPT is the table, a row a kind."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.bytes.any_text import unescape_surrogates
from inspector.version import NAME


class StoredItem(Struct, frozen=True):
    """One kind: what it is, where it lies, who may read it, and until when it is kept."""

    what: str
    where: str
    mode: str
    until: str


_YOURS, _FORGET = "you delete it", "you delete it, or `forget`"
STORED_ITEMS = (
    StoredItem(
        "a repaired copy, a page, messages, a report",
        "where you say, else the current folder",
        "that of the log; of a store, its most private file's",
        _YOURS,
    ),
    StoredItem(
        "a bundle, a plan, a repair to send back; nothing of what the log says", "where you say", "the same", _YOURS
    ),
    StoredItem("a session saved as new", "beside the log, or in the agent's store", "that of the log", _YOURS),
    StoredItem(
        "the backup, `NAME.backup`: the whole log",
        "beside the log",
        "mode, owner and extended attributes of the log",
        _YOURS,
    ),
    StoredItem("bytes that nothing can read, `NAME.quarantine`", "beside the output", "that of the log", _YOURS),
    StoredItem(
        "a file that is being written, `.NAME.*.part`",
        "beside its target",
        "0600, a folder 0700",
        "the save ends, or the next start, or `forget`",
    ),
    StoredItem(
        "a compressed log, store or database put together, `.transcript-inspector.*.part`",
        "the folder for temporary files (TMPDIR)",
        "0600, a folder 0700",
        "the log is closed, or the next start, or `forget`",
    ),
    StoredItem(
        "a note of each of the two above, which holds its path",
        "`~/.local/state/transcript-inspector/unfinished`",
        "folder 0700",
        "with it",
    ),
    StoredItem(
        "theme, layout, names of recent files and of the last folder, the wording of placeholders",
        "the settings of the window, `~/.config/Transcript Inspector`",
        "yours",
        _FORGET,
    ),
    StoredItem(
        "bookmarks: numbers and hashes of records, with your own words; never the text of a log",
        "the same settings",
        "yours",
        _FORGET,
    ),
    StoredItem(
        "what Qt's own file dialog was last shown: folders, which other programs of Qt share",
        "`~/.config/QtProject.conf`",
        "yours",
        _FORGET,
    ),
)

# How the window's settings spell a list: texts between commas, in quotes where they hold what would end them.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|((?:[^",\\]|\\.)+)')
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,4})|(.))")


def _settings_folder() -> str:
    """Qt's place for settings of the user in files."""
    if sys.platform == "win32":
        return os.environ.get("APPDATA") or os.path.expanduser("~/AppData/Roaming")
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")


def settings_file() -> Path:
    """Where the window keeps its settings."""
    return Path(_settings_folder(), NAME, f"{NAME}.ini")


def dialog_settings_file() -> Path:
    """Where Qt's file dialog keeps what it was shown, on systems whose own dialog is not taken."""
    return Path(_settings_folder(), "QtProject.conf")


def remembered_log_folders() -> list[str]:
    """The folders of the logs that the window's settings name, as far as they can be read."""
    try:
        text = settings_file().read_text("utf-8", "replace")
    except OSError:
        return []
    told = dict(line.partition("=")[::2] for line in text.splitlines())
    logs = [os.path.dirname(path) for path in _texts(told.get("recent", ""))]
    return list(dict.fromkeys(filter(os.path.isabs, [*logs, *_texts(told.get("folder", ""))])))


def _texts(value: str) -> Iterator[str]:
    for found in _TEXT.finditer(value):
        yield unescape_surrogates(_ESCAPE.sub(_read, found[1] if found[1] is not None else found[2].strip()))


def _read(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else escape[2]
