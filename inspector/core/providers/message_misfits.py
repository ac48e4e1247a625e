"""The schema of a message, the search for misfits in a message, and their replacement by text.

A schema covers what a provider refuses in every request. A member or a kind of block that is not in a table is not
checked, because an API may have added it later. What a rule of its own reports (a call without an id, an empty message)
is left out of the tables as well. The Python SDKs write members that are not set as null, which counts as missing.
A word with which the API answers in a block of its own (the code of an error, the name of a tool of its own) is not
compared with those of today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.providers.block_schema import TextEncoder, encode_string
from inspector.core.providers.placeholders import BLOCK_NOTE_HEADING
from inspector.core.storage.json_edits import remove_member, set_member
from inspector.core.storage.json_spans import pointer_part, pointer_span
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.translation import tr

TEXT, NUMBER, BOOLEAN = tr("a string"), tr("a number"), tr("a boolean")
OBJECT, LIST, NULL = tr("an object"), tr("a list"), "null"
LONG_LIST_REASON = tr("a long list of values where text or blocks are expected")
_MANY = 100
_KINDS = {str: TEXT, int: NUMBER, float: NUMBER, bool: BOOLEAN, dict: OBJECT, list: LIST, type(None): NULL}


class FieldSchema(Struct, frozen=True):
    """The values that a key may have: one of these kinds, or none where it is not `needed`.

    Null counts as none, unless it is one of the kinds. Without `nullable` it is a misfit, although the key may be left
    out. `of` is the schema of an object, or of every element of a list, which has at least `least` of them. `elements`
    are the kinds of the elements of a list, or of the values of an object, where no schema is needed. `allowed_values`
    are the only texts accepted. `non_empty` refuses the empty text.

    `text_encoder` writes a text in its place, `element_encoder` one in the place of an element of its list. `made` is
    JSON to insert where the member is missing or no text can replace it. A `removable` member is removed when it or
    something in it is not accepted: what holds it can do without.
    """

    kinds: tuple[str, ...]
    needed: bool = False
    of: ObjectSchema | None = None
    elements: tuple[str, ...] = ()
    non_empty: bool = False
    least: int = 0
    allowed_values: frozenset[str] = frozenset()
    text_encoder: TextEncoder | None = None
    element_encoder: TextEncoder | None = None
    nullable: bool = True
    made: bytes = b""
    removable: bool = False


class ObjectSchema(Struct, frozen=True):
    """An object: its members, and the further members that depend on the value of `type_key`.

    `default_variant` applies to an object without that value. Of the members in `exclusive_keys` it has exactly one. If
    it `is_closed`, one with none of them is a misfit even if it has other members.

    `refused_types` are values of `type_key` that another API takes and this one does not. Where `known_types` are
    given, it takes no others, but for those that end in one of the `known_endings`.
    """

    fields: dict[str, FieldSchema] = {}
    type_key: str = ""
    variants: dict[str, ObjectSchema] = {}
    default_variant: str = ""
    exclusive_keys: frozenset[str] = frozenset()
    is_closed: bool = False
    refused_types: frozenset[str] = frozenset()
    known_types: frozenset[str] = frozenset()
    known_endings: tuple[str, ...] = ()


class Misfit(Struct, frozen=True):
    """A value that is not accepted: its place (an RFC 6901 pointer), and the reason in words.

    `text_encoder` writes a text that can replace the value at `encoded_pointer`, which contains this one; None where no
    text can. `default_json` is the JSON for the member at `pointer` where no text belongs, b"" where none can be made.
    `removed_member` is the place of a member that can be removed instead, which is `pointer` or holds it. `case` is
    "type" for a type that the API does not know.
    """

    pointer: str
    reason: str
    encoded_pointer: str = ""
    text_encoder: TextEncoder | None = None
    default_json: bytes = b""
    case: str = ""
    removed_member: str = ""

    @property
    def can_be_fixed(self) -> bool:
        return bool(self.text_encoder or self.default_json or self.removed_member)


_WHOLE = Misfit("", "")


def find_misfits(value: Any, shape: ObjectSchema, at: Misfit = _WHOLE) -> list[Misfit]:
    """Return the misfits of a message, one for each place that a text can take.

    `at` is the place of the value where it is only a part of a message.
    """
    misfits: dict[str, Misfit] = {}
    for misfit in _in_object(value, shape, at):
        is_replaced = misfit.text_encoder and not misfit.default_json
        misfits.setdefault(misfit.removed_member or (misfit.encoded_pointer if is_replaced else misfit.pointer), misfit)
    return list(misfits.values())


def unknown_members(value: Any, shape: ObjectSchema, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield the members that are not in a schema, as the pointer of their object and their key.

    `at` is the pointer of the value. An object of a type that is not in the schema is not looked into.
    """
    fields = _fields_of(value, shape) if isinstance(value, dict) else None
    for key, inner in value.items() if fields is not None else ():
        field = fields.get(key) if fields is not None else None
        if field is None:
            yield at, key
        elif field.of is not None:
            for number, element in enumerate(inner) if isinstance(inner, list) else ():
                yield from unknown_members(element, field.of, f"{at}/{key}/{number}")
            yield from unknown_members(inner, field.of, f"{at}/{key}")


def _fields_of(value: dict[str, Any], shape: ObjectSchema) -> dict[str, FieldSchema] | None:
    """Return the schemas of the members of an object of its type, None for an unknown type."""
    if not shape.type_key:
        return shape.fields
    kind = value.get(shape.type_key)
    variant = shape.variants.get(kind) if isinstance(kind, str) else None
    inner = _fields_of(value, variant) if variant is not None else None
    return {shape.type_key: OPTIONAL_TEXT} | shape.fields | inner if inner is not None else None


def is_long_data_list(elements: list[Any], *kinds: type) -> bool:
    """Return whether a list has many elements and none of these kinds.

    Such a list is data, for example numbers, and is reported as a whole.
    """
    return len(elements) > _MANY and not any(isinstance(element, kinds) for element in elements)


def fix_misfits(raw: bytes, found: list[Misfit]) -> bytes:
    """Return a message with texts in the places of its misfits. Everything that can be written as text is kept."""
    for misfit in found:
        if misfit.removed_member:
            holder, _, key = misfit.removed_member.rpartition("/")
            raw = remove_member(raw, holder, key)
    encoders = {
        misfit.encoded_pointer: misfit.text_encoder
        for misfit in found
        if misfit.text_encoder and not misfit.default_json and not misfit.removed_member
    }
    spans = {pointer_span(raw, pointer): encode for pointer, encode in encoders.items()}
    pieces, position = [], 0
    for (start, end), encode in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if start >= position:  # else it is inside a value that is replaced as a whole
            pieces += [raw[position:start], dump_json(encode(_text_of_json(raw[start:end])))]
            position = end
    text = b"".join((*pieces, raw[position:]))
    inside_texts = tuple(f"{pointer}/" for pointer in encoders)
    for misfit in found:
        if misfit.default_json and not misfit.pointer.startswith(inside_texts):
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
    return f"{BLOCK_NOTE_HEADING}\n{quoted}" if isinstance(value, dict | list) else quoted


def _in_object(value: Any, shape: ObjectSchema, at: Misfit) -> Iterator[Misfit]:
    """Yield the misfits of a value that must be an object. `at` gives its place."""
    if not isinstance(value, dict):
        yield _misfit(at, _instead_of(value, (OBJECT,)))
        return
    yield from _in_fields(value, shape.fields, at)
    if shape.type_key:
        yield from _of_its_kind(value, shape, at)
    if shape.exclusive_keys:
        held = [key for key, inner in value.items() if inner is not None and key in shape.exclusive_keys]
        if len(held) > 1:
            yield _misfit(at, tr("a part has more than one of the fields {keys}", keys=", ".join(held)))
        elif not held and value.keys() <= shape.exclusive_keys | shape.fields.keys():
            yield _misfit(at, tr("a part is empty"))
        elif not held and shape.is_closed:
            yield _misfit(at, tr("a part has none of the fields {keys}", keys=", ".join(sorted(shape.exclusive_keys))))


def _of_its_kind(value: dict[str, Any], shape: ObjectSchema, at: Misfit) -> Iterator[Misfit]:
    kind = value.get(shape.type_key)
    if kind is None:
        kind = shape.default_variant
    if isinstance(kind, str) and kind:
        if is_unknown_type(kind, shape):
            reason = tr("the API does not recognize the type {type!r:.60}", type=kind)
            yield replace(_misfit(_under(at, shape.type_key, None), reason), case="type")
        elif kind in shape.variants:
            yield from _in_object(value, shape.variants[kind], at)
    else:
        has_other_kind = shape.type_key in value and kind != ""
        reason = _instead_of(kind, (TEXT,)) if has_other_kind else tr("missing")
        yield _misfit(_under(at, shape.type_key, None), reason)


def is_unknown_type(kind: str, shape: ObjectSchema) -> bool:
    """Return whether the API does not know an object of this type."""
    if kind in shape.refused_types:
        return True
    return bool(shape.known_types) and kind not in shape.known_types and not kind.endswith(shape.known_endings)


def _in_fields(value: dict[str, Any], fields: dict[str, FieldSchema], at: Misfit) -> Iterator[Misfit]:
    for key, field in fields.items():
        inner = value.get(key)
        may_be_null = field.nullable or key not in value
        if inner is None and may_be_null and (not field.needed or (key in value and NULL in field.kinds)):
            continue
        has_encoder = key in value and field.text_encoder
        here = _under(at, key, field.text_encoder) if has_encoder else _under(at, key, None, field.made)
        if field.removable and not at.removed_member:
            here = replace(here, removed_member=here.pointer)
        kind = _kind(inner)
        if inner is None:
            yield _misfit(here, tr("null") if key in value else tr("missing"))
        elif kind not in field.kinds:
            yield _misfit(here, _instead_of(inner, field.kinds))
        elif field.allowed_values and inner not in field.allowed_values:
            allowed = ", ".join(sorted(field.allowed_values))
            yield _misfit(here, tr("{value!r:.60} instead of {allowed}", value=inner, allowed=allowed))
        elif field.non_empty and not inner:
            yield _misfit(here, tr("empty"))
        elif isinstance(inner, list) and len(inner) < field.least:
            yield _misfit(_under(at, key, None), tr("an empty list"))
        elif field.of and field.text_encoder and isinstance(inner, list) and is_long_data_list(inner, dict):
            yield _misfit(here, LONG_LIST_REASON)
        else:
            yield from _inside(inner, field, here)


def _inside(value: Any, field: FieldSchema, here: Misfit) -> Iterator[Misfit]:
    """Yield the misfits inside a member whose value is of the right kind."""
    if isinstance(value, dict):
        if field.of is not None:
            yield from _in_object(value, field.of, here)
        elements: Iterable[tuple[Any, Any]] = value.items()
    else:
        elements = enumerate(value) if isinstance(value, list) else ()
        if field.of is not None:
            for number, element in elements:
                yield from _in_object(element, field.of, _under(here, str(number), field.element_encoder))
    for key, element in elements if field.elements else ():
        if _kind(element) not in field.elements:
            at_element = _under(here, pointer_part(str(key)), field.element_encoder)
            yield _misfit(at_element, _instead_of(element, field.elements))


def _under(at: Misfit, key: str, told: TextEncoder | None, made: bytes = b"") -> Misfit:
    """Return the place one step further down.

    A text is written there, or where one could be written above.
    """
    pointer = f"{at.pointer}/{key}"
    place, encoder = (pointer, told) if told else (at.encoded_pointer, at.text_encoder)
    return Misfit(pointer, "", place, encoder, made, removed_member=at.removed_member)


def _misfit(at: Misfit, why: str) -> Misfit:
    return replace(at, reason=why)


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def _instead_of(value: Any, kinds: tuple[str, ...]) -> str:
    """Return that a value is not of one of these kinds."""
    expected = kinds[0]
    for other in kinds[1:]:
        expected = tr("{kinds} or {other}", kinds=expected, other=other)
    return tr("{kind} instead of {expected}", kind=_kind(value), expected=expected)


OPTIONAL_TEXT = FieldSchema((TEXT,))
REQUIRED_TEXT = FieldSchema((TEXT,), needed=True)
REQUIRED_NAME = FieldSchema((TEXT,), needed=True, non_empty=True)
REQUIRED_OBJECT = FieldSchema((OBJECT,), needed=True)


def object_schema_of_fields(**fields: FieldSchema) -> ObjectSchema:
    return ObjectSchema(fields)


_FIELDS_BY_WORD = {
    "text": FieldSchema((TEXT,)),
    "number": FieldSchema((NUMBER,)),
    "flag": FieldSchema((BOOLEAN,)),
    "object": FieldSchema((OBJECT,)),
    "list": FieldSchema((LIST,)),
    "texts": FieldSchema((LIST,), elements=(TEXT,), element_encoder=encode_string),
    "any": FieldSchema((TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL)),
}


def parse_member_schemas(words: str, /, **others: FieldSchema) -> dict[str, FieldSchema]:
    """Return the schemas of members that are written as "file_id! text, title text".

    A member with "!" is required. One without can be removed. "texts" is a list of texts, "any" any value. `others`
    need more than a type.
    """
    fields = {}
    for member in words.split(", ") if words else ():
        name, kind = member.split(" ")
        needed = name.endswith("!")
        field = _FIELDS_BY_WORD[kind]
        fields[name.removesuffix("!")] = replace(field, needed=needed, removable=not needed)
    return fields | others


def enum_field(*values: str, needed: bool = True) -> FieldSchema:
    """Return the schema of a member that has one of a few values."""
    return FieldSchema((TEXT,), needed, allowed_values=frozenset(values), removable=not needed)


def object_field(of: ObjectSchema, needed: bool = True) -> FieldSchema:
    return FieldSchema((OBJECT,), needed, of, removable=not needed)


def list_field(of: ObjectSchema, needed: bool = True) -> FieldSchema:
    """Return the schema of a list of objects."""
    return FieldSchema((LIST,), needed, of, removable=not needed)


def object_schema_by_type(kinds: dict[str, ObjectSchema], unsaid: str = "") -> ObjectSchema:
    return ObjectSchema(type_key="type", variants=kinds, default_variant=unsaid)


def message_schema_by_role(kinds: dict[str, ObjectSchema]) -> ObjectSchema:
    return ObjectSchema(
        {"role": FieldSchema((TEXT,), needed=True, allowed_values=frozenset(kinds))}, type_key="role", variants=kinds
    )


def text_or_parts_field(of: ObjectSchema, part: TextEncoder | None, needed: bool = False) -> FieldSchema:
    """Return the schema of a content that is a text or a list of parts."""
    return FieldSchema((TEXT, LIST), needed, of, text_encoder=encode_string, element_encoder=part)


def parts_list_field(of: ObjectSchema, part: TextEncoder, needed: bool = False) -> FieldSchema:
    """Return the schema of a list of parts. A text in its place becomes its only part."""
    return FieldSchema((LIST,), needed, of, text_encoder=lambda text: [part(text)], element_encoder=part)


def system_message_schema(words: FieldSchema) -> ObjectSchema:
    """Return the schema of a system message. An empty one is refused here, because rule M7 does not cover it."""
    return object_schema_of_fields(content=replace(words, needed=True, least=1))
