"""opencode's stores, a folder of files or a database, as logs that are put together."""

from pathlib import Path

from inspector.core.bytes.source import Source
from inspector.core.bytes.spans import elements, locate
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.formats.opencode.places import is_database, layout_of


class Stores(Gathering):
    """See the module's docstring; `name` is the format's."""

    def __init__(self, name: str) -> None:
        self.name = name

    def claims(self, path: Path) -> bool:
        return layout_of(path) is not None or is_database(path)

    def assemble(self, path: Path) -> Source:
        from inspector.core.formats.opencode.assembly import assembled  # noqa: PLC0415 - an export needs no database

        return assembled(path, self.name)

    def members_of(self, raw: bytes) -> list[tuple[int, int]]:
        return [locate(raw, "/info"), *elements(raw, locate(raw, "/parts")[0])]
