"""The text that the files or rows of a log are put together as."""

from collections.abc import Iterable

from inspector.core.storage.temporary_files import LogMember, SpoolFile


class AssembledText:
    """A log that is being assembled: its bytes, the spans of its members, and its arrays of records."""

    def __init__(self) -> None:
        self.spool = SpoolFile()
        self.members: list[LogMember] = []
        self.arrays: list[tuple[int, list[tuple[int, int]], tuple[int, int]]] = []

    def put(self, text: bytes) -> None:
        self.spool.write(text)

    def put_member(self, name: str, text: bytes, given: int = 0) -> tuple[int, int]:
        """Append a member with `given` added bytes at its start, and return its span."""
        start = self.spool.size
        self.put(text)
        self.members.append(LogMember(name, start, self.spool.size, given))
        return start, self.spool.size

    def begin_object(self) -> int:
        """Append the comma before another object with an array of records, and return where the object starts."""
        self.put(b",\n" if self.arrays else b"")
        return self.spool.size

    def put_records(self, start: int, records: Iterable[tuple[str, bytes]], end: bytes = b"}") -> None:
        """Append an array of members, given with their names, and the end of the object that starts at `start`."""
        array_start, spans = self.spool.size, list[tuple[int, int]]()
        for name, text in records:
            self.put(b",\n" if spans else b"[\n")
            spans.append(self.put_member(name, text))
        self.put((b"\n]" if spans else b"[]") + end)
        self.arrays.append((array_start, spans, (start, self.spool.size)))
