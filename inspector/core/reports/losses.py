"""What is lost, told to a person: where it stood, what it is, how much of it, its first words, and why it is lost.

Never as JSON: of a call it is what it asks for, of a record that cannot be read the first text that stands in it.
"""

import re
from collections.abc import Iterable, Iterator

from inspector.core.index.session import Log
from inspector.core.judging.places import Locator
from inspector.core.known_texts.amounts import count_phrase
from inspector.core.repair.edits import Loss
from inspector.core.reports.words import place_text
from inspector.core.showing.call_line import summarize_call

_KIND_NAMES = {
    "result": "a result",
    "text": "a text",
    "call": "a call",
    "reasoning": "reasoning",
    "media": "a picture or a file",
    "bytes": "a damaged piece",
}
_SHOWN = 80
_LOOKED_AT = 20_000
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"?')  # of JSON; the last may break off
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-f]{2}|.)")


def loss_sentences(losses: Iterable[Loss], log: Log) -> Iterator[str]:
    """A sentence for each loss."""
    places = Locator(log)
    for loss in losses:
        place = "" if loss.record is None else f"{place_text(places.locate(loss.record))}: "
        count = count_phrase(len(loss.text), "character")
        words = _first_words(loss)
        kind = _KIND_NAMES.get(loss.kind, loss.kind)
        yield f"{place}{kind} of {count}{f', “{words}”' if words else ''} ({loss.reason})"


def _first_words(loss: Loss) -> str:
    text = loss.text[:_LOOKED_AT]
    if loss.kind == "call":
        name, _, asked = text.partition(" ")
        text = f"{name} {summarize_call(asked, '')}".strip()
    elif text.lstrip()[:1] in ("{", "["):
        strings = (_ESCAPED.sub(" ", each) for each in _STRING.findall(text))
        text = next((each for each in strings if len(each.split(None, 1)) > 1), "")
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rsplit(' ', 1)[0]} …"
