"""Formats from outside: classes that installed packages name by entry points of `transcript_inspector.formats`.

The name of an entry point is that of the format, its value a subclass of `Format`. What cannot be used is named and
left out. A folder that the program happens to be started in installs nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.row import Row

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "transcript_inspector.formats"


def from_packages(faults: list[str]) -> Iterator[tuple[Format, str]]:
    """The formats of installed packages, each with the package and its version; `faults` says what was left out."""
    folders = [each for each in sys.path if each and os.path.realpath(each) != os.path.realpath(os.curdir)]
    if not any(map(_may_hold_some, folders)):
        return
    from importlib.metadata import distributions  # noqa: PLC0415 - takes longer to load than a small log to check

    seen: set[str] = set()
    for package in distributions(path=folders):
        if package.name in seen:
            continue
        seen.add(package.name)
        origin = f"{package.name} {package.version}"
        for entry in package.entry_points.select(group=GROUP):
            try:
                yield _made(entry), origin
            except (Exception, SystemExit) as error:
                why = "" if isinstance(error, _Unfit) else f"it cannot be loaded, {type(error).__name__}: "
                faults.append(f"The format {entry.name} of {origin} is left out: {why}{error}")


class _Unfit(Exception):
    """What is wrong with a class that is to be a format, in words."""


def _made(entry: EntryPoint) -> Format:
    """Raises _Unfit, and whatever the package raises."""
    kind = entry.load()
    if not (isinstance(kind, type) and issubclass(kind, Format)):
        raise _Unfit(f"{entry.value} is no subclass of Format.")
    lacking = sorted({*kind.__abstractmethods__, *(each for each in Row.__annotations__ if not hasattr(kind, each))})
    if lacking:
        raise _Unfit(f"{entry.value} does not say its {', '.join(lacking)}.")
    if kind.name != entry.name:
        raise _Unfit(f"{entry.value} calls itself {kind.name}.")
    return kind()


def _may_hold_some(folder: str) -> bool:
    """Whether a package that is installed in a folder names the group: a look that is a hundred times as quick."""
    if os.path.isfile(folder):
        return True  # An archive: whoever runs the program out of one has time.
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{folder}/{name}/entry_points.txt", "rb", buffering=0) as told:
                    if GROUP.encode() in told.read():
                        return True
    return False
