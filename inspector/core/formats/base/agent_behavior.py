"""The interface of an agent: what it does with a log on resume, how to start a new session, and the next steps.

`agent_of` returns the agent of any format. Where nothing is known of the program, it is the base class `Agent`.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from enum import Enum
from functools import reduce
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.formats.base.format import Format
from inspector.core.formats.base.request import ResumeRequest
from inspector.core.formats.base.writer import SAVE_MODES, Writer, deterministic_uuid
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, is_valid_json, parse_json, text_at, unescape_keys
from inspector.core.translation import joined, tr

if TYPE_CHECKING:
    from pathlib import Path


_SENDER = tr("A program that sends the history unchanged")
UNKNOWN_BEHAVIOR = tr("Cannot determine what the agent would do with this session.")


class ResumeBehavior(Struct, frozen=True):
    """What the agent itself does with this session, and what it would lose.

    `outcome` is as-is, mends, refuses or unknown. `answered_calls` are calls that get results from the agent itself,
    `file_changes` says what it writes into the file ("" for nothing), `error` is the answer of the provider or the
    agent where it cannot go on. `starts_empty`: it goes on with an empty history. `is_rejected_request`: the provider
    refuses what the agent sends, so that the agent itself did not stop. `goes_on`: the history goes on after what would
    be refused, so that it was not sent like this.
    """

    agent: str
    outcome: str
    losses: tuple[str, ...] = ()
    label: str = ""
    answered_calls: tuple[str, ...] = ()
    file_changes: str = ""
    error: str = ""
    starts_empty: bool = False
    is_rejected_request: bool = False
    goes_on: bool = False

    @property
    def is_unknown_program(self) -> bool:
        """Whether nothing is known of the program that loads the log, and of what it would lose."""
        return self.agent == "unknown" and not self.losses

    @property
    def recovers(self) -> bool:
        """Whether the session goes on by itself and nothing of it is lost."""
        return self.outcome in ("mends", "as-is") and not self.losses

    @property
    def sentence(self) -> str:
        if self.agent == "unknown" and not self.label:
            return UNKNOWN_BEHAVIOR
        agent, changes = self.label or self.agent, self.file_changes
        if self.outcome == "as-is":
            told = tr("{agent} loads the session unchanged", agent=agent)
        elif self.outcome == "refuses":
            told = tr("{agent} cannot continue the session", agent=agent)
        elif self.outcome == "unknown":
            told = tr("Cannot determine whether this version of {agent} can load the session", agent=agent)
        elif not changes:
            told = tr("{agent} repairs the history in memory and does not change the file", agent=agent)
        elif self.starts_empty:
            told = tr("{agent} starts with an empty history and {changes}", agent=agent, changes=changes)
        else:
            told = tr("{agent} repairs the history on resume and {changes}", agent=agent, changes=changes)
        if self.answered_calls:
            calls = reduce(lambda one, next: tr("{one} and {next}", one=one, next=next), self.answered_calls)
            told = tr("{sentence}, and adds its own result for {calls}", sentence=told, calls=calls)
        if self.losses:
            # Repeat "it": the words before may be about the file.
            in_memory = self.outcome == "mends" and not (changes or self.answered_calls)
            template = tr("{sentence}, but loses {losses}") if in_memory else tr("{sentence}, and loses {losses}")
            told = tr(template, sentence=told, losses=joined("; ", self.losses))
        if self.error:
            told = tr("{sentence} ({error})", sentence=told, error=self.error.rstrip("."))
        if self.goes_on:
            return tr(
                "{sentence}. The history continues after that point, so the messages were not sent as they are "
                "recorded here.",
                sentence=told,
            )
        return tr("{sentence}.", sentence=told)


# What is lost where an agent stops in a chain of records, and with a line that it skips, by rule.
BROKEN_CHAIN_LOSSES = {"G1": tr("everything before the missing parent")}
CYCLE_LOSSES = {"G2": tr("everything before the cycle of parent links")}
ENDLESS_CYCLE_LOSSES = (tr("the whole session, because the agent never leaves the cycle of parent links"),)
UNREADABLE_LINE_LOSSES = {
    "F1": tr("the incomplete line"),
    "F2": tr("the line with several records"),
    "F3": tr("the line of NUL bytes"),
    "F4": tr("the record that is split across several lines"),
    "F5": tr("the line with invalid UTF-8"),
    "F6": tr("the unreadable line"),
    "F8": tr("the line with a byte order mark"),
}
# For an agent that reads a line with invalid UTF-8, and replaces the invalid bytes.
INVALID_JSON_LOSSES = {rule: text for rule, text in UNREADABLE_LINE_LOSSES.items() if rule != "F5"}

UNREAD_REST = tr("everything after the first record on the line")
"""What is lost where an agent reads only the first record of a damaged line."""
REMOVES_DAMAGED_LINES = tr("removes the damaged lines from the log")


def losses_of_rules(table: dict[str, str], rules: set[str]) -> tuple[str, ...]:
    """Return the losses that a table has for some rules, each sentence once."""
    return tuple(dict.fromkeys(text for rule, text in table.items() if rule in rules))


class InvalidCharacters(Enum):
    """What an agent does with a record that holds bytes that are not UTF-8, or half of a surrogate pair."""

    SKIPPED = tr("the agent skips the record or stops at it")
    REPLACED = tr("the agent reads the record and replaces the invalid characters with U+FFFD")
    SENT = tr("the agent reads the record and sends the invalid characters")
    INDEXED = tr("the agent and this program read the record and replace the invalid characters with U+FFFD")


# Node's decoder replaces bytes that are not UTF-8.
REPLACES_CHARACTERS = {"F5": InvalidCharacters.REPLACED, "F7": InvalidCharacters.REPLACED}
INDEXES_REPLACED_CHARACTERS = {"F5": InvalidCharacters.INDEXED, "F7": InvalidCharacters.INDEXED}
SENDS_HALF_PAIRS = {"F5": InvalidCharacters.REPLACED, "F7": InvalidCharacters.SENT}

CHANGE_FOLDER_STEP = tr("Go to the project's folder.")
"""The step before a command that is run in the folder. A caller that knows the folder names it."""
RUN_STEP = tr("Run: {command}")


class SessionAsLoaded(Struct, frozen=True):
    """A session as a version of its program reads it, where that is not how the log is indexed.

    `losses` describe what it does not read of lines that it reads in part.
    """

    session: Session
    columns: Columns
    raw: ReadRecord
    losses: tuple[str, ...] = ()


class NextSteps(Struct, frozen=True):
    """What the person does after a save, in order.

    `steps` are sentences; CHANGE_FOLDER_STEP and RUN_STEP, which runs `command`, can be among them. `command` is the
    one to copy, "" when there is none. `close` comes before all others, and asks to close the program that still holds
    the log, "" where none does.
    """

    steps: tuple[str, ...]
    command: str = ""
    close: str = ""

    @property
    def all_steps(self) -> tuple[str, ...]:
        """All steps as they are shown."""
        first = (self.close,) if self.close else ()
        return (*first, *(tr(RUN_STEP, command=self.command) if step == RUN_STEP else step for step in self.steps))


def folder_step(folder: str) -> str:
    """Return the step that changes to a known folder."""
    return tr("Go to the project's folder, {folder}.", folder=folder)


def repaired_location_step(path: str, held: str = "session") -> str:
    """Return the step that names the place of what was repaired."""
    return tr("The repaired {held} is at {path}.", held=held, path=path)


def resume_steps_for(program: str, command: str, path: str, new: bool, held: str = "session") -> NextSteps:
    """Return the steps to a session that `command` resumes in the folder of its project."""
    if new:
        return NextSteps((repaired_location_step(path, held), CHANGE_FOLDER_STEP, RUN_STEP), command)
    return NextSteps(
        (CHANGE_FOLDER_STEP, RUN_STEP),
        command,
        tr("Close {program} if it still has this {held} open.", program=program, held=held),
    )


class Agent:
    """What is known about a program. This base class knows nothing.

    It is used as it is for a program that sends a provider's own messages.
    """

    lossy_rules: frozenset[str] = frozenset()
    """Classes of findings that cost the agent records or results, even if the provider accepts the request."""
    supported_profiles: tuple[str, ...] = ()
    """The profiles of all APIs that its program can speak, where there are several."""
    writes_whole_history = False
    """Its program writes the whole history with every turn, as it is in memory."""
    logs_requests = False
    """The log holds requests, so that an answer after an anomaly does not show that something else was sent."""
    profiles_with_new_ids: frozenset[str] = frozenset()
    """Profiles to which its program sends calls under ids of its own making, not those of the log."""

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the agent does with a session that has findings of these rules (errors only).

        For a `RequestBuilder`, only rules that its request does not cover are passed: damage and shapes.
        """
        return ResumeBehavior("unknown", "as-is" if not rules else "refuses", (), _SENDER)

    def session_in_memory(self, session: Session, columns: Columns, raw: ReadRecord) -> SessionAsLoaded | None:
        """Return the session as the version that it names reads it, None where that is how the log is indexed.

        `columns` may be planned ones.
        """
        return None

    resumes_by_path = False
    """Its command names the file of the session, which may lie anywhere."""

    # saving as a new session

    can_start_new_session = False
    """A log can be saved as a new session, under another UUID."""
    session_pointer = "/sessionId"
    """The pointer to the id of the session in a record."""
    session_has_folder = False
    """A session is a folder of the store, named by its id, and the logs in these folders all have one name."""

    def new_session_id(self, old: str, attempt: int) -> str | None:
        """Return the id of a session made from `old`, which is the file's name, too.

        None where the format does not allow a new session.
        """
        return deterministic_uuid(f"new-session:{old}:{attempt}") if self.can_start_new_session else None

    def session_file(self, log: Log, session_id: str) -> str:
        """Return the name of the file of a session in its store folder, with that of its own folder if it has one."""
        return f"{session_id}.jsonl"

    def split_session_path(self, path: str) -> tuple[str, str]:
        """Return the store folder of a file of a session, and its name there, as `session_file` names it."""
        folder, name = os.path.split(os.path.abspath(path))
        if not self.session_has_folder:
            return folder, name
        store, own = os.path.split(folder)
        return store, os.path.join(own, name)

    def store_folder(self, log: Log) -> Path | None:
        """Return the folder in which the agent looks for the sessions of this log's project.

        None when it is not known.
        """
        return None

    def is_in_store(self, log: Log) -> bool:
        """Return whether a log is where the agent looks for it; True where that place is not known."""
        store = self.store_folder(log)
        return store is None or (store.is_dir() and store.samefile(self.split_session_path(log.source.path)[0]))

    def is_session_id(self, name: str) -> bool:
        """Return whether the agent resumes a session under this name."""
        return True

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """Replace the session id of a record, where it has one."""
        holder, _, key = self.session_pointer.rpartition("/")
        has_id = (
            dump_json(key) in unescape_keys(raw)
            and is_valid_json(raw)
            and text_at(parse_json(raw), self.session_pointer)
        )
        return json_edits.set_member(raw, holder, key, dump_json(new)) if has_id else raw

    # what the person does after a save

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        """Return what the person does after saving to `path`."""
        return NextSteps((tr("Send the repaired messages with your next request."),))

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """Return what the person does with a repaired copy at `path`."""
        if log.source.read_from:
            return NextSteps(
                (
                    tr(
                        "The agent does not resume a log with this name. Give the copy the same name as the agent's "
                        "log, and replace that log with the copy."
                    ),
                )
            )
        name = os.path.basename(log.source.path)
        return NextSteps(
            (
                tr(
                    "The agent does not resume a log with this name. It looks for {name} in its own folder.",
                    name=name,
                ),
            )
        )


class RequestBuilder(Agent, Writer):
    """An agent whose request on resume can be derived from the log.

    The results that it makes up itself are written as those of a repair are.
    """

    steps_are_independent = False
    """The part of the request for a response and its results depends on other responses by ids and fragments alone."""

    handles_invalid_characters: Mapping[str, InvalidCharacters] = {}
    """What it does with invalid characters, by rule (F5, F7). A rule is left out where that is not known."""

    passes_inputs_on = False
    """The input of a call goes out as the log holds it, even if it is no object."""

    @abstractmethod
    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
        """Return what the agent sends when it resumes the session.

        `columns` may be planned ones. `raw` returns a record's bytes. The version is the session's.
        """

    def invalid_characters(self, version: str) -> Mapping[str, InvalidCharacters]:
        """Return what a version of the agent does with invalid characters."""
        return self.handles_invalid_characters

    def sent_thinking(self, block: bytes) -> bytes:
        """Return reasoning of the log as the block that Anthropic gets, b"" where the log keeps it in that shape."""
        return b""

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        """Return the text of a block in the words of the program that sends it, None where it goes out unchanged.

        `block` is its JSON, `role` the role of its record, `tool` the name of the tool of a call or result.
        """
        return None

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        """Return the name of a call, and its JSON, as a version of the program sends them."""
        return name, block

    def sent_item(self, item: bytes) -> bytes:
        """Return an item of the Responses API as the program sends it."""
        return item


_UNKNOWN_AGENT = Agent()


def agent_of(format: object) -> Agent:
    """Return the agent of a format, the base class where nothing is known of it."""
    return format if isinstance(format, Agent) else _UNKNOWN_AGENT


def save_modes_of(format: Format, log: Log) -> tuple[str, ...]:
    """Return the ways in which a log can be saved: none for a read-only format, only a copy for a log in an archive."""
    if not isinstance(format, Writer):
        return ()
    session_id = log.sessions[0].id if log.sessions else ""
    impossible = {"in-place", "new-session"} if log.source.archive else set()
    if agent_of(format).new_session_id(session_id, 1) is None:
        impossible.add("new-session")
    return tuple(mode for mode in SAVE_MODES if mode not in impossible and not format.save_refusal(log, mode))
