"""Where the agents come from: PROGRAMS is the table; each is installed by its package manager into a cache folder.

Nothing of them is part of this repository. Versions are pinned: what is looked at changes from version to version.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.interop.third_party.environments import NotInstalled

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "transcript-inspector-agents"
MINUTES = 15
STAMP = "installed.txt"
PLATFORM = f"{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"


@dataclass(frozen=True)
class Program:
    """Packages of npm, or of PyPI where a Python is named; `command` is what starts it, below its folder.

    `node` is the major version that it needs of the machine's Node, 0 for none. `bundle` is a package that holds all
    that it needs, and is unpacked without what it depends on.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    node: int = 0
    python: str = ""
    bundle: str = ""

    def missing(self) -> str:
        """What this machine lacks to install and run it, "" for nothing."""
        if self.python:
            return "" if python(self.python) else f"Python {self.python} is not on this machine"
        if not shutil.which("npm"):
            return "npm is not on this machine"
        found = node_version()
        return "" if self.node <= found else f"it needs Node {self.node}, here is {found or 'none'}"

    def installed(self, cache: Path) -> list[str]:
        """Its command; it is installed first, unless it is there with these packages. Raises NotInstalled."""
        if missing := self.missing():
            raise NotInstalled(missing)
        folder = cache / self.name
        stamp = folder / STAMP
        wanted = "\n".join(filter(None, (*self.packages, self.bundle)))
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self._install(folder)
            stamp.write_text(wanted)
        return [str(folder / word) if "/" in word else word for word in self.command]

    def _install(self, folder: Path) -> None:
        if not self.python:
            (folder / "package.json").write_text('{"private": true}')
            _run(folder, "npm", "install", "--save-exact", "--no-audit", "--no-fund", *self.packages)
            if self.bundle:
                _run(folder, "npm", "pack", "--silent", self.bundle)
                (packed,) = folder.glob("*.tgz")
                shutil.unpack_archive(packed, folder / "bundle", filter="data")
            return None
        _run(folder, python(self.python), "-m", "venv", str(folder / "venv"))
        return _run(folder, str(folder / "venv/bin/pip"), "install", "--quiet", *self.packages)


def python(version: str) -> str:
    """The interpreter of a version: on the path, or one of pyenv's; "" for none."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    places = [shutil.which(f"python{version}") or "", *map(str, sorted(pyenv.glob(f"{version}*/bin/python")))]
    return next((place for place in places if place and _says(place, "--version").startswith(f"Python {version}")), "")


def node_version() -> int:
    """The major version of the Node on the path, 0 for none."""
    found = re.match(r"v(\d+)", _says("node", "--version"))
    return int(found[1]) if found else 0


def _says(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout
    except OSError:
        return ""


def _run(folder: Path, *command: str) -> None:
    try:
        subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60 * MINUTES, check=True)
    except subprocess.TimeoutExpired as error:
        raise NotInstalled(f"{command[0]} was not ready after {MINUTES} minutes") from error
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout).strip().splitlines() or ["no reason given"]
        raise NotInstalled(words[-1]) from error


_MODULES = "node_modules"
_NODE_22 = f"node-{PLATFORM}@22.23.3"  # a package of npm that brings Node for those that need a newer one
_NODE_24 = f"node-{PLATFORM}@24.22.3"
_NODE = f"{_MODULES}/node-{PLATFORM}/bin/node"
PROGRAMS = {
    program.name: program
    for program in (
        Program(  # the last that runs under Node
            "claude-code-2.1.112",
            ("@anthropic-ai/claude-code@2.1.112",),
            ("node", f"{_MODULES}/@anthropic-ai/claude-code/cli.js"),
            node=18,
        ),
        Program(
            "claude-code-2.1.330",
            ("@anthropic-ai/claude-code@2.1.330",),
            (f"{_MODULES}/@anthropic-ai/claude-code-{PLATFORM}/claude",),
        ),
        Program("codex-0.169.0", ("@openai/codex@0.169.0",), (f"{_MODULES}/.bin/codex",), node=16),
        Program(
            "gemini-cli-0.61.0",
            ("@google/gemini-cli@0.61.0",),
            ("node", f"{_MODULES}/@google/gemini-cli/bundle/gemini.js"),
            node=20,
        ),
        Program("opencode-1.18.33", ("opencode-ai@1.18.33",), (f"{_MODULES}/opencode-{PLATFORM}/bin/opencode",)),
        Program("kimi-cli-1.49.0", ("kimi-cli==1.49.0",), ("venv/bin/kimi",), python="3.13"),
        Program(
            "kimi-code-2.1.0",
            (_NODE_22, "@moonshot-ai/kimi-code@2.1.0"),
            (_NODE, f"{_MODULES}/@moonshot-ai/kimi-code/dist/main.mjs"),
        ),
        Program("cline-3.0.65", ("cline@3.0.65",), (f"{_MODULES}/.bin/cline",)),
        Program(
            "qwen-code-0.24.4",
            (_NODE_22, "@qwen-code/qwen-code@0.24.4"),
            (_NODE, f"{_MODULES}/@qwen-code/qwen-code/cli-entry.js"),
        ),
        Program(
            "copilot-cli-1.0.102", ("@github/copilot@1.0.102",), (f"{_MODULES}/@github/copilot-{PLATFORM}/copilot",)
        ),
        Program(  # the last under its first name
            "pi-0.73.1",
            (_NODE_22, "@mariozechner/pi-coding-agent@0.73.1"),
            (_NODE, f"{_MODULES}/@mariozechner/pi-coding-agent/dist/cli.js"),
        ),
        Program(
            "pi-0.87.1",
            (_NODE_22, "@earendil-works/pi-coding-agent@0.87.1"),
            (_NODE, f"{_MODULES}/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
        ),
        Program(
            "pi-1.5.2",  # some packages that it names were never published; its bundle holds them
            (_NODE_22,),
            (_NODE, "bundle/package/dist/bundle/cli.js"),
            bundle="@earendil-works/pi-coding-agent@1.5.2",
        ),
        Program(
            "openclaw-2026.6.11",  # of the last that kept its sessions in files
            (_NODE_24, "openclaw@2026.6.11"),
            (_NODE, f"{_MODULES}/openclaw/openclaw.mjs"),
        ),
        Program(
            "omp-18.2.3",
            (f"@oven/bun-{PLATFORM}@1.4.4", "@oh-my-pi/pi-coding-agent@18.2.3"),
            (f"{_MODULES}/@oven/bun-{PLATFORM}/bin/bun", f"{_MODULES}/@oh-my-pi/pi-coding-agent/dist/cli.js"),
        ),
    )
}
