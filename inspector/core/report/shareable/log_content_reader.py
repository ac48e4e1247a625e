"""What a shareable report takes from the bytes of a log. This is the only module of the package that reads a log."""

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain, islice

from inspector.core.analysis.finding import Finding
from inspector.core.check.check import Report, SessionReport
from inspector.core.model.views import RecordView
from inspector.core.presentation.formatting import to_timestamp
from inspector.core.presentation.opened_log_facts import view_record

MAX_EXCERPT = 8_000
"""The most characters of a text that are looked at for an excerpt."""
_SALT = 64 * 1024  # bytes of the log's beginning
_TIMED = 20  # records from either end that are searched for a time


class LogContentReader:
    """The content of a log, for a shareable report on it: hashes of its ids, its times, and texts to be redacted.

    The salt of the hashes is the beginning of the log itself. The same log gives the same hashes, and nobody without
    the log can try out ids.
    """

    def __init__(self, report: Report) -> None:
        source = report.log.source
        self._report = report
        self._salt = blake2b(source.read(0, _SALT) + str(source.size).encode(), digest_size=32).digest()

    def hashed(self, text: str) -> str:
        """Return the hash of an id."""
        return blake2b(text.encode("utf-8", "backslashreplace"), key=self._salt, digest_size=6).hexdigest()

    def beginning(self) -> str:
        """Return the path and the first text of the log, from which names are learned."""
        source = self._report.log.source
        return f"{source.path}\n{source.read(0, MAX_EXCERPT).decode('utf-8', 'replace')}"

    def block(self, finding: Finding) -> str:
        """Return the text of the block that a finding is about, or else of its record."""
        view = self._view(finding.place.record)
        pointer = finding.place.pointer
        about = [block for block in view.blocks if pointer and block.pointer == pointer] or view.blocks
        return "\n".join(f"{block.name} {block.text}".strip() for block in about)

    def times(self, session: SessionReport) -> tuple[str, str]:
        """Return the first and the newest time of a session, "" where there is none."""
        path = session.session.main_thread.path if session.threads else []
        first = chain(islice(path, _TIMED), path[-1:])
        return self._time(first), self._time(reversed(path[-_TIMED:]))

    def _time(self, records: Iterable[int]) -> str:
        seconds = (to_timestamp(self._view(record).time) for record in records)
        found = next((each for each in seconds if each is not None), None)
        return "" if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _view(self, record: int) -> RecordView:
        return view_record(self._report.format.name, self._report.log.raw(record))
