"""The entry point: a command runs without Qt, anything else opens the window."""

import errno
import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

from inspector.cli.command_table import COMMANDS, COMPLETION_VARIABLE
from inspector.core.storage.nesting_limits import raise_recursion_limit
from inspector.core.storage.temporary_files import discard_temporary_files, remove_leftovers

_GROUP_OPTIONS = ("-h", "--help", "-V", "--version")


def main() -> None:
    """Run `transcript-inspector` or `python -m inspector`."""
    arguments = sys.argv[1:]
    remove_leftovers()
    raise_recursion_limit()
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the terminal cannot show, for example in a name, are shown as escapes.
        sys.stdout.reconfigure(errors="backslashreplace")
    # Each front end is imported only when it runs, so that neither delays the start of the other.
    if COMPLETION_VARIABLE in os.environ or (arguments and arguments[0] in (*COMMANDS, *_GROUP_OPTIONS)):
        # A command reads one log and ends. Its objects have no cycles, and searching for cycles takes time.
        gc.disable()
        _run(lambda: import_module("inspector.cli.app").run())
    else:
        raise SystemExit(import_module("inspector.cli.window").open_window(arguments))


def _run(command: Callable[[], None]) -> None:
    """Run a command; printing can fail on a full disk or a closed pipe until the last byte is written."""
    try:
        try:
            command()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:
        # The interpreter would otherwise try to print the rest again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno != errno.EPIPE:
            print(f"The output could not be written: {error.strerror or error}.", file=sys.stderr)
        raise SystemExit(1 if error.errno == errno.EPIPE else 2) from error
    except KeyboardInterrupt:  # while modules are imported, or once more while the command ends
        _leave(130)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _leave(ended.code or 0)
        raise


def _leave(code: int) -> NoReturn:
    """Exit at once, after flushing and cleaning up: unloading all modules takes as long as a small check."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        if sys.stderr is not None:
            sys.stderr.flush()
    discard_temporary_files()
    os._exit(code)


if __name__ == "__main__":
    main()
