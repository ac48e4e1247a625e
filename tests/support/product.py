"""The only file of these tests that knows how the product is called: its command line, in this process."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from inspector.cli.app import main
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import InspectorError
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import Choices

Refused = InspectorError


@dataclass(frozen=True)
class Answer:
    """What a command printed as JSON, and its exit code."""

    code: int
    report: dict[str, Any]

    @property
    def session(self) -> dict[str, Any]:
        """The only session of the log."""
        session: dict[str, Any]
        (session,) = self.report["sessions"]
        return session

    @property
    def findings(self) -> list[dict[str, Any]]:
        return [finding for session in self.report["sessions"] for finding in session["findings"]]

    @property
    def errors(self) -> set[str]:
        """The findings of severity error as `R3:A`: rule and call id."""
        return {f"{f['rule']}:{f['call_id'] or ''}".rstrip(":") for f in self.findings if f["severity"] == "error"}

    @property
    def rules(self) -> set[str]:
        return {finding["rule"] for finding in self.findings}

    @property
    def losses(self) -> list[Any]:
        return [loss for session in self.report["sessions"] for loss in session.get("losses", [])]

    @property
    def edits(self) -> list[dict[str, Any]]:
        return [edit for session in self.report["sessions"] for edit in session.get("edits", [])]

    @property
    def worst(self) -> str:
        """The verdict of a session that holds errors: its agent goes on with it and loses nothing, or it does not."""
        resume = self.session["on_resume"]
        return "heals-itself" if resume["outcome"] in ("mends", "as-is") and not resume["loses"] else "broken"

    @property
    def lost_text(self) -> str:
        return json.dumps(self.losses, ensure_ascii=False)


def check(path: Path, *more: str, profile: str = "", live: bool = False) -> Answer:
    options = ["--profile", profile] if profile else []
    return _run(["check", str(path), *options, *(["--live"] if live else []), *more])


@dataclass(frozen=True)
class Sent:
    """What `sent` printed: what the agent sends, and of each block where it comes from; else why it is not known."""

    code: int
    report: dict[str, Any]
    reason: str = ""

    @property
    def blocks(self) -> list[dict[str, Any]]:
        return [block for blocks in self.report["marks"] for block in blocks]

    @property
    def dropped(self) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = self.report["dropped"]
        return blocks

    def chat_in_short(self, names: dict[str, str]) -> str:
        """Return the messages of Chat Completions as in `u:hello | a:text,c1 | r:c1=real`; `names` shorten texts."""
        words = []
        for message in self.report["messages"]:
            text = str(message.get("content") or "")
            if message["role"] == "tool":
                words.append(f"r:{message['tool_call_id']}={names.get(text, text)}")
            else:
                calls = [call["id"] for call in message.get("tool_calls") or ()]
                words.append(f"{message['role'][0]}:{','.join((text, *calls))}")
        return " | ".join(words)


def sent(path: Path, *more: str) -> Sent:
    result = CliRunner().invoke(main, ["sent", str(path), *more], catch_exceptions=False)
    return Sent(result.exit_code, json.loads(result.stdout or "{}"), result.stderr.strip())


def repair(
    path: Path, out: Path | None, *more: str, strategies: str = "", preset: str = "", profile: str = ""
) -> Answer:
    """Repair to `out`; `strategies` as "R1=drop D2=drop-call"."""
    options = [word for strategy in strategies.split() for word in ("--strategy", strategy)]
    options += ["--preset", preset] if preset else []
    options += ["--profile", profile] if profile else []
    return _run(["repair", str(path), *(["-o", str(out)] if out else []), *options, *more])


def trim(path: Path, out: Path | None, *more: str) -> Answer:
    return _run(["trim", str(path), *(["-o", str(out)] if out else []), *more])


def convert(path: Path, target: str, out: Path, *more: str) -> Answer:
    return _run(["convert", str(path), "--to", target, "-o", str(out), *more])


def _run(arguments: list[str]) -> Answer:
    result = CliRunner().invoke(main, [*arguments, "--format", "json"], catch_exceptions=False)
    try:
        return Answer(result.exit_code, json.loads(result.stdout))
    except ValueError:
        raise AssertionError(
            f"{arguments} left with {result.exit_code} and no JSON:\n{result.stdout}\n{result.stderr}"
        ) from None


class Door:
    """An open log, saved later: what the window does, and what the command line does in one go."""

    def __init__(self, path: Path) -> None:
        self.engine = WindowEngine()
        self.engine.open(str(path))

    def save(self, mode: str, target: Path | None = None) -> SaveResult:
        return self.engine.save(Choices(), mode, str(target) if target else "")

    def close(self) -> None:
        self.engine.close()


def run(*arguments: str) -> Result:
    """Any command: its exit code and what it printed."""
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def command(*arguments: str) -> str:
    """Python code that runs the command line, for a process of its own."""
    return f"from inspector.cli.app import main; main({list(arguments)!r})"


def repair_code(path: Path, *more: str) -> int:
    """The exit code alone, for usage that is refused with a sentence and no JSON."""
    return CliRunner().invoke(main, ["repair", str(path), *more], catch_exceptions=False).exit_code
