"""`python -m tests.interop.agents.forks`: let Codex fork its sessions, and judge what is predicted and repaired.

A fork of Codex holds only its own lines: what it continues is in another rollout. Each fork is resumed as it is, then
its repair, which is saved as a new session; the rollout that it continues may not change. With `--record FOLDER` the
rollouts and what Codex sent become fixtures. The exit code is 1 when something was predicted or repaired wrongly.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tests.interop.agents import ours
from tests.interop.agents.drivers.codex import Codex
from tests.interop.agents.install import CACHE
from tests.interop.agents.outcome import Seen
from tests.interop.agents.provider import Provider
from tests.interop.agents.provider.script import Say
from tests.interop.agents.recording import REQUESTS, as_lines, neutral, request_of, small_log
from tests.interop.agents.scenarios import SLOW, STARTED
from tests.interop.agents.workplace import Workplace

STORE = ".codex/sessions"


@dataclass
class Forks:
    """The home of a Codex that forks."""

    place: Workplace

    @property
    def logs(self) -> list[Path]:
        """The rollouts, the oldest first: their names begin with the time, and their ids grow."""
        return sorted((self.place.home / STORE).glob("*/*/*/rollout-*"), key=lambda path: path.name)

    @property
    def newest(self) -> str:
        return self.place.agent.session(self.logs[-1])

    def begin(self, *words: str) -> str:
        """Let a session say words. Return its id."""
        self.place.begin(self._script(*words))
        return self.newest

    def go_on(self, session: str, *words: str) -> None:
        self.place.run(self.place.agent.resume(session, "Go on."), self._script(*words))

    def fork(self, session: str, *words: str) -> str:
        arguments = ["exec", "fork", "--skip-git-repo-check", session, "Go on."]
        self.place.run(arguments, self._script(*words))
        return self.newest

    def fork_after_first_turn(self, session: str) -> str:
        """Fork as the desktop application does, through a turn that others follow."""
        events = [json.loads(line) for line in self.logs[-1].read_text().splitlines()]
        turn = next(each["payload"]["turn_id"] for each in events if each["payload"].get("type") == "task_started")
        with subprocess.Popen(
            [*self.place.command, "app-server"],
            cwd=self.place.project,
            env=self.place.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as server:
            client = {"name": "bench", "version": "1"}
            _ask(server, "initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
            _ask(server, "thread/fork", {"threadId": session, "lastTurnId": turn, "excludeTurns": True})
            server.terminate()
        return self.newest

    def die(self, word: str) -> str:
        """Let a session begin, and end it while its tool runs."""
        agent = self.place.agent
        say = Say(f"Now {word}.", (agent.call(f"call_{word}", f"{SLOW}printf '%s-%s\\n' {word} real"),))
        self.place.die([say], when=lambda: (self.place.project / STARTED).exists())
        return self.newest

    def _script(self, *words: str) -> list[Say]:
        call = self.place.agent.call
        says = [
            Say(f"Now {word}.", (call(f"call_{word}", f"printf '%s-%s\\n' {word} real"),), "I should look.")
            for word in words
        ]
        return [*says, Say("All said.")]


def _ask(server: "subprocess.Popen[bytes]", method: str, parameters: dict[str, Any]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}).encode())
    server.stdin.write(b"\n")
    server.stdin.flush()
    while json.loads(server.stdout.readline()).get("id") != method:
        pass


def _plain(forks: Forks) -> None:
    forks.fork(forks.begin("alpha"), "gamma")


def _earlier_turn(forks: Forks) -> None:
    session = forks.begin("alpha")
    forks.go_on(session, "beta")
    forks.go_on(forks.fork_after_first_turn(session), "gamma")


def _of_a_fork(forks: Forks) -> None:
    forks.fork(forks.fork(forks.begin("alpha"), "beta"), "gamma")


def _base_killed(forks: Forks) -> None:
    forks.fork(forks.die("alpha"), "gamma")


def _same_id(forks: Forks) -> None:
    forks.fork(forks.begin("alpha", "beta"), "alpha")


def _base_refused(forks: Forks) -> None:
    """The base uses an id twice, which OpenAI refuses."""
    forks.fork(forks.begin("alpha", "gamma"), "delta")
    base = forks.logs[0]
    base.write_bytes(base.read_bytes().replace(b"call_gamma", b"call_alpha"))


def _base_damaged(forks: Forks) -> None:
    """The call and the result of the base are on one line, which Codex does not read."""
    _plain(forks)
    base = forks.logs[0]
    lines = base.read_bytes().splitlines(keepends=True)
    result = next(at for at, line in enumerate(lines) if b"function_call_output" in line)
    base.write_bytes(b"".join(lines[:result]).rstrip() + b" " + b"".join(lines[result:]))


def _base_missing(forks: Forks) -> None:
    _plain(forks)
    forks.logs[0].unlink()


def _written_twice(forks: Forks) -> None:
    _plain(forks)
    for log in forks.logs:
        log.write_bytes(2 * log.read_bytes())


FORKS: dict[str, Callable[[Forks], None]] = {
    "plain": _plain,
    "earlier-turn": _earlier_turn,
    "of-a-fork": _of_a_fork,
    "base-killed": _base_killed,
    "same-id": _same_id,
    "base-refused": _base_refused,
    "base-damaged": _base_damaged,
    "base-missing": _base_missing,
    "written-twice": _written_twice,
}


def _played(place: Workplace, play: Callable[[Forks], None]) -> Iterator[tuple[str, Seen]]:
    """Yield what was predicted and sent of the fork, then of its repair."""
    forks = Forks(place)
    place.clear()
    play(forks)
    place.keep("forked")
    with ours.at_home(place.home):
        fork = forks.logs[-1]
        yield "broken", _resumed(place, fork)
        place.put_back("forked")
        bases = {path: path.read_bytes() for path in forks.logs}
        repair = ours.repaired(fork, "new session")
        assert bases == {path: path.read_bytes() for path in bases}
        if repair.output:
            yield "repaired", _resumed(place, repair.output)


def _resumed(place: Workplace, log: Path) -> Seen:
    """Predict, then resume: Codex writes into the log."""
    seen = Seen(ours.predicted(log), None)
    sent = place.resume(place.agent.session(log))
    seen.sent = sent[0] if sent else None
    return seen


def _record(folder: Path, name: str, place: Workplace, seen: dict[str, Seen]) -> None:
    """Write the store and the requests, neutral and small; a fork says anew where its part of the base ends."""
    place.put_back("forked")
    home, store = place.home, place.home / STORE
    lines = {path: path.read_bytes().splitlines(keepends=True) for path in Forks(place).logs}
    ends = {place.agent.session(path): _line_ends(before) for path, before in lines.items()}
    kept = {path: [small_log(neutral(line, home)) for line in before] for path, before in lines.items()}
    sizes = {place.agent.session(path): _line_ends(now) for path, now in kept.items()}
    for path, now in kept.items():
        for at, line in enumerate(now):
            base = None if at else json.loads(line)["payload"].get("history_base")
            if base and base["thread_id"] in ends:
                old = base["end_byte_offset"]
                new = sizes[base["thread_id"]][ends[base["thread_id"]].index(old)]
                now[at] = line.replace(f'"end_byte_offset":{old}'.encode(), f'"end_byte_offset":{new}'.encode())
        target = folder / place.agent.name / "forks" / name / "sessions" / path.relative_to(store)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(now))
    requests = [request_of(seen.get(each), home) for each in ("broken", "repaired")]
    (folder / place.agent.name / "forks" / f"{name}{REQUESTS}").write_bytes(as_lines(*requests))


def _line_ends(lines: list[bytes]) -> list[int]:
    return [sum(map(len, lines[: count + 1])) for count in range(len(lines))]


@click.command()
@click.argument("names", nargs=-1, metavar="[FORK …]")
@click.option("--record", "folder", type=click.Path(path_type=Path), help="Write rollouts and requests there.")
def main(names: tuple[str, ...], folder: Path | None) -> None:
    """Let the real Codex fork (all, or the named FORKs), and compare."""
    agent, wrong = Codex(), False
    command = agent.program.installed(CACHE)
    with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
        place = Workplace(agent, command, provider, Path(root))
        for name in names or FORKS:
            seen = dict(_played(place, FORKS[name]))
            for which, each in seen.items():
                cell = each.agrees()
                wrong |= cell.no
                click.echo(f"{name}, {which}: {cell.word} {cell.why}".rstrip())
            if folder:
                _record(folder, name, place, seen)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
