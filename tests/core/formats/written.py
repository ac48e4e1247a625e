"""What the tests know of one format."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.judges import Judge
from tests.support.notation import History

# The members in which messages say something.
SAYS = frozenset("role content parts tool_calls toolCalls tool_call_id thoughts text name toolCallResult".split())


def by_role(value: dict[str, Any]) -> bool:
    """Whether an object is a message: one that has a role, and says something."""
    return isinstance(value.get("role"), str) and not SAYS.isdisjoint(value.keys() - {"role", "name"})


@dataclass(frozen=True)
class WrittenFormat:
    """One format, as the tests write and load it.

    `write(history, folder)` puts a log into the folder and returns its path (a file, or a folder); `load(path)` is the
    agent's own reader; `judge` tells what the provider refuses, `provider` is its profile. `cannot` names the classes
    (R5) and cases (T12) that cannot occur, each with the reason. `tear` cuts the last record in the middle. `in_order`
    judges in the place of a provider that finds outputs by their id, for those that want them right behind their calls.
    `holds_calls`: there are calls in it, which the cases can break. `written_back`: the product repairs it; a
    format that is only judged is written by the tests, and not repaired. `also` are further words by which the cases
    differ for it (`keeps-inputs`: an input that is no object is kept, and flagged). `load` gives neighbouring results
    as one turn.

    `new_session`: a log like this can be saved as a new session, if its format can.

    `is_message` tells an object of a record that holds a message, where one is not known by its `role`; `says` are
    members in which a message says something, and `bookkeeping` those of times and ids, beside the usual.
    `counts_messages` says that a session keeps the number of its messages, which `load` then checks.
    """

    name: str
    write: Callable[[History, Path], Path]
    load: Callable[[Path], History]
    judge: Judge
    cannot: dict[str, str] = field(default_factory=dict)
    tear: Callable[[Path], None] | None = None
    provider: str = "anthropic"
    in_order: Judge | None = None
    holds_calls: bool = True
    written_back: bool = True
    new_session: bool = True
    also: tuple[str, ...] = ()
    is_message: Callable[[dict[str, Any]], bool] = by_role
    says: tuple[str, ...] = ()
    bookkeeping: tuple[str, ...] = ()
    counts_messages: bool = False


# The profile of the servers of OpenAI's Responses API that want every output right behind its call.
IN_ORDER = "responses-in-order"
NO_IDS = {"T32": "an id may be left out: a call without one is bound by its name"}
NO_DEVELOPER = {"T12": "it has no message of a developer between the others"}
NO_THINKING = dict.fromkeys(("T44", "T46"), "it keeps no thinking, or sends none")
NO_BLANKS = {"T54": "a text of no length is not kept, or not sent"}
RESULTS_IN_CALLS = {"T02": "a result is written into its call, so that none stands behind the next call"}
RESULTS_FIRST = {"T35": "the results of a turn are written before its text, whatever came first"}


def file_writer(name: str, render: Callable[[History], bytes]) -> Callable[[History, Path], Path]:
    """A `write` for a format that is one file called `name`."""

    def write(history: History, folder: Path) -> Path:
        path = folder / name
        path.write_bytes(render(history))
        return path

    return write


def tear_file(path: Path) -> None:
    """Cut a file in the middle of its last line (or of its last third, when it is one line)."""
    data = path.read_bytes().rstrip(b"\n")
    start = data.rfind(b"\n") + 1
    path.write_bytes(data[: start + (len(data) - start) * 2 // 3])
