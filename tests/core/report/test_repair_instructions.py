"""Repair instructions to send back: a page to follow where the log is, and the plan, without a word of the log."""

import re
import shlex
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.presentation.engine_results import SendBackRecipient
from inspector.core.repair.choices import Choices
from inspector.core.report.shareable.model import OPERATING_SYSTEMS, REPORT_LANGUAGES
from inspector.core.report.shareable.repair_instructions import (
    LOG_PLACEHOLDER,
    SESSION_PLACEHOLDER,
    RepairInstructions,
    instructions_page,
)
from inspector.core.translation import Translator
from tests.core.report.planted import written as planted
from tests.core.report.test_nothing_leaks import leaked
from tests.support import product
from tests.support.paths import SAMPLES
from tests.translations import translated

READ_ONLY = tuple(f"{name}-broken." for name, format in FORMATS.items() if format.read_only_reason)
BROKEN = sorted(path.name for path in SAMPLES.glob("*-broken.*") if not path.name.startswith(READ_ONLY))


def sent_back(path: Path, out: Path, *more: str) -> dict[str, str]:
    told = product.run("repair", str(path), "--send-back", str(out), *more)
    assert told.exit_code == 0, told.output
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.parametrize("name", BROKEN)
def test_who_follows_the_page_has_the_repair(name: str, samples: Path, tmp_path: Path) -> None:
    log, direct, archive = tmp_path / name, tmp_path / f"direct-{name}", tmp_path / "repair.zip"
    shutil.copy(samples / name, log)
    product.repair(log, direct)
    page = sent_back(log, archive, "--system", "linux")["read-me.txt"]
    with zipfile.ZipFile(archive) as made:
        made.extractall(tmp_path)
    commands = [shlex.split(line)[1:] for line in page.splitlines() if line.startswith("       transcript-inspector")]
    values = {"LOG": str(log), "plan.json": str(tmp_path / "plan.json"), "REPAIRED": str(tmp_path / "repaired")}
    told = product.run(*(values.get(word, word) for word in commands[0]))
    assert told.exit_code == 0, told.output
    assert (log if "--in-place" in commands[0] else tmp_path / "repaired").read_bytes() == direct.read_bytes()
    if "--in-place" in commands[0]:
        backup = next(
            line.removeprefix("Backup: ")[:-1] for line in told.output.splitlines() if line.startswith("Backup: ")
        )
        assert product.run(*(backup if word == "BACKUP" else word for word in commands[1])).exit_code == 0
        assert log.read_bytes() == (samples / name).read_bytes()


@pytest.mark.parametrize("language", REPORT_LANGUAGES)
@pytest.mark.parametrize("system", OPERATING_SYSTEMS)
def test_the_page_is_for_the_system_and_the_agent(system: str, language: str, samples: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.zip"
    text = sent_back(samples / "codex-broken.jsonl", out, "--system", system, "--language", language)["read-me.txt"]
    assert "codex resume SESSION" in text
    assert (r"%USERPROFILE%\.codex\sessions" if system == "windows" else "~/.codex/sessions") in text
    assert ('"LOG"' if system == "windows" else "'LOG'") in text
    assert bool(re.search("[一-鿿]", text)) is (language == "zh")


def test_the_page_says_what_was_wrong_and_what_the_repair_does(samples: Path, tmp_path: Path) -> None:
    page = sent_back(samples / "claude-code-broken.jsonl", tmp_path / "b.zip")["read-me.txt"]
    assert [line for line in page.splitlines() if line.startswith(("* ", "What"))] == [
        "What was wrong:",
        "* A call in the middle of the history has no result. (1)",
        "* A result has no call. (1)",
        "* The last record was cut off. (1)",
        "What the repair does:",
        "* Records added: 1",
        "* Records changed: 2",
        "* Records removed: 1",
    ]
    assert "pipx install" in page


def test_the_system_is_that_of_the_log(samples: Path, tmp_path: Path) -> None:
    text = (samples / "claude-code-broken.jsonl").read_bytes()
    for folder, said in (("/Users/mei", "the Terminal app"), (r"C:\\mei", "cmd"), ("/home/mei", "a terminal")):
        path = tmp_path / "log.jsonl"
        path.write_bytes(text.replace(b"/home/mei", folder.encode()))
        assert said in sent_back(path, tmp_path / "b.zip")["read-me.txt"]


@pytest.mark.parametrize("language", REPORT_LANGUAGES)
def test_it_holds_nothing_of_the_log(language: str, tmp_path: Path) -> None:
    members = sent_back(planted(tmp_path), tmp_path / "b.zip", "--language", language)
    text = "\n".join(members.values())
    assert leaked(text) == []
    assert not any(word in text for word in ("customer", "toolu_", "Bash", "mcp__", "kunde", str(tmp_path)))


@pytest.mark.parametrize("language", REPORT_LANGUAGES[1:])
def test_every_sentence_is_translated(language: str) -> None:
    missed: set[str] = set()

    class Noting(Translator):
        def singular(self, template: str, values: Mapping[str, object]) -> str:
            missed.update({template} - translated(language))
            return super().singular(template, values)

    for format in FORMATS.values():
        for system in OPERATING_SYSTEMS:
            going = agent_of(format).resume_steps(LOG_PLACEHOLDER, SESSION_PLACEHOLDER, False)
            for agent, in_place in (("Codex", True), ("", False)):
                told = RepairInstructions(
                    problems={},
                    changes=dict.fromkeys(("insert", "replace", "move", "delete"), 1),
                    agent=agent,
                    version="1",
                    system=system,
                    folder="~",
                    records=1,
                    in_place=in_place,
                    steps=going.steps,
                    command=going.command,
                )
                instructions_page(told, Noting(language))
    assert missed == set()


def test_the_window_has_it_as_well(samples: Path, tmp_path: Path) -> None:
    engine, out = WindowEngine(), tmp_path / "b.zip"
    engine.open(str(samples / "codex-broken.jsonl"))
    shown = engine.send_back(Choices(), SendBackRecipient("macos", "zh"))
    assert engine.save_send_back(Choices(), SendBackRecipient("macos", "zh"), str(out)) == str(out)
    with zipfile.ZipFile(out) as archive:
        assert [archive.read(name).decode() for name in archive.namelist()] == [shown.page, shown.plan]
    assert engine.save_bundle("en", str(out)) == len(product.check(samples / "codex-broken.jsonl").findings)
    engine.close()
