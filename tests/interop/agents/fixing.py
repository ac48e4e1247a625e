"""`fix` on a session whose agent was killed, or whose log is broken, up to the agent's next answer.

What a person does is done here: `fix` in the project's folder, without a path, then its last line in a shell. The line
runs as it was printed, and from another folder. Only the program that it names is a script here, which adds the words
with which the agent runs without a terminal.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from inspector.cli.options import DRY_RUN_REASON
from tests.interop.agents import ours
from tests.interop.agents.bench import write_session
from tests.interop.agents.compare import items, unkept
from tests.interop.agents.outcome import BROKEN, FAILED, YES, Cell
from tests.interop.agents.processes import Child
from tests.interop.agents.provider import Request
from tests.interop.agents.provider.script import Say
from tests.interop.agents.scenarios import Scenario
from tests.interop.agents.terminal import AtTerminal
from tests.interop.agents.workplace import AT_TERMINAL, GO_ON, GRACE, PROMPT, SECONDS, AgentFailed, Workplace
from tests.support import product

NAMES = (
    "healthy",
    "killed",
    "killed in second",
    "killed waiting",
    "killed, went on",
    "result lost",
    "last result lost",
    "result late",
    "torn last line",
    "damaged middle",
)
NOT_JUDGED = ("", "not-judged")
SHELLS = [shell for shell in ("bash", "dash", "zsh", "fish") if shutil.which(shell)]
PRODUCT, PRODUCT_COMMAND = "transcript-inspector", (sys.executable, "-m", "inspector")
SAVED, DRY_RUN = "The repaired session was saved and checked.", DRY_RUN_REASON
MOST_LINES = 6  # of what `fix` says before it saves, and before the command where it saves nothing
AGO = 3600 * 10**9  # nanoseconds; a session that may be running is not repaired
ANSWER = "The answer that came next."

Files = dict[str, str]


@dataclass(frozen=True)
class Run:
    """What `fix` printed, and its exit code."""

    code: int
    text: str

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.text.splitlines() if line.strip()]

    @property
    def command(self) -> str:
        """The last line, which resumes the session."""
        return self.lines[-1] if self.lines else ""

    @property
    def summary(self) -> list[str]:
        """What it says before it saves, or before the command where it saves nothing."""
        return self.lines[: self.lines.index(SAVED)] if SAVED in self.lines else self.lines[:-1]


@dataclass
class Fixed:
    """A row of the table. `wrote` are the new files, `sent` says what the agent sent after the command."""

    agent: str
    scenario: str
    cell: Cell = YES
    verdict: str = ""
    wrote: tuple[str, ...] = ()
    shell: str = ""
    command: str = ""
    sent: str = ""
    text: str = ""

    @property
    def row(self) -> tuple[str, ...]:
        wrote, judged = "\n".join(self.wrote) or "nothing", f"{self.cell.word} {self.cell.why}".rstrip()
        return self.agent, self.scenario, self.verdict, wrote, f"{self.shell}: {self.command}", self.sent, judged


def fixes(place: Workplace, scenarios: Sequence[Scenario]) -> Iterator[Fixed]:
    """The scenarios, each on its own copy of the session that it rests on, and each in another shell."""
    made: set[str] = set()
    for scenario, shell in zip(scenarios, cycle(SHELLS), strict=False):
        row = Fixed(place.agent.name, scenario.name, shell=shell)
        try:
            if scenario.base not in made:
                write_session(place, scenario)
                made.add(scenario.base)
            place.put_back(scenario.base)
            with ours.at_home(place.home):
                row.cell = _fix(place, scenario, row)
        except AgentFailed as error:
            row.cell = Cell(FAILED, str(error))
        yield row


def _fix(place: Workplace, scenario: Scenario, row: Fixed) -> Cell:
    """Break the session, fix it, and go on with it. Fill in what is seen."""
    if scenario.continues:
        place.resume(place.agent.session(place.log))
    log = place.log
    if scenario.broken and not place.agent.breaking.breaks(log, scenario.broken):
        return Cell("-", "its log cannot be broken so")
    there = place.agent.breaking.results(log)
    place.environment()  # writes its settings
    make_older(place.home)
    row.verdict = verdict_of(log)
    if row.verdict in NOT_JUDGED:
        return Cell("?", "its log is not judged")
    before = files_in(place.home)
    dry = _run(place, "--dry-run")
    untouched = files_in(place.home) == before
    run = _run(place, "--yes")
    row.text = run.text
    after = files_in(place.home)
    row.wrote, row.command = new_files(before, after), run.command
    is_broken = row.verdict == BROKEN
    reasons = (
        judge_run(dry, is_broken, [], dry=True),
        "" if untouched else "the dry run changed a file",
        judge_run(run, is_broken, changed_files(before, after)),
        judge_command(run.command, place.agent.typed, place.agent.depends_on_folder),
        "" if is_broken == bool(row.wrote) else "what is broken is saved anew, and nothing else",
    )
    if wrong := next(filter(None, reasons), ""):
        return Cell("no", wrong)
    sent, said = follow(place, row.shell, run.command)
    row.sent = summary(sent)
    return judge_sent(sent, scenario.real, there, is_broken) or _judge_answer(said)


def verdict_of(log: Path) -> str:
    """The verdict on a log with one session, as the product's `check` says it; "" where it does not judge it."""
    sessions = product.check(log).report.get("sessions", [])
    return str(sessions[-1]["verdict"]) if sessions else ""


def make_older(home: Path) -> None:
    """Set the times of all files back, as if the agent had been killed a while ago. Their order stays."""
    for path in home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            old = path.stat()
            os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns - AGO))


def files_in(home: Path) -> Files:
    """The files below a folder, and what is in them."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


def changed_files(before: Files, after: Files) -> list[str]:
    """Files that were there, and are no more as they were."""
    return [name for name, content in before.items() if after.get(name) != content]


def new_files(before: Files, after: Files) -> tuple[str, ...]:
    return tuple(name for name in after if name not in before)


def judge_run(run: Run, is_broken: bool, changed: list[str], dry: bool = False) -> str:
    """What is wrong with a run of `fix`, "" for nothing."""
    if run.code != (1 if dry and is_broken else 0):
        return f"exit code {run.code}: {run.lines[-1:]}"
    if changed:
        return f"it changed {', '.join(changed)}"
    if is_broken and (DRY_RUN if dry else SAVED) not in run.text:
        return f"it does not say {DRY_RUN if dry else SAVED!r}"
    if len(run.summary) > MOST_LINES:
        return f"it says {len(run.summary)} lines"
    return ""


def judge_command(command: str, typed: str, depends_on_folder: bool = True) -> str:
    """What is wrong with a line as the command that resumes a session, "" for nothing."""
    words = command.split(" && ")
    if not words[-1].startswith(f"{typed} "):
        return f"the last line does not start {typed}: {command}"
    if depends_on_folder and not words[0].startswith("cd ") and len(words) < 2:
        return f"the command does not go to the folder: {command}"
    return ""


def summary(sent: Sequence[Request]) -> str:
    """What the first request held, by kind."""
    if not sent:
        return "nothing"
    kinds = [item.kind for item in items(sent[0].wire.name, sent[0].messages)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("call", "result")) + (
        " (refused)" if sent[0].refused else ""
    )


def judge_sent(sent: Sequence[Request], real: dict[str, str], there: str, is_repaired: bool) -> Cell | None:
    """What is wrong with what the agent sent, None for nothing.

    The session must be the old one, every result that stood in the log must be sent, and the provider must take it. Of
    a repair the rest must be in the words of the product, too.
    """
    if not sent:
        return Cell("no", "the agent sent nothing")
    if refused := next((request.refused for request in sent if request.refused), ""):
        return Cell("no", f"refused: {refused}")
    wire, messages = sent[0].wire.name, sent[0].messages
    everything = "\n".join(item.content for item in items(wire, messages))
    if PROMPT not in everything:
        return Cell("no", "the agent began a new session")
    if lost := [result for result in real.values() if result in there and result not in everything]:
        return Cell("no", f"in the log, and not sent: {', '.join(lost)}")
    missing = unkept(wire, messages, real, there) if is_repaired else ""
    return Cell("no", missing) if missing else None


def _judge_answer(said: bytes) -> Cell:
    """Whether the answer arrived: the agent shows it, and keeps it."""
    if ANSWER.encode() in said:
        return YES
    return Cell("no", f"the agent did not show the answer: {said[-300:]!r}")


def _run(place: Workplace, *options: str) -> Run:
    """Run `fix` as a person does in the project's folder, with what it prints together."""
    done = subprocess.run(
        [*PRODUCT_COMMAND, "fix", *options],
        cwd=place.project,
        env=place.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode())


def starter(command: Sequence[str], before: Sequence[str], after: Sequence[str]) -> str:
    """The script that stands for an agent: the words of its command, with others before and after them."""
    return f'#!/bin/sh\nexec {shlex.join([*command, *before])} "$@" {shlex.join(after)}\n'


def follow(place: Workplace, shell: str, line: str) -> tuple[list[Request], bytes]:
    """Run a line in a shell, up to the agent's next answer. Return the turns that it asked for, and what it showed."""
    agent, programs, said = place.agent, place.root / "programs", place.root / "said.txt"
    programs.mkdir(exist_ok=True)
    own = {agent.typed: starter(place.command, *agent.around(GO_ON)), PRODUCT: starter(PRODUCT_COMMAND, (), ())}
    for name, script in own.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    how = AtTerminal if agent.prompted else Child
    environment = place.environment("xterm-256color" if agent.prompted else "dumb")
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    place.provider.play([Say(ANSWER)])
    with how([shell, "-c", line], place.root, environment, said) as child:
        if isinstance(child, AtTerminal):
            if child.type(GO_ON, agent.prompted, SECONDS):
                child.wait_until(lambda: ANSWER.encode() in said.read_bytes(), AT_TERMINAL)
                time.sleep(GRACE)
        else:
            child.wait(SECONDS)
        return place.provider.turns, said.read_bytes()
