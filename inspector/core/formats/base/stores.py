"""The folders in which agents keep their sessions, and what a list of sessions shows of each one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.core.model.columnar_index import Role
from inspector.core.model.session import Log
from inspector.core.providers.agent_texts import strip_user_envelope
from inspector.core.storage.json_text import object_at, parse_json

if TYPE_CHECKING:
    from pathlib import Path


_LONGEST_TITLE = 120


class HostEnvironment(Struct, frozen=True):
    """The environment variables and the person's home folder, which decide where stores are."""

    environment: Mapping[str, str]
    home: str


class StorePattern(Struct, frozen=True):
    """One place in which an agent keeps logs.

    `home` is its default folder, such as "~/.claude". "$XDG_DATA_HOME|~/.local/share" names a variable and the folder
    that is used without it. `variable` is the environment variable that moves the store ("" for none), and `pattern`
    the glob of its logs below it. `agent` is the owner of the store, where several agents write the format.
    """

    home: str
    pattern: str
    variable: str = ""
    agent: str = ""

    def folder_on(self, machine: HostEnvironment) -> str:
        """Return the folder of the store on a machine, "" where a variable that its home needs is not set there.

        The variable that moves the store comes first, then the alternatives of its home; the first one that resolves to
        an absolute path is taken: "$XDG_DATA_HOME/goose|~/.local/share/goose". Rows for Windows ("$APPDATA/…") and for
        macOS ("~/Library/…") are listed with the others: a machine that lacks the folder has no logs there.
        """
        moved = machine.environment.get(self.variable, "") if self.variable else ""
        for place in (moved, *self.home.split("|")):
            name, slash, rest = place.partition("/")
            if name.startswith("$"):
                name = machine.environment.get(name[1:], "")
            if name == "~" or name.startswith("~/"):
                name = machine.home + name[1:]
            folder = os.path.normpath(name + slash + rest) if name or place.startswith("/") else ""
            if os.path.isabs(folder):
                return folder
        return ""


class SessionMetadata(Struct, frozen=True):
    """What the head of a log says of its session: the working folder and the title, "" where it does not say."""

    project: str = ""
    title: str = ""


def home_folder() -> str:
    """Return the person's home folder as an absolute path.

    The environment may name it relative to the current folder.
    """
    return os.path.abspath(os.path.expanduser("~"))


def host_environment() -> HostEnvironment:
    """Return the environment of the machine that the program runs on."""
    return HostEnvironment(os.environ, home_folder())


def with_tilde(path: str) -> str:
    """Replace the person's home folder in a path by ~."""
    home = home_folder()
    return f"~{path.removeprefix(home)}" if path == home or path.startswith(home + os.sep) else path


def first_user_text(log: Log, path: Iterable[int], said: Callable[[bytes], str]) -> str:
    """Return the first words of the person on a path. `said` extracts them from a record."""
    users = (record for record in path if log.columns.roles[record] == Role.USER)
    return next(filter(None, (said(log.raw(record)) for record in users)), "")


def title_line(said: str) -> str:
    """Return the title of a session from the person's words: the first line, cut to the longest title."""
    lines = strip_user_envelope(said).strip().splitlines()
    return lines[0].strip()[:_LONGEST_TITLE] if lines else ""


def read_json(path: Path) -> Any:
    """Return the value in a JSON file, None where the file is missing or is not JSON."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def read_json_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, an empty one where it holds none."""
    return object_at(read_json(path), "")
