"""Putting a trial to the product: the commands, in this process, and all that they say and leave on disk."""

from __future__ import annotations

import json
import os
import re
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any
from unittest import mock

from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine import program_faults
from tests.robustness.fuzz.lying import lying, raw
from tests.robustness.fuzz.trial import Trial
from tests.robustness.fuzz.watch import Hangs, watched
from tests.robustness.properties.records import Contents
from tests.support.room import ROOM


@dataclass(frozen=True)
class Said:
    """What a command printed and its exit code; `fault` is where the program itself failed, with its traceback.

    `hung` is where it was when its time was up.
    """

    words: tuple[str, ...]
    code: int = 0
    out: str = ""
    err: str = ""
    fault: tuple[str, str] | None = None
    hung: str = ""

    @property
    def is_json(self) -> bool:
        return "json" in self.words or self.words[0] == "sent"

    @property
    def report(self) -> dict[str, Any]:
        """What it printed as JSON, {} for what is none."""
        try:
            value = json.loads(self.out)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def sessions(self) -> list[dict[str, Any]]:
        return list(self.report.get("sessions", ()))


@dataclass
class Seen:
    """A trial and all that was seen of it.

    `said` holds answers by what was asked: check, in words, repair, its outcome (a check), again (a repair of the
    outcome, where that is another log), sent, explain, more. Where the repair told to name the format of the outcome,
    that is done, and `unnamed` is a check without. `log`, `out` and `again` are what lies there; `strays` names what
    nobody asked for.
    """

    trial: Trial
    log: Contents
    said: dict[str, Said] = field(default_factory=dict)
    out: Contents | None = None
    again: Contents | None = None
    aside: bytes = b""
    strays: list[str] = field(default_factory=list)

    @property
    def sessions(self) -> list[dict[str, Any]]:
        return self.said["check"].sessions

    @property
    def format(self) -> str:
        return str(next((each["format"] for each in self.sessions), None))

    @property
    def verdicts(self) -> set[str]:
        return {each["verdict"] for each in self.sessions}


def ask(trial: Trial) -> Seen:
    """All that is asked, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=ROOM) as room, _workplace(Path(room)):
        folder = Path(room)
        for name, data in trial.files.items():
            path = folder / "log" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        log = folder / "log" / trial.log
        out, again, more = (folder / name / log.name for name in ("out", "again", "more"))
        before = raw(folder / "log")
        seen = Seen(trial, lying(log))
        _ask_all(seen, log, out, again, more)
        if os.path.lexists(out):
            seen.out = lying(out)
            beside = Path(f"{out}.quarantine")
            seen.aside = beside.read_bytes() if beside.is_file() else b""
        seen.again = lying(again) if os.path.lexists(again) else None
        seen.strays = list(_strays(folder, (out, again, more)))
        if raw(folder / "log") != before:
            seen.strays.append("log: it was written to")
    return seen


def _ask_all(seen: Seen, log: Path, out: Path, again: Path, more: Path) -> None:
    trial, said = seen.trial, seen.said
    said["check"] = run("check", str(log), "--format", "json")
    said["in words"] = run("check", str(log))
    said["repair"] = run("repair", str(log), "-o", str(out), *trial.choices, "--format", "json")
    said["sent"] = run("sent", str(log))
    if os.path.lexists(out):
        named = _to_be_named(said["repair"])
        said["outcome"] = run("check", str(out), *named, "--format", "json")
        if lying(out) != seen.log:  # the same bytes give the same repair
            said["again"] = run("repair", str(out), "-o", str(again), *named, *trial.choices)
        if named:
            said["unnamed"] = run("check", str(out), "--format", "json")
    if trial.error:
        said["explain"] = run("explain", "--error", trial.error, str(log))
    if trial.more:
        said["more"] = run(trial.more[0], str(log), *trial.more[1:], "-o", str(more))


def _to_be_named(repair: Said) -> list[str]:
    """The option that a repair told to open its outcome with, if it did."""
    told = " ".join(repair.report.get("warnings", ()))
    match = re.search(r"\((--log-format) (\S+)\)", told)
    return [*match.groups()] if match else []


def run(*words: str) -> Said:
    """One command, watched."""
    gate = _Gate()
    try:
        with mock.patch.object(program_faults, "program_fault_sentence", gate), watched():
            result = CliRunner().invoke(main, list(words))
    except Hangs as stopped:
        return Said(words, hung=stopped.place)
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        gate(error)
    return Said(words, result.exit_code, _text(result.stdout_bytes), _text(result.stderr_bytes), gate.fault)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class _Gate:
    """Stands in for the sentence of the last gate, and keeps the place."""

    def __init__(self) -> None:
        self.fault: tuple[str, str] | None = None
        self.sentence = program_faults.program_fault_sentence

    def __call__(self, error: BaseException) -> str:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "inspector" in PurePath(frame.filename).parts] or frames
        place = f"{PurePath(own[-1].filename).name}, {own[-1].name}" if own else "nowhere"
        self.fault = (f"{type(error).__name__} in {place}", "".join(traceback.format_exception(error)))
        return self.sentence(error)


@contextmanager
def _workplace(room: Path) -> Iterator[None]:
    """The folders of a trial; what the program puts into the current or the temporary one is found there."""
    for name in ("log", "out", "again", "more", "tmp", "here", "home"):
        (room / name).mkdir()
    here, temporary = Path.cwd(), tempfile.tempdir
    os.chdir(room / "here")
    tempfile.tempdir = str(room / "tmp")
    try:
        with mock.patch.dict(os.environ, {"HOME": str(room / "home"), "TMPDIR": str(room / "tmp")}):
            yield
    finally:
        os.chdir(here)
        tempfile.tempdir = temporary


def _strays(room: Path, asked: tuple[Path, ...]) -> Iterator[str]:
    """What lies there and was not asked for: the outcomes may have set-aside bytes beside them."""
    named = {str(path) for path in asked} | {f"{path}.quarantine" for path in asked}
    for folder in ("out", "again", "more", "tmp", "here", "home"):
        for path in sorted((room / folder).rglob("*")):
            if path.is_file() and named.isdisjoint(map(str, (path, *path.parents))):
                yield f"{folder}: {path.relative_to(room / folder)}"
