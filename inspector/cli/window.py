"""Start of the window. Without a display, the report is printed as text instead."""

import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module

from inspector.cli import desktop_entry, exit_codes
from inspector.cli.command_table import COMMANDS
from inspector.cli.system_libraries import debian_packages_of, how_to_install, missing_libraries
from inspector.core.engine.path_checks import containing_file_on_disk
from inspector.core.translation import tr

_USAGE = "transcript-inspector --screenshot OUT.png PATH"


def open_window(arguments: list[str]) -> int:
    """Open the window with the paths in `arguments`, or with --screenshot save its picture. Return the exit code."""
    if arguments == ["--system-packages"]:
        print(" ".join(debian_packages_of()))
        return exit_codes.OK
    if len(arguments) == 1 and arguments[0] in (desktop_entry.INSTALL, desktop_entry.UNINSTALL):
        return desktop_entry.change_desktop_entry(arguments[0])
    picture = ""
    if arguments and arguments[0] == "--screenshot":
        if len(arguments) != 3:
            print(f"Usage: {_USAGE}", file=sys.stderr)
            return exit_codes.UNREADABLE
        picture, arguments = arguments[1], arguments[2:]
        if not _has_display():
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
    unknown = [argument for argument in arguments if argument.startswith("-") and argument != "-"]
    if unknown:
        print(
            tr("There is no {unknown} option. --help lists the commands and options.", unknown=unknown[0]),
            file=sys.stderr,
        )
        return exit_codes.UNREADABLE
    missing_paths = [argument for argument in arguments if not _is_there(argument)]
    if missing_paths:
        print(_no_such_words(missing_paths), file=sys.stderr)
        if missing_paths == arguments or (_similar_command(arguments[0]) and arguments[0] in missing_paths):
            return exit_codes.UNREADABLE
        arguments = [argument for argument in arguments if argument not in missing_paths]
    if not picture and not _has_display():
        print(tr("No display is available for the window, so the report is printed as text."), file=sys.stderr)
        code = int(import_module("inspector.cli.report_without_display").print_text_report(arguments))
        return exit_codes.worst_code([code, *[exit_codes.UNREADABLE for _ in missing_paths]])
    missing = missing_libraries()
    if missing:
        print(
            tr(
                "The window needs additional system libraries. Install them with: {command}",
                command=how_to_install(missing),
            ),
            file=sys.stderr,
        )
        return exit_codes.UNREADABLE
    try:
        disable_pyside_source_scan()
        app = import_module("inspector.gui.app")
    except ImportError as error:
        print(tr("The window cannot be opened: {error}.", error=error), file=sys.stderr)
        return exit_codes.UNREADABLE
    return int(app.screenshot(arguments[0], picture) if picture else app.run(arguments))


def _is_there(argument: str) -> bool:
    """Return whether an argument is a path, that of a log in an archive, or standard input."""
    return argument == "-" or os.path.lexists(containing_file_on_disk(argument))


def _similar_command(word: str) -> str:
    """Return the command that a word was probably meant to be, "" for a path and for a word like no command."""
    return "" if os.sep in word else next(iter(get_close_matches(word, COMMANDS, 1)), "")


def _no_such_words(words: list[str]) -> str:
    word, near = words[0], _similar_command(words[0])
    if near:
        return tr("There is no command or file named `{word}`. Did you mean `{near}`?", word=word, near=near)
    if len(words) > 1:
        return tr("These files do not exist: {paths}.", paths=", ".join(words))
    return tr("There is no command or file named `{word}`. `--help` lists the commands.", word=word)


def disable_pyside_source_scan() -> None:
    """Keep PySide from reading the source of every imported module, which takes a fifth of the window's start.

    It searches there for its own name, to know where `from __feature__ import …` applies. This program does not use
    that. Source: `shibokensupport/feature.py` of PySide6 6.11, `_mod_uses_pyside`. A PySide without it is not changed.
    """
    import_module("shiboken6")
    with suppress(ImportError):
        vars(import_module("shibokensupport.feature"))["_mod_uses_pyside"] = lambda module: False


def _has_display() -> bool:
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
