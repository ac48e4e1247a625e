"""Choose a front: a command runs without Qt, anything else opens the window."""

import gc
import sys
from importlib import import_module
from io import TextIOWrapper

from inspector.cli.names import COMMANDS


def main() -> None:
    """The entry point of `transcript-inspector` and of `python -m inspector`."""
    arguments = sys.argv[1:]
    if isinstance(sys.stdout, TextIOWrapper):
        # What the terminal cannot show, in a name say, is shown as its escape.
        sys.stdout.reconfigure(errors="backslashreplace")
    # Each front is imported by name, when it is known which one runs: neither pays for the other's start.
    if arguments and (arguments[0] in COMMANDS or arguments[0] in ("-h", "--help", "--version")):
        # A command reads one log and ends; what it builds has no cycles, and looking for some takes time.
        gc.disable()
        import_module("inspector.cli.app").main(prog_name="transcript-inspector")
    else:
        raise SystemExit(import_module("inspector.cli.window").open_window(arguments))


if __name__ == "__main__":
    main()
