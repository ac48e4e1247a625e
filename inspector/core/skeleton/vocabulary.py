"""Words that identify nobody: those of formats, of providers' texts, and of this program's own sentences.

The lists are files in `resources/vocabulary`, one word per line. `python -m tests.vocabulary` reports words that the
code has gained since, and adds them with `--update`.
"""

from functools import cache

from inspector.assets import resources
from inspector.core.evidence.effects import TOOL_EFFECTS


def is_public_word(text: str) -> bool:
    """Return whether a whole text is a word of a format, or the name of a known agent's tool. One letter is no word."""
    return len(text) > 1 and (text in _listed("formats") or text.lower() in TOOL_EFFECTS)


def provider_text_words() -> frozenset[str]:
    """Return the words of placeholders, refusals and providers' errors."""
    return _listed("provider_texts")


def program_words() -> frozenset[str]:
    """Return the words of the sentences in the core."""
    return _listed("sentences")


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset((resources() / "vocabulary" / f"{name}.txt").read_text("utf-8").splitlines())
