"""What the program does whose logs a format is: what it sends on resume, and how a log becomes a session of its own.

`agent_of` answers for every format; where nothing is known of the program, `Agent` as it stands says so.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, is_valid_json, parse_json, text_at, unescape_keys
from inspector.core.formats.bases.edits import MODES
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.new_ids import uuid_for
from inspector.core.formats.bases.next_steps import NextSteps
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request import Request
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, ReadRecord
from inspector.core.index.session import Log, Session
from inspector.core.index.views import BlockKind

if TYPE_CHECKING:
    from pathlib import Path


class Agent:
    """What is known of a program. As it stands: nothing, as of whatever sends a provider's own messages."""

    lossy_rules: frozenset[str] = frozenset()
    """Classes of findings that cost the agent records or results, whatever the provider takes."""
    supported_profiles: tuple[str, ...] = ()
    """The profiles of all APIs that its program can speak, where there are several."""
    profiles_with_new_ids: frozenset[str] = frozenset()
    """Profiles to which its program sends calls under ids of its own making, whatever the log holds."""

    def resume_behavior(self, session: Session, rules: set[str]) -> OnResume:
        """What the agent does with a session that has findings of these rules (errors only).

        A `Sender` is asked only of rules that its `request` does not tell of: damage, shapes.
        """
        return OnResume("unknown", "as-is" if not rules else "refuses", (), "The program that sends this")

    # saving as a new session

    can_start_new_session = False
    """A log can become a session of its own, under another UUID."""
    session_pointer = "/sessionId"
    """Where a record carries the id of its session."""

    def new_session_id(self, old: str, attempt: int) -> str | None:
        """The id of a session made from `old` (the file's name, too); None where the format does not allow one."""
        return uuid_for(f"new-session:{old}:{attempt}") if self.can_start_new_session else None

    def session_file(self, log: Log, session_id: str) -> str:
        """The name of the file of a session in its store folder."""
        return f"{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        """The folder in which the agent looks for the sessions of this log's project, None when it is not known."""
        return None

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """A record under a new session id, where it carries one."""
        holder, _, key = self.session_pointer.rpartition("/")
        told = (
            dump_json(key) in unescape_keys(raw)
            and is_valid_json(raw)
            and text_at(parse_json(raw), self.session_pointer)
        )
        return splice.set_member(raw, holder, key, dump_json(new)) if told else raw

    # what the person does after a save

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        """What the person does after saving to `path`."""
        return NextSteps(("Send the repaired messages with your next request.",))

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """What the person does with a repaired copy at `path`."""
        name = os.path.basename(log.source.path)
        return NextSteps((f"Under this name the agent does not resume it: it looks for {name} in its own folder.",))


class Sender(Agent, Writer):
    """An agent of which it is worked out from the log what it sends; what it answers is spelled as a repair is."""

    steps_are_independent = False
    """What is sent of a response, and of what is said to it, depends on other ones by ids and fragments alone."""

    @abstractmethod
    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> Request:
        """What the agent sends when it resumes the session.

        `columns` may be planned ones; `raw` gives a record's bytes. The version is the session's.
        """

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        """The text of a block as it is sent by a program that words it anew, None where it goes out as it stands.

        `block` is its JSON, `role` who speaks in its record, `tool` the name of the tool of a call or result.
        """
        return None


_UNKNOWN = Agent()


def agent_of(format: object) -> Agent:
    """What is known of the agent of a format."""
    return format if isinstance(format, Agent) else _UNKNOWN


def modes_of(format: Format, log: Log) -> tuple[str, ...]:
    """The ways in which a log can be saved: none for one that is read-only, and of one in an archive a copy."""
    if not isinstance(format, Writer):
        return ()
    known = log.sessions[0].id if log.sessions else ""
    impossible = {"in-place", "new-session"} if log.source.archive else set()
    if agent_of(format).new_session_id(known, 1) is None:
        impossible.add("new-session")
    return tuple(mode for mode in MODES if mode not in impossible and not format.save_refusal(log, mode))
