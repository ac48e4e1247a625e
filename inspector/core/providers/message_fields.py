"""The message fields of all wires: lenient decoding into structs, the flags of results, and contents as text.

An index decodes records into structs with fields that are read late, in part or not at all. What does not fit a struct
is read again value by value, and a field of an unexpected kind counts as missing.
"""

import re
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Any, Generic, TypeVar, get_args, get_origin

import msgspec
from msgspec import Raw, Struct

from inspector.core.model.columnar_index import BlockFlag
from inspector.core.providers.agent_texts import is_call_refusal, may_be_call_refusal
from inspector.core.providers.placeholders import (
    MAX_PLACEHOLDER_LENGTH,
    OUR_WORDING_NAME,
    may_be_placeholder,
    placeholder_wording_name,
)
from inspector.core.storage.json_text import dump_json, parse_json, pretty_json, text_at, unescape_keys

_Shape = TypeVar("_Shape", bound=Struct)

EMPTY_RAW = Raw(b"")
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # what a decoder raises
_NOTHING = frozenset({b"", b'""', b"[]", b"{}"})
_LONGEST = MAX_PLACEHOLDER_LENGTH + 100  # as JSON, with its quotes and escapes


class SkippedObject(Struct, gc=False):
    """A JSON object of which nothing is kept. Another kind of value does not decode."""


def string_in(value: dict[str, Any], key: str) -> str | None:
    """Return the string under a key, None where there is none or something else."""
    member = value.get(key)
    return member if isinstance(member, str) else None


def decode_fitting_members(struct_type: type[_Shape], value: Any) -> _Shape:
    """Decode the members of a JSON value that fit a struct, all of whose members have defaults.

    A member of another kind counts as missing.
    """
    result = struct_type()
    for name, key, kinds in _members_of(struct_type) if isinstance(value, dict) else ():
        if key in value:
            setattr(result, name, _fitting(value[key], kinds, getattr(result, name)))
    return result


class LenientDecoder(Generic[_Shape]):
    """A decoder of JSON into a struct, all of whose members have defaults."""

    def __init__(self, shape: type[_Shape]) -> None:
        self._shape, self._decode = shape, msgspec.json.Decoder(shape).decode

    def decode_strict(self, raw: bytes | memoryview | Raw) -> _Shape | None:
        """Decode a value of the usual shape, else return None."""
        try:
            return self._decode(raw)
        except DECODE_ERRORS:
            return None

    def __call__(self, raw: bytes) -> _Shape:
        """Decode the members of a valid JSON text that fit."""
        result = self.decode_strict(raw)
        return decode_fitting_members(self._shape, parse_json(raw)) if result is None else result


@cache
def _members_of(shape: type[Struct]) -> list[tuple[str, str, tuple[Any, ...]]]:
    """Return the members of a struct: attribute, key in JSON, and accepted kinds of value."""
    found = msgspec.structs.fields(shape)
    return [
        (each.name, each.encode_name, get_args(each.type) if isinstance(each.type, UnionType) else (each.type,))
        for each in found
    ]


def _fitting(value: Any, kinds: tuple[Any, ...], missing: Any) -> Any:
    for kind in kinds:
        if kind is Raw:
            return Raw(dump_json(value))
        if get_origin(kind) is list:
            if isinstance(value, list):
                (inner,) = get_args(kind)
                return [decode_fitting_members(inner, each) for each in value]
        elif issubclass(kind, Struct):
            if isinstance(value, dict):
                return decode_fitting_members(kind, value)
        elif type(value) is kind:  # for isinstance, true is a number
            return value
    return missing


def is_blank_json(raw: Raw) -> bool:
    """Return whether a text is missing, empty or white space. Long texts are not decoded for this."""
    if len(raw) > 64:
        return False
    text = bytes(raw)
    if text[:1] != b'"':
        return text in (b"", b"null")
    return not msgspec.json.decode(text).strip()


def result_content_flags(content: Raw) -> int:
    """Return PLACEHOLDER, ERROR or BLANK for the content of a result, 0 for none of them.

    PLACEHOLDER is for the placeholder of a program, ERROR for a refusal, BLANK for no content. Long contents are not
    decoded.
    """
    if not 2 < len(content) < _LONGEST:
        return BlockFlag.BLANK if bytes(memoryview(content)[:3]) in _NOTHING else 0
    raw = bytes(content)
    return result_text_flags(result_text(parse_json(raw))) if may_be_placeholder(raw) or may_be_call_refusal(raw) else 0


def result_text_flags(text: str) -> int:
    """Return PLACEHOLDER, BLANK or ERROR (a refusal to run the call) for the text of a result, else 0."""
    return placeholder_or_blank_flags(text) or (BlockFlag.ERROR if is_call_refusal(text) else 0)


def placeholder_or_blank_flags(text: str) -> int:
    """Return PLACEHOLDER for a placeholder text, BLANK for a blank one, else 0."""
    if wording := placeholder_wording_name(text):
        return BlockFlag.PLACEHOLDER | (BlockFlag.OUR_PLACEHOLDER if wording == OUR_WORDING_NAME else 0)
    return 0 if text.strip() else BlockFlag.BLANK


def result_text(content: Any) -> str:
    """Return the text of the content of a result: a string, or the parts of a list; other values as JSON."""
    if isinstance(content, list):
        return parts_text(content)
    return "" if content is None else part_text(content)


def message_text(content: Any) -> str:
    """Return the text of the content of a message. Parts that are not text are named by their type."""
    if not isinstance(content, list):
        return result_text(content)
    return "\n".join(text for part in content if (text := _named(part)))


def _named(part: Any) -> str:
    known = isinstance(part, dict) and "type" in part and not isinstance(part.get("text"), str)
    return f"[{part['type']}]" if known else part_text(part)


_TEXT_KEYS = frozenset("content text thinking output result stdout stderr toolUseResult llmContent arguments".split())
_INPUT_KEYS = frozenset({"input", "args", "arguments"})


def texts_in_record(value: object, key: str = "") -> Iterator[str]:
    """Yield the texts anywhere in a record, under the keys that any wire uses for text.

    The input of a call is included as JSON.
    """
    if isinstance(value, str) and key in _TEXT_KEYS and value.strip():
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in _INPUT_KEYS and isinstance(inner, dict) and inner:
                yield dump_json(inner).decode()
            else:
                yield from texts_in_record(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in_record(inner, key)


# Why a message ended before its end, as the programs and providers spell it: Anthropic's stop_reason, OpenAI's
# finish_reason and status of an item, Gemini's finishReason, and what agents write when a request stopped or failed.
_TRUNCATION_REASONS = frozenset(
    "abort aborted cancel cancelled canceled content_filter error errored failed filtered incomplete interrupted "
    "length max_output_tokens max_tokens model_context_window_exceeded refusal safety truncated".split()
)


def truncation_reason(value: Any, pointers: tuple[str, ...]) -> str:
    """Return the first value at some pointers that is a reason for a cut-off message, "" for none."""
    values = (text_at(value, place) for place in pointers)
    return next(filter(_is_truncation_reason, values), "")


def _is_truncation_reason(reason: str) -> bool:
    return reason.lower().replace("-", "_") in _TRUNCATION_REASONS


def truncation_reason_in_json(text: bytes, pointers: tuple[str, ...]) -> str:
    """Return the same for a JSON text.

    It is parsed only where one of the keys is followed by what may be such a reason.
    """
    values = _reason_pattern(pointers).findall(unescape_keys(text))
    if not any(b"\\" in each or _is_truncation_reason(each.decode("utf-8", "replace")) for each in values):
        return ""
    return truncation_reason(parse_json(text), pointers)


@cache
def _reason_pattern(places: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return a pattern that finds the texts under the last keys of some pointers."""
    keys = "|".join(re.escape(place.rpartition("/")[2]) for place in places)
    return re.compile(rb'"(?:%s)"\s*:\s*"((?:[^"\\]|\\.)*+)"' % keys.encode(), re.DOTALL)


# Types of image, document, audio and video parts of all providers. A text cannot replace them.
MEDIA_PART_TYPES = frozenset(
    "image image_url input_image image_file computer_screenshot document file input_file "
    "audio audio_url input_audio video video_url".split()
)
# Those of them that may stand next to a text in any message.
MEDIA_TYPES_BESIDE_TEXT = frozenset({"image", "document"})
# Cline writes the steps of a tool as a list without types: {query, result, error?, success}. It is read as text.
# Source: @cline/core 3.0.65 (run_commands, read_files, search_codebase, web_fetch, editor).
_STEP = frozenset({"query", "result", "error", "success"})


def is_media_part(part: Any) -> bool:
    """Return whether a part is an image, a document or a sound. A document that is a text is not one."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in MEDIA_PART_TYPES and _document_text(part) is None


def parts_text(parts: list[Any]) -> str:
    """Return the texts of a list of parts, one per line. Empty ones are left out."""
    return "\n".join(text for part in parts if (text := part_text(part)))


def part_text(part: Any) -> str:
    """Return one part as text. Media are named by their type: "[image]"."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return dump_json(part).decode()
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if is_media_part(part):
        return f"[{part['type']}]"
    for read in (_document_text, _step_text):
        if (text := read(part)) is not None:
            return text
    return dump_json(part).decode()


def bedrock_parts_text(content: Any) -> str:
    """Return the texts of parts with one member and no type (Bedrock), one per line.

    Media are named by the member.
    """
    return "\n".join(text for part in (content if isinstance(content, list) else ()) if (text := _member_text(part)))


def _member_text(part: Any) -> str:
    key = next(iter(part), "") if isinstance(part, dict) else ""
    if key in ("image", "document", "video", "audio"):
        return f"[{key}]"
    return pretty_json(part["json"]) if key == "json" else part_text(part)


def function_response_text(response: Any) -> str:
    """Return the text of a function response (Gemini): that of its only member, else JSON."""
    if isinstance(response, dict) and len(response) == 1:
        (only,) = response.values()
        if isinstance(only, str):
            return only
    return response if isinstance(response, str) else pretty_json(response)


def media_parts(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the media among the parts of a content, including those in documents of parts and in the lists of Cline."""
    for part in content if isinstance(content, list) else ():
        if is_media_part(part):
            yield part
        elif isinstance(part, dict) and _is_step(part):
            yield from media_parts(part["result"])
        elif (
            isinstance(part, dict) and part.get("type") == "document"
        ):  # one that is not media has its text in a source
            yield from media_parts(part["source"].get("content"))


def content_conversion_note(content: Any, text: str) -> str:
    """Return how a content was converted to `text`, "" where it is text, with or without media."""
    if content is None or isinstance(content, str):
        return ""
    if isinstance(content, dict) and list(content.values()) == [text]:  # a text in the form of Gemini
        return ""
    parts = content if isinstance(content, list) else [content]
    others = [part for part in parts if not _is_text(part) and not is_media_part(part)]
    if not others:
        return ""
    steps = all(isinstance(part, dict) and (_is_step(part) or _document_text(part) is not None) for part in others)
    return "its parts became one text" if steps else "it is not text, so it is quoted as JSON"


def _is_text(part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(part.get("text"), str) or (part.get("kind") == "text" and isinstance(part.get("data"), str))
    return isinstance(part, str)


def _document_text(part: dict[str, Any]) -> str | None:
    """Return the text of a document that is given as text, None for any other part."""
    source = part.get("source")
    if part.get("type") != "document" or not isinstance(source, dict):
        return None
    if source.get("type") == "text" and isinstance(source.get("data"), str):
        return str(source["data"])
    content = source.get("content")
    if source.get("type") == "content" and isinstance(content, str | list):
        return content if isinstance(content, str) else parts_text(content)
    return None


def _is_step(part: dict[str, Any]) -> bool:
    """Return whether a part is a step in a list of Cline, and can be written as text without loss."""
    return (
        {"query", "result", "success"} <= part.keys() <= _STEP
        and isinstance(part["query"], str)
        and isinstance(part["result"], str | list)
        and isinstance(part.get("error", ""), str)
        and isinstance(part["success"], bool)
    )


def _step_text(part: dict[str, Any]) -> str | None:
    if not _is_step(part):
        return None
    result = part["result"]
    text = result if isinstance(result, str) else parts_text(result)
    error = f"error: {part['error']}" if part.get("error") else "" if part["success"] else "failed"
    return "\n".join(line for line in (f"{part['query']}:", text, error) if line)
