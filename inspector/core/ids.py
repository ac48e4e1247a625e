"""Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair."""

import re
from itertools import chain, count

_LONGEST = 40  # what every provider takes
_NAMESPACE = bytes.fromhex("6f1a6a2e5d0e5b539a527f0a5c1f7e11")


def uuid_for(seed: str) -> str:
    """A version 5 UUID that depends on `seed` alone."""
    from hashlib import sha1  # noqa: PLC0415 - loads OpenSSL, which a check never needs

    name = bytearray(sha1(_NAMESPACE + seed.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:16])
    name[6], name[8] = name[6] & 0x0F | 0x50, name[8] & 0x3F | 0x80
    text = name.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def fresh_id(wanted: str, taken: set[str]) -> str:
    """`wanted` with the smallest number that makes it new; the result is added to `taken`."""
    number = 2
    while f"{wanted}_{number}" in taken:
        number += 1
    new = f"{wanted}_{number}"
    taken.add(new)
    return new


def legal_id(wanted: str, pattern: str, taken: set[str]) -> str:
    """A new id that matches `pattern` as a whole: as much of `wanted` as it takes; the result is added to `taken`."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", wanted)[:_LONGEST] or "call"
    if re.fullmatch(pattern, plain):
        numbered = (f"{plain[: _LONGEST - 8]}_{number}" for number in count(2))
        new = next(each for each in chain((plain,), numbered) if each not in taken)
    else:
        # A pattern of a certain length (nine letters and digits): those of a UUID that depends on the old id.
        seeds = (uuid_for(f"{wanted} {number}").replace("-", "") for number in count())
        new = next(each for seed in seeds if (each := _start_that_fits(seed, pattern)) and each not in taken)
    taken.add(new)
    return new


def _start_that_fits(text: str, pattern: str) -> str:
    """The longest beginning of a text that matches a pattern as a whole, "" when none does."""
    starts = (text[:length] for length in range(len(text), 0, -1))
    return next((start for start in starts if re.fullmatch(pattern, start)), "")
