"""Sizes as a person reads them."""


def format_bytes(count: int) -> str:
    """A number of bytes."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
