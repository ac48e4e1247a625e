"""Masking the bytes of a log: every string and long number that no format knows, in place and of the same length.

The same string is masked alike wherever it stands, and another one otherwise, so that ids still pair and what was equal
is. Ids keep their order, times their distance. Escapes, line ends, bytes that are no text, and JSON within JSON stay
what they are; so do words of formats, models, versions, what images begin with, and the own words of texts that
programs write.
"""

import re
from hashlib import blake2b

from inspector.core.known_texts.placeholders import is_placeholder
from inspector.core.known_texts.provider_errors import explain
from inspector.core.known_texts.provider_errors.kinds import kind_of
from inspector.core.known_texts.refusals import claim_of
from inspector.core.skeleton.ids import other_ids, prefix_of
from inspector.core.skeleton.letters import other_letters, other_number, shifted
from inspector.core.skeleton.model_names import is_model
from inspector.core.skeleton.vocabulary import is_public, known_words

# A string of JSON, also one that breaks off, be it that another record begins within it.
STRING = re.compile(rb'"((?:(?!\{"\w+":)[^"\\\n\r]|\\[^\n\r])*)("?)')
_BETWEEN = re.compile(rb"\\u[0-9a-fA-F]{4}|\\.|true|false|null|-?\d[\d.eE+-]*|[A-Za-z]|[\x80-\xff]+")
_NESTED = re.compile(r"\s*[\[{]")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_ID = re.compile(r"[\w.:|/+=-]{1,512}", re.ASCII)
# Of three numbers at most: four are an address.
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,5}){1,2}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?")
_MEDIA = re.compile(r"(?:data:image/\w+;base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi)")
_MEDIA_HEAD = 64  # characters, in which the size of a picture stands
_ERROR = re.compile(r".{0,60}(?:[Ee]rror|limit|refused|exceeded)")
_LONGEST = 3000  # of a text that programs write
_TOKEN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[\w-]+")
_LONG = 8  # digits of a number that may be somebody's


class Masker:
    """Masks one log, whose bytes are given: its ids are masked in their order.

    The salt is the whole log: who does not have it cannot try out texts.
    """

    def __init__(self, data: bytes) -> None:
        self._salt = blake2b(data, digest_size=32).hexdigest()
        texts = (_text(found[1]) for found in STRING.finditer(data))
        self._ids = other_ids(filter(_is_id, texts))

    def masked(self, data: bytes) -> bytes:
        """The bytes of the log, or of a part of it, masked."""
        parts, at = [], 0
        for found in STRING.finditer(data):
            parts += [self._between(data[at : found.start()]), b'"', _raw(self.text(_text(found[1]))), found[2]]
            at = found.end()
        return b"".join([*parts, self._between(data[at:])])

    def name(self, stem: str) -> str:
        """The name of a file, masked but for its words that formats know."""
        if is_public(stem):
            return stem
        known = next((text for text in sorted(self._ids, key=len, reverse=True) if len(text) > 5 and text in stem), "")
        if known and known != stem:
            before, _, behind = stem.partition(known)
            return f"{self.name(before)}{self._ids[known]}{self.name(behind)}"
        return re.sub(r"[^\W_]+", lambda word: word[0] if is_public(word[0]) else self.text(word[0]), stem)

    def text(self, text: str) -> str:
        """A string as JSON spells it, masked."""
        if text in self._ids:
            return self._ids[text]
        if is_kept(text):
            return text
        if is_time(text):
            return shifted(text) or self._other(text)
        if len(text) < _LONGEST and is_known(text):
            return _TOKEN.sub(lambda found: self._token(found[0]), text)
        if _NESTED.match(text) and '\\"' in text and "\\\\" not in text:
            return _text(self.masked(_raw(text.replace('\\"', '"')))).replace('"', '\\"')
        head = text[:_MEDIA_HEAD] if _MEDIA.match(text) else prefix_of(text)
        return head + self._other(text[len(head) :], text)

    def _token(self, token: str) -> str:
        """A word of a text that a program writes: its own stay, and short numbers; what was put into it is masked."""
        sign = chr(int(token[2:], 16)) if token[0] == "\\" and len(token) > 2 else ""
        if token[0] == "\\" and not (sign.isalnum() or "\ud800" <= sign <= "\udfff"):
            return token
        if token in known_words() or (token.isascii() and token.isdigit() and len(token) < _LONG):
            return token
        return self._ids.get(token) or self._other(token)

    def _other(self, text: str, seed: str = "") -> str:
        return other_letters(text, f"{self._salt}{seed or text}")

    def _between(self, data: bytes) -> bytes:
        """What stands outside of strings: numbers that are long, and what is no JSON."""
        seed = blake2b(data, digest_size=16, key=self._salt.encode()).hexdigest()

        def masked(found: re.Match[bytes]) -> bytes:
            text = found[0]
            if text in (b"true", b"false", b"null") or (text[:1] == b"\\" and len(text) == 2):
                return text
            if text[:1].isdigit() or text[:1] == b"-":
                return text if len(text) < _LONG else other_number(text, f"{self._salt}{text.decode()}")
            return _raw(other_letters(_text(text), f"{seed}{found.start()}"))

        return _BETWEEN.sub(masked, data)


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text)) and not (is_kept(text) or is_time(text) or _MEDIA.match(text))


def is_kept(text: str) -> bool:
    """Whether a whole text says nothing of a person: a word of a format, a known tool, a version, a model."""
    return not text or is_public(text) or bool(_VERSION.fullmatch(text)) or is_model(text)


def is_time(text: str) -> bool:
    """Whether a whole text is a time of ISO 8601."""
    return bool(_TIME.fullmatch(text))


def is_known(text: str) -> bool:
    """Whether programs write such a text: a placeholder, a refusal, an error of a provider."""
    if is_placeholder(text) or claim_of(text):
        return True
    return bool(_ERROR.match(text)) and (explain(text) is not None or kind_of(text) is not None)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
