"""`python -m tests.interop.agents.refused`: from the text of a refusal to the agent's next answer.

A real agent writes a session; then its server refuses it: for an image, or because the chat template of its model, the
real one, does not render it. What the agent shows is given to `explain --error`, the log is repaired as a new session,
and the agent resumes that one at the same server.

Claude Code 2.1.330 needs no repair for an image that "could not be processed": it asks again without it. No agent was
seen to send a reference to a tool that it does not know itself, so there is no case for one.
"""

import json
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from rich.console import Console
from rich.table import Table

from inspector.cli.app import main as product_main
from tests.interop.agents import ours
from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.fixing import make_older
from tests.interop.agents.install import CACHE
from tests.interop.agents.provider import Provider
from tests.interop.agents.provider.script import DONE, Call, Say
from tests.interop.agents.workplace import AgentFailed, Workplace
from tests.interop.chat_templates.rendering import path_of, refusal
from tests.interop.third_party.environments import NotInstalled
from tests.support import product

PICTURE = "picture.png"


@dataclass(frozen=True)
class Case:
    """`begin` lets the agent write a session, `refuses` is the server that refuses it, `rule` what must be named.

    The session is resumed once at that server where it was written at another one. `profile` is the chat template.
    """

    name: str
    agents: str
    rule: str
    begin: Callable[[Workplace], None]
    refuses: Callable[[dict[str, Any]], str]
    profile: str = ""
    is_resumed: bool = False


def png(side: int) -> bytes:
    """A black picture that every reader takes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\0" * 3 * side) * side)
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def reads_a_picture(place: Workplace) -> None:
    path = place.project / PICTURE
    path.write_bytes(png(64))
    place.run(
        place.agent.begin("Look at the picture."), [Say(calls=(Call("toolu_A", "Read", {"file_path": str(path)}),))]
    )


def runs_a_command(place: Workplace) -> None:
    place.begin([Say("I look.", (place.agent.call("call_of_another_server", "echo words"),)), Say("They are: words.")])


def without_images(body: dict[str, Any]) -> str:
    return "Could not process image" if '"type": "image"' in json.dumps(body) else ""


def rendered_by(template: str) -> Callable[[dict[str, Any]], str]:
    """A server that renders the real template. It answers as llama.cpp does."""

    def refuses(body: dict[str, Any]) -> str:
        reason = refusal(template, body["messages"])
        return f"Unable to generate parser for this template. Error: Jinja Exception: {reason}" if reason else ""

    return refuses


MISTRAL, NEMO = "Mistral-Small-3.2-24B-Instruct-2506", "mistralai-Mistral-Nemo-Instruct-2407"
CASES = (
    Case("image", "claude-code-2.1.112", "V1", reads_a_picture, without_images),
    Case("Mistral Small", "qwen-code", "K4", runs_a_command, rendered_by(MISTRAL), "mistral-small", is_resumed=True),
    Case("Mistral Nemo", "qwen-code", "K4", runs_a_command, rendered_by(NEMO), "mistral-nemo", is_resumed=True),
)


@dataclass
class Walk:
    """A row of the table: what was seen on the way; `wrong` is why it ended before the next answer."""

    agent: str
    case: str
    error: str = ""
    named: str = ""
    repair: str = ""
    answer: str = ""
    wrong: str = ""

    @property
    def row(self) -> Sequence[str]:
        return self.agent, self.case, self.error, self.named, self.repair, self.answer, self.wrong or "yes"


def walk(place: Workplace, case: Case) -> Walk:
    seen = Walk(place.agent.name, case.name)
    try:
        seen.wrong = _walk(place, case, seen)
    except AgentFailed as error:
        seen.wrong = str(error)
    place.provider.refuses = None
    return seen


def _walk(place: Workplace, case: Case, seen: Walk) -> str:
    place.clear()
    place.provider.refuses = None if case.is_resumed else case.refuses
    case.begin(place)
    place.provider.refuses = case.refuses
    if case.is_resumed:
        place.resume(place.agent.session(place.log))
    if not any(request.refused for request in place.provider.turns):
        return "the server refused nothing"
    shown = (place.root / "said.txt").read_text(errors="replace").strip()
    seen.error, log = " ".join(shown.split())[-160:], place.log
    with ours.at_home(place.home):
        make_older(place.home)
        named = explained(shown, log)
        seen.named = ", ".join(f"line {each['line']} {each['finding']['rule']}" for each in named)
        if [each["finding"]["rule"] for each in named] != [case.rule]:
            return f"it does not name one place of {case.rule}"
        repaired = product.repair(log, None, "--new-session", profile=case.profile)
        seen.repair = ", ".join(sorted({edit["action"] for edit in repaired.edits}))
        if repaired.code or not repaired.report["output"]:
            return f"no repair: {repaired.report['reason']}"
        resumed = place.resume(place.agent.session(Path(repaired.report["output"])))
    if wrong := next((request.refused for request in resumed if request.refused), ""):
        return f"refused again: {wrong}"
    said = (place.root / "said.txt").read_text(errors="replace")
    seen.answer = said.strip()[-40:]
    return "" if resumed and DONE.text in said else "the agent did not show the next answer"


def explained(text: str, log: Path) -> list[dict[str, Any]]:
    """The findings that `explain --error` names for what an agent showed."""
    answer = CliRunner().invoke(product_main, ["explain", "--error", text, str(log), "--format", "json"])
    found = json.loads(answer.stdout)["logs"][0]["found"]
    return [each for each in found if each["finding"]]


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT …]")
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
def main(agents: tuple[str, ...], cache: Path) -> None:
    """Walk each case with the real AGENTs (beginnings of names; all)."""
    console = Console(width=210, highlight=False, markup=False)
    table = Table("agent", "case", "the agent shows", "explain names", "edits", "next answer", "resumed")
    wrong = False
    for case in CASES:
        if case.profile and not path_of(MISTRAL).exists():
            console.print(f"{case.name}: `python -m tests.interop.chat_templates` fetches the templates")
            continue
        for agent in AGENTS.values():
            if agent.name.startswith(case.agents) and agent.name.startswith(agents or ("",)):
                wrong |= _row(agent, case, cache, table, console)
    console.print(table)
    sys.exit(wrong)


def _row(agent: Agent, case: Case, cache: Path, table: Table, console: Console) -> bool:
    try:
        command = agent.program.installed(cache)
    except NotInstalled as error:
        console.print(f"{agent.name}: not here: {error}")
        return False
    with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
        seen = walk(Workplace(agent, command, provider, Path(root)), case)
    table.add_row(*seen.row)
    return bool(seen.wrong)


if __name__ == "__main__":
    main()
