"""Each change that users may notice has a fragment, named as towncrier takes it; CONTRIBUTING.md says how."""

import re
import tomllib

from inspector.version import __version__
from tests.support.paths import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
FRAGMENTS = sorted((ROOT / SETTINGS["directory"]).glob("*.md"))
CHANGELOG = (ROOT / SETTINGS["filename"]).read_text("utf-8")
LONGEST = 300  # characters: who reads a list of changes wants to know whether one concerns them


def test_names_are_those_that_are_gathered() -> None:
    kinds = "|".join(kind["directory"] for kind in SETTINGS["type"])
    assert [path.name for path in FRAGMENTS if not re.fullmatch(rf"\+[a-z0-9-]+\.({kinds})\.md", path.name)] == []


def test_a_fragment_is_a_short_paragraph() -> None:
    for path in FRAGMENTS:
        text = path.read_text("utf-8")
        assert re.fullmatch(r"\S[^\n]*\.\n", text), path.name
        assert len(text) <= LONGEST, path.name


def test_there_is_a_place_for_them() -> None:
    assert SETTINGS["start_string"] in CHANGELOG


def test_the_newest_release_is_this_version() -> None:
    released = CHANGELOG.partition(SETTINGS["start_string"])[2]
    before_date = SETTINGS["title_format"].format(version=__version__, project_date="").removesuffix(")")
    assert released.lstrip().startswith(before_date)
