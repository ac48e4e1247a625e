"""`python -m tests.interop.agents.stores [AGENT …]`: does the command that the store doctor prints open the session?

Each agent writes a session; one thing in its store is broken; the agent is asked for the session as a person would ask;
`explain --error` is asked about what it said; its remedy and its command are run. A row says whether the agent opened
the session before and after: whether what it sent had the old prompt.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.install import CACHE
from tests.interop.agents.processes import Child
from tests.interop.agents.provider import Provider
from tests.interop.agents.provider.script import DONE
from tests.interop.agents.workplace import GO_ON, PROMPT, SECONDS, Workplace

Break = Callable[[Workplace, Path], None]
# Breaks whose remedy is an edit by hand, with that edit.
BY_HAND: dict[str, Break] = {}
STEP = re.compile(r": ((?:mkdir|mv|cp|chmod|rm|codex|transcript-inspector) .*?)(?:\. (?:Or|If) |$)")


def moved(to: str) -> Break:
    def move(place: Workplace, log: Path) -> None:
        target = Path(to.format(log=log, parent=log.parent, home=place.home, name=log.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        log.rename(target)

    return move


def edited(edit: Callable[[bytes], bytes]) -> Break:
    def change(place: Workplace, log: Path) -> None:
        log.write_bytes(edit(log.read_bytes()))

    return change


def _gone(place: Workplace, log: Path) -> None:
    place.project.rename(place.project.with_name("renamed"))


def _sql(statement: str) -> Break:
    def run(place: Workplace, log: Path) -> None:
        with closing(sqlite3.connect(log)) as database:
            database.execute("PRAGMA foreign_keys = OFF")
            database.execute(statement)
            database.commit()

    return run


def _other_slug(place: Workplace, log: Path) -> None:
    path = place.home / ".gemini" / "projects.json"
    path.write_text(path.read_text().replace('"project"', '"elsewhere"'))


def _no_state(place: Workplace, log: Path) -> None:
    (log.parent.parent.parent / "state.json").write_text('{"id": ')


def _elsewhere(place: Workplace, log: Path) -> None:
    return


def _without_bom(place: Workplace, log: Path) -> None:
    log.write_bytes(log.read_bytes().removeprefix(b"\xef\xbb\xbf"))


def _unnumbered(data: bytes) -> bytes:
    return data + b'{"timestamp":"2026-11-24T03:47:50.000Z","type":"event_msg","payload":{"type":"token_count"}}\n'


def _cline_row(place: Workplace, log: Path) -> None:
    database = place.home / ".cline" / "data" / "db" / "sessions.db"
    _sql("UPDATE sessions SET messages_path = '/gone.json'")(place, database)


def _unknown_to_cline(place: Workplace, log: Path) -> None:
    _sql("DELETE FROM sessions")(place, place.home / ".cline" / "data" / "db" / "sessions.db")
    _manifest(log).rename(place.root / "manifest.json")


def _known_to_cline(place: Workplace, log: Path) -> None:
    shutil.copy(place.root / "manifest.json", _manifest(log))


def _manifest(log: Path) -> Path:
    return log.with_name(log.name.replace(".messages.json", ".json"))


def _torn_line(place: Workplace, log: Path) -> None:
    """Insert a line that is no JSON before the last one."""
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:-1], b'{"type": \n', lines[-1]]))


def _empty_metadata(place: Workplace, log: Path) -> None:
    log.with_name("workspace.yaml").write_bytes(b"\0" * 40)


def _two(place: Workplace, log: Path) -> None:
    target = log.parent.with_name("-somewhere-else") / log.name
    target.parent.mkdir()
    shutil.copy(log, target)


def _right_slug(place: Workplace, log: Path) -> None:
    path = place.home / ".gemini" / "projects.json"
    names = json.loads(path.read_text())
    names["projects"][str(place.project)] = "project"
    path.write_text(json.dumps(names))


def _state(place: Workplace, log: Path) -> None:
    """Write what the remedy says."""
    path = next((place.home / ".kimi-code" / "sessions").glob("*/*/state.json"))
    path.write_text(json.dumps({"id": path.parent.name, "cwd": str(place.project)}))


def _global(place: Workplace, log: Path) -> None:
    _sql("UPDATE session SET project_id = 'global'")(place, log)


BY_HAND |= {
    "BOM": _without_bom,
    "projects.json": _right_slug,
    "state.json torn": _state,
    "no project": _global,
    "unknown to both": _known_to_cline,
}

BREAKS: dict[str, dict[str, Break]] = {
    "claude": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "in another slug": moved("{parent}-else/{name}"),
        "in projects/": moved("{home}/.claude/projects/{name}"),
        "not named by an id": moved("{parent}/work.jsonl"),
        "two files": _two,
    },
    "codex": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "in another day": moved("{home}/.codex/sessions/2026/01/01/{name}"),
        "moved to the archive": moved("{home}/.codex/archived_sessions/{name}"),
        "name without id": moved("{parent}/rollout-mine.jsonl"),
        "first line gone": edited(lambda data: data.partition(b"\n")[2]),
        "first line torn": edited(lambda data: data[100:]),
        "no ordinal": edited(_unnumbered),
        "BOM": edited(lambda data: b"\xef\xbb\xbf" + data),
        "row with a wrong path": lambda place, log: _sql("UPDATE threads SET rollout_path = '/gone.jsonl'")(
            place, place.home / ".codex" / "state_5.sqlite"
        ),
    },
    "gemini": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "renamed": moved("{parent}/chat.jsonl"),
        "moved to another slug": moved("{home}/.gemini/tmp/other/chats/{name}"),
        "projects.json": _other_slug,
    },
    "opencode": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "no project": _sql("UPDATE session SET project_id = 'nobody'"),
    },
    "kimi-code": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "state.json torn": _no_state,
        "a line torn": _torn_line,
    },
    "qwen": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "in the archive": moved("{parent}/archive/{name}"),
        "in another slug": moved("{home}/.qwen/projects/-other/chats/{name}"),
        "renamed": moved("{parent}/mine.jsonl"),
    },
    "copilot": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "first line torn": edited(lambda data: data[100:]),
        "workspace.yaml of NUL bytes": _empty_metadata,
        "in no folder": moved("{parent}.jsonl"),
    },
    "cline": {
        "another folder": _elsewhere,
        "row with a wrong path": _cline_row,
        "unknown to both": _unknown_to_cline,
        "messages torn": edited(lambda data: data[:-40]),
    },
    "pi-0.87": {
        "another folder": _elsewhere,
        "project renamed": _gone,
        "in another store": moved("{home}/.pi/agent/sessions/--other--/{name}"),
        "no .jsonl": moved("{parent}/{name}.txt"),
    },
}


def answer(place: Workplace, text: str) -> dict[str, object]:
    """What `explain --error` says of a text on the agent's machine."""
    environment = {"HOME": str(place.home), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "inspector", "explain", "--error", text, "--format", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    sessions = json.loads(done.stdout)["sessions"]
    return dict(sessions[0]) if sessions else {}


def opened(place: Workplace, arguments: list[str], folder: Path, more: dict[str, str]) -> tuple[bool, str]:
    """Whether the agent sends the old prompt, and its last words."""
    place.provider.play(())
    environment = place.environment() | more
    with Child([*place.command, *arguments], folder, environment, place.root / "said.txt") as child:
        child.wait_until(lambda: bool(place.provider.turns), SECONDS)
        child.wait(3)
        turns = [json.dumps(request.body) for request in place.provider.turns]
        return any(PROMPT in turn and GO_ON in turn for turn in turns), child.last_words


def run_command(place: Workplace, command: str) -> tuple[bool, str]:
    """Run a printed command without a terminal, as the agent's own option for that has it."""
    *changes, last = command.split(" && ")
    words = shlex.split(last)
    more = {}
    while "=" in words[0] and not words[0].startswith("-"):
        name, _, value = words.pop(0).partition("=")
        more[name] = value
    folder = Path(shlex.split(changes[0])[1]) if changes else place.root
    if not folder.is_dir():
        return False, f"{folder} is not there"
    arguments = place.agent.resume(words[-1].rpartition("=")[2], GO_ON)
    if place.agent.prompted:
        turns = [json.dumps(request.body) for request in place.resume(words[-1])]
        return any(PROMPT in turn and GO_ON in turn for turn in turns), ""
    if "--session-file" in words:
        arguments = ["--session-file" if word == "--resume" else word for word in arguments]
    return opened(place, arguments, folder, more)


def fixed(place: Workplace, path: str) -> str:
    """Repair a log as a new session, and return the command that is printed."""
    os.utime(path, (0, 0))  # a log that has just changed is not repaired without a question
    command = [sys.executable, "-m", "inspector", "fix", "--yes", path]
    environment = {"HOME": str(place.home), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    resumes = re.compile(rf"\b{place.agent.typed} (--)?resume\b")
    return next((line.rpartition(": ")[2] for line in done.stdout.splitlines() if resumes.search(line)), "")


def tried(place: Workplace, name: str, breaks: Break) -> str:
    """Break a store, ask the agent, ask the doctor, and do what it says."""
    place.put_back("healthy")
    log = place.log
    session = log.stem.rpartition("_")[2] if place.agent.name.startswith("pi-") else place.agent.session(log)
    breaks(place, log)
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    folder = place.project if place.project.is_dir() and breaks is not _elsewhere else elsewhere
    # An agent at a terminal is not asked first: what it does to the store is the fault.
    asked = not place.agent.prompted
    before, said = opened(place, place.agent.resume(session, GO_ON), folder, {}) if asked else (False, "")
    if before:
        place.put_back("healthy")
        breaks(place, place.log)
    found = answer(place, f"{said}\n{session}")
    if not found:
        return f"{place.agent.name}, {name}: before {before}; the doctor found nothing; said {said[-200:]!r}"
    faults = found["faults"]
    assert isinstance(faults, list)
    steps = [match[1] for fault in faults if found["after_remedy"] and (match := STEP.search(fault["remedy"]))]
    printed = ""
    for step in steps:
        if step.startswith("transcript-inspector fix"):
            printed = fixed(place, shlex.split(step)[-1])
            continue
        step = step.replace("transcript-inspector", f"{sys.executable} -m inspector")
        subprocess.run(["bash", "-c", step], check=False, env={"PATH": os.environ["PATH"], "HOME": str(place.home)})
    if name in BY_HAND:
        BY_HAND[name](place, log)
    command = printed or str(found["command"] or "")
    after, words = run_command(place, command) if command else (False, "no command")
    causes = ",".join(fault["cause"] for fault in faults) or "-"
    end = "" if after else f"; command {command!r}; steps {steps}; last words {words[-300:]!r}"
    return f"{place.agent.name}, {name}: before {before}; {causes}; after {after}{end}"


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT …]")
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
def main(agents: tuple[str, ...], cache: Path) -> None:
    """Try the commands that the store doctor prints with the real AGENTs (beginnings of names; all)."""
    for name, agent in AGENTS.items():
        table = next((rows for start, rows in BREAKS.items() if name.startswith(start)), None)
        if table is not None and name.startswith(agents or ("",)):
            _try_agent(agent, table, cache)


def _try_agent(agent: Agent, table: dict[str, Break], cache: Path) -> None:
    command = agent.program.installed(cache)
    with tempfile.TemporaryDirectory(prefix="stores-") as root, Provider() as provider:
        place = Workplace(agent, command, provider, Path(root))
        place.clear()
        place.begin((DONE,))
        place.keep("healthy")
        for name, breaks in table.items():
            print(tried(place, name, breaks), flush=True)


if __name__ == "__main__":
    main()
