"""The interface of a format for writing repairs: edits of blocks, new records, derived counts and new ids."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.core.formats.base.format import Format
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log

SAVE_MODES = ("new-session", "copy", "in-place")


class CallContext(Struct, frozen=True):
    """A call as a repair needs it: its id and name, the record that holds it, and the pointer of the call in it."""

    id: str
    name: str
    raw: bytes
    pointer: str


class BlockEdits(Struct):
    """The edits of the blocks of one record, by their ordinal in it. `insert` puts JSON before an ordinal.

    `answers` gives results to calls that hold their own results, by the ordinal of the call. `names` are the new names
    of tools, for a call and for a result that names its tool. `add_to_listing` are calls that are also put where the
    agent reads them. `drop_binding_id`: the item loses the id by which the provider knows what it belongs to.
    `drop_own_id`: it loses its own id.
    """

    drop: set[int] = set()
    replace: dict[int, bytes] = {}
    rename: dict[int, str] = {}
    inputs: dict[int, bytes] = {}
    insert: list[tuple[int, bytes]] = []
    answers: dict[int, bytes] = {}
    names: dict[int, str] = {}
    add_to_listing: set[int] = set()
    no_empty_calls: bool = False
    drop_binding_id: bool = False
    drop_own_id: bool = False

    def for_block(self, ordinal: int) -> tuple[str | None, bytes | None, str | None]:
        """Return the new id, input and name of a call or result, None for what stays."""
        return self.rename.get(ordinal), self.inputs.get(ordinal), self.names.get(ordinal)


class DerivedUpdates(Struct):
    """Changes in a finished draft that make the counts of the log correct again, by record of the draft's columns.

    `added` are records by the one that they follow. `pointer` is the field of the replaced records that changes.
    """

    replaced: dict[int, bytes] = {}
    deleted: set[int] = set()
    added: list[tuple[int, bytes]] = []
    reason: str = "adjusts a count to the records that the repair added or dropped"
    pointer: str = ""


class SidecarEdit(Struct, frozen=True):
    """A file next to the log that must change with it: its new bytes, and a sentence for the person."""

    path: str
    after: bytes
    sentence: str


# Ids for what a repair adds depend only on its place in the log, so that the same log always gets the same repair.

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")  # loads OpenSSL, which a check never needs

_LONGEST_ID = 40  # every provider accepts this length
_ANYTHING = "(?s:.+)"
_UUID_NAMESPACE = bytes.fromhex("6f1a6a2e5d0e5b539a527f0a5c1f7e11")


def deterministic_uuid(seed: str) -> str:
    """Return a version 5 UUID that depends on `seed` alone."""
    digest = hashlib.sha1(_UUID_NAMESPACE + seed.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    octets = bytearray(digest.digest()[:16])
    octets[6], octets[8] = octets[6] & 0x0F | 0x50, octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


class UsedIds(set[str]):
    """Ids that are taken, and are never given back. So the numbers that were tried for a name are not tried again."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        super().__init__(ids)
        self._numbers: dict[tuple[str, str], count[int]] = {}

    def numbers(self, wanted: str, pattern: str = "", start: int = 2) -> count[int]:
        """Return the numbers that were not yet tried for a name and a pattern."""
        return self._numbers.setdefault((wanted, pattern), count(start))

    def take(self, ids: Iterable[str]) -> str:
        """Return the first of `ids` that is new, and mark it as taken."""
        new = next(id for id in ids if id not in self)
        self.add(new)
        return new


def make_unused_id(wanted: str, taken: UsedIds) -> str:
    """Return `wanted` with the smallest number that makes it new, and mark it as taken.

    The number follows a hyphen: Claude Code 2.1.330 takes an id that is an earlier id, an underscore and digits for a
    copy, and sends a placeholder instead of its result. It sends the result of `call-2` (run on both).
    """
    return taken.take(f"{wanted}-{number}" for number in taken.numbers(wanted))


def make_valid_id(wanted: str, pattern: str, taken: UsedIds) -> str:
    """Return a new id that fully matches `pattern` and keeps as much of `wanted` as possible. Mark it as taken."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "-", wanted)[:_LONGEST_ID] or "call"
    begin, fits = plain[: _LONGEST_ID - 8], re.compile(pattern or _ANYTHING).fullmatch
    if fits(plain) and plain not in taken:
        return taken.take((plain,))
    if fits(f"{begin}-2"):
        return taken.take(f"{begin}-{number}" for number in taken.numbers(begin))
    # A pattern of a certain length (nine letters and digits): take the digits of a UUID that depends on the old id.
    seeds = (deterministic_uuid(f"{wanted} {number}").replace("-", "") for number in taken.numbers(wanted, pattern, 0))
    return taken.take(filter(None, (_longest_matching_prefix(seed, pattern) for seed in seeds)))


def _longest_matching_prefix(text: str, pattern: str) -> str:
    """Return the longest prefix of a text that fully matches a pattern, "" when none does."""
    starts = (text[:length] for length in range(len(text), 0, -1))
    return next((start for start in starts if re.fullmatch(pattern, start)), "")


class Writer(Format):
    """A format that can be written back."""

    can_reorder_blocks = False
    """The blocks of a message are a list, and can be reordered."""
    can_invent_calls = False
    """A call can be invented for a result that has none: see `call_records`."""

    def save_refusal(self, log: Log, mode: str) -> str:
        """Return why this log cannot be saved by `mode` (copy, in-place, new-session), and what to do instead.

        Return "" when it can be saved.
        """
        return ""

    writes_compressed = False
    """Its agent reads compressed logs only as it writes them itself, so that `stored_pieces` compresses them again."""

    def stored_pieces(self, name: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
        """Return the bytes of the file `name` with the log in `pieces`: compressed, if its agent requires that."""
        return pieces

    def messages_within(self, raw: bytes) -> list[tuple[int, int, bytes]]:
        """Return the messages within a line that are records of their own: where each is, and its record.

        They can only be replaced.
        """
        return []

    # the blocks of a record

    @abstractmethod
    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        """Return the record with its blocks edited, None when nothing of it remains."""

    def with_required_members(self, block: bytes) -> bytes:
        """Add the members that a call lacks."""
        return block

    def with_signature(self, block: bytes) -> bytes:
        """Add what the provider accepts in place of a lost signature to a call, where there is such a value."""
        return block

    def without_result_data(self, raw: bytes) -> bytes:
        """Remove the data about a result that is now a note from a record."""
        return raw

    # results

    def holds_results(self, columns: Columns, record: int) -> bool:
        """Return whether the calls of this record hold their own results. For a format with `inline_results`."""
        return self.inline_results

    @abstractmethod
    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """Return a result block with a text, or the whole record where a result is a record of its own.

        A placeholder for a result has `failed`, too: the wire's error flag says only that it is no real result. Time
        and parent come from `call.raw`, the record of the call.
        """

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        """Return whether a text alone is a valid result of a call that did not fail."""
        return True

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        """Return a new record with result blocks for a call in the record `like`.

        `seed` makes its id, if it has one.
        """
        return blocks[0]

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """Return the block or record that replaces result `ordinal` when it is kept as quoted text."""
        return self.user_record(raw, text, "")

    def media_of(self, result: Any) -> Iterable[Any]:
        """Return the parts of a parsed result that `quoted_result` keeps next to the text."""
        return ()

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Return the record after which a new or moved result of a call in record `call` is put.

        `after` is the last record of the call's message, or of the results that follow it.
        """
        return after

    def records_before_results(self, columns: Columns, call: int) -> list[int]:
        """Return the records that the agent puts between a call in record `call` and its results."""
        return []

    def detached_call_anchor(self, columns: Columns, call: int) -> int:
        """Return the record after which a call belongs that is apart from its message, -1 where it is in place."""
        return -1

    def match_form(self, raw: bytes, beside: bytes) -> bytes:
        """Return a record in the form of its neighbour `beside`, where the records of a log differ in form."""
        return raw

    # calls and messages

    def can_invent(self, columns: Columns, row: int) -> bool:
        """Return whether a call can be invented for the result in block `row`."""
        return self.can_invent_calls

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        """Return new records with `note` and a call without input, for a result without a call, described by `call`."""
        return []

    @abstractmethod
    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        """Return a new record with a user's text, which will precede the record `like`."""

    def assistant_record(self, text: str) -> bytes:
        """Return a new record with a text of the assistant between two others, b"" where there can be none."""
        return b""

    def insertion_start(self, columns: Columns, record: int) -> int:
        """Return the record before which a new one must be put to precede the message in `record`."""
        return record

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        """Return the replacement for a record without a parent, in a format whose records name no parent.

        This is the record as it is, after a new one that becomes its parent, or the record changed to continue one that
        is there. `session_id` is for a new header.
        """
        return [raw(record)]

    def renumber_from(self, columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, bytes | None]]:
        """Yield the lines from `record` on that change when they are numbered on from the line before it.

        None stands for a line that is dropped: it repeats an earlier one under its number, or is one more header.
        """
        return iter(())

    def move_cut(self, raw: bytes, at: int) -> bytes:
        """Return a compaction that cuts the history before its message number `at`.

        `raw` is one that cut an exchange in two. Return it unchanged where it counts no messages: then the cut remains
        a finding.
        """
        return raw

    # the log as a whole

    def standalone_lines(self, log: Log) -> list[tuple[int, bytes]]:
        """Return the lines of a log that continues others with what it continues copied into it.

        Each line comes with the offset of its original. The lines are those of a log that continues nothing. The list
        is empty if no such log can be written.
        """
        return []

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
        """Return the changes that make counts, ordinals and ranges in the log correct for `after`.

        `before` are the columns as read, `after` those of the finished draft; their stable numbers connect them. `raw`
        returns the bytes of a record of `after`.
        """
        return DerivedUpdates()

    def sidecar_edits(self, log: Log, after: Columns, raw: ReadRecord) -> list[SidecarEdit]:
        """Return the changes in files next to the log when it is saved in place."""
        return []
