"""The values of LangGraph's checkpoints as data: msgpack, whose extensions name a class and the arguments for it.

Facts: langgraph-checkpoint 4.3.2, serde/jsonplus.py. No class is looked up and nothing is constructed: an extension is
read as its arguments. What a repair leaves unchanged keeps its bytes, also within a message.
"""

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import msgspec
import orjson
from msgspec import Raw
from msgspec.msgpack import Decoder, Encoder, Ext

from inspector.core.formats.base.langchain.reader import MESSAGE_CLASSES
from inspector.core.storage.json_text import parse_json

# Extensions that hold module, class and arguments, and the snapshot of a channel that is stored as changes.
_WITH_CLASS, KEYWORDS, PYDANTIC, SNAPSHOT = range(6), 2, 5, 7
DECODE_ERRORS = (ValueError, TypeError, RecursionError)
_ROLES = {"user": "human", "assistant": "ai", "developer": "system"}
_KINDS = ("human", "ai", "system", "tool")


def _extension(code: int, data: memoryview) -> Any:
    inner = decode(bytes(data))
    has_class = code in _WITH_CLASS and isinstance(inner, list) and len(inner) > 2
    return inner[2] if has_class else inner


decode = Decoder(ext_hook=_extension).decode
encode = Encoder().encode
_members = Decoder(dict[str, Raw]).decode
elements = Decoder(list[Raw]).decode


def members(raw: bytes | Raw) -> dict[str, Raw]:
    """Return the members of a map, each as its bytes. Raises an error of DECODE_ERRORS."""
    return _members(raw)


def extension(raw: bytes | Raw) -> tuple[int, list[Raw]]:
    """Return the code of an extension, and the bytes of its module, class and arguments; (-1, []) for other values."""
    try:
        value = msgspec.msgpack.decode(raw, type=Ext)
        return value.code, elements(value.data) if value.code in _WITH_CLASS else [Raw(value.data)]
    except msgspec.ValidationError:
        return -1, []


def class_name(raw: bytes | Raw) -> str:
    """Return the name of the class of an extension, "" for other values."""
    code, parts = extension(raw)
    return str(decode(parts[1])) if code in _WITH_CLASS and len(parts) > 2 else ""


def list_elements(raw: bytes | Raw) -> list[Raw]:
    """Return the elements of a list, also of a snapshot of one. Another value is the only element."""
    code, parts = extension(raw)
    if code == SNAPSHOT:
        return list_elements(parts[0])
    if code != -1:
        return [Raw(bytes(raw))]
    return elements(raw) if isinstance(decode(raw), list) else [Raw(bytes(raw))]


def to_json(value: Any) -> bytes:
    """Return a decoded value as JSON; as a text what JSON cannot hold."""
    try:
        return orjson.dumps(value, default=_as_text, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return orjson.dumps(str(value))


def _as_text(value: Any) -> str:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def message_fields(raw: bytes | Raw) -> Any:
    """Return a message, or what LangGraph turns into one (a text, a role with a text), as a flat LangChain message."""
    value, name = decode(raw), class_name(raw)
    if name and isinstance(value, dict):
        fields = {"type": name.removesuffix("Chunk").removesuffix("Message").lower(), **value}
        # A flat message is known by having no role.
        return {"type": fields["type"], "data": fields} if isinstance(value.get("role"), str) else fields
    if isinstance(value, str):
        return {"type": "human", "content": value}
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        value = {"role": value[0], "content": value[1]}
    role = value.get("role") if isinstance(value, dict) else None
    kind = _ROLES.get(role, role) if isinstance(role, str) else None
    if kind in _KINDS:
        return {"type": kind, **{key: part for key, part in value.items() if key != "role"}}
    return value


def new_message(text: bytes) -> Raw:
    """Return a message that a repair made. `text` is its JSON. Raises an error of DECODE_ERRORS."""
    fields = _fields(parse_json(text))
    name = MESSAGE_CLASSES.get(fields["type"], "HumanMessage")
    module = f"langchain_core.messages.{fields['type']}"
    return Raw(encode(Ext(PYDANTIC, encode([module, name, fields, "model_validate_json"]))))


def edited_message(raw: Raw, before: bytes, after: bytes) -> Raw:
    """Return a message with the changes between two JSON texts made. Raises an error of DECODE_ERRORS."""
    code, parts = extension(raw)
    old, new = _fields(parse_json(before)), _fields(parse_json(after))
    is_same_type = isinstance(old, dict) and isinstance(new, dict) and old.get("type") == new.get("type")
    if code not in _WITH_CLASS or len(parts) < 3 or not is_same_type:
        return new_message(after)
    return Raw(encode(Ext(code, encode([*parts[:2], _merged(parts[2], old, new), *parts[3:]]))))


def _fields(message: Any) -> Any:
    """Return the fields of a message as `message_fields` returns it, also of one with a role of its own."""
    has_role = isinstance(message, dict) and message.keys() == {"type", "data"}
    return message["data"] if has_role else message


def _merged(raw: Raw, old: Any, new: Any) -> Any:
    """Return a value in which everything that is equal in `old` and `new` has the bytes that it has in `raw`."""
    if old == new and type(old) is type(new):
        return raw
    if isinstance(old, dict) and isinstance(new, dict) and extension(raw)[0] == -1:
        known = members(raw)
        return {
            key: _merged(known[key], old.get(key), value) if key in known else value
            for key, value in new.items()
            if key in known or key not in old
        }
    if isinstance(old, list) and isinstance(new, list) and extension(raw)[0] == -1:
        known_elements = elements(raw)
        if len(old) == len(new):
            return [_merged(*each) for each in zip(known_elements, old, new, strict=True)]
        by_text = {orjson.dumps(value): piece for value, piece in zip(old, known_elements, strict=True)}
        return [by_text.get(orjson.dumps(value), value) for value in new]
    return new


def as_list(pieces: Iterable[Raw], is_snapshot: bool) -> Raw:
    """Return a list of values that are packed already, as a snapshot if the channel is stored as changes."""
    packed = encode(list(pieces))
    return Raw(encode(Ext(SNAPSHOT, packed)) if is_snapshot else packed)
