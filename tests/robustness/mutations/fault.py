"""What a deliberate fault is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`file` holds `there` exactly once; with `instead` in its place the program is wrong in the way that `name` says.

    `noticed_by` are the tests, as pytest takes them, of which at least one then fails.
    """

    name: str
    file: str
    there: str
    instead: str
    noticed_by: tuple[str, ...]

    def made_in(self, source: str) -> str:
        """The text of the file with the fault in it. Raises ValueError when it holds `there` not exactly once."""
        found = source.count(self.there)
        if found != 1:
            raise ValueError(f"{self.name}: {self.file} holds {self.there!r} {found} times, not once")
        return source.replace(self.there, self.instead)
