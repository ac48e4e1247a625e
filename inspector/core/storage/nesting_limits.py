"""Limits on the nesting of values.

This module needs no JSON library, so that a command loads none before it needs one.
"""

import sys

MAX_NESTING = 1024  # levels that orjson reads
MAX_NESTING_STANDARD_PARSER = (
    400  # levels of what only the standard parser reads: Python 3.11 has 1,000 for it and all its callers
)
_CALLS = 3 * MAX_NESTING + 500  # a walk takes up to three calls for each level


def raise_recursion_limit() -> None:
    """Raise the recursion limit, so that a function can walk the deepest value level by level.

    This is for the program's own processes. In another program, a walk that exceeds the limit raises TooDeep.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _CALLS))
