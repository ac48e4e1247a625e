"""Quick checks for messages that may not fit a schema, by the fields that an index decodes and first bytes alone.

A quick check never misses what the tables refuse. It may suspect what fits them, and only suspects are parsed. What no
decoder accepts (a text where a number belongs) is suspect without a check.
"""

import struct
from operator import attrgetter
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from inspector.core.providers.message_fields import DECODE_ERRORS, EMPTY_RAW

_QUOTE, _LIST, _OBJECT = ord('"'), ord("["), ord("{")
first_byte = struct.Struct("B").unpack_from  # in a third of the time that a memoryview takes
STRING_START, _OBJECT_START = (_QUOTE,), (_OBJECT,)
# Types of Anthropic's blocks, which the content of a chat message must not hold.
ANTHROPIC_BLOCK_TYPES = frozenset({"tool_use", "tool_result"})


class _Source(Struct, gc=False):
    """Where an image or a document comes from, with its data unread."""

    type: str
    media_type: str = ""
    data: Raw = EMPTY_RAW
    url: Raw = EMPTY_RAW
    file_id: Raw = EMPTY_RAW


class _Part(Struct, gc=False):
    """A part of a content, with the members of all kinds whose value is a text or an object."""

    type: str
    text: Raw = EMPTY_RAW
    refusal: Raw = EMPTY_RAW
    source: _Source | None = None
    image_url: Raw = EMPTY_RAW
    cache_control: Raw = EMPTY_RAW
    citations: Raw = EMPTY_RAW
    annotations: Raw = EMPTY_RAW
    logprobs: Raw = EMPTY_RAW
    prompt_cache_breakpoint: Raw = EMPTY_RAW


class _ImageUrl(Struct, gc=False):
    """The address of an image, or its data, unread."""

    url: Raw
    detail: Literal["auto", "low", "high", "original"] | None = None


# Members that a part rarely has, and never has to have.
_rare_members = attrgetter("cache_control", "prompt_cache_breakpoint")
_rare_lists = attrgetter("citations", "annotations", "logprobs")
_SAYS_NOTHING = (b"", b"[]", b"null")
_PARTS = msgspec.json.Decoder(list[_Part]).decode
_SOURCE = msgspec.json.Decoder(_Source).decode
_IMAGE_URL = msgspec.json.Decoder(_ImageUrl).decode


def is_text(raw: Raw) -> bool:
    return len(raw) > 0 and first_byte(raw) == STRING_START


def is_object(raw: Raw) -> bool:
    return len(raw) > 0 and first_byte(raw) == _OBJECT_START


def _first(raw: Raw) -> int:
    """Return the first byte of a value, 0 for none."""
    return int(first_byte(raw)[0]) if len(raw) else 0


def is_null(raw: Raw) -> bool:
    return not len(raw) or bytes(memoryview(raw)[:4]) == b"null"


def is_null_or_empty_list(raw: Raw) -> bool:
    """Return whether a member that is a list is missing, null or empty."""
    return len(raw) < len(b"null") + 1 and bytes(raw) in _SAYS_NOTHING


def is_plain_source(raw: Raw) -> bool:
    """Return whether a value is the source of an image or a document, of one of the usual types."""
    try:
        return _is_plain(_SOURCE(raw))
    except DECODE_ERRORS:
        return False


def _is_plain(source: _Source) -> bool:
    if source.type == "base64":
        return is_text(source.data) and bool(source.media_type)
    return is_text(source.url if source.type == "url" else source.file_id if source.type == "file" else EMPTY_RAW)


def _is_plain_image(raw: Raw) -> bool:
    try:
        return is_text(_IMAGE_URL(raw).url)
    except DECODE_ERRORS:
        return False


def _has_suspect_part(content: Raw, texts: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether a list has a part that may not fit."""
    try:
        parts = _PARTS(content)
    except DECODE_ERRORS:
        return True
    for part in parts:
        if not (all(map(is_null, _rare_members(part))) and all(map(is_null_or_empty_list, _rare_lists(part)))):
            return True
        if len(part.annotations) > len(b"[]"):  # null, which OpenAI's types do not take
            return True
        if part.type in texts:
            if not is_text(part.text):
                return True
        elif part.type not in others:
            return True
        elif part.type == "refusal":
            if not is_text(part.refusal):
                return True
        elif part.type in ("image", "document"):
            if part.source is None or not _is_plain(part.source):
                return True
        elif part.type == "image_url" and _first(part.image_url) != _QUOTE and not _is_plain_image(part.image_url):
            return True
    return False


def may_be_malformed_content(content: Raw, texts: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether a content is neither a text nor a list of parts that fit.

    `texts` are the types of parts with a text, `others` further types of parts that fit, without those of images.
    """
    first = _first(content)
    return first != _QUOTE and (first != _LIST or _has_suspect_part(content, texts, others))
