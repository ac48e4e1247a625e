"""The formats by name: those that are modules of `inspector.core.formats`, and those of installed packages."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules

from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.known import OWN, Known, format_in, known_of
from inspector.core.formats.bases.listed import LISTED
from inspector.core.formats.bases.plugins import from_packages

_BASES = "bases"  # what is no format


class Catalogue(Mapping[str, Format]):
    """Each is loaded when it is first asked for: a check of one log needs few of them.

    A module that is not listed yet is loaded to be known, as are the formats of packages; what is wrong with one of
    these is told in `faults`.
    """

    def __init__(self, package: str, path: list[str]) -> None:
        self._package, self._path = package, path
        self._listed = {known.name: known for known in LISTED}
        self._loaded: dict[str, Format] = {}
        self.faults: list[str] = []

    @cached_property
    def entries(self) -> dict[str, Known]:
        """What is known of each before it is asked anything: the program's own first, as they are listed."""
        rows = dict(self._listed)
        listed = {known.place.partition(":")[0] for known in LISTED}
        for module in iter_modules(self._path):
            place = f"{self._package}.{module.name}"
            if place not in listed and module.name != _BASES:
                import_module(place)
                self._add(rows, format_in(place), OWN)
        for format, origin in from_packages(self.faults):
            if format.name in rows:
                taken = rows[format.name].origin
                self.faults.append(
                    f"The format {format.name} of {origin} is left out: there is one of that name ({taken})."
                )
            else:
                self._add(rows, format, origin)
        return rows

    def _add(self, rows: dict[str, Known], format: Format, origin: str) -> None:
        self._loaded[format.name] = format
        rows[format.name] = known_of(format, origin)

    def __getitem__(self, name: str) -> Format:
        if name not in self._loaded and name in self._listed:
            module, _, kind = self._listed[name].place.partition(":")
            self._loaded[name] = getattr(import_module(module), kind)()
        elif name not in self._loaded:
            self.entries[name]
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._listed or name in self.entries
