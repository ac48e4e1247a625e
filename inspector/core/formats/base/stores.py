"""Where an agent keeps its sessions, and what a list of them says of each.

Merged; to be rewritten:
`noted`: What agents note in a small JSON file beside a log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.core.model.columns import Role
from inspector.core.model.session import Log
from inspector.core.providers.agent_texts import strip_user_envelope
from inspector.core.storage.json_text import object_at, parse_json

if TYPE_CHECKING:
    from pathlib import Path


_LONGEST_TITLE = 120


class HostEnvironment(Struct, frozen=True):
    """What decides where stores lie: the environment variables and the person's home folder."""

    environment: Mapping[str, str]
    home: str


class Store(Struct, frozen=True):
    """One place in which an agent keeps logs.

    `home` is its default folder ("~/.claude"; "$XDG_DATA_HOME|~/.local/share" names a variable and what holds without
    it), `variable` the environment variable that moves it ("" for none), `pattern` the glob of its logs below it.
    `agent` is whose store it is, where several agents write the format.
    """

    home: str
    pattern: str
    variable: str = ""
    agent: str = ""

    def folder_on(self, machine: HostEnvironment) -> str:
        """Where the store begins on a machine; "" where a variable that its home needs is not set there.

        The variable that moves the store counts first, then the alternatives of its home, of which the first that can
        be told is taken: "$XDG_DATA_HOME/goose|~/.local/share/goose". Rows for Windows ("$APPDATA/…") and for macOS
        ("~/Library/…") stand beside the others: what a machine does not have is not found on it.
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
    """What the head of a log tells of its session: the folder it worked in, and what it is about ("": not told)."""

    project: str = ""
    title: str = ""


def home_folder() -> str:
    """The person's home folder, as a whole path also where the environment names it from the current folder."""
    return os.path.abspath(os.path.expanduser("~"))


def host_environment() -> HostEnvironment:
    """The machine that the program runs on."""
    return HostEnvironment(os.environ, home_folder())


def with_tilde(path: str) -> str:
    """A path with ~ for the person's home folder."""
    home = home_folder()
    return f"~{path.removeprefix(home)}" if path == home or path.startswith(home + os.sep) else path


def first_user_text(log: Log, path: Iterable[int], said: Callable[[bytes], str]) -> str:
    """What the person said first on a path, as `said` takes it out of a record."""
    users = (record for record in path if log.columns.roles[record] == Role.USER)
    return next(filter(None, (said(log.raw(record)) for record in users)), "")


def title_line(said: str) -> str:
    """What the list shows of what a person said: its first line, not longer than a title."""
    lines = strip_user_envelope(said).strip().splitlines()
    return lines[0].strip()[:_LONGEST_TITLE] if lines else ""


# What agents note in a small JSON file beside a log.


def read_json(path: Path) -> Any:
    """The value in a file; None where the file is not there, or is something else."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def read_json_object(path: Path) -> dict[str, Any]:
    """The object in a file; an empty one where it holds none."""
    return object_at(read_json(path), "")
