"""Masking the bytes of a log: every string and long number that no format knows, in place and of the same length.

The same string is masked alike wherever it stands, and another one otherwise, so that ids still pair and what was equal
is. Ids keep their order, times their distance. Escapes, line ends, bytes that are no text, and JSON within JSON stay
what they are; so do words of formats, models, versions, the size of an image, what programs say in a call's place, how
the texts begin that a format reads, and in the records of errors the words that tell what they are about.

Merged; to be rewritten:
`skeleton`: The skeleton of a log: records, blocks, order, lengths and ids as they are, every text replaced by other
letters.
`ids`: Other ids in the place of those of a log: each a different one, of the same length and shape, in the same order.
`letters`: Letters, numbers and times in the place of others, of the same length in UTF-8 and in JSON.
`programs`: What of a text a program wrote, and readers go by: a stand-in, a refusal, the words that tell of an error.
"""

import json
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b, shake_256
from itertools import accumulate
from os.path import splitext
from string import ascii_lowercase, ascii_uppercase, digits

from inspector.core.providers.agent_texts import may_be_refusal, refusal_prefix_length
from inspector.core.providers.error_parser import telltale_words
from inspector.core.providers.media import image_size
from inspector.core.providers.placeholders import FILLER_MESSAGES, filled_in_spans, is_placeholder, may_be_placeholder
from inspector.core.redaction.public_words import MODEL_NAME, is_public_word, provider_text_words
from inspector.core.storage.source import BOM

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


# The skeleton of a log: records, blocks, order, lengths and ids as they are, every text replaced by other letters.


# Other ids in the place of those of a log: each a different one, of the same length and shape, in the same order.

# What ids of providers and agents begin with, which tells what they are ids of; and what a model's name does that
# tells whose rules judge it.
ID_PREFIX = re.compile(
    r"(?:(?:toolu|msg)_(?:vrtx|bdrk)|srvtoolu|toolu|call|prt|ses|req|item|resp|chatcmpl|msg|amsg|rs|fc|ctc|ws)[_-]|"
    r"(?:claude|gemini|gpt)-"
)
_FIRST = (ascii_lowercase, ascii_uppercase, digits)  # a name that begins with a letter still does
_REST = ("56789", digits, digits + ascii_uppercase + ascii_lowercase)


def replacement_ids(texts: Iterable[str]) -> dict[str, str]:
    """The other id of each text, which has no blanks and is ASCII."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for text in sorted(set(texts)):
        prefix = id_prefix(text)
        rest = text[len(prefix) :]
        first = next(filter(str.isalnum, rest), "0")
        alike.setdefault((prefix, re.sub(r"[A-Za-z0-9]", "x", rest), _class_of(first)), []).append(text)
    return {
        text: _nth_id(key, number, len(group)) for key, group in alike.items() for number, text in enumerate(group)
    }  # fmt: skip


def id_prefix(text: str) -> str:
    """What an id begins with, "" where that tells nothing."""
    found = ID_PREFIX.match(text)
    return found[0] if found else ""


def _class_of(sign: str) -> str:
    return next(signs for signs in _FIRST if sign in signs)


def _nth_id(key: tuple[str, str, str], number: int, count: int) -> str:
    """The id with this number of so many that are shaped alike."""
    prefix, shape, first = key
    places = shape.count("x")
    if not places:
        return prefix + shape
    rest = next((each for each in _REST if len(first) * len(each) ** (places - 1) >= count), _REST[-1])
    signs = []
    for _ in range(places - 1):
        number, place = divmod(number, len(rest))
        signs.append(rest[place])
    signs.append(first[number % len(first)])
    return prefix + "".join(signs.pop() if sign == "x" else sign for sign in shape)


# Letters, numbers and times in the place of others, of the same length in UTF-8 and in JSON.

_SIGN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_PARTS = re.compile(r"\\+u[0-9a-fA-F]{4}|\\+.|[^\\]+", re.DOTALL)
_RANGES = (("a", 26), ("A", 26), ("0", 10))
_OTHERS = {
    2: ("é", "è"),
    3: ("字", "文"),
    4: ("\U00010348", "\U00010349"),
}  # for a sign of so many bytes, and for itself
_SHIFT = timedelta(days=1000, hours=1, minutes=1, seconds=1)
# Seconds since 1970, or their thousandths, millionths, billionths.
_CLOCK = re.compile(rb"(1\d{9}(?:\d{3}){0,3})(\.\d{1,9})?")
_DIGITS = b"123456789"


def split_characters(raw: str) -> list[str]:
    """The characters of a string as JSON spells it, each as it is spelled."""
    return _SIGN.findall(raw)


def decode_json_string(raw: str) -> str:
    """A string that JSON spells, as it is read; what is no escape of JSON is the letter behind the stroke."""
    return "".join(map(_read, split_characters(raw))) if "\\" in raw else raw


def encode_like(text: str, like: str) -> str:
    """A text as JSON spells another of as many characters: what is told there by its number is so here."""
    signs = zip(text, split_characters(like), strict=True)
    return "".join(
        f"\\u{ord(sign):04x}" if len(other) == 6 else other if len(other) == 2 else sign for sign, other in signs
    )


def _read(sign: str) -> str:
    try:
        return str(json.loads(f'"{sign}"', strict=False)) if sign[0] == "\\" else sign
    except ValueError:
        return sign[-1]


def replace_letters(text: str, seed: str) -> str:
    """Each letter and digit is another one, by the `seed` and its place; blanks, punctuation and escapes stay.

    Without the seed nothing tells what it was: no step comes twice, however long the text is.
    """
    stream, made = _stream(seed, len(text)), list[str]()
    for found in _PARTS.finditer(text):
        if found[0][0] == "\\":
            made.append(_escape(found[0], stream[found.start()]))
        else:
            made += map(_other, found[0], stream[found.start() : found.end()])
    return "".join(made)


def _stream(seed: str, length: int) -> bytes:
    return shake_256(seed.encode("utf-8", "surrogateescape")).digest(length)


def _other(sign: str, step: int) -> str:
    for first, size in _RANGES:
        place = ord(sign) - ord(first)
        if 0 <= place < size:
            return chr(ord(first) + (place + 1 + step % (size - 1)) % size)
    if sign.isascii() or "\ud800" <= sign <= "\udfff":
        return sign  # the latter stands for a byte that is no text
    one, two = _OTHERS[len(sign.encode())]
    return two if sign == one else one


def _escape(part: str, step: int) -> str:
    """An escape, as it is but for a sign that it spells by its number; halves of pairs stay halves."""
    if len(part) < 6 or part[-5] != "u":
        return part
    code = int(part[-4:], 16)
    if code < 0x20:
        return part
    first = code & 0xFC00 if 0xD800 <= code < 0xE000 else 0x4E00 if code > 0x7F else 0x78
    other = first + (step if code > 0x7F else 0)
    return f"{part[:-4]}{other + (other == code > 0x7F):04x}"


def replace_number(text: bytes, seed: str) -> bytes:
    """A long number: one that may be a time is an earlier one, any other has other digits."""
    if time := _CLOCK.fullmatch(text):
        return b"%d" % (int(time[1]) - int(_SHIFT.total_seconds()) * 10 ** (len(time[1]) - 10)) + (time[2] or b"")
    stream = _stream(seed, len(text))
    return re.sub(
        rb"(?<![eE+])(?<![eE]-)\d",
        lambda sign: (others := _DIGITS.replace(sign[0], b""))[(at := stream[sign.start()] % len(others)) : at + 1],
        text,
    )


def shift_time(time: str) -> str:
    """A time of ISO 8601, earlier by what all of them are earlier; "" for one that is none."""
    with suppress(ValueError, OverflowError):
        return (datetime.fromisoformat(time[:19]) - _SHIFT).isoformat() + time[19:]
    return ""


# What of a text a program wrote, and readers go by: a stand-in, a refusal, the words that tell of an error.

_LONGEST = 3000  # characters of a beginning, however they are escaped
_OWN = frozenset(text for texts in FILLER_MESSAGES.values() for text in texts)


def is_program_text(text: str) -> bool:
    """Whether the whole of a text is what programs write, but for the names and ids in it."""
    return text.strip() in _OWN or is_placeholder(text)


def program_prefix_length(text: str) -> int:
    """How many characters at the start of a text are a program's own: all of a stand-in, what a refusal begins with."""
    return len(text) if is_program_text(text) else refusal_prefix_length(text)


def program_spans(raw: str, signs: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Where a string as JSON spells it is a program's own; `signs` are patterns of how texts begin that a format reads.

    What their groups hold is somebody's.
    """
    quick = b'"' + raw[:80].encode("utf-8", "replace")
    if not (signs or may_be_placeholder(quick) or may_be_refusal(quick) or raw.strip() in _OWN):
        return
    text = decode_json_string(raw[:_LONGEST])
    places = [0, *accumulate(map(len, split_characters(raw[:_LONGEST])))]
    if end := program_prefix_length(text):
        gaps = filled_in_spans(text)
    elif found := next(filter(None, (_compiled(sign).match(text) for sign in signs)), None):
        end, gaps = found.end(), [found.span(group) for group in range(1, found.re.groups + 1)]
    else:
        return
    edges = [0, *(edge for gap in gaps if gap[0] >= 0 for edge in gap), end]
    yield from ((places[start], places[behind]) for start, behind in zip(edges[::2], edges[1::2], strict=True))


def error_words(text: str) -> set[str]:
    """The words of an error's text, in lower case, that tell what it is about."""
    told = telltale_words(text)
    words = set(re.findall(r"[^\W\d_]+|\d+", text))
    return {word.lower() for word in words if any(word.lower() in each for each in told) and _is_own(word)}


def _is_own(word: str) -> bool:
    return word.isdecimal() or word in provider_text_words() or word.lower() in provider_text_words()


@cache
def _compiled(sign: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{sign})", re.DOTALL | re.IGNORECASE)
