"""The text report that is printed where there is no display for the window."""

import sys

from inspector.cli import exit_codes
from inspector.cli.log_input import open_log_at
from inspector.cli.sessions import log_table_lines
from inspector.cli.terminal import print_text
from inspector.core.engine import without_open_log
from inspector.core.engine.path_checks import contains_logs
from inspector.core.errors import InspectorError
from inspector.core.report.text import report_lines
from inspector.core.translation import tr


def print_text_report(paths: list[str]) -> int:
    """Print the text report of each log, and for a folder the list of its logs; return the exit code."""
    if not paths:
        print(tr("Specify the path of a log, or a command. --help lists the commands."), file=sys.stderr)
        return exit_codes.UNREADABLE
    codes = [exit_codes.OK]
    for path in paths:
        try:
            if contains_logs(path):
                print_text("\n".join(log_table_lines(without_open_log.list_logs([path]))))
                continue
            with open_log_at(path) as log:
                print_text("\n".join(report_lines(log.report)))
        except InspectorError as error:
            print_text(str(error), err=True)
            codes.append(exit_codes.code_of_error(error))
    return exit_codes.worst_code(codes)
