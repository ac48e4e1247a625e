"""What programs have in common that keep their sessions as rows of a table of messages (see `message_rows`).

The same messages can be in a JSON document, such as an export.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, ClassVar

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import NextSteps, RequestBuilder, ResumeBehavior
from inspector.core.formats.base.databases import DatabaseFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.message_arrays import MessageArrays, enclosing_request
from inspector.core.model.session import Log, Session
from inspector.core.storage.json_text import is_valid_json, object_at, parse_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr


class RowSessions(DatabaseFormat, MessageArrays, RequestBuilder):
    """A format whose logs are the rows of a database, or its messages in a JSON document.

    `program_label` is the name of the program, and `database_name` that of its database file. It does not load a
    damaged session, and reports `damage_error`; it does load damage that only rules in `read_damage` find.
    """

    program_label: ClassVar[str]
    database_name: ClassVar[str]
    damage_error: ClassVar[str]
    read_damage: ClassVar[frozenset[str]] = frozenset()
    is_provider_api = False
    members_are_records = True

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, replace(reading, deep=True))

    def describe(self, log: Log, session: Session) -> None:
        """Name the session by its title, or if it has none, by its first words."""
        title = session.title
        super().describe(log, session)
        session.title = title or session.title

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does with damage: it does not load the session."""
        if any(rule.startswith("F") for rule in rules - self.read_damage):
            return ResumeBehavior(self.name, "refuses", (), self.program_label, error=self.damage_error)
        return ResumeBehavior(self.name, "as-is", (), self.program_label)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not isinstance(log.source, AssembledSource):
            return self.resume_steps(path, "", True)
        step = tr(
            "Close {program}, and replace its {database} with {path}.",
            program=self.program_label,
            database=self.database_name,
            path=path,
        )
        return NextSteps((step,))


def enclosing_session(log: Log, sequence: RecordSequence) -> dict[str, Any]:
    """Return the object around the messages of a session, an empty one where there is none."""
    text = enclosing_request(log, sequence, sequence.enclosing_object)
    return object_at(parse_json(text), "") if is_valid_json(text) else {}


def time_of_seconds(seconds: object) -> str:
    """Return a time in ISO 8601, "" for anything else than seconds since 1970."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(seconds, int | float):
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return ""
