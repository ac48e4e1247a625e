"""Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count
from typing import TYPE_CHECKING

from inspector.core.later import LazyModule

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")  # loads OpenSSL, which a check never needs

_LONGEST = 40  # what every provider takes
_NAMESPACE = bytes.fromhex("6f1a6a2e5d0e5b539a527f0a5c1f7e11")


def uuid_for(seed: str) -> str:
    """A version 5 UUID that depends on `seed` alone."""
    whole = hashlib.sha1(_NAMESPACE + seed.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    name = bytearray(whole.digest()[:16])
    name[6], name[8] = name[6] & 0x0F | 0x50, name[8] & 0x3F | 0x80
    text = name.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class TakenIds(set[str]):
    """Ids that are taken, never to be given back: the numbers that were tried for a name need no second look."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        super().__init__(ids)
        self._numbers: dict[tuple[str, str], count[int]] = {}

    def numbers(self, wanted: str, pattern: str = "", start: int = 2) -> count[int]:
        """The numbers that were not yet tried for a name and a pattern."""
        return self._numbers.setdefault((wanted, pattern), count(start))

    def take(self, ids: Iterable[str]) -> str:
        """The first of `ids` that is new; it is taken now."""
        new = next(each for each in ids if each not in self)
        self.add(new)
        return new


def fresh_id(wanted: str, taken: TakenIds) -> str:
    """`wanted` with the smallest number that makes it new; the result is taken."""
    return taken.take(f"{wanted}_{number}" for number in taken.numbers(wanted))


def legal_id(wanted: str, pattern: str, taken: TakenIds) -> str:
    """A new id that matches `pattern` as a whole: as much of `wanted` as it takes; the result is taken."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", wanted)[:_LONGEST] or "call"
    if re.fullmatch(pattern, plain):
        begin = plain[: _LONGEST - 8]
        return taken.take(chain((plain,), (f"{begin}_{number}" for number in taken.numbers(begin))))
    # A pattern of a certain length (nine letters and digits): those of a UUID that depends on the old id.
    seeds = (uuid_for(f"{wanted} {number}").replace("-", "") for number in taken.numbers(wanted, pattern, 0))
    return taken.take(filter(None, (_start_that_fits(seed, pattern) for seed in seeds)))


def _start_that_fits(text: str, pattern: str) -> str:
    """The longest beginning of a text that matches a pattern as a whole, "" when none does."""
    starts = (text[:length] for length in range(len(text), 0, -1))
    return next((start for start in starts if re.fullmatch(pattern, start)), "")
