"""What is known of a format before it is loaded."""

import sys
from functools import cache
from typing import NamedTuple

from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.formats.bases.head import Head

OWN = "built in"


class Known(NamedTuple):
    """Where a format is written ("module:Class"), and what it says of itself that tells whether it need be asked.

    `gathers`: its logs may lie in many files or rows, so that it is asked what lies at a path. `origin` is the package
    that it comes from, with its version.
    """

    name: str
    place: str
    keys: str = ""
    is_multi_file: bool = False
    origin: str = OWN

    def is_likely(self, head: Head) -> bool:
        return not head.keys.isdisjoint(_words(self.keys))


@cache
def _words(text: str) -> list[str]:
    return text.split()


def known_of(format: Format, origin: str = OWN) -> Known:
    """The same of a format that is loaded."""
    kind = type(format)
    return Known(format.name, f"{kind.__module__}:{kind.__name__}", format.keys, isinstance(format, Gathering), origin)


def format_in(module: str) -> Format:
    """The format that a module is: the one class in it that has a name to be chosen by."""
    kinds = [kind for kind in vars(sys.modules[module]).values() if isinstance(kind, type) and issubclass(kind, Format)]
    return next(kind() for kind in kinds if kind.__module__ == module and hasattr(kind, "name"))
