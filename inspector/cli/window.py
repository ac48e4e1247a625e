"""Opening the window, or saying in one line why there is none and reporting as text instead."""

import os
import sys
from importlib import import_module

from inspector.cli import exits

_PACKAGES = "libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxkbcommon-x11-0"
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
    try:
        app = import_module("inspector.gui.app")
    except ImportError as error:
        print(f"The window cannot open ({error}). On Debian or Ubuntu: apt install {_PACKAGES}", file=sys.stderr)
        return exits.UNREADABLE
    return int(app.screenshot(arguments[0], picture) if picture else app.run(arguments))


def _has_display() -> bool:
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
