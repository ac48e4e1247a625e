"""How a repair is spelled in a format: what who changes a log asks of it.

Merged; to be rewritten:
`edits`: What a repair asks a format to write: edits of blocks, counts that are settled, files beside the log.
`new_ids`: Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.formats.base.format import Format
from inspector.core.lazy import LazyModule
from inspector.core.model.columns import Columns, ReadRecord
from inspector.core.model.session import Log

# What a repair asks a format to write: edits of blocks, counts that are settled, files beside the log.

SAVE_MODES = ("new-session", "copy", "in-place")


class CallContext(Struct, frozen=True):
    """A call as a repair needs it: its id, name, the record it stands in, and where its new result will hang."""

    id: str
    name: str
    raw: bytes
    pointer: str


class BlockEdits(Struct):
    """What happens to the blocks of one record, by their ordinal in it. `insert` puts JSON before an ordinal.

    `answers` gives results to calls that keep theirs in themselves, by the ordinal of the call. `names` are the new
    names of tools, for a call and for a result that names its tool; `listed` are calls to be put where the agent reads
    them, too. `unbind`: the item goes without the id by which the provider knows what it belongs to; `unnamed`: without
    its own id, whatever it is.
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
        """The id, the input and the name that a call or result gets, None for what stays."""
        return self.rename.get(ordinal), self.inputs.get(ordinal), self.names.get(ordinal)


class DerivedUpdates(Struct):
    """What a format changes in a finished draft so that its own counts hold again, by record of the draft's columns.

    `added` are records by the one that they follow; `pointer` is the field of the replaced ones that changes.
    """

    replaced: dict[int, bytes] = {}
    deleted: set[int] = set()
    added: list[tuple[int, bytes]] = []
    reason: str = "counts records that the repair added or dropped"
    pointer: str = ""


class SidecarEdit(Struct, frozen=True):
    """A file beside the log that must change with it: its new bytes whole, and a sentence for the person."""

    path: str
    after: bytes
    sentence: str


# Ids for what a repair adds: made from where it stands, so that the same log always gives the same repair.

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")  # loads OpenSSL, which a check never needs

_LONGEST_ID = 40  # what every provider takes
_UUID_NAMESPACE = bytes.fromhex("6f1a6a2e5d0e5b539a527f0a5c1f7e11")


def deterministic_uuid(seed: str) -> str:
    """A version 5 UUID that depends on `seed` alone."""
    whole = hashlib.sha1(_UUID_NAMESPACE + seed.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    name = bytearray(whole.digest()[:16])
    name[6], name[8] = name[6] & 0x0F | 0x50, name[8] & 0x3F | 0x80
    text = name.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class UsedIds(set[str]):
    """Ids that are taken, never to be given back: the numbers that were tried for a name need no second look."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        super().__init__(ids)
        self._numbers: dict[tuple[str, str], count[int]] = {}

    def numbers(self, wanted: str, pattern: str = "", start: int = 2) -> count[int]:
        """The numbers that were not yet tried for a name and a pattern."""
        return self._numbers.setdefault((wanted, pattern), count(start))

    def take(self, ids: Iterable[str]) -> str:
        """The first of `ids` that is new; it is taken now."""
        new = next(each for each in ids if each not in self)
        self.add(new)
        return new


def unused_id(wanted: str, taken: UsedIds) -> str:
    """`wanted` with the smallest number that makes it new; the result is taken."""
    return taken.take(f"{wanted}_{number}" for number in taken.numbers(wanted))


def valid_id(wanted: str, pattern: str, taken: UsedIds) -> str:
    """A new id that matches `pattern` as a whole: as much of `wanted` as it takes; the result is taken."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", wanted)[:_LONGEST_ID] or "call"
    if re.fullmatch(pattern, plain):
        begin = plain[: _LONGEST_ID - 8]
        return taken.take(chain((plain,), (f"{begin}_{number}" for number in taken.numbers(begin))))
    # A pattern of a certain length (nine letters and digits): those of a UUID that depends on the old id.
    seeds = (deterministic_uuid(f"{wanted} {number}").replace("-", "") for number in taken.numbers(wanted, pattern, 0))
    return taken.take(filter(None, (_longest_matching_prefix(seed, pattern) for seed in seeds)))


def _longest_matching_prefix(text: str, pattern: str) -> str:
    """The longest beginning of a text that matches a pattern as a whole, "" when none does."""
    starts = (text[:length] for length in range(len(text), 0, -1))
    return next((start for start in starts if re.fullmatch(pattern, start)), "")


class Writer(Format):
    """A format that can be written back."""

    quotes_keep_media = False
    """A result kept as quoted text keeps its images beside it."""
    can_reorder_blocks = False
    """The blocks of a message stand in a list, and can be put in another order."""
    can_invent_calls = False
    """A call can be invented for a result that has none: see `call_records`."""

    def save_refusal(self, log: Log, mode: str) -> str:
        """Why this log cannot be saved by `mode` (copy, in-place, new-session), and what can be done instead.

        "" when it can.
        """
        return ""

    # the blocks of a record

    @abstractmethod
    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        """The record with its blocks edited; None when nothing of it remains."""

    def with_required_members(self, block: bytes) -> bytes:
        """A call with the members that it lacks."""
        return block

    def with_signature(self, block: bytes) -> bytes:
        """A call of the model with what its provider takes for a signature that is lost; as it is where nothing is."""
        return block

    def without_result_data(self, raw: bytes) -> bytes:
        """Drop what a record says of a result that is now a note."""
        return raw

    # results

    def holds_results(self, columns: Columns, record: int) -> bool:
        """For an `inline` format: whether the calls of this record keep their results in themselves."""
        return self.inline_results

    @abstractmethod
    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """A result block with a text; the whole record, where a result is one of its own.

        What stands in for a result has `failed`, too: the wire's error flag says only that it is none. `call.raw` is
        the record of the call: time and parent come from there.
        """

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        """Whether a text alone makes a result of a call that did not fail."""
        return True

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        """A new record with result blocks, for a call in the record `like`. `seed` makes its id, if it has one."""
        return blocks[0]

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """What stands where result `ordinal` stood, when it is kept as quoted text."""
        return self.user_record(raw, text, "")

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """The record that a new or moved result of a call in record `call` is put behind.

        `after` is the last record of the call's message, or of the results that follow it.
        """
        return after

    def records_before_results(self, columns: Columns, call: int) -> list[int]:
        """Records that the agent puts between a call in record `call` and its results, wherever these are written."""
        return []

    def detached_call_anchor(self, columns: Columns, call: int) -> int:
        """The record behind which a call in record `call` belongs that stands apart from its message, else -1."""
        return -1

    def match_form(self, raw: bytes, beside: bytes) -> bytes:
        """A record in the form that it takes beside another one, where the records of a log differ in form."""
        return raw

    # calls and messages

    def can_invent(self, columns: Columns, row: int) -> bool:
        """Whether a call can be invented for the result in block `row`."""
        return self.can_invent_calls

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        """New records with `note` and a call without input, for a result without a call that stands at `call`."""
        return []

    @abstractmethod
    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        """A new record with a user's text, to stand before the record `like`."""

    def assistant_record(self, text: str) -> bytes:
        """A new record with words of the assistant, to stand between two others; b"" where none can."""
        return b""

    def insertion_start(self, columns: Columns, record: int) -> int:
        """The record that a new one is put before, so that it comes before the message in `record`."""
        return record

    def relink(self, columns: Columns, record: int, raw: ReadRecord) -> list[bytes]:
        """What takes the place of a record that hangs off nothing, in a format whose records name no parent.

        The record as it is behind a new one that it hangs off, or changed so that it hangs off one that is there.
        """
        return [raw(record)]

    def renumber_from(self, columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, bytes]]:
        """The lines from `record` on that change when they are numbered on from the line before it."""
        return iter(())

    def move_cut(self, raw: bytes, at: int) -> bytes:
        """A compaction that cuts the history before its message number `at`, for one that cut through an exchange.

        The compaction as it is where none counts messages: then the cut stays a finding.
        """
        return raw

    # the log as a whole

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
        """What must change so that counts, ordinals and ranges that the log keeps of itself are true of `after`.

        `before` are the columns as read, `after` those of the finished draft (slots tell them apart), `raw` gives the
        bytes of a record of `after`.
        """
        return DerivedUpdates()

    def sidecar_edits(self, log: Log, after: Columns, raw: ReadRecord) -> list[SidecarEdit]:
        """What must change in files beside the log when it is saved in place."""
        return []
