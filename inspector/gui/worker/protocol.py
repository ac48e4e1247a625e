"""How questions and answers cross the pipe: one small head, then the columns of a big answer in slices. No Qt here.

A slice is small so that the reading thread never holds the interpreter for long: the window stays responsive.
"""

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.core.presentation.outline import ByteColumn
from inspector.core.storage.json_text import escape_surrogates, map_strings, unescape_surrogates

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLICE_BYTES = 256 * 1024

_ESCAPED_TEXTS = 1
# The first bytes of extension types in MessagePack.
_EXTENSION_CODES = (0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9))
_NIL = msgspec.Raw(b"\xc0")


class MessageKind(IntEnum):
    """What a message from the child is. A PART is followed by others, and by an ANSWER."""

    READY = 0
    PROGRESS = 1
    PART = 2
    ANSWER = 3
    FAILED = 4


class RequestMessage(msgspec.Struct, array_like=True):
    """What the window asks of a child: `name` is that of a request, or "cancel" for all up to `serial`.

    With a `salt` the answer is to come with the content of the log hidden.
    """

    name: str
    serial: int
    arguments: msgspec.Raw = _NIL
    salt: str = ""


class ResponseMessage(msgspec.Struct, array_like=True):
    """The head of what the child says to a request. `table` tells the columns that follow: (type code, bytes)."""

    kind: MessageKind
    name: str
    serial: int
    body: msgspec.Raw = _NIL
    column_table: tuple[tuple[str, int], ...] = ()


class EncodedValue(NamedTuple):
    """A value encoded: its columns are lifted out of it, and it holds their numbers instead."""

    body: msgspec.Raw
    columns: list["array[int] | ByteColumn"]


def pack(value: Any) -> EncodedValue:
    """A value encoded. Where a text in it is no valid Unicode, all texts travel escaped in an extension type."""
    columns: list[array[int] | ByteColumn] = []

    def lift(column: "array[int] | ByteColumn") -> int:
        columns.append(column)
        return len(columns) - 1

    try:
        return EncodedValue(msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=lift)), columns)
    except UnicodeEncodeError:
        columns.clear()
        plain = msgspec.to_builtins(value, builtin_types=(bytes, bytearray), enc_hook=lift)
        odd = msgspec.msgpack.encode(map_strings(escape_surrogates, plain))
        return EncodedValue(msgspec.Raw(msgspec.msgpack.encode(msgspec.msgpack.Ext(_ESCAPED_TEXTS, odd))), columns)


def unpack(parcel: EncodedValue, as_type: Any) -> Any:
    """The inverse of `pack`."""
    body, columns = parcel

    def put_back(as_type: type, column: Any) -> Any:
        return columns[column] if isinstance(column, int) else as_type(column)

    if memoryview(body)[0] not in _EXTENSION_CODES:
        return msgspec.msgpack.decode(body, type=as_type, dec_hook=put_back)
    plain = msgspec.msgpack.decode(msgspec.msgpack.decode(body).data)
    return msgspec.convert(map_strings(unescape_surrogates, plain), as_type, dec_hook=put_back)


def send(pipe: "Connection", kind: MessageKind, asked: RequestMessage, value: Any = None) -> None:
    """Send what there is to say to a request."""
    body, columns = pack(value)
    views = [memoryview(column).cast("B") if len(column) else memoryview(b"") for column in columns]
    codes = [column.typecode if isinstance(column, array) else "" for column in columns]
    table = tuple((code, len(view)) for code, view in zip(codes, views, strict=True))
    pipe.send_bytes(msgspec.msgpack.encode(ResponseMessage(kind, asked.name, asked.serial, body, table)))
    for view in views:
        for start in range(0, len(view), SLICE_BYTES):
            pipe.send_bytes(view[start : start + SLICE_BYTES])


def receive(pipe: "Connection") -> tuple[ResponseMessage, EncodedValue]:
    """Receive one message with its columns; EOFError or OSError when the other side is gone."""
    told = msgspec.msgpack.decode(pipe.recv_bytes(), type=ResponseMessage)
    columns: list[array[int] | ByteColumn] = []
    for code, length in told.column_table:
        column: array[int] | ByteColumn = array(code) if code else ByteColumn()
        got = 0
        while got < length:
            piece = pipe.recv_bytes()
            got += len(piece)
            if isinstance(column, array):
                column.frombytes(piece)
            else:
                column += piece
        columns.append(column)
    return told, EncodedValue(told.body, columns)
