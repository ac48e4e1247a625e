"""Where an agent keeps its sessions, and what a list of them says of each."""

from __future__ import annotations

from msgspec import Struct


class Store(Struct, frozen=True):
    """One place in which an agent keeps logs.

    `home` is its default folder ("~/.claude"; "$XDG_DATA_HOME|~/.local/share" names a variable and what holds without
    it), `variable` the environment variable that moves it ("" for none), `pattern` the glob of its logs below it.
    """

    home: str
    pattern: str
    variable: str = ""


class Headline(Struct, frozen=True):
    """What the head of a log tells of its session: the folder it worked in, and what it is about ("": not told)."""

    project: str = ""
    title: str = ""
