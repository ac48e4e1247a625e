"""Under which id a call goes out, where that is not its own.

Facts: pi-ai 0.73.1 and 0.87.1, `normalizeToolCallId` of each API and `utils/hash.ts`. Two ids of Responses stand in
one, with a bar between them. An API of another kind gets what it takes of that: Chat the first id; since 0.81 (says the
changelog) both, as several calls may share the first, with a hash in the place of what is too long.
"""

import re

from inspector.core.known_texts.versions import is_older_version

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST, _LONGEST_IN_CHAT, _HASH = 64, 40, 8
_KEEPS_BOTH = "0.81.0"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WORD = 0xFFFFFFFF


def id_for(call_id: str | None, wire: str, version: str) -> str:
    """The id under which a call and its result go out, "" where that is their own."""
    if call_id is None or "|" not in call_id:
        return ""
    first, _, second = call_id.partition("|")
    if wire == "openai-responses":
        return first
    if wire != "openai-chat":
        return _ILLEGAL.sub("_", call_id)[:_LONGEST]
    first, second = _ILLEGAL.sub("_", first), _ILLEGAL.sub("_", second)
    if not second or is_older_version(version, _KEEPS_BOTH):
        return first[:_LONGEST_IN_CHAT]
    both = f"{first}_{second}"
    if len(both) <= _LONGEST_IN_CHAT:
        return both
    return f"{first[: _LONGEST_IN_CHAT - _HASH - 1]}_{short_hash(call_id)[:_HASH]}"


def short_hash(text: str) -> str:
    """pi's own hash of a text, over its UTF-16 code units, in base 36."""
    low, high = 0xDEADBEEF, 0x41C6CE57
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        unit = int.from_bytes(units[at : at + 2], "little")
        low, high = (low ^ unit) * 2654435761 & _WORD, (high ^ unit) * 1597334677 & _WORD
    low = (low ^ low >> 16) * 2246822507 & _WORD ^ (high ^ high >> 13) * 3266489909 & _WORD
    high = (high ^ high >> 16) * 2246822507 & _WORD ^ (low ^ low >> 13) * 3266489909 & _WORD
    return _base_36(high) + _base_36(low)


def _base_36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
