"""Anonymizing the bytes of a log: every unknown string and long number is replaced in place by one of the same length.

Equal strings get the same replacement and different strings different ones, so that ids still pair. Ids keep their
order, and times their distance. Lengths stay the same in UTF-8 and in JSON.

These stay as they are: escapes, line ends, bytes that are not text, and JSON within JSON; words of formats, models,
versions, and the size of an image; placeholders that programs write in place of a result, and refusals; the beginnings
of texts by which a format reads them; and in records of errors the words that show what the error is about.
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

from inspector.core.providers.agent_texts import leading_refusal_length, may_be_call_refusal
from inspector.core.providers.error_parser import deciding_words
from inspector.core.providers.media import detect_media_type, image_size
from inspector.core.providers.placeholders import (
    FILLER_MESSAGES,
    is_placeholder,
    may_be_placeholder,
    placeholder_variable_spans,
)
from inspector.core.redaction.non_identifying_words import (
    MODEL_NAME_PATTERN,
    is_non_identifying_word,
    provider_text_words,
)
from inspector.core.storage.source import BOM

# A JSON string, possibly truncated: by the end of the text or by another record that begins inside it.
JSON_STRING_PATTERN = re.compile(rb'"((?:(?!\{"\w+":)[^"\\\n\r]|\\[^\n\r])*)("?)')
_BETWEEN = re.compile(
    BOM + rb"|\\u[0-9a-fA-F]{4}|\\.|true|false|null|NaN|Infinity|-?\w*\d[\w.+-]*|[A-Za-z]|[\x80-\xff]+"
)
_WORDS = frozenset({b"true", b"false", b"null", b"NaN", b"Infinity", BOM})
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_NESTED = re.compile(r"\s*[\[{]")
# A JSON text in a JSON text in a string, as far as its escapes can be taken back and put again.
_NESTED_TWICE = re.compile(r'\s*[\[{](?=.*\\\\)(?:[^\\]|\\["\\])+', re.DOTALL)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_ID = re.compile(r"[\w.:|/+=-]{1,512}", re.ASCII)
_LONGEST_ID = 512 * 6  # characters of an id with all of its characters escaped
# At most three numbers: four are an IP address.
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,5}){1,2}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?")
_MEDIA_TYPE = re.compile(r"(?:image|audio|video)/[a-z0-9+-]{2,8}|application/pdf|text/(?:plain|html|markdown|csv)")
_MEDIA = re.compile(r"(?:data:image/\w+;base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi)")
# In the text of an error: a location in the messages, an id or a name, words and numbers.
_PLACE = re.compile(r"(?:messages?|contents?|input|parts)[.\[]\d{1,6}")
_TOKEN = re.compile(rf"\\u[0-9a-fA-F]{{4}}|\\.|{_PLACE.pattern}|[\w-]+")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_LONG = 5  # digits of a number that may identify somebody


class Anonymizer:
    """The replacements for one log, whose bytes are `data`.

    `signs` are patterns of the text beginnings that its format reads. `errors` are the spans of records of errors, in
    order. The salt is the hash of the whole log: without the log nobody can guess texts by trying.
    """

    def __init__(self, data: bytes, signs: tuple[str, ...] = (), errors: Sequence[tuple[int, int]] = ()) -> None:
        self._salt = blake2b(data, digest_size=32).hexdigest()
        self._signs, self._errors = signs, errors
        self._ids = replacement_ids(filter(_is_id, _strings_in(data)))

    def anonymize(self, data: bytes) -> bytes:
        """Return the anonymized bytes of the log."""
        return self._masked(data, None)

    def _masked(self, data: bytes, of_error: bool | None) -> bytes:
        """Return the anonymized bytes of the log or of a part of it.

        `of_error` says whether the record of an error holds them; None means to look it up by offset.
        """
        parts, at = [], 0
        for string in JSON_STRING_PATTERN.finditer(data):
            is_error = self._is_of_error(string.start()) if of_error is None else of_error
            parts += [
                self._between(data[at : string.start()]),
                b'"',
                _raw(self.anonymize_text(_text(string[1]), is_error)),
                string[2],
            ]
            at = string.end()
        return b"".join([*parts, self._between(data[at:])])

    def _is_of_error(self, at: int) -> bool:
        number = bisect_right(self._errors, (at, at)) - 1
        return number >= 0 and at < self._errors[number][1]

    def anonymize_name(self, name: str) -> str:
        """Return an anonymized file name. The extension and words of formats stay."""
        stem, suffix = splitext(name)
        return name if is_non_identifying_word(name) else f"{self._stem(stem)}{suffix}"

    def _stem(self, stem: str) -> str:
        if is_non_identifying_word(stem):
            return stem
        id_in_stem = next(
            (text for text in sorted(self._ids, key=len, reverse=True) if len(text) > 5 and text in stem), ""
        )
        if id_in_stem and id_in_stem != stem:
            before, _, after = stem.partition(id_in_stem)
            return f"{self._stem(before)}{self._ids[id_in_stem]}{self._stem(after)}"
        return re.sub(
            r"[^\W_]+", lambda word: word[0] if is_non_identifying_word(word[0]) else self.anonymize_text(word[0]), stem
        )

    def anonymize_text(self, text: str, of_error: bool = False) -> str:
        """Return an anonymized JSON string; both are without quotes and with their escapes."""
        plain = decode_json_string(text) if len(text) < _LONGEST_ID else text
        if plain in self._ids:
            return encode_like(self._ids[plain], text) if plain != text else self._ids[text]
        if is_harmless(plain):
            return text
        if is_time(text):
            return shift_time(text) or self._other(text)
        if _NESTED.match(text) and '\\"' in text and "\\\\" not in text:
            return _text(self._masked(_raw(text.replace('\\"', '"')), of_error)).replace('"', '\\"')
        if _NESTED_TWICE.fullmatch(text):
            inner = _text(self._masked(_raw(re.sub(r'\\(["\\])', r"\1", text)), of_error))
            return re.sub(r'(["\\])', r"\\\1", inner)
        if _MEDIA.match(text):
            return self._medium(text)
        if of_error and (words := telltale_error_words(text)):
            return _TOKEN.sub(lambda match: self._token(match[0], words), text)
        if spans := list(program_written_spans(text, self._signs)):
            return self._between_spans(text, spans)
        prefix = id_prefix(text)
        return prefix + self._other(text[len(prefix) :], text)

    def _between_spans(self, text: str, spans: list[tuple[int, int]]) -> str:
        """Return a text whose `spans`, which a program wrote, stay. All else is anonymized."""
        parts, at = [], 0
        for start, end in spans:
            parts += [self.anonymize_text(text[at:start]), text[start:end]]
            at = end
        return "".join([*parts, self._other(text[at:], text)])

    def _medium(self, text: str) -> str:
        """Return a replacement for an image or a document. Its type and the size in pixels of an image are kept."""
        start = text.find(",") + 1
        head = b64encode(_media_head(detect_media_type(text[start:]), *image_size(text[start:]))).decode()
        at = start + len(head)
        return text[:start] + head + self._other(text[at:], text) if at <= len(text) else self._other(text)

    def _token(self, token: str, words: set[str]) -> str:
        """Return a token of an error's text, anonymized unless it consists of `words` or is a location in messages."""
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
        """Return the bytes between strings with long numbers, and all that is not JSON, anonymized."""
        seed = blake2b(data, digest_size=16, key=self._salt.encode()).hexdigest()

        def masked(match: re.Match[bytes]) -> bytes:
            text = match[0]
            if text in _WORDS or (text[:1] == b"\\" and len(text) == 2):
                return text
            if _NUMBER.fullmatch(text):
                return text if len(text) < _LONG else replace_number(text, f"{self._salt}{text.decode()}")
            return _raw(replace_letters(_text(text), f"{seed}{match.start()}"))

        return _BETWEEN.sub(masked, data)


def _strings_in(data: bytes) -> Iterator[str]:
    """Yield the strings of a JSON text, and those of a JSON text in a string."""
    for match in JSON_STRING_PATTERN.finditer(data):
        text = decode_json_string(_text(match[1]))
        yield text
        if _NESTED.match(text) and '"' in text:
            nested = JSON_STRING_PATTERN.finditer(text.encode("utf-8", "replace"))
            yield from (decode_json_string(_text(match[1])) for match in nested)


def _media_head(media_type: str, width: int, height: int) -> bytes:
    """Return the beginning of a file: the signature of its type, and the size in pixels. Return b"" for other types.

    The length can be divided by 3, so that its base64 text can be continued.
    """
    if media_type == "image/png":
        return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    if media_type == "image/jpeg":
        return b"\xff\xd8\xff\xc1\0\x0b\x0c" + height.to_bytes(2, "big") + width.to_bytes(2, "big") + b"\x01"
    if media_type == "image/gif":
        return b"GIF87a" + width.to_bytes(2, "little") + height.to_bytes(2, "little") + b"\xf7\x01"
    # A size would stand behind more letters of the file than a bundle may keep.
    return {"image/webp": b"RIFF\x01\x02\x03\x04WEBPALPH" + bytes(5), "application/pdf": b"%PDF-2.0\n"}.get(
        media_type, b""
    )


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text)) and not (
        is_harmless(text) or is_time(text) or is_program_written_text(text) or _MEDIA.match(text)
    )


def is_harmless(text: str) -> bool:
    """Return whether a whole text identifies nobody: a word of a format, a tool, a version, a model, a medium."""
    return (
        not text
        or is_non_identifying_word(text)
        or any(shape.fullmatch(text) for shape in (_VERSION, MODEL_NAME_PATTERN, _MEDIA_TYPE))
    )


def is_time(text: str) -> bool:
    """Return whether a whole text is an ISO 8601 time."""
    return bool(_TIME.fullmatch(text))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# Prefixes of ids of providers and agents, which show the kind of the id; prefixes of model names, which show whose
# rules apply; and the prefix of a type that contains the name of a tool (AI SDK).
ID_PREFIX_PATTERN = re.compile(
    r"(?:(?:toolu|msg)_(?:vrtx|bdrk)|srvtoolu|toolu|call|prt|ses|req|item|resp|chatcmpl|msg|amsg|rs|fco?|ctco?|ws)[_-]|"
    r"(?:claude|gemini|gpt|tool)-"
)
_FIRST = (ascii_lowercase, ascii_uppercase, digits)  # a name that begins with a letter still does
_REST = ("56789", digits, digits + ascii_uppercase + ascii_lowercase)


def replacement_ids(texts: Iterable[str]) -> dict[str, str]:
    """Return a replacement for each id. The ids are ASCII without blanks.

    Replacements are distinct, and have the same length, shape and order as the ids.
    """
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
    """Return the known prefix of an id, "" if it has none."""
    match = ID_PREFIX_PATTERN.match(text)
    return match[0] if match else ""


def _class_of(sign: str) -> str:
    return next(signs for signs in _FIRST if sign in signs)


def _nth_id(key: tuple[str, str, str], number: int, count: int) -> str:
    """Return the id `number` of `count` ids with the same prefix, shape and class of the first character."""
    prefix, shape, first = key
    places = shape.count("x")
    if not places:
        return prefix + shape
    rest = next((choice for choice in _REST if len(first) * len(choice) ** (places - 1) >= count), _REST[-1])
    signs = []
    for _ in range(places - 1):
        number, place = divmod(number, len(rest))
        signs.append(rest[place])
    signs.append(first[number % len(first)])
    return prefix + "".join(signs.pop() if sign == "x" else sign for sign in shape)


_SIGN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_PARTS = re.compile(r"\\+u[0-9a-fA-F]{4}|\\+.|[^\\]+", re.DOTALL)
_RANGES = (("a", 26), ("A", 26), ("0", 10))
# By the number of bytes of a character: its replacement, and the replacement of the former.
_OTHERS = {2: ("é", "è"), 3: ("字", "文"), 4: ("\U00010348", "\U00010349")}
_SHIFT = timedelta(days=1000, hours=1, minutes=1, seconds=1)
# Seconds, milliseconds, microseconds or nanoseconds since 1970.
_CLOCK = re.compile(rb"(1\d{9}(?:\d{3}){0,3})(\.\d{1,9})?")
_DIGITS = b"123456789"


def split_json_characters(raw: str) -> list[str]:
    """Return the characters of a JSON string, with each escape as one item."""
    return _SIGN.findall(raw)


def decode_json_string(raw: str) -> str:
    """Decode a JSON string without quotes. An invalid escape stands for the character after the backslash."""
    return "".join(map(_read, split_json_characters(raw))) if "\\" in raw else raw


def encode_like(text: str, like: str) -> str:
    """Return a text as a JSON string with the same escapes as `like`, a JSON string of as many characters."""
    signs = zip(text, split_json_characters(like), strict=True)
    return "".join(
        f"\\u{ord(sign):04x}" if len(other) == 6 else other if len(other) == 2 else sign for sign, other in signs
    )


def _read(sign: str) -> str:
    try:
        return str(json.loads(f'"{sign}"', strict=False)) if sign[0] == "\\" else sign
    except ValueError:
        return sign[-1]


def replace_letters(text: str, seed: str) -> str:
    """Replace each letter and digit by another one that depends on `seed` and on its position.

    Blanks, punctuation and escapes stay. The text cannot be recovered without the seed, because the stream of steps
    does not repeat, however long the text is.
    """
    stream, replaced = _stream(seed, len(text)), list[str]()
    for part in _PARTS.finditer(text):
        if part[0][0] == "\\":
            replaced.append(_escape(part[0], stream[part.start()]))
        else:
            replaced += map(_other, part[0], stream[part.start() : part.end()])
    return "".join(replaced)


def _stream(seed: str, length: int) -> bytes:
    return shake_256(seed.encode("utf-8", "surrogateescape")).digest(length)


def _other(sign: str, step: int) -> str:
    for first, size in _RANGES:
        place = ord(sign) - ord(first)
        if 0 <= place < size:
            return chr(ord(first) + (place + 1 + step % (size - 1)) % size)
    if sign.isascii() or "\ud800" <= sign <= "\udfff":
        return sign  # a surrogate stands for a byte that is not text
    one, two = _OTHERS[len(sign.encode())]
    return two if sign == one else one


def _escape(part: str, step: int) -> str:
    """Return an escape; of a `\\u` escape the character is replaced, and half of a surrogate pair stays such a half."""
    if len(part) < 6 or part[-5] != "u":
        return part
    code = int(part[-4:], 16)
    if code < 0x20:
        return part
    first = code & 0xFC00 if 0xD800 <= code < 0xE000 else 0x4E00 if code > 0x7F else 0x78
    other = first + (step if code > 0x7F else 0)
    return f"{part[:-4]}{other + (other == code > 0x7F):04x}"


def replace_number(text: bytes, seed: str) -> bytes:
    """Replace a long number: a possible time by an earlier time, any other number by one with other digits."""
    if time := _CLOCK.fullmatch(text):
        return b"%d" % (int(time[1]) - int(_SHIFT.total_seconds()) * 10 ** (len(time[1]) - 10)) + (time[2] or b"")
    stream = _stream(seed, len(text))
    return re.sub(
        rb"(?<![eE+])(?<![eE]-)\d",
        lambda sign: (others := _DIGITS.replace(sign[0], b""))[(at := stream[sign.start()] % len(others)) : at + 1],
        text,
    )


def shift_time(time: str) -> str:
    """Return an ISO 8601 time shifted by the same amount as all times; "" if it is not a valid time."""
    with suppress(ValueError, OverflowError):
        return (datetime.fromisoformat(time[:19]) - _SHIFT).isoformat() + time[19:]
    return ""


_LONGEST = 3000  # characters at the beginning of a text, with their escapes, in which programs' texts are searched
_OWN = frozenset(text for texts in FILLER_MESSAGES.values() for text in texts)


def is_program_written_text(text: str) -> bool:
    """Return whether a whole text is one that programs write, apart from the names and ids in it."""
    return text.strip() in _OWN or is_placeholder(text)


def program_written_prefix_length(text: str) -> int:
    """Return how many characters at the start of a text a program wrote: a whole placeholder, or a refusal's prefix."""
    return len(text) if is_program_written_text(text) else leading_refusal_length(text)


def program_written_spans(raw: str, signs: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a JSON string that a program wrote.

    `signs` are patterns of the text beginnings that a format reads. The content of their groups may identify somebody.
    """
    quick = b'"' + raw[:80].encode("utf-8", "replace")
    if not (signs or may_be_placeholder(quick) or may_be_call_refusal(quick) or raw.strip() in _OWN):
        return
    text = decode_json_string(raw[:_LONGEST])
    places = [0, *accumulate(map(len, split_json_characters(raw[:_LONGEST])))]
    if end := program_written_prefix_length(text):
        gaps = placeholder_variable_spans(text)
    elif match := next(filter(None, (_compiled(sign).match(text) for sign in signs)), None):
        end, gaps = match.end(), [match.span(group) for group in range(1, match.re.groups + 1)]
    else:
        return
    edges = [0, *(edge for gap in gaps if gap[0] >= 0 for edge in gap), end]
    yield from ((places[start], places[stop]) for start, stop in zip(edges[::2], edges[1::2], strict=True))


def telltale_error_words(text: str) -> set[str]:
    """Return the words of an error's text, in lower case, that show what it is about."""
    telltales = deciding_words(text)
    words = set(re.findall(r"[^\W\d_]+|\d+", text))
    return {word.lower() for word in words if any(word.lower() in telltale for telltale in telltales) and _is_own(word)}


def _is_own(word: str) -> bool:
    return word.isdecimal() or word in provider_text_words() or word.lower() in provider_text_words()


@cache
def _compiled(sign: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{sign})", re.DOTALL | re.IGNORECASE)
