"""The edits of a repair with their locations, and the losses with their reasons."""

from msgspec import Struct

from inspector.core.model.views import RecordLocation


class Edit(Struct, frozen=True, kw_only=True):
    """One change. `action` is insert, delete, move or replace. `record` is None for an added record.

    `pointer` names the field or block of a record that stays: in the log as read, or for an inserted block in the
    outcome. `to` is the record that a moved or added one follows, None for none. `before` and `after` are the JSON
    texts of the record or of that field; a moved record that stays the same has no `before`. `place` is the location of
    the record in the log as read, None for an added one. `beside` is the location of the record that a moved or added
    one follows, or comes before where `to` is None.
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
        """Whether the edit follows from other edits, and answers no finding."""
        return self.action == "replace" and not self.findings


class Reason(Struct, frozen=True):
    """The reason for an edit of a record: the finding, a sentence, and the field or the origin of the block.

    `moves` is true where the block is only moved within its record.
    """

    finding: str
    text: str
    pointer: str = ""
    block: int | None = None
    moves: bool = False


class Loss(Struct, frozen=True):
    """Something of the input that is not in the output.

    `kind` is result, text, call, reasoning, media or bytes.
    """

    kind: str
    text: str
    reason: str
    record: int | None = None


class QuarantinedBytes(Struct, frozen=True):
    """Damaged bytes that are kept next to the output, with their offset in the log."""

    offset: int
    bytes: bytes
