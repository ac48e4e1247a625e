"""What is printed where there is no display for the window."""

import sys

from inspector.cli import exits
from inspector.cli.reading import log_at
from inspector.cli.sessions import table_of
from inspector.cli.terminal import say
from inspector.core.engine import machine
from inspector.core.engine.folders import contains_logs
from inspector.core.errors import InspectorError
from inspector.core.reports.text import report_lines


def report(paths: list[str]) -> int:
    """The text report in the window's place, of a folder the list of its logs; 2 when a log cannot be read."""
    if not paths:
        print("Give the path of a log, or a command; --help lists them.", file=sys.stderr)
        return exits.UNREADABLE
    codes = [exits.OK]
    for path in paths:
        try:
            if contains_logs(path):
                say("\n".join(table_of(machine.list_logs([path]))))
                continue
            with log_at(path) as log:
                say("\n".join(report_lines(log.report)))
        except InspectorError as error:
            say(str(error), err=True)
            codes.append(exits.code_of(error))
    return exits.worst(codes)
