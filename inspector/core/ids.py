"""Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair."""

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
