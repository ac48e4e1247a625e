"""What the bench has to know of an agent: how it is pointed at a provider, begins, resumes, and where its log lies."""

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from tests.interop.agents.drivers.breaking import Breaking
from tests.interop.agents.install import PROGRAMS, Program
from tests.interop.agents.provider.script import Call


class Agent(ABC):
    """One agent in one version: `name` is its row of PROGRAMS, `logs` where its logs lie below the home folder.

    `saves` are the ways in which its repaired log can be written so that it finds it. `prompted` is what it shows when
    it waits for a prompt, where it resumes at a terminal only. `typed` is the name under which a person starts it.
    `folder` is where it works, below the home folder, and `depends_on_folder` whether it has to be started there.
    """

    name: str
    logs: ClassVar[str]
    breaking: ClassVar[Breaking]
    saves: ClassVar[tuple[str, ...]] = ("in place", "new session")
    prompted: ClassVar[str] = ""
    typed: ClassVar[str]
    folder: ClassVar[str] = "project"
    depends_on_folder: ClassVar[bool] = True

    @property
    def program(self) -> Program:
        return PROGRAMS[self.name]

    def files(self, url: str) -> dict[str, Any]:
        """Its settings, below the home folder: texts, or what becomes JSON."""
        return {}

    @abstractmethod
    def environment(self, url: str) -> dict[str, str]:
        """What points it at the provider, and keeps it from telling and updating."""

    @abstractmethod
    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        """Its tool that runs a command, and the input."""

    @abstractmethod
    def begin(self, prompt: str) -> list[str]:
        """The arguments of a session without a terminal, in which every tool may run."""

    @abstractmethod
    def resume(self, session: str, prompt: str) -> list[str]:
        """The same for a session that there is."""

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        """The words before and after those that a person types to resume: they let it run without a terminal."""
        return [], ["-p", prompt]

    @abstractmethod
    def session(self, log: Path) -> str:
        """The id by which a log is resumed."""

    def log(self, home: Path) -> Path | None:
        """The newest log."""
        return max(home.glob(self.logs), key=lambda path: path.stat().st_mtime_ns, default=None)

    def keepsake(self, log: Path) -> tuple[str, bytes]:
        """The log as a file that can be kept, and the end of its name."""
        return log.suffix, log.read_bytes()

    def call(self, id_: str, command: str) -> Call:
        return Call(id_, *self.shell(command))

    def settle(self, home: Path, url: str) -> None:
        """Write its settings."""
        for name, content in self.files(url).items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
