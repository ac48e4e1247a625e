"""The terms in which a format is asked and answers: how to read, what to edit, what the agent does."""

from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from msgspec import Struct

from inspector.core.bytes.source import Source

MODES = ("new-session", "copy", "in-place")

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]
T = TypeVar("T")


class InParts(Protocol):
    """Reads a log in parts of whole lines: what `read` makes of each, in order. Close it, or take them all."""

    def __call__(
        self, read: Callable[[Source, "Reading"], T], source: Source, reading: "Reading"
    ) -> Generator[T, None, None]: ...


def whole(read: Callable[[Source, "Reading"], T], source: Source, reading: "Reading") -> Generator[T, None, None]:
    """A log as one part."""
    yield read(source, reading)


class Reading(Struct, frozen=True):
    """How a log is to be read: `deep` judges every byte, `limit` stops after so many bytes.

    `sound` is where what is known to be JSON ends: all lines before that byte are. `in_parts` reads a large log.
    """

    deep: bool = False
    limit: int | None = None
    progress: Progress | None = None
    cancelled: Cancelled | None = None
    sound: int = 0
    in_parts: InParts = whole

    def judged_from(self, offset: int) -> int | None:
        """From where on every byte of the chunk at `offset` is judged, None where a fast look is enough."""
        return self.sound - offset if self.deep else None


class Call(Struct, frozen=True):
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
    listed: set[int] = set()
    no_empty_calls: bool = False
    unbind: bool = False
    unnamed: bool = False

    def of(self, ordinal: int) -> tuple[str | None, bytes | None, str | None]:
        """The id, the input and the name that a call or result gets, None for what stays."""
        return self.rename.get(ordinal), self.inputs.get(ordinal), self.names.get(ordinal)


class OnResume(Struct, frozen=True):
    """What the agent itself does with this session: as-is, mends, refuses or unknown, and what it would lose.

    `answers` are calls that it gives results of its own, `writes` says what it puts into the file ("" for nothing),
    `error` what the provider, or the agent, answers where it cannot go on. `anew`: it goes on with an empty history.
    """

    agent: str
    outcome: str
    loses: tuple[str, ...] = ()
    label: str = ""
    answers: tuple[str, ...] = ()
    writes: str = ""
    error: str = ""
    anew: bool = False

    @property
    def heals(self) -> bool:
        """Whether the session goes on by itself and nothing of it is lost."""
        return self.outcome in ("mends", "as-is") and not self.loses

    @property
    def sentence(self) -> str:
        if self.agent == "unknown" and not self.label:
            return "What the agent would do with it is not known."
        goes_on = "begins anew" if self.anew else "mends it on resume"
        mends = f"{goes_on} and {self.writes}" if self.writes else "mends it in memory; the file stays as it is"
        does = {
            "as-is": "loads it as it is",
            "mends": mends,
            "refuses": "cannot go on with it",
            "unknown": "may or may not cope with it: not known for this version",
        }[self.outcome]
        answers = f"; it answers {' and '.join(self.answers)} in its own words" if self.answers else ""
        # "It": what stands before may be about the file.
        loses = "; it loses" if does == mends and not (self.writes or answers) else ", and loses"
        lost = f"{loses} {'; '.join(self.loses)}" if self.loses else ""
        error = f" ({self.error.rstrip('.')})" if self.error else ""
        return f"{self.label or self.agent} {does}{answers}{lost}{error}."


# What is lost where an agent goes no further up a chain of records, and with a line that it passes over, by rule.
BROKEN_CHAIN = {"G1": "everything before the break in the chain"}
LOOPED_CHAIN = {"G2": "everything before the loop in the chain"}
ENDLESS = ("the whole session: it walks the loop without end",)
UNREAD_LINES = {
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
}
# Of an agent that reads a line whose bytes are no UTF-8, with other letters in their place.
UNREAD_JSON = {rule: text for rule, text in UNREAD_LINES.items() if rule != "F5"}


def losses(table: dict[str, str], rules: set[str]) -> tuple[str, ...]:
    """What a table tells of some rules, each thing once."""
    return tuple(dict.fromkeys(text for rule, text in table.items() if rule in rules))


class Settled(Struct):
    """What a format changes in a finished draft so that its own counts hold again, by record of the draft's columns.

    `added` are records by the one that they follow; `pointer` is the field of the replaced ones that changes.
    """

    replaced: dict[int, bytes] = {}
    deleted: set[int] = set()
    added: list[tuple[int, bytes]] = []
    reason: str = "counts records that the repair added or dropped"
    pointer: str = ""


class SideEdit(Struct, frozen=True):
    """A file beside the log that must change with it: its new bytes whole, and a sentence for the person."""

    path: str
    after: bytes
    sentence: str
