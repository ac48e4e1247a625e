"""What is printed where there is no display for the window."""

import sys

from inspector.cli import exits
from inspector.core.check import check
from inspector.core.errors import InspectorError
from inspector.core.opening import open_log
from inspector.core.reports.text import report_lines
from inspector.core.source import Source


def report(paths: list[str]) -> int:
    """The text report in the window's place; 2 when a log cannot be read."""
    if not paths:
        print("Give the path of a log, or a command; --help lists them.", file=sys.stderr)
        return exits.UNREADABLE
    codes = [exits.OK]
    for path in paths:
        try:
            with Source.open(path) as source:
                print("\n".join(report_lines(check(open_log(source)))))
        except InspectorError as error:
            print(error, file=sys.stderr)
            codes.append(exits.code_of(error))
    return exits.worst(codes)
