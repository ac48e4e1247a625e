"""The words that formats are made of: they say nothing of a person, and stay. Told by the program's own code."""

import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from types import CodeType

from inspector.core.evidence.effects import TOOLS

_FORMATS = ("formats", "wire", "containers", "index", "profiles")
_TEXTS = ("known_texts", "profiles")
_WORD = re.compile(r"[$\w.:/-]{1,60}")
_LETTERS = re.compile(r"[^\W\d]+")
_SENTENCE = re.compile(r"\.\s|\.$|\n")  # what explains the program, and is none of its words


def is_public(text: str) -> bool:
    """Whether a whole text is a word of a format, or the name of a tool that known agents have. A letter is no word."""
    return len(text) > 1 and (text in _words() or text.lower() in TOOLS)


@cache
def known_words() -> frozenset[str]:
    """The words of placeholders, refusals and errors of providers."""
    texts = (text for text in _constants(_TEXTS) if "\n" not in text)
    return frozenset(word for text in texts for word in _LETTERS.findall(text))


@cache
def _words() -> frozenset[str]:
    """Keys, types, roles and states of all formats, as they are spelled in the modules that read them."""
    texts = [text for text in _constants(_FORMATS) if not _SENTENCE.search(text)]
    found = {word for text in texts for word in (text, *re.split(r"[\s/,|]+", text)) if _WORD.fullmatch(word)}
    return frozenset(found | {re.sub(r"_(\w)", lambda sign: sign[1].upper(), word) for word in found})


def _constants(rooms: tuple[str, ...]) -> Iterator[str]:
    for room in rooms:
        package = import_module(f"inspector.core.{room}")
        beside = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name in (package.__name__, *(found.name for found in beside)):
            spec = import_module(name).__spec__
            loader = spec.loader if spec is not None else None
            code = loader.get_code(name) if isinstance(loader, InspectLoader) else None
            yield from _of_value(code)


def _of_value(value: object) -> Iterator[str]:
    if isinstance(value, CodeType):
        yield from value.co_names
        yield from (each for constant in value.co_consts for each in _of_value(constant))
    elif isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield from re.findall(r"[\w.-]+", value.decode("utf-8", "replace"))
    elif isinstance(value, (tuple, frozenset)):
        yield from (each for constant in value for each in _of_value(constant))
