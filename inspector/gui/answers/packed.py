"""Many values of one type as the window holds them: encoded one behind the other, decoded when shown. No Qt here."""

from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from inspector.core.showing.outline import ByteColumn, Numbers
from inspector.gui.answers.pipe import Parcel, pack, unpack

_KEPT = 4096
T = TypeVar("T")


class Packed(msgspec.Struct, Generic[T]):
    """`offsets` delimit the values in `blob`; a subclass says as what (`HOLDS`) they are decoded."""

    ITEM_TYPE: ClassVar[Any]

    offsets: Numbers = msgspec.field(default_factory=lambda: array("q", [0]))
    blob: ByteColumn = msgspec.field(default_factory=ByteColumn)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> T:
        value: T = _decoded(bytes(self.blob[self.offsets[position] : self.offsets[position + 1]]), self.ITEM_TYPE)
        return value


def packed(values: Iterable[Any]) -> tuple[Numbers, ByteColumn]:
    """The `offsets` and the `blob` of values."""
    offsets, blob, encoder = array("q", [0]), bytearray(), msgspec.msgpack.Encoder()
    for value in values:
        try:
            encoder.encode_into(value, blob, offsets[-1])
        except UnicodeEncodeError:
            blob[offsets[-1] :] = bytes(pack(value).body)
        offsets.append(len(blob))
    return offsets, ByteColumn(blob)


@lru_cache(_KEPT)
def _decoded(value: bytes, as_type: Any) -> Any:
    return unpack(Parcel(msgspec.Raw(value), []), as_type)
