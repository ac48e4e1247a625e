"""How a repair is spelled in a format: what who changes a log asks of it."""

from abc import abstractmethod
from collections.abc import Iterator

from inspector.core.formats.bases.edits import BlockEdits, Call, Settled, SideEdit
from inspector.core.formats.bases.format import Format
from inspector.core.index.columns import Columns, ReadRecord
from inspector.core.index.session import Log


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
    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        """A result block with a text; the whole record, where a result is one of its own.

        What stands in for a result has `failed`, too: the wire's error flag says only that it is none. `call.raw` is
        the record of the call: time and parent come from there.
        """

    def text_is_enough(self, call: Call, text: str) -> bool:
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

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
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

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> Settled:
        """What must change so that counts, ordinals and ranges that the log keeps of itself are true of `after`.

        `before` are the columns as read, `after` those of the finished draft (slots tell them apart), `raw` gives the
        bytes of a record of `after`.
        """
        return Settled()

    def sidecar_edits(self, log: Log, after: Columns, raw: ReadRecord) -> list[SideEdit]:
        """What must change in files beside the log when it is saved in place."""
        return []
