"""What is asked about a log, and what is asked without one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePath

from tests.system.record.running import Came

Run = Callable[..., Came]

PRESETS = ("canonical", "clean", "minimal-loss")
_TARGETS = ("openai", "anthropic", "markdown")
_OUTWARD = ("markdown", "html", "sarif", "junit", "github")
_TABLES = ("rules", "formats", "presets", "profiles", "strategies", "wordings")
# What a person may get wrong.
_WRONG = (
    "check", "check nowhere.json", "check --profile nobody log", "check --format xml log", "repair nowhere.json",
    "repair --preset nothing log", "convert log", "trim log", "explain", "explain nothing", "restore nowhere.backup",
    "formats nothing", "presets nothing", "compare nowhere.json nowhere.json", "sessions nowhere",
)  # fmt: skip
_ERROR = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A."


def of_log(log: str, run: Run) -> Iterator[tuple[str, Came]]:
    """Every question about one log, whose path is given as it is reached from the folder that the program runs in."""
    name = PurePath(log).name
    checked = run("check", log, "--format", "json")
    yield "check --format json", checked
    yield "check", run("check", log)
    yield "check --accepted-by all", run("check", log, "--accepted-by", "all")
    for form in _OUTWARD:
        yield f"check --format {form}", run("check", log, "--format", form)
    yield "check --with-content", run("check", log, "--with-content", "--format", "markdown", "--language", "zh")
    yield "sent", run("sent", log)
    yield "trim --keep 6", run("trim", log, "--keep", "6", "-o", f"out/{name}", "--format", "json")
    for target in _TARGETS:
        yield f"convert --to {target}", run("convert", log, "--to", target, "-o", f"out/{name}.{target}")
    error = _recorded_error(checked.out)
    if error:
        yield "explain --error", run("explain", "--error", error, log)
    yield "bundle", run("bundle", log, "-o", "out/b.zip")
    for preset in PRESETS:
        words = ("repair", log, "--preset", preset, "-o", f"out/{name}", "--format", "json")
        yield f"repair --preset {preset}", run(*words)
    yield "repair --dry-run", run("repair", log, "--dry-run")


def _recorded_error(checked: bytes) -> str:
    """The error that a log itself quotes, as its report has it."""
    try:
        sessions = json.loads(checked).get("sessions", [])
    except ValueError:
        return ""
    found = next((each["recorded_error"] for each in sessions if each.get("recorded_error")), "")
    return str(found).replace("\0", "")


def of_folder(folder: str, run: Run) -> Iterator[tuple[str, Came]]:
    """Every question about a folder of many logs."""
    yield "check", run("check", folder)
    yield "check --format json", run("check", folder, "--format", "json")
    yield "check --format markdown", run("check", folder, "--format", "markdown")
    yield "sessions", run("sessions", folder)
    yield "sessions --format json", run("sessions", folder, "--format", "json")


def of_home(home: str, run: Run) -> Iterator[tuple[str, Came]]:
    """Every question about the stores in a home folder."""
    yield "sessions", run("sessions", home=home)
    yield "sessions --format json", run("sessions", "--format", "json", home=home)
    yield "explain --error", run("explain", "--error", _ERROR, home=home)
    yield "forget --dry-run", run("forget", "--dry-run", home=home)


def of_pair(broken: str, healthy: str, run: Run) -> Iterator[tuple[str, Came]]:
    """A broken log beside its healthy one."""
    for first, second in ((broken, healthy), (healthy, broken)):
        for form in ("text", "json"):
            name = f"compare {PurePath(first).name} {PurePath(second).name} --format {form}"
            yield name, run("compare", first, second, "--format", form)


def of_none(run: Run) -> Iterator[tuple[str, Came]]:
    """What is asked without a log: help, tables, explanations, and what is wrong."""
    for words in ("--help", "--version"):
        yield words, run(words)
    commands = _first_words(run("--help").out.decode().partition("Commands:")[2])
    for command in commands:
        yield f"{command} --help", run(command, "--help")
    for table in _TABLES:
        yield table, run(table)
    yield "formats --format json", run("formats", "--format", "json")
    for table in ("formats", "presets"):
        for name in _first_words(run(table).out.decode().partition("\n")[2].partition("\n\n")[0]):
            yield f"{table} {name}", run(table, name)
    for code in re.findall(r"^[A-Z]\d+\b", run("rules").out.decode(), re.MULTILINE):
        yield f"explain {code}", run("explain", code)
    for line in _WRONG:
        yield f"{line} (wrong)", run(*line.split())


def _first_words(table: str) -> list[str]:
    return re.findall(r"^ {0,2}([a-z][\w-]+)", table, re.MULTILINE)
