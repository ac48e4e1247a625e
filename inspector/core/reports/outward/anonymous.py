"""What may be told of a log without its content: hashes of ids, names that everybody knows, numbers, versions."""

import re
from collections.abc import Callable
from hashlib import blake2b

from msgspec.structs import replace

from inspector.core.bytes.source import Source
from inspector.core.evidence.effects import TOOL_EFFECTS
from inspector.core.index.place import RecordLocation

_SALT = 64 * 1024  # bytes of the log's beginning
# The members under which records keep messages and blocks: a pointer may name them, any other key is left out.
_KEYS = frozenset(
    "additional_kwargs agent args arguments assistant blocks calls content contents data event events function"
    " functionCall functionResponse function_call history input item items kwargs message messages messages_prefix"
    " model output part parts payload prompt reasoning replacement_history request response result state summary text"
    " thinking thoughts tool toolCalls toolResult toolUse tool_calls tool_input turns values".split()
)
# Of three numbers at most: four are an address.
_VERSION = re.compile(
    r"v?\d{1,5}(?:\.\d{1,5}){0,2}(?:[-.]?(?:alpha|beta|rc|dev|preview|nightly|next|canary)[-.\d]{0,20})?"
)


def id_hasher(source: Source) -> Callable[[str], str]:
    """Hashes the ids of a log. The salt is the log's own beginning: the same log gives the same hashes, and who does
    not have it cannot try out ids."""
    salt = blake2b(source.read(0, _SALT) + str(source.size).encode(), digest_size=32).digest()
    return lambda text: blake2b(text.encode("utf-8", "backslashreplace"), key=salt, digest_size=6).hexdigest()


class ToolPseudonyms:
    """The names of tools: those of known agents as they are, each other one as a number."""

    def __init__(self) -> None:
        self._others: dict[str, str] = {}

    def pseudonym_of(self, name: str) -> str:
        return name if name.lower() in TOOL_EFFECTS else self._others.setdefault(name, f"tool-{len(self._others) + 1}")


def safe_version(text: str) -> str:
    """What looks like a version and nothing else, "" for any other text."""
    return text if _VERSION.fullmatch(text) else ""


def anonymous_place(place: RecordLocation, hashed: Callable[[str], str]) -> RecordLocation:
    """A place with its numbers; a file or row as a hash, keys that a log may have chosen left out."""
    member = hashed(place.member) if place.member else None
    document = None if place.document is None else _pointer(place.document)
    return replace(place, pointer=_pointer(place.pointer), member=member, document=document)


def _pointer(text: str) -> str:
    return "/".join(key if not key or key.isdecimal() or key in _KEYS else "…" for key in text.split("/"))
