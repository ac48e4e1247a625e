"""What the product says and does about a log, in the agent's home."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.support import product

HISTORIES = ("messages", "input", "contents")  # the field of a prediction that holds the history, by wire


@dataclass(frozen=True)
class Prediction:
    """What the agent will send of a log, and whether its provider would refuse that, or nothing be sent at all.

    `silent` is why there is no prediction, "" when there is one.
    """

    wire: str = ""
    messages: tuple[dict[str, Any], ...] = ()
    refuses: bool = False
    silent: str = ""


@dataclass(frozen=True)
class Repair:
    """`output` is what was written, None for nothing; `reason` says why."""

    code: int
    output: Path | None
    reason: str


def predicted(log: Path, *more: str) -> Prediction:
    answer = product.sent(log, *more)
    if answer.code:
        return Prediction(silent=answer.reason.removeprefix(f"{log}: "))
    said = answer.report
    messages = next(said[field] for field in HISTORIES if field in said)
    return Prediction(said["wire"], tuple(messages), said["outcome"] == "refuses")


def repaired(log: Path, how: str) -> Repair:
    """`how` is a way of saving that needs no name: "in place", "new session"."""
    answer = product.repair(log, None, f"--{how.replace(' ', '-')}")
    output, reason = answer.report["output"], answer.report["reason"]
    return Repair(answer.code, Path(output) if output else None, reason or "")


@contextlib.contextmanager
def at_home(home: Path) -> Iterator[None]:
    """As if the person's home were this one: a new session is written where the agent looks for it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with mock.patch.dict(os.environ, others | {"HOME": str(home)}, clear=True):
        yield
