"""The tables of rules, formats, presets and profiles agree with their modules, the command line and the README."""

import re
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core import formats, profiles, rules
from inspector.core.formats import FORMATS
from inspector.core.profiles import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.rules import RULES

HEADINGS = ("What it finds", "Why it hurts", "Example", "Repairs")
TABLES = {"Formats": FORMATS, "Rules": RULES, "Presets": PRESETS, "Profiles": PROFILES}


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text("utf-8")


def rows(readme: str, heading: str) -> dict[str, list[str]]:
    """The table under a heading of the README, by its first cell without backticks."""
    section = re.split(r"^#+ ", readme.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0].strip("` "): row for row in cells}


def family(code: str) -> tuple[int, int]:
    """Where a rule stands in the README: calls, results, ids, messages, compaction, graph, file, recorded errors."""
    return "DRKMCGFE".index(code[0]), int(code[1:])


def modules_beside(package: ModuleType) -> set[str]:
    assert package.__file__
    beside = Path(package.__file__).parent
    modules = [*beside.glob("*.py"), *(path.parent for path in beside.glob("*/__init__.py"))]
    return {path.stem for path in modules} - {"__init__"}


@pytest.mark.parametrize("code", RULES)
def test_rule_explains_itself(code: str) -> None:
    rule = RULES[code]
    assert code == rule.CODE
    assert re.fullmatch(r"[A-Z]\d+", code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.SLUG)
    text = rule.__doc__ or ""
    assert re.match(r".+\.\n\n", text), "the docstring starts with one sentence on a line of its own"
    places = [text.find(f"\n{heading}: ") for heading in HEADINGS]
    assert min(places) > 0, f"the docstring needs the headings {HEADINGS}"
    assert places == sorted(places)
    assert rule.DEFAULT in rule.STRATEGIES
    assert "leave" in rule.STRATEGIES


def test_rules_are_told_apart() -> None:
    slugs = [rule.SLUG for rule in RULES.values()]
    assert len(set(slugs)) == len(slugs)


def test_every_rule_module_is_in_the_table() -> None:
    assert modules_beside(rules) == {rule.__name__.rpartition(".")[2] for rule in RULES.values()}


def test_every_format_and_profile_module_is_in_its_table() -> None:
    used = {type(row).__module__.split(".")[3] for row in FORMATS.values()}
    assert used <= modules_beside(formats)
    assert {name.replace("-", "_") for name in PROFILES} <= modules_beside(profiles)


@pytest.mark.parametrize("heading", TABLES)
def test_readme_has_a_row_each(readme: str, heading: str) -> None:
    expected = sorted(RULES, key=family) if heading == "Rules" else list(TABLES[heading])
    assert list(rows(readme, heading)) == expected


@pytest.mark.parametrize("code", RULES)
def test_readme_tells_the_same_of_a_rule(readme: str, code: str) -> None:
    _, slug, finds, default = rows(readme, "Rules")[code]
    assert slug == RULES[code].SLUG
    assert finds == RULES[code].__doc__.partition("\n")[0]
    assert default == RULES[code].DEFAULT


@pytest.mark.parametrize("heading", TABLES)
def test_command_lists_every_row(heading: str) -> None:
    answer = CliRunner().invoke(main, [heading.lower()], env={"COLUMNS": "200"})
    assert answer.exit_code == 0
    for name in TABLES[heading]:
        assert re.search(rf"(^|\W){re.escape(name)}(\W|$)", answer.output, re.MULTILINE), name


@pytest.mark.parametrize("code", RULES)
def test_explain_prints_the_rule(code: str) -> None:
    answer = CliRunner().invoke(main, ["explain", code])
    assert answer.exit_code == 0
    for heading in HEADINGS:
        assert heading in answer.output
