"""Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair."""

from uuid import UUID, uuid5

_NAMESPACE = UUID("6f1a6a2e-5d0e-5b53-9a52-7f0a5c1f7e11")


def uuid_for(seed: str) -> str:
    """A UUID that depends on `seed` alone."""
    return str(uuid5(_NAMESPACE, seed))


def fresh_id(wanted: str, taken: set[str]) -> str:
    """`wanted` with the smallest number that makes it new; the result is added to `taken`."""
    number = 2
    while f"{wanted}_{number}" in taken:
        number += 1
    new = f"{wanted}_{number}"
    taken.add(new)
    return new
