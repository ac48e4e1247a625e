"""The protocol of the pipe: a small head, then the columns of a large answer in slices. No Qt.

A slice is small, so that the reading thread never holds the interpreter lock for long and the window stays responsive.
"""

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.core.presentation.outline import ByteColumn
from inspector.core.storage.json_text import hide_surrogates, map_strings, restore_surrogates
from inspector.core.translation import Sentence

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLICE_BYTES = 256 * 1024

_ESCAPED_TEXTS = 1
# The first bytes of extension types in MessagePack.
_EXTENSION_CODES = (0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9))
_NIL = msgspec.Raw(b"\xc0")


class MessageKind(IntEnum):
    """The kind of a message from the child. A PART is followed by further parts and an ANSWER."""

    READY = 0
    PROGRESS = 1
    PART = 2
    ANSWER = 3
    FAILED = 4


class RequestMessage(msgspec.Struct, array_like=True):
    """A request of the window. `name` is the request's name, or "cancel" for all requests up to `serial`.

    With a `salt`, the answer must have the content of the log hidden.
    """

    name: str
    serial: int
    arguments: msgspec.Raw = _NIL
    salt: str = ""


class ResponseMessage(msgspec.Struct, array_like=True):
    """The head of a message from the child. `column_table` lists the columns that follow: (type code, bytes)."""

    kind: MessageKind
    name: str
    serial: int
    body: msgspec.Raw = _NIL
    column_table: tuple[tuple[str, int], ...] = ()


class EncodedValue(NamedTuple):
    """An encoded value. Its columns are stored separately, and the body has their indices instead."""

    body: msgspec.Raw
    columns: list["array[int] | ByteColumn"]


def encode_value(value: Any) -> EncodedValue:
    """Encode a value.

    When a text in it is not valid Unicode, all texts are sent escaped in an extension type.
    """
    columns: list[array[int] | ByteColumn] = []

    def lift(column: "array[int] | ByteColumn | Sentence") -> int | str:
        if isinstance(column, Sentence):
            return str.__str__(column)  # both processes have the same language
        columns.append(column)
        return len(columns) - 1

    try:
        return EncodedValue(msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=lift)), columns)
    except UnicodeEncodeError:
        columns.clear()
        plain = msgspec.to_builtins(value, builtin_types=(bytes, bytearray), enc_hook=lift)
        odd = msgspec.msgpack.encode(map_strings(hide_surrogates, plain))
        return EncodedValue(msgspec.Raw(msgspec.msgpack.encode(msgspec.msgpack.Ext(_ESCAPED_TEXTS, odd))), columns)


def decode_value(parcel: EncodedValue, as_type: Any) -> Any:
    """Decode a value, the inverse of `pack`."""
    body, columns = parcel

    def put_back(as_type: type, column: Any) -> Any:
        return columns[column] if isinstance(column, int) else as_type(column)

    if memoryview(body)[0] not in _EXTENSION_CODES:
        return msgspec.msgpack.decode(body, type=as_type, dec_hook=put_back)
    plain = msgspec.msgpack.decode(msgspec.msgpack.decode(body).data)
    return msgspec.convert(map_strings(restore_surrogates, plain), as_type, dec_hook=put_back)


def send_response(pipe: "Connection", kind: MessageKind, asked: RequestMessage, value: Any = None) -> None:
    """Send a message about a request."""
    body, columns = encode_value(value)
    views = [memoryview(column).cast("B") if len(column) else memoryview(b"") for column in columns]
    codes = [column.typecode if isinstance(column, array) else "" for column in columns]
    table = tuple((code, len(view)) for code, view in zip(codes, views, strict=True))
    pipe.send_bytes(msgspec.msgpack.encode(ResponseMessage(kind, asked.name, asked.serial, body, table)))
    for view in views:
        for start in range(0, len(view), SLICE_BYTES):
            pipe.send_bytes(view[start : start + SLICE_BYTES])


def receive_response(pipe: "Connection") -> tuple[ResponseMessage, EncodedValue]:
    """Receive one message with its columns. Raises EOFError or OSError when the other side is gone."""
    message = msgspec.msgpack.decode(pipe.recv_bytes(), type=ResponseMessage)
    columns: list[array[int] | ByteColumn] = []
    for code, length in message.column_table:
        column: array[int] | ByteColumn = array(code) if code else ByteColumn()
        received = 0
        while received < length:
            piece = pipe.recv_bytes()
            received += len(piece)
            if isinstance(column, array):
                column.frombytes(piece)
            else:
                column += piece
        columns.append(column)
    return message, EncodedValue(message.body, columns)
