"""Masking the bytes of a log: every string and long number that no format knows, in place and of the same length.

The same string is masked alike wherever it stands, and another one otherwise, so that ids still pair and what was equal
is. Ids keep their order, times their distance. Escapes, line ends, bytes that are no text, and JSON within JSON stay
what they are; so do words of formats, models, versions, the size of an image, what programs say in a call's place, how
the texts begin that a format reads, and in the records of errors the words that tell what they are about.
"""

import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from os.path import splitext

from inspector.core.bytes.source import BOM
from inspector.core.skeleton.ids import id_prefix, replacement_ids
from inspector.core.skeleton.letters import decode_json_string, encode_like, replace_letters, replace_number, shift_time
from inspector.core.skeleton.model_names import MODEL_NAME
from inspector.core.skeleton.programs import error_words, is_program_text, program_spans
from inspector.core.skeleton.vocabulary import is_public_word
from inspector.core.wire.media.pixels import image_size

# A string of JSON, also one that breaks off, be it that another record begins within it.
JSON_STRING = re.compile(rb'"((?:(?!\{"\w+":)[^"\\\n\r]|\\[^\n\r])*)("?)')
_BETWEEN = re.compile(
    BOM + rb"|\\u[0-9a-fA-F]{4}|\\.|true|false|null|NaN|Infinity|-?\w*\d[\w.+-]*|[A-Za-z]|[\x80-\xff]+"
)
_WORDS = frozenset({b"true", b"false", b"null", b"NaN", b"Infinity", BOM})
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_NESTED = re.compile(r"\s*[\[{]")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_ID = re.compile(r"[\w.:|/+=-]{1,512}", re.ASCII)
_LONGEST_ID = 512 * 6  # characters, each spelled by its number
# Of three numbers at most: four are an address.
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,5}){1,2}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?")
_MEDIA_TYPE = re.compile(r"(?:image|audio|video)/[a-z0-9+-]{2,8}|application/pdf|text/(?:plain|html|markdown|csv)")
_MEDIA = re.compile(r"(?:data:image/\w+;base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi)")
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"  # and the size in pixels: what is read of an image
# Of an error: a place in the messages, an id or a name, words and numbers.
_PLACE = re.compile(r"(?:messages?|contents?|input|parts)[.\[]\d{1,6}")
_TOKEN = re.compile(rf"\\u[0-9a-fA-F]{{4}}|\\.|{_PLACE.pattern}|[\w-]+")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_LONG = 5  # digits of a number that may be somebody's


class Anonymizer:
    """Masks one log, whose bytes are given: its ids are masked in their order.

    `signs` are those of its format; `errors` tells where records of errors begin and end, in order. The salt is the
    whole log: who does not have it cannot try out texts.
    """

    def __init__(self, data: bytes, signs: tuple[str, ...] = (), errors: Sequence[tuple[int, int]] = ()) -> None:
        self._salt = blake2b(data, digest_size=32).hexdigest()
        self._signs, self._errors = signs, errors
        texts = (decode_json_string(_text(found[1])) for found in JSON_STRING.finditer(data))
        self._ids = replacement_ids(filter(_is_id, texts))

    def anonymize(self, data: bytes) -> bytes:
        """The bytes of the log masked."""
        return self._masked(data, None)

    def _masked(self, data: bytes, of_error: bool | None) -> bytes:
        """The same of a part of it, of which is told whether an error's record holds it."""
        parts, at = [], 0
        for found in JSON_STRING.finditer(data):
            failed = self._is_of_error(found.start()) if of_error is None else of_error
            parts += [
                self._between(data[at : found.start()]),
                b'"',
                _raw(self.anonymize_text(_text(found[1]), failed)),
                found[2],
            ]
            at = found.end()
        return b"".join([*parts, self._between(data[at:])])

    def _is_of_error(self, at: int) -> bool:
        number = bisect_right(self._errors, (at, at)) - 1
        return number >= 0 and at < self._errors[number][1]

    def anonymize_name(self, name: str) -> str:
        """The name of a file, masked but for its ending and the words that formats know."""
        stem, suffix = splitext(name)
        return name if is_public_word(name) else f"{self._stem(stem)}{suffix}"

    def _stem(self, stem: str) -> str:
        if is_public_word(stem):
            return stem
        known = next((text for text in sorted(self._ids, key=len, reverse=True) if len(text) > 5 and text in stem), "")
        if known and known != stem:
            before, _, behind = stem.partition(known)
            return f"{self._stem(before)}{self._ids[known]}{self._stem(behind)}"
        return re.sub(
            r"[^\W_]+", lambda word: word[0] if is_public_word(word[0]) else self.anonymize_text(word[0]), stem
        )

    def anonymize_text(self, text: str, of_error: bool = False) -> str:
        """A string as JSON spells it, masked."""
        plain = decode_json_string(text) if len(text) < _LONGEST_ID else text
        if plain in self._ids:
            return encode_like(self._ids[plain], text) if plain != text else self._ids[text]
        if is_harmless(plain):
            return text
        if is_time(text):
            return shift_time(text) or self._other(text)
        if _NESTED.match(text) and '\\"' in text and "\\\\" not in text:
            return _text(self._masked(_raw(text.replace('\\"', '"')), of_error)).replace('"', '\\"')
        if _MEDIA.match(text):
            return self._medium(text)
        if of_error and (words := error_words(text)):
            return _TOKEN.sub(lambda found: self._token(found[0], words), text)
        if spans := list(program_spans(text, self._signs)):
            return self._between_spans(text, spans)
        head = id_prefix(text)
        return head + self._other(text[len(head) :], text)

    def _between_spans(self, text: str, spans: list[tuple[int, int]]) -> str:
        """A text that begins with what a program wrote: names and ids in that, and what follows it, are masked."""
        parts, at = [], 0
        for start, end in spans:
            parts += [self.anonymize_text(text[at:start]), text[start:end]]
            at = end
        return "".join([*parts, self._other(text[at:], text)])

    def _medium(self, text: str) -> str:
        """An image of the same size, of which there is nothing else; a document, of which there is nothing at all."""
        start = text.find(",") + 1
        size = image_size(text[start:])
        head = b64encode(_PNG + b"".join(side.to_bytes(4, "big") for side in size)).decode() if any(size) else ""
        at = start + len(head)
        return text[:start] + head + self._other(text[at:], text) if at <= len(text) else self._other(text)

    def _token(self, token: str, words: set[str]) -> str:
        """A part of an error's text: its `words` stay, and the places that it names; whatever was put in is masked."""
        sign = chr(int(token[2:], 16)) if token[0] == "\\" and len(token) > 2 else ""
        if token[0] == "\\" and not (sign.isalnum() or "\ud800" <= sign <= "\udfff"):
            return token
        if _PLACE.fullmatch(token):
            return token
        if token in self._ids:
            return self._ids[token]
        if prefix := id_prefix(token):
            return prefix + self._other(token[len(prefix) :], token)
        return _WORD.sub(lambda word: word[0] if word[0].lower() in words else self._other(word[0]), token)

    def _other(self, text: str, seed: str = "") -> str:
        return replace_letters(text, f"{self._salt}{seed or text}")

    def _between(self, data: bytes) -> bytes:
        """What stands outside of strings: numbers that are long, and what is no JSON."""
        seed = blake2b(data, digest_size=16, key=self._salt.encode()).hexdigest()

        def masked(found: re.Match[bytes]) -> bytes:
            text = found[0]
            if text in _WORDS or (text[:1] == b"\\" and len(text) == 2):
                return text
            if _NUMBER.fullmatch(text):
                return text if len(text) < _LONG else replace_number(text, f"{self._salt}{text.decode()}")
            return _raw(replace_letters(_text(text), f"{seed}{found.start()}"))

        return _BETWEEN.sub(masked, data)


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text)) and not (
        is_harmless(text) or is_time(text) or is_program_text(text) or _MEDIA.match(text)
    )


def is_harmless(text: str) -> bool:
    """Whether a whole text says nothing of a person: a word of a format, a tool, a version, a model, a medium."""
    return (
        not text or is_public_word(text) or any(shape.fullmatch(text) for shape in (_VERSION, MODEL_NAME, _MEDIA_TYPE))
    )


def is_time(text: str) -> bool:
    """Whether a whole text is a time of ISO 8601."""
    return bool(_TIME.fullmatch(text))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
