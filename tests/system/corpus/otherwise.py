"""How it is told what the files of the corpus are."""

from typing import NamedTuple


class Otherwise(NamedTuple):
    """A file, by the end of its path, that is something else; `format` is None for one that is not judged."""

    path: str
    format: str | None
    why: str


class OfFormat(NamedTuple):
    """What a format is in the corpus: the index's names for it, its files among others, and its broken ones."""

    folders: tuple[str, ...]
    elsewhere: tuple[str, ...]
    broken: dict[str, str]
