"""Shapes of messages as data, what of a message does not fit them, and how a text stands in its place.

A shape tells of what a provider refuses whatever the request is about. What a table does not name is not judged: a
member, or a kind of block, that came into an API later. What a rule of its own finds (a call without an id, an empty
message) is left out of the tables, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.bytes.spans import pointer_span
from inspector.core.bytes.splice import set_member
from inspector.core.known_texts.placeholders import QUOTED_BLOCK_HEAD
from inspector.core.wire.told import TextEncoder

TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL = "a text", "a number", "true or false", "an object", "a list", "null"
LONG_LIST_REASON = "a long list of values stands where a text or blocks belong"
_MANY = 100
_KINDS = {str: TEXT, int: NUMBER, float: NUMBER, bool: BOOLEAN, dict: OBJECT, list: LIST, type(None): NULL}


class FieldSchema(Struct, frozen=True):
    """What may stand under a key: one of these kinds, or nothing at all where it is not `needed`; null is nothing.

    Without `null` it is a value that does not fit, though the key may be left out.
    `of` is the shape of an object, or of every element of a list, which has `least` of them; `among` are the only texts
    that are taken, and with `filled` none that is empty. `told` writes a text in its place, `part` one in the place of
    an element of its list. `made` is JSON that is put in where the member is missing, or no text can be told.
    """

    kinds: tuple[str, ...]
    needed: bool = False
    of: ObjectSchema | None = None
    non_empty: bool = False
    least: int = 0
    allowed_values: frozenset[str] = frozenset()
    text_encoder: TextEncoder | None = None
    element_encoder: TextEncoder | None = None
    nullable: bool = True
    made: bytes = b""


class ObjectSchema(Struct, frozen=True):
    """An object: its members, and those that it has besides if the member `by` says a certain kind.

    `unsaid` is the kind of one without that member. Of the members in `one_of` it has a single one.
    """

    fields: dict[str, FieldSchema] = {}
    type_key: str = ""
    variants: dict[str, ObjectSchema] = {}
    default_variant: str = ""
    exclusive_keys: frozenset[str] = frozenset()


class Misfit(Struct, frozen=True):
    """A value that is not taken: where it stands (an RFC 6901 pointer), and in words why.

    `told` writes the text that can take the place of the value at `place`, which holds it; None where none can. `made`
    is the JSON of the member at `pointer` where no text belongs, b"" where nothing can be made up.
    """

    pointer: str
    reason: str
    encoded_pointer: str = ""
    text_encoder: TextEncoder | None = None
    default_json: bytes = b""

    @property
    def can_be_fixed(self) -> bool:
        return bool(self.text_encoder or self.default_json)


def find_misfits(value: Any, shape: ObjectSchema) -> list[Misfit]:
    """What of a message does not fit; one for each place that a text can take."""
    found: dict[str, Misfit] = {}
    for misfit in _in_object(value, shape, Misfit("", "")):
        found.setdefault(
            misfit.encoded_pointer if misfit.text_encoder and not misfit.default_json else misfit.pointer, misfit
        )
    return list(found.values())


def is_long_data_list(elements: list[Any], *kinds: type) -> bool:
    """Whether a list is of many elements and none of these kinds: numbers, say, that would not be told one by one."""
    return len(elements) > _MANY and not any(isinstance(each, kinds) for each in elements)


def fix_misfits(raw: bytes, found: list[Misfit]) -> bytes:
    """A message with texts in the places of what does not fit: every word is kept of what can be told."""
    spans = {
        pointer_span(raw, misfit.encoded_pointer): misfit.text_encoder
        for misfit in found
        if misfit.text_encoder and not misfit.default_json
    }
    pieces, at = [], 0
    for (start, end), told in sorted(spans.items(), key=lambda each: (each[0][0], -each[0][1])):
        if start >= at:  # else it lies in a value that is told as a whole
            pieces += [raw[at:start], dump_json(told(_text_of_json(raw[start:end])))]
            at = end
    text = b"".join((*pieces, raw[at:]))
    for misfit in found:
        if misfit.default_json:
            holder, _, key = misfit.pointer.rpartition("/")
            text = set_member(text, holder, key, misfit.default_json)
    return text


def _text_of_json(raw: bytes) -> str:
    value = parse_json(raw)
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict) and isinstance(value.get("text"), str) and value.keys() <= {"type", "text"}:
        return str(value["text"])
    quoted = dump_json(value).decode()
    return f"{QUOTED_BLOCK_HEAD}\n{quoted}" if isinstance(value, dict | list) else quoted


def _in_object(value: Any, shape: ObjectSchema, at: Misfit) -> Iterator[Misfit]:
    """The misfits of a value that must be an object; `at` tells where it stands."""
    if not isinstance(value, dict):
        yield _misfit(at, f"{_kind(value)} stands where an object belongs")
        return
    yield from _in_fields(value, shape.fields, at)
    if shape.type_key:
        yield from _of_its_kind(value, shape, at)
    if shape.exclusive_keys:
        held = [key for key, inner in value.items() if inner is not None and key in shape.exclusive_keys]
        if len(held) > 1:
            yield _misfit(at, f"{' and '.join(held)} stand in one part")
        elif not held and value.keys() <= shape.exclusive_keys | shape.fields.keys():
            yield _misfit(at, "a part holds nothing")


def _of_its_kind(value: dict[str, Any], shape: ObjectSchema, at: Misfit) -> Iterator[Misfit]:
    kind = value.get(shape.type_key)
    if kind is None:
        kind = shape.default_variant
    if isinstance(kind, str) and kind:
        if kind in shape.variants:
            yield from _in_object(value, shape.variants[kind], at)
    else:
        said = (
            f"{_kind(kind)} stands where its {shape.type_key} belongs" if shape.type_key in value and kind != "" else ""
        )
        yield _misfit(_under(at, shape.type_key, None), said or f"it has no {shape.type_key}")


def _in_fields(value: dict[str, Any], fields: dict[str, FieldSchema], at: Misfit) -> Iterator[Misfit]:
    for key, field in fields.items():
        inner, is_told = value.get(key), key in value and field.text_encoder
        here = _under(at, key, field.text_encoder) if is_told else _under(at, key, None, field.made)
        kind = _kind(inner)
        if inner is None:
            if field.needed or (key in value and not field.nullable):
                yield _misfit(here, f"{key} is {'null' if key in value else 'missing'}")
        elif kind not in field.kinds:
            yield _misfit(here, f"{kind} stands where {' or '.join(field.kinds)} belongs")
        elif field.allowed_values and inner not in field.allowed_values:
            yield _misfit(here, f"{key} is {inner!r:.60}, and none of {', '.join(sorted(field.allowed_values))}")
        elif field.non_empty and not inner:
            yield _misfit(here, f"{key} is empty")
        elif isinstance(inner, list) and len(inner) < field.least:
            yield _misfit(_under(at, key, None), f"{key} is an empty list")
        elif field.of and field.text_encoder and isinstance(inner, list) and is_long_data_list(inner, dict):
            yield _misfit(here, LONG_LIST_REASON)
        elif field.of is not None:
            for number, element in enumerate(inner if isinstance(inner, list) else ()):
                yield from _in_object(element, field.of, _under(here, str(number), field.element_encoder))
            if isinstance(inner, dict):
                yield from _in_object(inner, field.of, here)


def _under(at: Misfit, key: str, told: TextEncoder | None, made: bytes = b"") -> Misfit:
    """The place one step further down; a text is told there, or where it could be told above."""
    pointer = f"{at.pointer}/{key}"
    return (
        Misfit(pointer, "", pointer, told, made)
        if told
        else Misfit(pointer, "", at.encoded_pointer, at.text_encoder, made)
    )


def _misfit(at: Misfit, why: str) -> Misfit:
    return Misfit(at.pointer, why, at.encoded_pointer, at.text_encoder, at.default_json)


def _kind(value: Any) -> str:
    return _KINDS[type(value)]
