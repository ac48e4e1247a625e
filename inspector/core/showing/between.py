"""Two logs of one conversation, as a front tells what is different."""

from msgspec import Struct

from inspector.core.index.place import RecordLocation
from inspector.core.known_texts.amounts import count_phrase
from inspector.core.showing.answers import OfferedResult

ONLY_FIRST, ONLY_SECOND, CHANGED, MOVED = "only-first", "only-second", "changed", "moved"


class ComparedLog(Struct, frozen=True):
    """One of the two logs."""

    path: str
    format: str
    verdict: str
    records: int


class LogDifference(Struct, frozen=True):
    """A record that only one log has (no place in the other), that says something else there, or stands elsewhere."""

    kind: str
    first: RecordLocation | None
    second: RecordLocation | None
    role: str
    summary: str


class LogComparison(Struct, frozen=True, kw_only=True):
    """Two logs beside each other. `same` counts the records that both hold in one order.

    `sessions`, `shared_records` and `shared_calls` (ids) tell that they are of one conversation. `counts` of the
    differences by kind may be more than the `differences` that are given, in the order of the conversation.
    `for_first` are results that the second holds for open calls of the first, `for_second` the other way round.
    """

    first: ComparedLog
    second: ComparedLog
    same: int
    sessions: tuple[str, ...]
    shared_records: int
    shared_calls: int
    counts: dict[str, int]
    differences: tuple[LogDifference, ...]
    for_first: tuple[OfferedResult, ...]
    for_second: tuple[OfferedResult, ...]

    @property
    def relation_sentence(self) -> str:
        """What tells that the logs are of one conversation, in a sentence."""
        found = (
            (self.shared_records, "id", "of records"),
            (self.shared_calls, "id", "of calls"),
            (0 if self.shared_records else self.same, "record", "with the same words"),
        )
        told = ["the same session id"] if self.sessions else []
        held = ", ".join([*told, *(f"{count_phrase(count, what)} {more}" for count, what, more in found if count)])
        return f"In both: {held}." if held else "Nothing tells that these are logs of one conversation."

    @property
    def is_equal(self) -> bool:
        return not any(self.counts.values())
