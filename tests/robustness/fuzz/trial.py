"""One log of the fuzzer, and what is asked about it: all that two numbers stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from inspector.core.providers.registry import PROFILES
from inspector.core.repair.presets import PRESETS
from tests.robustness.fuzz.mutations import mutated
from tests.robustness.fuzz.seeds import SeedLog, seed_logs

ERRORS = (
    "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: {id}.",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "No tool output found for function call {id}.",
    '{{"error":{{"message":"messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: {id}"}}}}',
    "Please ensure that the number of function response parts is equal to the number of function call parts.",
)
_MORE = (
    ("convert", "--to", "anthropic"),
    ("convert", "--to", "openai", "--repaired"),
    ("convert", "--to", "markdown"),
    ("trim", "--keep", "2"),
    ("trim", "--fraction", "0.5", "--shrink-results", "20"),
)


@dataclass(frozen=True)
class Trial:
    """Files by their path under a folder; `changed` is the one that was mutated, and `did` says how.

    `choices` are options of `repair`; `error` is a text for `explain`, and `more` a command of those that write
    something else, "" and () where they are not asked for.
    """

    name: str
    seed_log: SeedLog
    files: Mapping[str, bytes]
    changed: str
    did: tuple[str, ...]
    choices: tuple[str, ...] = ()
    error: str = ""
    more: tuple[str, ...] = ()

    @property
    def log(self) -> str:
        """The path that is opened."""
        return self.seed_log.log

    @property
    def size(self) -> int:
        """How many bytes its files hold."""
        return sum(map(len, self.files.values()))


def trial(seed: int, number: int) -> Trial:
    """The trial of these numbers: the same in every process, on every machine."""
    random = Random(f"{seed}/{number}")
    seed_log = _dealt(f"{seed}/{number}")
    name = random.choice([*seed_log.files])
    data, did = mutated(random, seed_log.files[name])
    return Trial(
        f"{seed}/{number}",
        seed_log,
        {**seed_log.files, name: data},
        name,
        did,
        _choices(random),
        random.choice(ERRORS).format(id=random.choice(("A", "call_1", "toolu_01A"))) if random.random() < 0.3 else "",
        random.choice(_MORE) if random.random() < 0.2 else (),
    )


def _dealt(name: str) -> SeedLog:
    """The log of a trial, by the highest hash of both names: a new sample or format leaves the other trials alone."""
    return max(seed_logs(), key=lambda each: sha256(f"{name}/{each.name}".encode()).digest())


def _choices(random: Random) -> tuple[str, ...]:
    """Mostly none: that is what people ask for."""
    which = random.random()
    if which < 0.75:
        return ()
    return ("--preset", random.choice([*PRESETS])) if which < 0.88 else ("--profile", random.choice([*PROFILES]))
