"""How deep a value may be nested.

This module needs no JSON library, so that a command loads none before it needs one.
"""

import sys

DEEPEST = 1024  # levels that orjson reads
DEEPEST_ODD = 400  # levels of what only the standard parser reads: Python 3.11 has 1,000 for it and all its callers
_CALLS = 3 * DEEPEST + 500  # a walk takes up to three calls for each level


def let_walks_be_deep() -> None:
    """Let functions of this process call each other as deep as a value can be nested that they walk level by level.

    This is for the program's own processes. In another program's, a walk that runs out of calls raises TooDeep.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _CALLS))
