"""Choose a front: a command runs without Qt, anything else opens the window."""

import gc
import sys


def main() -> None:
    """The entry point of `transcript-inspector` and of `python -m inspector`."""
    from inspector.cli.app import COMMANDS
    from inspector.cli.app import main as run_command

    arguments = sys.argv[1:]
    if arguments and (arguments[0] in COMMANDS or arguments[0] in ("-h", "--help", "--version")):
        # A command reads one log and ends; what it builds has no cycles, and looking for some takes time.
        gc.disable()
        run_command(prog_name="transcript-inspector")
        return
    from inspector.cli.window import open_window

    raise SystemExit(open_window(arguments))


if __name__ == "__main__":
    main()
