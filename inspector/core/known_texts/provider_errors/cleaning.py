"""A pasted text without what terminals, logs and chats put into it: colours, frames, escapes, quotes, line breaks.

Nothing of it is executed or followed; what comes out is only ever compared with known wordings.
"""

import re
from typing import TYPE_CHECKING

from inspector.core.later import LazyModule

if TYPE_CHECKING:
    import html
else:
    html = LazyModule("html")

# A log line, a stack trace and a curl call are short; of something longer, both ends are looked at.
_MOST = 400_000

# Compiled when a text is there to be cleaned: a sound log has none.
_COLOURS = (
    r"(?i)(?:\x1b|\\u001b|\\x1b|\\033|\^\[)"
    r"(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])"
)
_FRAMES = r"[\u2500-\u259f]+"
_INVISIBLE = r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
_SPELLINGS = str.maketrans(
    "\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f"
    "\u00a0\u3000\uff1a\uff0c\uff08\uff09\u2010\u2011\u00b4\uff40",
    "'" * 5 + '"' * 11 + "  :,()--``",
)
_QUOTES = r"\\++(?:u00(?:60|22|27|26|3[cC]|3[eE])|[nrt])?|['\"`]"
_BEFORE_SIGN = r" ([.,:;)\]])"


def strip_decoration(text: str) -> str:
    """The text as it was before it was shown: no colours, frames, HTML entities or typographic quotes."""
    if len(text) > _MOST:
        text = text[: _MOST // 2] + "\n" + text[-_MOST // 2 :]
    text = re.sub(_COLOURS, "", text)
    for _ in range(2):
        if "&" in text:
            text = html.unescape(text)
    return re.sub(_FRAMES, " ", re.sub(_INVISIBLE, "", text).translate(_SPELLINGS))


def flatten_text(text: str) -> str:
    """An unwrapped text on one line, without quotes and escapes."""
    return re.sub(_BEFORE_SIGN, r"\1", " ".join(re.sub(_QUOTES, " ", text).split()))


def remove_spaces(text: str) -> str:
    """A flat text without any space: what a terminal broke in the middle of a word is whole again."""
    return "".join(text.split())
