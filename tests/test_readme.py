"""The README's commands do what it says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from inspector.cli.tables import row_of
from inspector.core.formats import FORMATS
from inspector.core.ladder import cheapest_first
from inspector.core.profiles import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES

Table = list[list[str]]

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```console\n\$ transcript-inspector ([^\n]+)\n(.*?)\n```", README, re.DOTALL)


@pytest.fixture(scope="module")
def commands() -> list[str]:
    return re.findall(r"^python3 -m venv .+$", README, re.MULTILINE)


def test_has_two_commands(commands: list[str]) -> None:
    opens, checks = commands
    assert opens.endswith(" resources/samples/claude-code-broken.jsonl")
    assert checks.endswith(" -m tests")
    assert " -c tests/constraints.txt " in checks


def test_ci_and_contributing_run_the_second(root: Path, commands: list[str]) -> None:
    pattern = re.search(r"grep -m 1 -E '(.+)' README\.md", (root / ".ci" / "run").read_text("utf-8"))
    assert pattern
    assert [command for command in commands if re.search(pattern[1], command)] == commands[1:]
    assert commands[1] in (root / ".github" / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.slow
def test_first_reports_without_a_display(
    root: Path, commands: list[str], tmp_path: Path, outer_environment: dict[str, str]
) -> None:
    tracked = ("pyproject.toml", "README.md", "inspector", "resources")
    for name in tracked:
        source = root / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in outer_environment.items() if name not in screens}
    environment["PIP_CONSTRAINT"] = (root / "tests" / "constraints.txt").as_uri()
    environment["PATH"] = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", commands[0]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "claude-code-broken.jsonl: broken" in done.stdout
    assert "no display" in done.stderr


def said(arguments: str, folder: Path) -> str:
    """What the program prints when it is run in `folder`, where the samples are at hand."""
    (folder / "resources").symlink_to(ROOT / "resources")
    command = [sys.executable, "-m", "inspector", *shlex.split(arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout.rstrip()


@pytest.mark.parametrize(("arguments", "answer"), EXAMPLES, ids=[arguments[:40] for arguments, _ in EXAMPLES])
def test_examples_say_what_the_program_says(tmp_path: Path, arguments: str, answer: str) -> None:
    """`python -m tests.test_readme` writes the examples anew."""
    assert said(arguments, tmp_path) == answer


def family(code: str) -> tuple[int, int]:
    """Where a rule stands: calls, results, ids, messages, reasoning, server tools …, recorded errors."""
    return "DRKMTXCGFVE".index(code[0]), int(code[1:])


def formats_table() -> Table:
    headings = ["format", "what", *row_of(next(iter(FORMATS.values())))]
    return [headings, *([f"`{name}`", each.label, *row_of(each).values()] for name, each in FORMATS.items())]


def rules_table() -> Table:
    rules = [RULES[code] for code in sorted(RULES, key=family)]
    rows = [[rule.CODE, rule.SLUG, (rule.__doc__ or "").partition("\n")[0], rule.DEFAULT] for rule in rules]
    return [["code", "slug", "finds", "default"], *rows]


def presets_table() -> Table:
    return [["preset", "does"], *([f"`{p.name}`", f"{p.summary} {p.caveat}".strip()] for p in PRESETS.values())]


def profiles_table() -> Table:
    return [["profile", "provider"], *([f"`{name}`", profile.label] for name, profile in PROFILES.items())]


def strategies_table() -> Table:
    rows = [STRATEGIES[name] for name in cheapest_first(tuple(STRATEGIES))]
    return [["strategy", "does", "costs"], *([f"`{row.name}`", row.summary, row.cost.words] for row in rows)]


TABLES = {
    "Formats": formats_table,
    "Rules": rules_table,
    "Strategies": strategies_table,
    "Presets": presets_table,
    "Profiles": profiles_table,
}
IN_README = r"(?ms)^(## {}\n.*?)((?:^\|[^\n]*\n)+)"


def printed(table: Table) -> str:
    """As Markdown; the first row is the headings."""
    headings, *rows = table
    return "".join(f"| {' | '.join(line)} |\n" for line in [headings, ["---"] * len(headings), *rows])


@pytest.mark.parametrize("heading", TABLES)
def test_tables_are_those_of_the_product(heading: str) -> None:
    """`python -m tests.test_readme` writes the tables anew."""
    found = re.search(IN_README.format(heading), README)
    assert found
    assert found[2] == printed(TABLES[heading]())


def write_examples_anew() -> None:
    text = README
    for heading, table in TABLES.items():
        new = printed(table())
        text = re.sub(IN_README.format(heading), lambda found, new=new: found[1] + new, text, count=1)
    for arguments, answer in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            text = text.replace(f"{arguments}\n{answer}\n", f"{arguments}\n{said(arguments, Path(folder))}\n")
    (ROOT / "README.md").write_text(text, "utf-8")


if __name__ == "__main__":
    write_examples_anew()
