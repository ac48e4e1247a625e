"""What came of a scenario: the cells of the table, and what was seen."""

from dataclasses import dataclass, field

from tests.interop.agents import ours
from tests.interop.agents.compare import difference
from tests.interop.agents.provider import Request
from tests.interop.agents.scenarios import Scenario

FAILED = "failed"  # the agent itself, before there was anything to judge
BROKEN = "broken"  # the name under which the broken session is kept


@dataclass(frozen=True)
class Cell:
    """What is said of one resume: a word for the table, and why."""

    word: str
    why: str = ""

    @property
    def no(self) -> bool:
        return self.word in ("no", FAILED)


YES = Cell("yes")


@dataclass
class Seen:
    """One resume: what was predicted, and what was sent (None: nothing was)."""

    prediction: ours.Prediction
    sent: Request | None

    def agrees(self) -> Cell:
        """Whether the prediction came true."""
        told = self.prediction
        if told.silent:
            return Cell("?", told.silent)
        if self.sent is None:
            return YES if told.refuses else Cell("no", "the agent sent nothing")
        if differs := difference(told.wire, [*told.messages], self.sent.messages):
            return Cell("no", differs)
        if told.refuses != bool(self.sent.refused):
            return Cell("no", f"refused: {self.sent.refused}" if self.sent.refused else "it was not refused")
        return YES


@dataclass
class Outcome:
    """A scenario of an agent: a cell for the broken log, one for each way of writing the repair.

    `log` is the log before it was broken, and the end of its name.
    """

    scenario: Scenario
    broken: Cell
    repaired: dict[str, Cell] = field(default_factory=dict)
    log: tuple[str, bytes] = ("", b"")
    seen: dict[str, Seen] = field(default_factory=dict)

    @property
    def worst(self) -> Cell:
        """Of the repairs."""
        return min(
            self.repaired.values(), key=lambda cell: (FAILED, "no", "?", "-", "yes").index(cell.word), default=Cell("-")
        )
