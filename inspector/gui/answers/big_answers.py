"""How big answers cross the pipe: one small head, then raw columns in slices. No Qt here.

A slice is small so that the reading thread never holds the interpreter for long: the window stays responsive.
"""

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from inspector.core.bytes.any_text import escaped, in_each_text, unescaped
from inspector.core.repair.choices import Choices
from inspector.core.trim.wish import Trimming

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLICE = 256 * 1024

_ODD_TEXTS = 1
# The first bytes of extension types in MessagePack.
_EXTENSIONS = (0xC7, 0xC8, 0xC9, *range(0xD4, 0xD9))

Column: TypeAlias = "array[int] | bytearray | bytes"


class Kind(IntEnum):
    """What a message from the child is."""

    READY = 0
    PROGRESS = 1
    OPENED = 2
    PREVIEW = 3
    SAVED = 4
    FAILED = 5
    LISTED = 6
    JUDGED = 7
    DONE = 8
    EXPLAINED = 9
    ACCEPTED = 10
    PAGE = 11
    OPEN_CALLS = 12
    TRIMMED = 13
    CONVERTED = 14
    OFFERS = 15
    SENT = 16
    SENT_AS_JSON = 17
    SENT_SAVED = 18
    BACKUP = 19
    RESTORED = 20


class Message(msgspec.Struct, array_like=True):
    """The head of every message. `table` names the columns that follow: (name, type code, bytes)."""

    kind: Kind
    serial: int
    body: msgspec.Raw = msgspec.Raw(b"\xc0")
    table: tuple[tuple[str, str, int], ...] = ()


class Request(msgspec.Struct, array_like=True):
    """What the window asks of a child: `name` is open, preview, save, explain, accept, page, open-calls, offers, trim,
    save-trimmed, convert, save-converted, sent, sent-as-json, save-sent, backup, restore; list, judge; search; cancel
    or quit.
    """

    name: str
    serial: int
    body: msgspec.Raw = msgspec.Raw(b"\xc0")


class OpenBody(msgspec.Struct, array_like=True):
    """What to open; a format only when the person chose one."""

    path: str
    format_name: str = ""


class SaveBody(msgspec.Struct, array_like=True):
    """What to save, how and where."""

    choices: Choices
    mode: str
    target: str = ""


class SaveTrimmedBody(msgspec.Struct, array_like=True):
    """How to trim, and where to save."""

    trimming: Trimming
    target: str


class ConvertBody(msgspec.Struct, array_like=True):
    """What to convert to, which session (its id or number), and what is to be repaired first (None: nothing)."""

    to: str
    session: str
    repairs: Choices | None = None


class SaveConvertedBody(msgspec.Struct, array_like=True):
    """How to convert, and where to save."""

    wish: ConvertBody
    target: str


class SentBody(msgspec.Struct, array_like=True, frozen=True):
    """Of which session (its id or number) it is asked what is sent, and what is repaired first (None: nothing)."""

    session: str
    repairs: Choices | None = None


class SaveSentBody(msgspec.Struct, array_like=True):
    """What is asked, and where the answer is saved."""

    wish: SentBody
    target: str


def pack(value: Any) -> msgspec.Raw:
    """A value encoded. Where a text in it is no valid Unicode, all texts travel escaped in an extension type."""
    try:
        return msgspec.Raw(msgspec.msgpack.encode(value))
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=(bytes, bytearray))
        odd = msgspec.msgpack.encode(in_each_text(escaped, plain))
        return msgspec.Raw(msgspec.msgpack.encode(msgspec.msgpack.Ext(_ODD_TEXTS, odd)))


def unpack(body: msgspec.Raw | bytes, as_type: Any) -> Any:
    """The inverse of `pack`."""
    if memoryview(body)[0] not in _EXTENSIONS:
        return msgspec.msgpack.decode(body, type=as_type)
    plain = msgspec.msgpack.decode(msgspec.msgpack.decode(body).data)
    return msgspec.convert(in_each_text(unescaped, plain), as_type)


def send(
    pipe: "Connection", kind: Kind, serial: int, body: Any = None, columns: dict[str, Column] | None = None
) -> None:
    """Send one message with its columns."""
    views, table = [], []
    for name, column in (columns or {}).items():
        code = column.typecode if isinstance(column, array) else ""
        view = memoryview(column).cast("B") if len(column) else memoryview(b"")
        table.append((name, code, len(view)))
        views.append(view)
    pipe.send_bytes(msgspec.msgpack.encode(Message(kind, serial, pack(body), tuple(table))))
    for view in views:
        for start in range(0, len(view), SLICE):
            pipe.send_bytes(view[start : start + SLICE])


def receive(pipe: "Connection") -> tuple[Message, dict[str, Any]]:
    """Receive one message with its columns; EOFError or OSError when the other side is gone."""
    message = msgspec.msgpack.decode(pipe.recv_bytes(), type=Message)
    columns: dict[str, Any] = {}
    for name, code, length in message.table:
        column: array[int] | bytearray = array(code) if code else bytearray()
        got = 0
        while got < length:
            piece = pipe.recv_bytes()
            got += len(piece)
            if isinstance(column, array):
                column.frombytes(piece)
            else:
                column += piece
        columns[name] = column
    return message, columns
