"""`python -m tests.interop.agents.fit [AGENT …]`: `trim --fit` on sessions that are too long, up to the next answer.

Each agent writes a session with large results, until it is longer than a model's limit. The provider then refuses what
is longer than the limit, as the real APIs do; it counts four characters a token. The session is resumed as it is, then
fitted, checked, and resumed with the command that was printed. With `--log`, a recorded session of Claude Code is put
into the agent's store instead.
"""

import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from inspector.core.trim.options import parse_fit
from tests.interop.agents import ours
from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.fixing import ANSWER, SHELLS, follow, make_older, verdict_of
from tests.interop.agents.install import CACHE
from tests.interop.agents.outcome import FAILED, YES, Cell
from tests.interop.agents.provider import CHARACTERS_PER_TOKEN, Provider, Request
from tests.interop.agents.provider.script import Say
from tests.interop.agents.workplace import PROMPT, AgentFailed, Workplace
from tests.interop.third_party.environments import NotInstalled
from tests.support import product

LINES = "yes 'the quick brown fox jumps over the lazy dog and runs away {}' | head -n 400"  # 25 KB; some agents cut it
AT_ONCE = 4  # calls of a turn, so that the session is written in time on a busy machine
UNLIMITED = 10**9


@dataclass(frozen=True)
class Case:
    """A session with so many `calls`, and the `model` to fit; `limit` is what that model accepts as input.

    `counted`: the provider counts while the session is written. An agent that would then compact it by itself is told
    nothing.
    """

    agent: str
    calls: int
    model: str
    limit: int
    counted: bool = False


CASES = (
    Case("claude-code-2.1.330", 31, "200k", 200_000, counted=True),
    Case("codex-0.169.0", 104, "gpt-5-codex", 272_000),
    Case("qwen-code-0.24.4", 20, "gpt-oss-120b", 131_072),
)


@dataclass
class Fitted:
    """A row of the table. Tokens are `was` and `predicted` by the product, and `sent` by the agent."""

    case: Case
    basis: str = ""
    was: int = 0
    as_it_is: str = ""
    predicted: int = 0
    verdict: str = ""
    sent: int = 0
    cell: Cell = YES

    @property
    def row(self) -> tuple[str, ...]:
        case = self.case
        return (
            case.agent,
            f"{case.model} ({case.limit:,})",
            f"{self.was:,} ({self.basis})",
            self.as_it_is,
            f"{self.predicted:,}",
            self.verdict,
            f"{self.sent:,}",
            f"{self.cell.word} {self.cell.why}".rstrip(),
        )


def fitted(place: Workplace, case: Case, recorded: Path | None) -> Fitted:
    """Let a session become too long, fit it, and go on with it."""
    row = Fitted(case)
    try:
        if recorded is None:
            _write(place, case)
        else:
            _put(place, recorded)
        place.keep("too long")
        place.provider.window = case.limit
        row.as_it_is = _summary(place.resume(place.agent.session(place.log)))
        place.put_back("too long")
        place.environment()
        make_older(place.home)
        with ours.at_home(place.home):
            row.cell = _fit(place, case, row, recorded is not None)
    except AgentFailed as error:
        row.cell = Cell(FAILED, str(error))
    return row


def _write(place: Workplace, case: Case) -> None:
    agent = place.agent
    calls = [agent.call(f"call_{number}", LINES.format(number)) for number in range(case.calls)]
    turns = (tuple(calls[start : start + AT_ONCE]) for start in range(0, len(calls), AT_ONCE))
    place.provider.window = UNLIMITED if case.counted else 0
    place.clear()
    place.begin([*(Say("Now.", turn) for turn in turns), Say("All said.")])


def _put(place: Workplace, recorded: Path) -> None:
    """Put a log of Claude Code where it looks for the sessions of the project."""
    place.clear()
    records = map(json.loads, recorded.read_bytes().splitlines())
    session = next(record["sessionId"] for record in records if "sessionId" in record)
    store = place.home / ".claude/projects" / re.sub("[^A-Za-z0-9]", "-", str(place.project))
    store.mkdir(parents=True)
    shutil.copyfile(recorded, store / f"{session}.jsonl")


def _fit(place: Workplace, case: Case, row: Fitted, is_recorded: bool) -> Cell:
    log = place.log
    before = log.read_bytes()
    answer = product.trim(log, None, "--fit", case.model, "--repair")
    if answer.code:
        return Cell("no", answer.report["reason"])
    fit = answer.session["trimmed"]["fit"]
    row.was, row.basis, row.predicted = fit["before"], fit["basis"], fit["after"]
    output = Path(answer.report["output"] or log)
    row.verdict = verdict_of(output)
    if output == log or log.read_bytes() != before:
        return Cell("no", "no new session was written, or the old one changed")
    if is_recorded:  # it names the folder of another machine, to which nobody can go
        place.provider.play([Say(ANSWER)])
        sent, said = place.resume(place.agent.session(output)), (place.root / "said.txt").read_bytes()
    else:
        sent, said = follow(place, SHELLS[0], answer.report["command"])
    row.sent = _tokens(sent[0]) if sent else 0
    return _judge(row, sent, said, is_recorded)


def _judge(row: Fitted, sent: list[Request], said: bytes, is_recorded: bool) -> Cell:
    if row.verdict != "healthy":
        return Cell("no", f"the fitted session is {row.verdict}")
    if sent and is_recorded and "Invalid `signature`" in sent[0].refused:
        return YES  # the fake provider knows only the signatures that it gave
    if not sent or sent[0].refused:
        return Cell("no", f"refused: {sent[0].refused}" if sent else "the agent sent nothing")
    if not is_recorded and PROMPT not in json.dumps(sent[0].messages):
        return Cell("no", "the agent began a new session, or compacted it")
    if row.predicted > parse_fit(row.case.model).target:
        return Cell("no", "it was not fitted")
    return YES if is_recorded or ANSWER.encode() in said else Cell("no", "the agent did not show the answer")


def _tokens(request: Request) -> int:
    return len(json.dumps(request.body)) // CHARACTERS_PER_TOKEN


def _summary(sent: list[Request]) -> str:
    if not sent:
        return "sent nothing"
    first = f"{_tokens(sent[0]):,} {'refused' if sent[0].refused else 'accepted'}"
    return first + (f", then {_tokens(sent[1]):,}" if len(sent) > 1 else "")


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT …]")
@click.option("--log", "recorded", type=click.Path(path_type=Path, exists=True), help="A session of Claude Code.")
@click.option("--fit", "model", default="claude-sonnet-4-5", help="The model to fit a recorded session to.")
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
def main(agents: tuple[str, ...], recorded: Path | None, model: str, cache: Path) -> None:
    """Fit sessions that are too long, and let the real AGENTs (beginnings of names; all) go on with them."""
    console = Console(width=210, highlight=False, markup=False)
    cases = [case for case in CASES if case.agent.startswith(agents or ("",))]
    if recorded is not None:
        cases = [Case(CASES[0].agent, 0, model, parse_fit(model).window)]
    columns = (
        "agent",
        "fitted to (limit)",
        "tokens before",
        "resumed as it is",
        "predicted",
        "verdict",
        "sent",
        "judged",
    )
    table, failed = Table(*columns, title="`trim --fit`, and the command that it prints", show_lines=True), False
    for case in cases:
        agent = AGENTS[case.agent]
        try:
            command = agent.program.installed(cache)
        except NotInstalled as error:
            console.print(f"{agent.name}: not here: {error}")
            continue
        with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
            row = fitted(Workplace(agent, command, provider, Path(root)), case, recorded)
        table.add_row(*row.row)
        failed |= row.cell.no
    console.print(table)
    sys.exit(failed)


if __name__ == "__main__":
    main()
