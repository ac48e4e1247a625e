"""The check for commands that a person may copy: every word is quoted for the shell, or there is no command.

An id, a name or a path comes out of a log. If it is not a plain word (white space, `$(…)`, a line end, a leading dash),
the command could do something else than it says, or hide that it does. Nobody knows in which shell the person pastes
it, so a command must mean the same in every shell of the machine.
"""

import re
import sys

from inspector.core.lazy import lazy_regex

_PLAIN_WORD = lazy_regex(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
# Words without quotes. zsh replaces `=name` by the path of a program, fish replaces `%self`.
_UNQUOTED = lazy_regex(r"(?![=%])[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
# Within single quotes fish reads `\'` and `\\` as escapes, the other shells do not; within double quotes all of them
# read `\\` as one backslash and `'` as itself.
_IN_DOUBLE_QUOTES = str.maketrans({"'": "'\"'\"'", "\\": "'\"\\\\\"'"})
# cmd replaces `%NAME%` and `!NAME!` within quotes, PowerShell `$name` and backticks. PowerShell takes curly quotes for
# straight ones.
_NEVER_IN_WINDOWS = lazy_regex('[%!$`"‘-‟]')
_UNQUOTED_IN_WINDOWS = lazy_regex(r"[A-Za-z0-9_+=:./\\-]+", re.ASCII)


def is_plain_word(word: str) -> bool:
    """Return whether a word out of a log may be part of a command."""
    return _PLAIN_WORD.fullmatch(word) is not None


def shell_command(*words: str) -> str:
    """Join words into a command that means the same in every shell of this machine.

    These are bash, dash, zsh and fish, or cmd and PowerShell on Windows. Return "" for a word that has no spelling
    that they all read as this word, and for one with a character that is not printable.
    """
    if not all(word.isprintable() for word in words):
        return ""
    if sys.platform == "win32":
        return _windows_command(words)
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return word if _UNQUOTED.fullmatch(word) else "'" + word.translate(_IN_DOUBLE_QUOTES) + "'"


def _windows_command(words: tuple[str, ...]) -> str:
    if any(map(_NEVER_IN_WINDOWS.search, words)):
        return ""
    return " ".join(word if _UNQUOTED_IN_WINDOWS.fullmatch(word) else _in_double_quotes(word) for word in words)


def _in_double_quotes(word: str) -> str:
    # A program reads a backslash before the closing quote as an escape.
    ending = word[len(word.rstrip("\\")) :]
    return f'"{word}{ending}"'
