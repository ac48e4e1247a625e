"""Many values of one type as the window holds them: encoded one behind the other, decoded when shown. No Qt here."""

from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from inspector.core.showing.outline import Numbers, Octets
from inspector.gui.answers.pipe import Parcel, pack, unpack

_KEPT = 4096
T = TypeVar("T")


class Packed(msgspec.Struct, Generic[T]):
    """`offsets` delimit the values in `blob`; a subclass says as what (`HOLDS`) they are decoded."""

    HOLDS: ClassVar[Any]

    offsets: Numbers = msgspec.field(default_factory=lambda: array("q", [0]))
    blob: Octets = msgspec.field(default_factory=Octets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> T:
        value: T = _decoded(bytes(self.blob[self.offsets[position] : self.offsets[position + 1]]), self.HOLDS)
        return value


def packed(values: Iterable[Any]) -> tuple[Numbers, Octets]:
    """The `offsets` and the `blob` of values."""
    offsets, blob, encoder = array("q", [0]), bytearray(), msgspec.msgpack.Encoder()
    for value in values:
        try:
            encoder.encode_into(value, blob, offsets[-1])
        except UnicodeEncodeError:
            blob[offsets[-1] :] = bytes(pack(value).body)
        offsets.append(len(blob))
    return offsets, Octets(blob)


@lru_cache(_KEPT)
def _decoded(value: bytes, as_type: Any) -> Any:
    return unpack(Parcel(msgspec.Raw(value), []), as_type)
