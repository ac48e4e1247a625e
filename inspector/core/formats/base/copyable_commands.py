"""The check for commands that a person may copy: every word is quoted for the shell, or there is no command.

An id or a name comes out of a log. If it is not a plain word (white space, `$(…)`, a line end, a leading dash), the
command could do something else than it says, or hide that it does.
"""

import re
import shlex
import subprocess
import sys

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")


def is_plain_word(word: str) -> bool:
    """Return whether a word out of a log may be part of a command."""
    return _PLAIN_WORD.fullmatch(word) is not None


def shell_command(*words: str) -> str:
    """Join words into a command for the shell of this machine.

    Paths may contain any printable character. Return "" for a word with a character that is not printable.
    """
    if not all(word.isprintable() for word in words):
        return ""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
