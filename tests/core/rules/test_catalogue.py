"""The tables of rules, formats, presets and profiles agree with their modules, the samples and the command line."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core import formats, providers, rules
from inspector.core.formats import FORMATS
from inspector.core.formats.base.writer import Writer
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.report.format_and_rule_tables import rows_of_format
from inspector.core.rules import RULES
from inspector.core.rules.preconditions import PRECONDITIONS
from inspector.gui.common import ui_text
from tests.core.formats import FORMATS as WRITTEN

_PROFILE_MODULES = sorted(Path(providers.__path__[0]).glob("*/profiles.py"))
HEADINGS = ("What it finds", "Why it matters", "Example", "Repairs")
TABLES = {"Formats": FORMATS, "Rules": RULES, "Presets": PRESETS, "Profiles": PROFILES}


def modules_beside(package: ModuleType) -> set[str]:
    assert package.__file__
    beside = Path(package.__file__).parent
    modules = [*beside.glob("*.py"), *(path.parent for path in beside.glob("*/__init__.py"))]
    return {path.stem for path in modules} - {"__init__"}


@pytest.mark.parametrize("code", RULES)
def test_rule_explains_itself(code: str) -> None:
    rule = RULES[code]
    assert code == rule.code
    assert re.fullmatch(r"[A-Z]\d+", code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug)
    text = rule.help
    assert re.match(r".+\.\n\n", text), "the docstring starts with one sentence on a line of its own"
    places = [text.find(f"\n{heading}:") for heading in HEADINGS]
    assert min(places) > 0, f"the docstring needs the headings {HEADINGS}"
    assert places == sorted(places)
    assert rule.strategy in rule.strategies
    assert "leave" in rule.strategies
    assert len(rule.strategies) == len(rule.repairs)


@pytest.mark.parametrize("code", RULES)
def test_the_page_of_a_rule_names_every_repair_that_it_offers(code: str) -> None:
    repairs = RULES[code].help.partition("\nRepairs: ")[2]
    named = {name for name in RULES[code].strategies if re.search(rf"(?<![\w-]){name}(?![\w-])", repairs)}
    assert named | {"leave"} == {*RULES[code].strategies}


def test_rules_are_told_apart() -> None:
    slugs = [rule.slug for rule in RULES.values()]
    assert len(set(slugs)) == len(slugs)


def test_every_rule_of_every_family_is_in_the_table() -> None:
    families = [
        Path(rules.__path__[0]) / f"{name}.py" for name in sorted(modules_beside(rules) - {"rule", "preconditions"})
    ]
    declared = sum(len(re.findall(r"^@\w*rule\(", path.read_text("utf-8"), re.MULTILINE)) for path in families)
    assert {rule.find.__module__.rpartition(".")[2] for rule in RULES.values()} == {path.stem for path in families}
    assert len(RULES) == declared, "two rules have one code, or one name"


@pytest.mark.parametrize("code", RULES)
def test_the_preconditions_of_a_rule_are_known(code: str) -> None:
    assert {*RULES[code].preconditions} <= PRECONDITIONS.keys() | {code}


def test_no_line_is_too_long_where_a_page_is_written_or_printed() -> None:
    """Indented in a docstring, a line of a page may be longer than others of the source: Ruff is told not to look."""
    pages = {line for rule in RULES.values() for line in rule.help.splitlines()}
    source = [line for path in Path(rules.__path__[0]).glob("*.py") for line in path.read_text("utf-8").splitlines()]
    assert [line for line in pages if len(line) > 120] == []
    assert [line for line in source if len(line) > 120 and line.strip() not in pages] == []


def test_every_format_package_is_in_its_table() -> None:
    used = {type(row).__module__.split(".")[3] for row in FORMATS.values()}
    assert used == modules_beside(formats) - {"base"}


def test_every_profile_is_in_its_table() -> None:
    modules = [import_module(f"{providers.__name__}.{path.parent.name}.profiles") for path in _PROFILE_MODULES]
    declared = {value.name for module in modules for value in vars(module).values() if isinstance(value, Profile)}
    assert declared == PROFILES.keys()


def limits_in(text: str) -> set[int]:
    """The numbers of a text, without those of a class of characters ("a-z0-9") or of a name ("base64")."""
    return {int(number) for number in re.findall(r"(?<![\w-])\d+(?![\w-])", text)}


@pytest.mark.parametrize("name", PROFILES)
def test_a_refusal_depends_on_nothing_but_what_its_profile_declares(name: str) -> None:
    """A profile made from another inherits its texts: they would go on to name the other's limits."""
    profile = PROFILES[name]
    tokens = {token for text in profile.refusals.values() for token in re.findall(r"\{(\w+)\}", text)}
    assert tokens <= {"message", "after", "block", "id"}
    media = profile.media
    declared = {
        "K4": limits_in(profile.call_id_pattern),
        "K7": limits_in(profile.tool_name_pattern),
        "V1": {media.max_side, media.max_side_when_many, media.max_base64_length >> 20} if media else set(),
    }
    for key, text in profile.refusals.items():
        limits = declared.get(key.partition(" ")[0])
        assert limits is None or limits_in(text) <= limits, (key, text)


@pytest.mark.parametrize("name", FORMATS)
def test_format_says_all_of_itself(name: str) -> None:
    told = dict(rows_of_format(FORMATS[name]))
    assert told.pop("kept in")
    assert [heading for heading, text in told.items() if not text.strip() or "|" in text] == []
    assert FORMATS[name].profile in PROFILES
    answer = CliRunner().invoke(main, ["formats", name], env={"COLUMNS": "400"})
    assert answer.exit_code == 0
    assert FORMATS[name].label in answer.output


def test_the_window_has_a_word_for_every_profile() -> None:
    assert set(ui_text.PROFILE_NAMES) == set(PROFILES)


def test_every_format_has_samples_and_is_loaded_by_the_tests(samples: Path) -> None:
    names = {path.name for path in samples.iterdir()}
    for name in FORMATS:
        assert any(each.startswith(f"{name}-healthy") for each in names), name
        assert any(each.startswith(f"{name}-broken") for each in names), name
    writable = {name for name, each in FORMATS.items() if isinstance(each, Writer)}
    assert writable <= set(WRITTEN)


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
