"""What a repair did, for the person: edits by place, and losses with their reasons."""

from msgspec import Struct

from inspector.core.model.views import RecordLocation


class Edit(Struct, frozen=True, kw_only=True):
    """One change. `action` is insert, delete, move or replace; `record` is None for an added record.

    `pointer` names the field, or the block, of a record that stays: in the log as read, or where a block that is put in
    stands afterwards. `to` is the record that a moved or added one follows (None: none). `before` and `after` are JSON
    texts of the record, or of that field; a moved record that stays the same has no `before`. `place` is where the
    record stands in the log as read, None for an added one, and `beside` where the one stands that a moved or added
    record follows, or that it comes before where `to` is None.
    """

    action: str
    record: int | None
    pointer: str = ""
    to: int | None = None
    before: str | None = None
    after: str | None = None
    findings: tuple[str, ...] = ()
    reason: str = ""
    place: RecordLocation | None = None
    beside: RecordLocation | None = None

    @property
    def is_consequence(self) -> bool:
        """Whether no finding asked for it: it follows from other edits."""
        return self.action == "replace" and not self.findings


class Reason(Struct, frozen=True):
    """Why a record is edited: the finding, a sentence, and the field or the origin of the block, where one is named.

    `moves`: the block stands elsewhere in its record, as it was.
    """

    finding: str
    text: str
    pointer: str = ""
    block: int | None = None
    moves: bool = False


class Loss(Struct, frozen=True):
    """Something of the input that is not in the output. `kind`: result, text, call, reasoning, media or bytes."""

    kind: str
    text: str
    reason: str
    record: int | None = None


class QuarantinedBytes(Struct, frozen=True):
    """Damaged bytes that are kept beside the output, with the offset they had in the log."""

    offset: int
    bytes: bytes
