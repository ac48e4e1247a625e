"""Where an agent works: a home and a project folder of its own, which can be put back as they were."""

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.processes import Child
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import Say
from tests.interop.agents.terminal import AtTerminal

SECONDS = 120.0  # that a run may take
GRACE = 2.0  # seconds in which an agent writes what it has, before it is ended
AT_TERMINAL = 20.0  # seconds until what was typed is sent; an agent that refuses says so on its screen alone
PROMPT, GO_ON = "Please say the words.", "Go on."
NOWHERE = "http://127.0.0.1:9"  # the proxy for everything but the provider: nothing leaves this machine

AnyChild = TypeVar("AnyChild", bound=Child)


class AgentFailed(Exception):
    """The agent did not do what it was started for; its last words."""


@dataclass
class Workplace:
    """`command` starts the agent. The folders keep their paths: agents write them into logs and indexes."""

    agent: Agent
    command: list[str]
    provider: Provider
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "agent"

    @property
    def project(self) -> Path:
        return self.home / self.agent.folder

    @property
    def log(self) -> Path:
        """The newest log. Raises AgentFailed when there is none."""
        if log := self.agent.log(self.home):
            return log
        raise AgentFailed("it wrote no log")

    def clear(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.project.mkdir(parents=True)

    def keep(self, name: str) -> None:
        """Remember everything as it is now."""
        shutil.rmtree(self.root / name, ignore_errors=True)
        shutil.copytree(self.home, self.root / name, symlinks=True)

    def put_back(self, name: str) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.root / name, self.home, symlinks=True)

    def begin(self, script: Sequence[Say]) -> None:
        """Let it work through a script."""
        with self._started(Child, self.agent.begin(PROMPT), script) as child:
            child.wait(SECONDS)
            if self.provider.script:
                raise AgentFailed(f"it did not come to its end: {child.last_words}")

    def die(self, script: Sequence[Say], when: Callable[[], bool]) -> None:
        """Let it begin, and kill it then. Raises AgentFailed when it does not come so far."""
        with self._started(Child, self.agent.begin(PROMPT), script) as child:
            if not child.wait_until(when, SECONDS):
                raise AgentFailed(f"it did not come so far: {child.last_words}")
            time.sleep(GRACE)

    def resume(self, session: str) -> list[Request]:
        """The turns that it asks for when it resumes a session; none when it stops before that."""
        if not self.agent.prompted:
            with self._started(Child, self.agent.resume(session, GO_ON), ()) as child:
                child.wait(SECONDS)
                return self.provider.turns
        with self._started(AtTerminal, self.agent.resume(session, GO_ON), ()) as child:
            if child.type(GO_ON, self.agent.prompted, SECONDS):
                child.wait_until(lambda: bool(self.provider.turns), AT_TERMINAL)
                time.sleep(GRACE)
            return self.provider.turns

    def run(self, arguments: Sequence[str], script: Sequence[Say]) -> None:
        """Let it work through a script, started with these arguments, as far as the provider lets it."""
        with self._started(Child, arguments, script) as child:
            child.wait(SECONDS)

    def environment(self, terminal: str = "dumb") -> dict[str, str]:
        """What it is started with. Its settings are written."""
        url = self.provider.url
        self.agent.settle(self.home, url)
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": terminal,
            "DO_NOT_TRACK": "1",
            "HTTPS_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
            **self.agent.environment(url),
        }

    def _started(self, how: type[AnyChild], arguments: Sequence[str], script: Sequence[Say]) -> AnyChild:
        self.provider.play(script)
        environment = self.environment("dumb" if how is Child else "xterm-256color")
        return how([*self.command, *arguments], self.project, environment, self.root / "said.txt")
