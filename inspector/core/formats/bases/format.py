"""What a format is: how its records are read, what the agent loads, and how a repair is spelled in it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inspector.core.bytes.source import Source
from inspector.core.errors import NotJudged
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.request import Request
from inspector.core.formats.bases.store import Headline, Store
from inspector.core.formats.bases.terms import MODES, BlockEdits, Call, OnResume, Reading, Settled, SideEdit
from inspector.core.formats.bases.traces import Trace, TracedCall
from inspector.core.index.columns import Columns
from inspector.core.index.session import Log, Session, Subagent
from inspector.core.index.views import BlockKind, RecordView
from inspector.core.wire.shapes.shape import Shape
from inspector.core.wire.spelling.rows import Spelling


class Format(ABC):
    """One format. The class attributes are what its row in the table of formats says, and these traits:

    folds             fragments and neighbouring user records are one message to the provider
    apart             the agent sends neighbouring messages of the assistant one by one, whatever the provider joins
    together          the results of a turn share a record
    items             every part of a message, reasoning too, is a record of its own
    inline            a call holds its own result, so that a repair writes it into the call
    in_order          the results of a turn stand in the order of its calls
    notes_hold_media  a result kept as quoted text keeps its images beside it
    reorders          the blocks of a message stand in a list, and can be put in another order
    bridges           a message of the assistant can be put between two others
    prompt_apart      the first prompt is given to the program apart, so that the log begins behind it
    api               the records are a provider's own messages
    pairs_server_tools  a call of the provider's own tool has its result in a block of its own
    own_ids           profiles to which its program sends calls under ids of its own making, whatever the log holds
    sends_item_ids    an item goes back to the provider under the id that it came with
    record_key        the member that holds the id of a record
    parent_key        the member in which a record names its parent, "" where none does
    stitch_key        the member in which a compaction names the record before it, "" where none does
    leaf_keys         the members in which a record names the leaf, and says that it counts; "" where none does
    session_pointer   where a record carries the id of its session
    loses             classes of findings that cost the agent records or results, whatever the provider takes
    calls_named_by    members in which a later record names the record of a call by its id
    speaks            the profiles of all APIs that its program can speak, where there are several
    models_resume     what its program sends on resume is worked out from the log (`request`)
    spelling          how its blocks name their members: the table of its wire
    shape             what its API takes of a message, where its records are such messages as they are
    gathering         how a log in many files or rows is told and put together, None where there is none
    """

    name: str
    label: str
    container: str
    detection: str
    read: str
    write_back: str
    resume: str
    unsupported: str
    source: str
    profile: str
    stores: tuple[Store, ...] = ()
    folds = False
    apart = False
    together = True
    items = False
    inline = False
    in_order = False
    notes_hold_media = False
    reorders = False
    bridges = False
    prompt_apart = False
    api = False
    pairs_server_tools = False
    own_ids: frozenset[str] = frozenset()
    sends_item_ids = False
    record_key = "uuid"
    parent_key = ""
    stitch_key = ""
    leaf_keys = ("", "")
    gathering: Gathering | None = None
    session_pointer = "/sessionId"
    loses: frozenset[str] = frozenset()
    calls_named_by: tuple[str, ...] = ()
    speaks: tuple[str, ...] = ()
    models_resume = False
    spelling = Spelling()
    shape: Shape | None = None

    # reading

    @abstractmethod
    def score(self, head: Head) -> float:
        """How sure this format is that the log is its own: 0 (no) to 1 (certain)."""

    @abstractmethod
    def index(self, source: Source, reading: Reading) -> Log:
        """Read the whole log into columns, and divide it into sessions."""

    @abstractmethod
    def sessions(self, log: Log, columns: Columns, raw: Callable[[int], bytes]) -> list[Session]:
        """What the agent would load of `columns`, which may be planned ones; `raw` gives a record's bytes."""

    @abstractmethod
    def add(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        """Index one record. False, and a BAD record, when it is no JSON."""

    @abstractmethod
    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        """The pointer of a block in its record."""

    def item_at(self, raw: bytes) -> str:
        """The pointer of the item that a record holds, where every part of a message is a record of its own."""
        return ""

    @abstractmethod
    def view(self, raw: bytes) -> RecordView:
        """A record for showing. Raises ValueError when it is no JSON."""

    def pending(self, session: Session, columns: Columns, path: array[int], raw: Callable[[int], bytes]) -> set[str]:
        """The ids of calls that the log itself marks as waiting."""
        return set()

    def broken_off(self, columns: Columns, record: int, raw: Callable[[int], bytes], pointer: str) -> str:
        """Why the message of a call broke off, in the log's own word, "" where the log does not say that it did.

        The call stands at `pointer` of `record`. Asked only of calls without a result.
        """
        return ""

    def unlisted(self, columns: Columns, row: int) -> bool:
        """Whether the call in block `row` stands only where the provider finds it, and not where the agent reads it."""
        return False

    def goes_on(self, raw: bytes) -> bool:
        """Whether the program wrote this message to go on by itself, so that it belongs behind the newest one."""
        return False

    def lacks_text(self, raw: bytes) -> bool:
        """Whether a message without a block holds null, where its API takes nothing but a text, be it an empty one."""
        return False

    def error_text(self, raw: bytes) -> str:
        """The provider's error that this record holds, "" when it holds none."""
        return ""

    def error_name(self, raw: bytes) -> str:
        """What the agent calls the error of this record in a field of its own, "" where it does not."""
        return ""

    def describe(self, log: Log, session: Session) -> None:
        """Fill in title, agent, version, state and memory of a session, for those who show it."""

    def system_prompt(self, log: Log, session: Session) -> str:
        """What the provider is told before the messages of a session, where the log keeps it apart from them."""
        return ""

    def headline(self, head: Head) -> Headline:
        """Project and title as the first quarter megabyte tells them, for a list of sessions."""
        return Headline()

    def subagents(self, log: Log) -> list[Subagent]:
        """The logs of subagents that lie beside this one. Names and first lines are read, never whole logs."""
        return []

    # what the log shows of calls

    def trace(self, row: Any, call: TracedCall, own: bool) -> Trace | None:
        """What a record that names a call shows of its running, None for nothing. `row` is its JSON value.

        With `own` it is the very record that holds the call, asked where calls are `inline`. Its place is filled in by
        who asks.
        """
        return None

    def traces_beside(self, log: Log, calls: list[TracedCall]) -> Iterator[tuple[int, Trace]]:
        """What files beside the log show of the running of its calls, by number. Small files are read, never others."""
        return iter(())

    def folders(self, columns: Columns, records: list[int], raw: Callable[[int], bytes]) -> dict[int, str]:
        """The folder that the agent worked in at each of these records, which are in order, as far as the log tells."""
        return {}

    # what the agent does

    def request(self, session: Session, columns: Columns, raw: Callable[[int], bytes]) -> Request:
        """What the agent sends when it resumes the session, for a format that `models_resume`.

        `columns` may be planned ones; `raw` gives a record's bytes. The version is the session's. Raises NotJudged for
        any other format.
        """
        raise NotJudged(f"What is sent on resume is not known for a log of this format ({self.label}).")

    def worded(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        """The text of a block as it is sent by a program that words it anew, None where it goes out as it stands.

        `block` is its JSON, `role` who speaks in its record, `tool` the name of the tool of a call or result.
        """
        return None

    def on_resume(self, session: Session, rules: set[str]) -> OnResume:
        """What the agent does with a session that has findings of these rules (errors only).

        A format that `models_resume` is asked only of rules that its `request` does not tell of: damage, shapes.
        """
        return OnResume("unknown", "as-is" if not rules else "refuses", (), "The program that sends this")

    # writing

    def refuses(self, log: Log, mode: str) -> str:
        """Why this log cannot be saved by `mode` (copy, in-place, new-session), and what can be done instead.

        "" when it can. A format that is never written back says so for every mode.
        """
        return ""

    def modes(self, log: Log) -> tuple[str, ...]:
        """The ways in which this log can be saved; empty for one that is read-only."""
        known = log.sessions[0].id if log.sessions else ""
        possible = MODES if self.new_session_id(known, 1) is not None else MODES[1:]
        return tuple(mode for mode in possible if not self.refuses(log, mode))

    def settle(self, before: Columns, after: Columns, raw: Callable[[int], bytes]) -> Settled:
        """What must change so that counts, ordinals and ranges that the log keeps of itself are true of `after`.

        `before` are the columns as read, `after` those of the finished draft (slots tell them apart), `raw` gives the
        bytes of a record of `after`.
        """
        return Settled()

    def side_edits(self, log: Log, after: Columns, raw: Callable[[int], bytes]) -> list[SideEdit]:
        """What must change in files beside the log when it is saved in place."""
        return []

    @abstractmethod
    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        """The record with its blocks edited; None when nothing of it remains."""

    @abstractmethod
    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """The JSON of one block (of the whole message, where a result is a message of its own)."""

    def holds_results(self, columns: Columns, record: int) -> bool:
        """For an `inline` format: whether the calls of this record keep their results in themselves."""
        return self.inline

    def can_answer(self, columns: Columns, row: int) -> bool:
        """Whether a placeholder can stand in for the result of the call in block `row`."""
        return True

    def beginning(self, columns: Columns, record: int) -> int:
        """The record that a new one is put before, so that it comes before the message in `record`."""
        return record

    def result_follows(self, columns: Columns, call: int, after: int) -> int:
        """The record that a new or moved result of a call in record `call` is put behind.

        `after` is the last record of the call's message, or of the results that follow it.
        """
        return after

    def in_between(self, columns: Columns, call: int) -> list[int]:
        """Records that the agent puts between a call in record `call` and its results, wherever these are written."""
        return []

    def cut_before(self, raw: bytes, at: int) -> bytes:
        """A compaction that cuts the history before its message number `at`, for one that cut through an exchange.

        The compaction as it is where none counts messages: then the cut stays a finding.
        """
        return raw

    def relinked(self, columns: Columns, record: int, raw: Callable[[int], bytes]) -> list[bytes]:
        """What takes the place of a record that hangs off nothing, in a format whose records name no parent.

        The record as it is behind a new one that it hangs off, or changed so that it hangs off one that is there.
        """
        return [raw(record)]

    @abstractmethod
    def placeholder(self, call: Call, text: str) -> bytes:
        """A result block that says that no result was recorded."""

    def result(self, call: Call, text: str) -> bytes | None:
        """A result block with the text of a real result that did not fail; None where a text alone cannot make one."""
        return None

    @abstractmethod
    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        """A new record with result blocks, for a call in the record `like`. `seed` makes its id, if it has one."""

    def can_invent(self, columns: Columns, row: int) -> bool:
        """Whether a call can be invented for the result in block `row`."""
        return False

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        """New records with `note` and a call without input, for a result without a call that stands at `call`."""
        return []

    def assistant_record(self, text: str) -> bytes:
        """A new record with words of the assistant, in a format that `bridges`."""
        return b""

    def fit(self, raw: bytes, beside: bytes) -> bytes:
        """A record in the form that it takes beside another one, where the records of a log differ in form."""
        return raw

    @abstractmethod
    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """What stands where result `ordinal` stood, when it is kept as quoted text."""

    def lacking(self, block: bytes) -> str:
        """The member without which the API takes a call for none, "" where it lacks none."""
        return ""

    def shaped(self, block: bytes) -> bytes:
        """A call with the members that it lacks."""
        return block

    def signed(self, block: bytes) -> bytes:
        """A call of the model with what its provider takes for a signature that is lost; as it is where nothing is."""
        return block

    @abstractmethod
    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        """A new record with a user's text, to stand before the record `like`."""

    def as_note(self, raw: bytes) -> bytes:
        """Drop what a record says of a result that is now a note."""
        return raw

    # saving as a new session

    def new_session_id(self, old: str, attempt: int) -> str | None:
        """The id of a session made from `old` (the file's name, too); None where the format does not allow one."""
        return None

    def session_file(self, log: Log, session_id: str) -> str:
        """The name of the file of a session in its store folder."""
        return f"{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        """The folder in which the agent looks for the sessions of this log's project, None when it is not known."""
        return None

    def renamed(self, raw: bytes, old: str, new: str) -> bytes:
        """A record under a new session id."""
        return raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> tuple[tuple[str, ...], str]:
        """What the person does after saving to `path`: numbered steps, and the command to copy ("" when none)."""
        return (("Send the repaired messages with your next request.",), "")

    def copy_steps(self, log: Log, path: str) -> tuple[tuple[str, ...], str]:
        """What the person does with a repaired copy at `path`: steps, and the command to copy ("" when none)."""
        name = os.path.basename(log.source.path)
        return (f"Under this name the agent does not resume it: it looks for {name} in its own folder.",), ""
