"""The translation of sentences: one function for the core, the commands and the window.

A sentence is one whole template with named fields, written in English and passed through `tr`, or `tr_plural` where a
number decides its form. Its template is looked up in the catalogue of the process's language, and then it is formatted.
`python -m tests.translations --update` extracts the templates to `resources/translations/messages.pot`. The catalogue
of a language is `resources/translations/LANGUAGE/LC_MESSAGES/messages.po`, compiled to `messages.mo` beside it.

The process's language is English unless TRANSCRIPT_INSPECTOR_LANGUAGE names another. The language of the system is not
asked yet, because the only other catalogue has no more than the shareable reports, which have an option for it.

A `Sentence` keeps its template and values, so it can be rendered again in another language: JSON is English always, and
a shareable report has the language that was requested.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from inspector.core.lazy import LazyModule, lazy_regex
from inspector.resource_folder import resources_folder

if TYPE_CHECKING:
    import gettext
else:
    gettext = LazyModule("gettext")  # English needs no catalogue

LANGUAGE_VARIABLE = "TRANSCRIPT_INSPECTOR_LANGUAGE"
ENGLISH = "en"
PSEUDO_LANGUAGE = "en-XA"
"""English with an accent on every letter, in double brackets: a text without them was not translated."""

_ACCENTED = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž",
)
# Fields, tags of rich text, and commands are no words.
_NOT_WORDS = lazy_regex(r"(\{[^{}]*\}|<[^<>]*>|&\w+;|`[^`]*`)")


class Sentence(str):
    """A text for a person in the process's language, which can be rendered in another one."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return self  # so the text of an exception can be rendered in another language, too

    def __add__(self, other: str) -> str:
        return joined("", (self, other))

    def __radd__(self, other: str) -> str:
        return joined("", (other, self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _sentence, (self.template, self.values)


class PluralSentence(Sentence):
    """A sentence whose `number` decides between the template, for one, and `plural`, for other numbers."""

    __slots__ = ("number", "plural")

    plural: str
    number: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _plural_sentence, (self.template, self.plural, self.number, self.values)


class _Catalogue(Protocol):
    def gettext(self, message: str) -> str: ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str: ...


class _PseudoCatalogue:
    """Translates any template to PSEUDO_LANGUAGE."""

    def gettext(self, message: str) -> str:
        parts = _NOT_WORDS.split(message)
        if not any(map(str.isalpha, "".join(parts[::2]))):
            return message
        return f"⟦{''.join(part if at % 2 else part.translate(_ACCENTED) for at, part in enumerate(parts))}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


class Translator:
    """Translates to one language. A sentence without a translation stays in English."""

    def __init__(self, language: str = ENGLISH) -> None:
        self.language = language
        self._catalogue = _catalogue(language)

    def __call__(self, text: str, /, **values: object) -> str:
        """Return a sentence or a template in this language, with `values` in place of its {names}."""
        if isinstance(text, PluralSentence):
            return self.plural(text.template, text.plural, text.number, {**text.values, **values})
        if isinstance(text, Sentence):
            return self.singular(text.template, {**text.values, **values})
        return self.singular(text, values)

    def singular(self, template: str, values: Mapping[str, object]) -> str:
        """Return a template in this language. Values that are sentences are rendered in this language, too."""
        if self._catalogue is None or not template:
            return self._filled(template, values)
        return self._filled(self._catalogue.gettext(template), values)

    def plural(self, one: str, many: str, number: int, values: Mapping[str, object]) -> str:
        """Return the template for a number in this language."""
        if self._catalogue is None:
            return self._filled(one if number == 1 else many, values)
        return self._filled(self._catalogue.ngettext(one, many, number), values)

    def _filled(self, template: str, values: Mapping[str, object]) -> str:
        if not values:
            return template
        fields = {name: self(value) if isinstance(value, Sentence) else value for name, value in values.items()}
        return template.format_map(fields)


@lru_cache
def _catalogue(language: str) -> _Catalogue | None:
    """Return the catalogue of a language, None for English and for a language without one."""
    if language == PSEUDO_LANGUAGE:
        return _PseudoCatalogue()
    path = resources_folder() / "translations" / language / "LC_MESSAGES" / "messages.mo"
    if language == ENGLISH or not path.is_file():
        return None
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


_english = Translator()
_process = Translator(os.environ.get(LANGUAGE_VARIABLE) or ENGLISH)


def set_language(language: str) -> None:
    """Set the language of this process and of those that it starts. What is rendered already stays as it is."""
    global _process
    os.environ[LANGUAGE_VARIABLE] = language
    _process = Translator(language)


def tr(template: str, /, **values: object) -> str:
    """Return a sentence in the language of this process, with `values` in place of its {names}.

    A sentence that is one already, such as one of a table, is rendered again.
    """
    if isinstance(template, PluralSentence):
        return _plural_sentence(template.template, template.plural, template.number, {**template.values, **values})
    if isinstance(template, Sentence):
        return _sentence(template.template, {**template.values, **values})
    return _sentence(template, values)


def tr_plural(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the sentence that fits a number: `one` for 1, else `many`. Both may have it as {number}."""
    return _plural_sentence(one, many, number, {"number": number, **values})


def mark_plural_forms(one: str, many: str) -> tuple[str, str]:
    """Mark the two forms of a template in a table, for a call of `tr_plural` elsewhere."""
    return one, many


def joined(separator: str, parts: Iterable[str]) -> str:
    """Return sentences, or the items of a list, as one text that can be rendered in another language as well."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    if len(values) == 1:
        return values["part0"]
    return _sentence(separator.join(f"{{{name}}}" for name in values), values)


def encode_sentence_in_english(text: object) -> str:
    """Return a sentence in English, for JSON. It is the hook of the encoders, which know no subclasses of str."""
    if isinstance(text, Sentence):
        return _english(text)
    raise TypeError(type(text).__name__)


def encode_sentence_as_is(text: object) -> str:
    """Return a sentence in the language that it has, for other encoders that know no subclasses of str."""
    if isinstance(text, Sentence):
        return str.__str__(text)
    raise TypeError(type(text).__name__)


def _sentence(template: str, values: Mapping[str, object]) -> Sentence:
    sentence = Sentence(
        _process.singular(template, values)
        if _process.language != ENGLISH
        else (template.format_map(values) if values else template)
    )
    sentence.template, sentence.values = template, values
    return sentence


def _plural_sentence(one: str, many: str, number: int, values: Mapping[str, object]) -> PluralSentence:
    sentence = PluralSentence(_process.plural(one, many, number, values))
    sentence.template, sentence.plural, sentence.number, sentence.values = one, many, number, values
    return sentence
