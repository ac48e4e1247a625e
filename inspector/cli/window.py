"""Opening the window, or saying in one line why there is none and reporting as text instead."""

import ctypes
import os
import sys
from contextlib import suppress
from importlib import import_module

from inspector.cli import exits

# What the wheel of PySide6 needs of the system, and the Debian packages that hold it; the second table for X11 windows.
_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
}
_USAGE = "transcript-inspector --screenshot OUT.png PATH"


def open_window(arguments: list[str]) -> int:
    """The exit code of the window with the paths in `arguments` open, or of its picture with --screenshot."""
    picture = ""
    if arguments and arguments[0] == "--screenshot":
        if len(arguments) != 3:
            print(f"Usage: {_USAGE}", file=sys.stderr)
            return exits.UNREADABLE
        picture, arguments = arguments[1], arguments[2:]
        if not _has_display():
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
    unknown = [argument for argument in arguments if argument.startswith("-") and argument != "-"]
    if unknown:
        print(f"There is no option {unknown[0]}; --help lists the commands.", file=sys.stderr)
        return exits.UNREADABLE
    if not picture and not _has_display():
        print("There is no display, so here is the report as text.", file=sys.stderr)
        return int(import_module("inspector.cli.instead_of_window").report(arguments))
    missing = _missing_packages()
    if missing:
        print(f"The window needs libraries of the system: apt install {' '.join(missing)}", file=sys.stderr)
        return exits.UNREADABLE
    try:
        spare_sources()
        app = import_module("inspector.gui.app")
    except ImportError as error:
        print(f"The window cannot open: {error}.", file=sys.stderr)
        return exits.UNREADABLE
    return int(app.screenshot(arguments[0], picture) if picture else app.run(arguments))


def spare_sources() -> None:
    """Keep PySide from reading the source of each module that is imported: a fifth of the window's start.

    It looks there for its own name, to know where `from __feature__ import …` applies, which nothing here says. Source:
    `shibokensupport/feature.py` of PySide6 6.11, `_mod_uses_pyside`. A PySide without it goes on as it is.
    """
    import_module("shiboken6")
    with suppress(ImportError):
        vars(import_module("shibokensupport.feature"))["_mod_uses_pyside"] = lambda module: False


def _has_display() -> bool:
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _missing_packages() -> list[str]:
    """Debian's names of what the window would not open without. Qt itself ends the process when a library lacks."""
    if not sys.platform.startswith("linux"):
        return []
    on_x11 = (
        os.environ.get("DISPLAY") and not os.environ.get("QT_QPA_PLATFORM") and not os.environ.get("WAYLAND_DISPLAY")
    )
    wanted = _LIBRARIES | (_X11_LIBRARIES if on_x11 else {})
    return [package for library, package in wanted.items() if not _loads(library)]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
