"""What the fake model says, in no wire's spelling: a script is a list of these, one for each request of a turn."""

from dataclasses import dataclass
from itertools import count
from typing import Any

_numbers = count(1)


def fresh(prefix: str) -> str:
    """An id that no earlier answer of this process carries: agents join messages by their ids."""
    return f"{prefix}{next(_numbers):06}"


@dataclass(frozen=True)
class Call:
    """A call to a tool of the agent; its id is the agent's business on wires that do without."""

    id: str
    tool: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Say:
    """One answer of the model; `never` holds the answer back until the agent is gone.

    `read` is how many tokens the provider says that it read.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    never: bool = False
    read: int = 100


DONE = Say("Done.")
ASIDE = Say('{"title": "A session", "isNewTopic": false}')  # to requests that are no turn: titles, topics
