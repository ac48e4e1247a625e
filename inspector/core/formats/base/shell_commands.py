"""The gate for commands that a person may copy: every word quoted for the shell of this machine, or no command at all.

An id or a name comes out of a log; what is no plain word of it (white space, `$(…)`, a line end, a leading dash) would
do something else than the command says, or hide that it does.
"""

import re
import shlex
import subprocess
import sys

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")


def is_plain_word(word: str) -> bool:
    """Whether a word out of a log may stand in a command."""
    return _PLAIN_WORD.fullmatch(word) is not None


def shell_command(*words: str) -> str:
    """Words as one command for the shell of this machine; paths may hold anything that a line can show, else ""."""
    if not all(word.isprintable() for word in words):
        return ""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
