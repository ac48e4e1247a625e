"""`python -m tests.interop.agents.errors [AGENT …]`: from the text that an agent shows to its next answer.

Each agent writes a session. For each kind of error the session or its store is broken, or the provider refuses what is
sent, and the agent is asked to go on. What it shows is given to `fix --error`, and the last line that this prints is
run, up to the agent's next answer, with a provider that refuses as before. A row says what the agent showed, the exit
code and the last line of `fix`, and whether the agent answered. Where no repair helps, nothing may be written.
"""

import base64
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from inspector.core.providers.error_parser import parse_error_text
from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.fixing import ANSWER, PRODUCT_COMMAND, changed_files, files_in, follow, make_older, new_files
from tests.interop.agents.install import CACHE
from tests.interop.agents.outcome import YES, Cell
from tests.interop.agents.processes import Child
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import DONE, Call, Say
from tests.interop.agents.provider.wire import Body, Wire
from tests.interop.agents.scenarios import SCENARIOS
from tests.interop.agents.stores import STEP, Break, edited, moved
from tests.interop.agents.workplace import GO_ON, PROMPT, SECONDS, AgentFailed, Workplace
from tests.interop.third_party.environments import NotInstalled

WALKED = ("claude-code-2.1.112", "claude-code-2.1.330", "codex-0.169.0")
OPAQUE = "Improperly formed request."
OPEN_IT, AFTER_THAT = "Open it: ", "After that, open it: "
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

# What the provider answers to a request, "" to judge it by its own rules.
Refuse = Callable[[str, Body], str]


@dataclass
class Refusing(Provider):
    """A provider that also refuses what `refuse` says, given what its own rules say of the request."""

    refuse: Refuse = lambda own, body: own

    def reply(self, wire: Wire, body: Body) -> Say | str:
        said = super().reply(wire, body)
        reason = self.refuse(said if isinstance(said, str) else "", body)
        if reason and wire.is_turn(body):
            self.turns[-1] = Request(wire, body, reason)
        return reason or said


def always(reason: str) -> Refuse:
    return lambda own, body: reason


def empty_image(own: str, body: Body) -> str:
    """Refuse an image without bytes, as the provider does (anthropics/claude-code#36712)."""
    for where, block in _blocks(body):
        inner = block.get("content") if block["type"] == "tool_result" else None
        for part in inner if isinstance(inner, list) else []:
            if part["type"] == "image" and not part["source"].get("data"):
                return f"{where}.tool_result.content.0.image.source.base64: image cannot be empty"
    return own


def odd_id(own: str, body: Body) -> str:
    """Refuse the id of a call with other characters than the provider takes (anthropics/claude-code#53519)."""
    for where, block in _blocks(body):
        if block["type"] == "tool_use" and not re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]):
            return f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    return own


def _blocks(body: Body) -> Iterator[tuple[str, Body]]:
    """Yield the blocks of Anthropic's messages, each with its place as the provider names it."""
    for number, message in enumerate(body.get("messages") or []):
        for at, block in enumerate(message["content"] if isinstance(message["content"], list) else []):
            yield f"messages.{number}.content.{at}", block


def opaque(judge: Refuse) -> Refuse:
    """Refuse the same, without saying why."""
    return lambda own, body: judge(own, body) and OPAQUE


def by_its_rules(own: str, body: Body) -> str:
    return own


def without_images(data: bytes) -> bytes:
    return re.sub(rb'"data":"[A-Za-z0-9+/=]{40,}"', b'"data":""', data)


@dataclass(frozen=True)
class Walk:
    """One kind of error in one agent.

    `breaks` is an edit of the healthy session, by name or as a function. `session` is the session that it rests on.
    `code` is the exit code of `fix --error`. `goes_on`: its last line leads to the agent's next answer.
    """

    kind: str
    breaks: str | Break = ""
    refuse: Refuse = by_its_rules
    session: str = "healthy"
    code: int = 0
    goes_on: bool = True


EVERYWHERE = (
    Walk("request", refuse=always("tools.0.input_schema: JSON schema is invalid"), goes_on=False),
    Walk("unknown", refuse=always("The moon is in the wrong house."), code=3, goes_on=False),
)
CLAUDE = (
    Walk("history", edited(lambda data: data.replace(b"call_alpha", b"call.alpha")), odd_id),
    Walk("media", edited(without_images), empty_image, "image"),
    Walk("opaque", edited(without_images), opaque(empty_image), "image"),
    Walk("store", moved("{parent}/work.jsonl")),
    Walk("too-long", refuse=always("prompt is too long: 250000 tokens > 200000 maximum"), code=1, goes_on=False),
    *EVERYWHERE,
)
CODEX = (
    Walk("history", "result early"),
    Walk("file", edited(lambda data: data.partition(b"\n")[2])),
    Walk("opaque", "result twice", opaque(by_its_rules)),
    Walk("store", moved("{home}/.codex/archived_sessions/{name}")),
    Walk("too-long", refuse=always("Your input exceeds the context window of this model."), code=1, goes_on=False),
    *EVERYWHERE,
)
WALKS: dict[str, Sequence[Walk]] = {"claude": CLAUDE, "codex": CODEX}


@dataclass
class Walked:
    """A row of the table."""

    agent: str
    kind: str
    cell: Cell = YES
    said: str = ""
    known_as: str = ""
    code: int = -1
    lines: list[str] = field(default_factory=list)

    @property
    def row(self) -> tuple[str, ...]:
        last = self.lines[-1] if self.lines else ""
        judged = f"{self.cell.word} {self.cell.why}".rstrip()
        return self.agent, self.kind, shown_error(self.said), self.known_as, str(self.code), last, judged


def shown_error(said: str) -> str:
    """Return the end of what an agent showed, on one line."""
    return " ".join(said.split())[-160:]


def walk(place: Workplace, provider: Refusing, wanted: Walk) -> Walked:
    """Break the session, ask the agent, give what it shows to `fix --error`, and do what this says."""
    row = Walked(place.agent.name, wanted.kind)
    place.put_back(wanted.session)
    log, session = place.log, place.agent.session(place.log)
    if isinstance(wanted.breaks, str):
        if wanted.breaks and not place.agent.breaking.breaks(log, wanted.breaks):
            row.cell = Cell("-", "its log cannot be broken so")
            return row
    else:
        wanted.breaks(place, log)
    provider.refuse = wanted.refuse
    row.said = asked(place, session)
    if provider.turns and not provider.turns[-1].refused:
        row.cell = Cell("-", "the agent goes on by itself")
        return row
    row.known_as = parse_error_text(row.said).kind
    make_older(place.home)
    before = files_in(place.home)
    row.code, row.lines = fixed(place, row.said)
    after = files_in(place.home)
    row.cell = judged(wanted, row, changed_files(before, after), new_files(before, after))
    if wanted.goes_on and not row.cell.no:
        row.cell = gone_on(place, row.lines)
    return row


def asked(place: Workplace, session: str) -> str:
    """Ask the agent to go on with a session, and return what it shows."""
    place.provider.play(())
    arguments = [*place.command, *place.agent.resume(session, GO_ON)]
    with Child(arguments, place.project, place.environment(), place.root / "said.txt") as child:
        if not child.wait(SECONDS):
            raise AgentFailed(f"it did not come to its end: {child.last_words}")
        return child.last_words


def fixed(place: Workplace, text: str) -> tuple[int, list[str]]:
    """Run `fix --error -` in the project, and return its exit code and what it prints."""
    done = subprocess.run(
        [*PRODUCT_COMMAND, "fix", "--yes", "--error", "-"],
        cwd=place.project,
        env=place.environment(),
        input=text.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, [line.rstrip() for line in done.stdout.decode().splitlines() if line.strip()]


def judged(wanted: Walk, row: Walked, changed: list[str], new: tuple[str, ...]) -> Cell:
    """What is wrong with a run of `fix --error`."""
    known_as = "" if wanted.kind == "unknown" else wanted.kind
    if row.known_as != known_as:
        return Cell("no", f"the text is known as {row.known_as or 'nothing'}")
    if row.code != wanted.code:
        return Cell("no", f"exit code {row.code}")
    if changed:
        return Cell("no", f"it changed {', '.join(changed)}")
    if new and not wanted.goes_on:
        return Cell("no", f"it wrote {', '.join(new)}")
    return YES


def gone_on(place: Workplace, lines: list[str]) -> Cell:
    """Run the last line, up to the agent's next answer. Before that, do what remedies ask for, where it says so."""
    last = lines[-1].strip()
    for step in filter(None, map(STEP.search, lines)) if last.startswith(AFTER_THAT) else ():
        subprocess.run(["bash", "-c", step[1]], check=True, env=place.environment())
    command = last.removeprefix(AFTER_THAT).removeprefix(OPEN_IT)
    sent, said = follow(place, "bash", command)
    if refused := next((request.refused for request in sent if request.refused), ""):
        return Cell("no", f"refused: {refused}")
    if PROMPT not in json.dumps([request.body for request in sent]):
        return Cell("no", f"the agent did not send the session: {said[-300:]!r}")
    return YES if ANSWER.encode() in said else Cell("no", f"the agent did not show the answer: {said[-300:]!r}")


def write_sessions(place: Workplace, image: bool) -> None:
    """Let the agent write the sessions that the walks rest on."""
    place.clear()
    place.begin(SCENARIOS["healthy"].script(place.agent))
    place.keep("healthy")
    if image:
        place.clear()
        picture = place.project / "picture.png"
        picture.write_bytes(PIXEL)
        place.begin((Say("Now the picture.", (Call("call_image", "Read", {"file_path": str(picture)}),)), DONE))
        place.keep("image")


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT …]")
@click.option("--kind", "kinds", multiple=True, help="Only these.")
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
def main(agents: tuple[str, ...], kinds: tuple[str, ...], cache: Path) -> None:
    """Go with the real AGENTs (beginnings of names; all) from each kind of error to their next answer."""
    console = Console(width=210, highlight=False, markup=False)
    columns = "agent", "kind", "what the agent showed", "known as", "exit code", "last line of fix", "judged"
    table, rows = Table(*columns, title="`fix --error`", show_lines=True), list[Walked]()
    for name in WALKED:
        if not name.startswith(agents or ("",)):
            continue
        walks = next(walks for start, walks in WALKS.items() if name.startswith(start))
        agent = AGENTS[name]
        try:
            command = agent.program.installed(cache)
        except NotInstalled as error:
            console.print(f"{name}: not here: {error}")
            continue
        provider = Refusing()
        with tempfile.TemporaryDirectory(prefix="errors-") as root, provider:
            place = Workplace(agent, command, provider, Path(root))
            write_sessions(place, image=any(each.session == "image" for each in walks))
            for each in walks:
                if kinds and each.kind not in kinds:
                    continue
                try:
                    row = walk(place, provider, each)
                except AgentFailed as error:
                    row = Walked(name, each.kind, Cell("no", str(error)))
                console.print(shlex.join(row.row))
                if row.cell.no:
                    console.print("\n".join(row.lines))
                rows.append(row)
    for row in rows:
        table.add_row(*row.row)
    console.print(table)
    sys.exit(any(row.cell.no for row in rows))


if __name__ == "__main__":
    main()
