"""The words that formats are made of: they say nothing of a person, and stay. Told by the program's own code."""

import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import CodeType

from inspector.core.evidence.effects import TOOLS
from inspector.core.known_texts.provider_errors.kinds import KINDS

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
def own_words() -> frozenset[str]:
    """The words of all sentences of the core."""
    return frozenset(word for text in _constants() for word in _LETTERS.findall(text))


@cache
def _words() -> frozenset[str]:
    """Keys, types, roles and states of all formats, as they are spelled in the modules that read them."""
    texts = [text for text in _constants(_FORMATS) if not _SENTENCE.search(text)]
    found = {word for text in texts for word in (text, *re.split(r"[\s/,|]+", text)) if _WORD.fullmatch(word)}
    found |= {name for kind in KINDS.values() for name in kind.names}
    return frozenset(found | {re.sub(r"_(\w)", lambda sign: sign[1].upper(), word) for word in found})


def _constants(rooms: tuple[str, ...] = ()) -> Iterator[str]:
    """The texts in the code of rooms, by default of all; none of it is run."""
    for name in [f"inspector.core.{room}" for room in rooms] or ["inspector.core"]:
        yield from _of_module(find_spec(name))


def _of_module(spec: ModuleSpec | None) -> Iterator[str]:
    if spec is None:
        return
    yield from _of_value(spec.loader.get_code(spec.name) if isinstance(spec.loader, InspectLoader) else None)
    folders = spec.submodule_search_locations
    for beside in pkgutil.iter_modules(folders) if folders else ():
        yield from _of_module(PathFinder.find_spec(f"{spec.name}.{beside.name}", folders))


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
